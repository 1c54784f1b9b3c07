#include "plugin/clang/single_copy.h"

#include "plugin/clang/context_arrays.h"
#include "plugin/clang/text_edits.h"
#include "plugin/clang/zero_fill.h"

#include <fmt/core.h>
#include <utility>

namespace slimgrad {
namespace {

using clang::dyn_cast;

constexpr std::uint64_t smallest_context = 64; ///< bytes; larger ones are worth it
/// Bytes. nvcc unrolls short loops with known numbers of trips, as slangc emits them, and needs no
/// array, or no second copy of one; it does not through a pointer. Measured: one copy of up to 280
/// bytes of numbers costs more than it saves, of 352 it saves; of 360 bytes of contexts it costs.
constexpr std::uint64_t largest_unrolled = 320;
constexpr std::uint64_t largest_unrolled_of_contexts = 512;

/// Up to what size the context of the array stays as it is.
std::uint64_t unrolled(const clang::FieldDecl* field) {
    for (const clang::FieldDecl* beside : field->getParent()->fields())
        if (fixed_array(beside->getType()) && holds_stored_context(beside->getType()))
            return largest_unrolled_of_contexts;
    return largest_unrolled;
}

class SingleCopy {
  public:
    SingleCopy(clang::ASTContext& context, RewriteResult& result)
        : context_(context), result_(result), code_(read_generated_code(context)),
          edits_(context.getSourceManager(), context.getLangOpts()),
          arrays_(
              context, code_, Pass::single_copy, false,
              [](const ContextArrays::Choice& choice) {
                  return choice.looped && choice.outermost_bytes > smallest_context &&
                         !(choice.counted && choice.outermost_bytes <= unrolled(choice.field));
              },
              result.notes) {}

    bool run() {
        if (arrays_.empty())
            return false;
        for (const auto& [record, parts] : arrays_.parts())
            edit_record(record, parts);
        ZeroFill fills(
            context_, code_, arrays_, edits_,
            [](const clang::FieldDecl* field, const std::vector<std::string>& indices,
               const std::string& value) {
                std::string text = "slimgrad_arrays->" + field->getNameAsString();
                for (const std::string& index : indices)
                    text += "[" + index + "]";
                return text + " = " + value + ";";
            },
            [](std::uint64_t declared) { return std::to_string(declared); });
        for (const GeneratedFunction& function : code_.functions)
            edit_function(function, fills);
        return edits_.apply(result_.text);
    }

  private:
    static std::string storage(Record record) {
        return "slimgrad_arrays_of_" + record->getNameAsString();
    }
    static std::string zeros(const clang::FieldDecl* field) {
        return fmt::format("slimgrad_zeros_{}_{}",
                           dyn_cast<clang::CXXRecordDecl>(field->getParent())->getNameAsString(),
                           field->getNameAsString());
    }
    std::string type_text(const clang::FieldDecl* field) const {
        return edits_.source(field->getTypeSourceInfo()->getTypeLoc().getSourceRange());
    }

    /// Members become pointers; what they point to is a record of its own, in front.
    void edit_record(Record record, const ContextParts& parts) {
        std::string members, globals;
        for (const clang::FieldDecl* field : parts.arrays) {
            const std::string type = type_text(field), name = field->getNameAsString();
            members += fmt::format(" {} {};", type, name);
            edits_.insert_before(field->getLocation(), "* ");
            if (arrays_.zeros_needed(field))
                globals += fmt::format("static __device__ {} {}; ", type, zeros(field));
        }
        for (const clang::FieldDecl* field : parts.inner) {
            const std::string name = field->getNameAsString();
            const ArrayElements elements = elements_of(field->getType());
            std::string inner = storage(record_of(elements.type));
            for (auto extent = elements.extents.rbegin(); extent != elements.extents.rend();
                 ++extent)
                inner = fmt::format("FixedArray<{}, {}>", inner, *extent);
            members += fmt::format(" {} of_{};", inner, name);
        }
        edits_.insert_before(record->getBeginLoc(), fmt::format("{}struct {} {{{} }}; ", globals,
                                                                storage(record), members));
    }

