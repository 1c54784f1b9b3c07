#include "plugin/clang/context_layout.h"

#include "plugin/clang/parse_cuda.h"

#include <algorithm>
#include <clang/AST/RecordLayout.h>
#include <map>

namespace slimgrad {
namespace {

/// A size and an alignment as Slang counts them.
struct Extent {
    std::uint64_t size = 0, alignment = 1;
};

/// Members one after the other, each at its alignment.
Extent slang_extent(const clang::ASTContext& context, clang::QualType type);

Extent slang_extent(const clang::ASTContext& context, const clang::CXXRecordDecl* record) {
    Extent all;
    for (const clang::FieldDecl* field : record->fields()) {
        const Extent one = slang_extent(context, field->getType());
        all.size = llvm::alignTo(all.size, one.alignment) + one.size;
        all.alignment = std::max(all.alignment, one.alignment);
    }
    all.size = llvm::alignTo(all.size, all.alignment);
    return all;
}

Extent slang_extent(const clang::ASTContext& context, clang::QualType type) {
    constexpr std::uint64_t bool_bytes = 4;
    if (type->isBooleanType())
        return {bool_bytes, bool_bytes};
    if (const auto array = fixed_array(type)) {
        const Extent element = slang_extent(context, array->element);
        return {element.size * array->extent, element.alignment};
    }
    if (const auto* array = context.getAsConstantArrayType(type)) {
        const Extent element = slang_extent(context, array->getElementType());
        return {element.size * array->getSize().getZExtValue(), element.alignment};
    }
    if (const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
        record && record->hasDefinition())
        return slang_extent(context, record->getDefinition());
    const clang::TypeInfoChars info = context.getTypeInfoInChars(type);
    return {static_cast<std::uint64_t>(info.Width.getQuantity()),
            static_cast<std::uint64_t>(info.Align.getQuantity())};
}

/// Where each member of a context gets its value: the last assignment of the text, for the first
/// ones fill it with zeros.
std::map<const clang::FieldDecl*, Place> stores_of(const clang::SourceManager& sources,
                                                   const GeneratedCode& code) {
    std::map<const clang::FieldDecl*, Place> stores;
    for (const GeneratedFunction& function : code.functions)
        for (const Use& use : function.uses) {
            if (use.kind != Use::Kind::written || use.path.empty() || !use.assignment)
                continue;
            // The innermost member: what is assigned may be an element of it.
            const auto step = std::find_if(use.path.rbegin(), use.path.rend(),
                                           [](const PathStep& each) { return each.field; });
            if (step == use.path.rend())
                continue;
            Place place = place_of(sources, use.assignment->getBeginLoc());
            if (!place.file.empty())
                stores[step->field->getCanonicalDecl()] = std::move(place);
        }
    return stores;
}

} // namespace

std::vector<ContextLayout> context_layouts(clang::ASTContext& context, const GeneratedCode& code) {
    const clang::SourceManager& sources = context.getSourceManager();
    const auto stores = stores_of(sources, code);
    clang::PrintingPolicy spelling(context.getLangOpts());
    spelling.SuppressTagKeyword = true;

    std::vector<ContextLayout> layouts;
    for (const clang::CXXRecordDecl* record : code.records) {
        const std::optional<ContextKind> kind = context_kind(record);
        if (!kind)
            continue;
        const clang::ASTRecordLayout& record_layout = context.getASTRecordLayout(record);
        ContextLayout layout;
        layout.name = record->getNameAsString();
        layout.kind = *kind;
        layout.size = static_cast<std::uint64_t>(record_layout.getSize().getQuantity());
        layout.alignment = static_cast<std::uint64_t>(record_layout.getAlignment().getQuantity());
        layout.reported_size = slang_extent(context, record).size;
        layout.place = place_of(sources, record->getLocation());
        layout.place.column = 0; // of the generated text
        for (const clang::FieldDecl* field : record->fields()) {
            const clang::TypeInfoChars info = context.getTypeInfoInChars(field->getType());
            const auto store = stores.find(field->getCanonicalDecl());
            Place place = store == stores.end() ? layout.place : store->second;
            place.column = 0;
            layout.fields.push_back(
                {field->getNameAsString(), field->getType().getAsString(spelling),
                 record_layout.getFieldOffset(field->getFieldIndex()) / context.getCharWidth(),
                 static_cast<std::uint64_t>(info.Width.getQuantity()),
                 static_cast<std::uint64_t>(info.Align.getQuantity()), std::move(place)});
        }
        layouts.push_back(std::move(layout));
    }
    return layouts;
}

nlohmann::json to_json(const ContextLayout& layout) {
    const auto kind_name = [](ContextKind kind) {
        switch (kind) {
        case ContextKind::stored:
            return "stored";
        case ContextKind::parameters:
            return "parameters";
        case ContextKind::both:
            return "both";
        }
        return "";
    };
    nlohmann::json fields = nlohmann::json::array();
    for (const ContextField& field : layout.fields)
        fields.push_back({{"name", field.name},
                          {"type", field.type},
                          {"offset", field.offset},
                          {"size", field.size},
                          {"alignment", field.alignment},
                          {"file", field.place.file},
                          {"line", field.place.line}});
    return {{"name", layout.name},
            {"kind", kind_name(layout.kind)},
            {"size", layout.size},
            {"alignment", layout.alignment},
            {"reported_size", layout.reported_size},
            {"file", layout.place.file},
            {"line", layout.place.line},
            {"fields", std::move(fields)}};
}

} // namespace slimgrad