    void edit_function(const GeneratedFunction& function, ZeroFill& fills) {
        const ContextFunction& own = arrays_.of(function);
        if (own.produces)
            for (const clang::FunctionDecl* declaration : function.definition->redecls())
                edits_.insert_before(declaration->getFunctionTypeLoc().getRParenLoc(),
                                     fmt::format("{}{} * slimgrad_arrays",
                                                 declaration->getNumParams() ? ", " : "",
                                                 storage(own.produces)));
        if (own.filled)
            bind(own);
        std::string places;
        for (std::size_t i = 0; i < own.places.size(); ++i)
            places += fmt::format(" {} slimgrad_arrays_{};", storage(own.places[i]), i);
        if (!places.empty())
            edits_.insert_after(function.definition->getBody()->getBeginLoc(), places);
        for (const ProducerCall& call : own.calls)
            edits_.insert_before(call.call->getRParenLoc(),
                                 (call.call->getNumArgs() ? ", &" : "&") + place(call));
        for (const Use& use : function.uses)
            edit_use(function, use, own, fills);
        edit_lists(function, own, fills);
        fills.shrink(function);
        fills.remove_unused(function);
    }

    std::string place(const ProducerCall& call) const {
        if (!call.target)
            return fmt::format("slimgrad_arrays_{}", call.place);
        std::string text = "slimgrad_arrays->of_" + call.target->path[0].field->getNameAsString();
        for (std::size_t i = 1; i < call.target->path.size(); ++i)
            text += "[" + edits_.source(call.target->path[i].index->getSourceRange()) + "]";
        return text;
    }

    /// The function's own context points to the caller's arrays from its declaration on.
    void bind(const ContextFunction& own) {
        if (has_elements(own.filled))
            return; // edit_lists
        std::string text;
        for (const clang::FieldDecl* field : arrays_.parts().at(own.produces).arrays)
            text += fmt::format(" (&{0})->{1} = &slimgrad_arrays->{1};",
                                own.filled->getNameAsString(), field->getNameAsString());
        edits_.insert_after(above(context_, own.filled)->getEndLoc(), text);
    }
    static bool has_elements(Variable variable) {
        const clang::InitListExpr* list = list_of(variable);
        return list && !is_empty(list);
    }

    void edit_use(const GeneratedFunction& function, const Use& use, const ContextFunction& own,
                  ZeroFill& fills) {
        for (std::size_t i = 0; i < use.path.size(); ++i) {
            if (!arrays_.moved(use.path[i].field))
                continue;
            const bool zero = use.kind == Use::Kind::written && i + 1 == use.path.size() &&
                              zero_array(context_, use.other_side);
            if (zero && use.variable == own.filled)
                continue; // ZeroFill's
            if (zero) {
                edits_.replace(use.other_side->getSourceRange(), "&" + zeros(use.path[i].field));
                for (const Use& source : function.uses)
                    if (source.assignment == use.assignment && source.kind == Use::Kind::read)
                        fills.forget(source.root);
                continue;
            }
            edits_.insert_before(use.path[i].whole->getBeginLoc(), "(*");
            edits_.insert_after(use.path[i].whole->getEndLoc(), ")");
        }
    }

    /// `s_minCtx_F c = { _S34, 0 }`: pointers in place of the arrays.
    void edit_lists(const GeneratedFunction& function, const ContextFunction& own,
                    ZeroFill& fills) {
        for (const Variable variable : function.locals) {
            const auto parts = arrays_.parts().find(record_of(variable->getType()));
            if (parts == arrays_.parts().end() || !variable->hasInit())
                continue;
            const clang::InitListExpr* list = list_of(variable);
            if (!list)
                continue;
            if (is_empty(list)) {
                edit_empty_list(variable, parts->second, own);
                continue;
            }
            for (const clang::FieldDecl* field : parts->second.arrays) {
                const clang::Expr* element = list->getInit(field->getFieldIndex());
                edits_.replace(element->getSourceRange(),
                               variable == own.filled
                                   ? "&slimgrad_arrays->" + field->getNameAsString()
                                   : "&" + zeros(field));
                for (const Use& use : function.uses)
                    if (use.in_list && inside(context_, use.root, element))
                        fills.forget(use.root);
            }
        }
    }

    /// `s_minCtx_F c = {};`: where its zeros are read, there have to be some.
    void edit_empty_list(Variable variable, const ContextParts& parts, const ContextFunction& own) {
        std::string text;
        for (const clang::FieldDecl* field : parts.arrays)
            if (variable != own.filled && arrays_.zeros_needed(field))
                text += fmt::format(" (&{})->{} = &{};", variable->getNameAsString(),
                                    field->getNameAsString(), zeros(field));
        edits_.insert_after(above(context_, variable)->getEndLoc(), text);
    }

    clang::ASTContext& context_;
    RewriteResult& result_;
    const GeneratedCode code_;
    TextEdits edits_;
    const ContextArrays arrays_;
};

} // namespace

bool single_copy(clang::ASTContext& context, RewriteResult& result) {
    return SingleCopy(context, result).run();
}

} // namespace slimgrad
