#include "plugin/clang/context_arrays.h"

#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <utility>

namespace slimgrad {
namespace {

using clang::dyn_cast;
using clang::isa;

const ContextFunction no_part;

/// The records that a type of the prelude is made for: RWStructuredBuffer<record>.
void add_template_arguments(clang::QualType type, std::set<Record>& found) {
    const auto* record = llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(
        (type->isPointerType() ? type->getPointeeType() : type)->getAsCXXRecordDecl());
    if (!record || fixed_array(type))
        return;
    for (const clang::TemplateArgument& argument : record->getTemplateArgs().asArray())
        if (argument.getKind() == clang::TemplateArgument::Type)
            if (const Record inner = record_of(elements_of(argument.getAsType()).type))
                found.insert(inner);
}

} // namespace

ContextArrays::ContextArrays(clang::ASTContext& context, const GeneratedCode& code, Pass pass,
                             bool whole_elements, const Chooser& chosen,
                             std::vector<RewriteNote>& notes)
    : context_(context), code_(code), pass_(pass), whole_elements_(whole_elements), notes_(notes) {
    choose(chosen);
    do { // what is refused changes what the others may rely on
        changed_ = false;
        close_parts();
        find_producers();
        zeros_.clear();
        for (const GeneratedFunction& function : code_.functions)
            if (!changed_)
                check(function);
    } while (changed_);
    for (const GeneratedFunction& function : code_.functions)
        if (const auto own = functions_.find(function.definition); own != functions_.end())
            place_calls(function, own->second);
}

const ContextFunction& ContextArrays::of(const GeneratedFunction& function) const {
    const auto found = functions_.find(function.definition);
    return found == functions_.end() ? no_part : found->second;
}

bool ContextArrays::moved(const clang::FieldDecl* field) const {
    if (!field)
        return false;
    const auto parts = parts_.find(dyn_cast<clang::CXXRecordDecl>(field->getParent()));
    return parts != parts_.end() &&
           std::find(parts->second.arrays.begin(), parts->second.arrays.end(), field) !=
               parts->second.arrays.end();
}

bool ContextArrays::holds(clang::QualType type) const {
    if (type->isPointerType() || type->isReferenceType())
        return false;
    if (const std::optional<FixedArrayType> array = fixed_array(type))
        return holds(array->element);
    const Record record = record_of(type);
    if (!record)
        return false;
    if (parts_.count(record))
        return true;
    return std::any_of(record->field_begin(), record->field_end(),
                       [&](const clang::FieldDecl* field) {
                           return field->getType()->isRecordType() && holds(field->getType());
                       });
}

unsigned ContextArrays::offset(clang::SourceLocation place) const {
    const clang::SourceManager& sources = context_.getSourceManager();
    return sources.getFileOffset(sources.getExpansionLoc(place));
}

void ContextArrays::choose(const Chooser& chosen) {
    std::set<const clang::FieldDecl*> looped;
    for (const GeneratedFunction& function : code_.functions)
        for (const Use& use : function.uses)
            if (use.kind == Use::Kind::written)
                for (std::size_t i = 1; i < use.path.size(); ++i)
                    if (use.path[i].index && use.path[i - 1].field &&
                        !use.path[i].index->isEvaluatable(context_))
                        looped.insert(use.path[i - 1].field);
    // A record of the shader may have such a name, and lie in a buffer.
    std::set<Record> in_buffers;
    for (const Record record : code_.records)
        for (const clang::FieldDecl* field : record->fields())
            add_template_arguments(field->getType(), in_buffers);
    for (const GeneratedFunction& function : code_.functions)
        for (const clang::ParmVarDecl* parameter : function.definition->parameters())
            add_template_arguments(parameter->getType(), in_buffers);
    for (const Record record : code_.records)
        if (context_kind(record) == ContextKind::stored && !in_buffers.count(record))
            for (const clang::FieldDecl* field : record->fields())
                if (fixed_array(field->getType()) &&
                    chosen({field,
                            static_cast<std::uint64_t>(
                                context_.getTypeSizeInChars(field->getType()).getQuantity()),
                            looped.count(field) != 0, counted(field), outermost_bytes(record)}))
                    parts_[record].arrays.push_back(field);
}

bool ContextArrays::counted(const clang::FieldDecl* field) const {
    for (const GeneratedFunction& function : code_.functions)
        for (const Use& use : function.uses)
            for (std::size_t i = 0; i + 1 < use.path.size(); ++i) {
                if (use.kind != Use::Kind::read || use.path[i].field != field)
                    continue;
                for (std::size_t k = i + 1; k < use.path.size() && use.path[k].index; ++k) {
                    const Variable index = variable_in(use.path[k].index);
                    if (!use.path[k].index->isEvaluatable(context_) &&
                        !(index && index->hasInit() && index->getInit()->isEvaluatable(context_)))
                        return false;
                }
            }
    return true;
}

std::uint64_t ContextArrays::outermost_bytes(Record record) const {
    std::uint64_t most = context_.getTypeSizeInChars(context_.getRecordType(record)).getQuantity();
    for (const Record outer : code_.records)
        if (context_kind(outer) == ContextKind::stored && outer != record)
            for (const clang::FieldDecl* field : outer->fields())
                if (record_of(elements_of(field->getType()).type) == record)
                    most = std::max(most, outermost_bytes(outer));
    return most;
}

void ContextArrays::close_parts() {
    for (auto& [record, parts] : parts_)
        parts.inner.clear();
    std::erase_if(parts_, [](const auto& entry) { return entry.second.arrays.empty(); });
    // A member's record is complete where it is used: records stand in the order of definition.
    for (const Record record : code_.records)
        if (context_kind(record) == ContextKind::stored)
            for (const clang::FieldDecl* field : record->fields())
                if (field->getType()->isRecordType() && holds(field->getType()) &&
                    !(parts_.count(record) &&
                      std::count(parts_[record].inner.begin(), parts_[record].inner.end(), field)))
                    parts_[record].inner.push_back(field);
}

void ContextArrays::find_producers() {
    functions_.clear();
    for (const GeneratedFunction& function : code_.functions) {
        const clang::QualType type = function.definition->getReturnType();
        ContextFunction& own = functions_[function.definition];
        if (!holds(type))
            continue;
        const Record record = record_of(type);
        if (parts_.count(record))
            own.produces = record;
        else
            for (const clang::FieldDecl* field : record->fields())
                if (parts_.count(record_of(field->getType()))) {
                    if (own.produces)
                        refuse(type, function.definition->getBody(), "a result of two contexts");
                    own.produces = record_of(field->getType());
                }
        if (!own.produces)
            refuse(type, function.definition->getBody(), "a result that is not understood");
    }
}

/// Is the variable a record of zeros, as far as its arrays go? It is one where only zeros are
/// assigned to them.
bool ContextArrays::is_zero(const GeneratedFunction& function, Variable variable) const {
    if (!variable->isLocalVarDecl() || variable->getType()->isPointerType())
        return false;
    for (const Use& use : function.uses)
        if (use.variable == variable && use.kind != Use::Kind::read) {
            const bool zeros = use.kind == Use::Kind::written && use.path.size() == 1 &&
                               fixed_array(use.type()) && zero_array(context_, use.other_side);
            const bool number = use.kind == Use::Kind::written && !holds(use.type()) &&
                                !fixed_array(use.type()) && use.path.size() == 1;
            if (!zeros && !number)
                return false;
        }
    if (!variable->hasInit())
        return true;
    if (const auto* construct =
            dyn_cast<clang::CXXConstructExpr>(variable->getInit()->IgnoreImplicit())) {
        const Variable copied = variable_in(construct);
        return construct->getNumArgs() == 0 ||
               (copied && copied != variable && is_zero(function, copied));
    }
    return is_zero_value(context_, variable->getInit());
}

std::size_t ContextArrays::dimensions(const clang::FieldDecl* field) const {
    std::size_t all = 4;
    for (const GeneratedFunction& function : code_.functions)
        for (const Use& use : function.uses)
            for (std::size_t i = 0; i < use.path.size(); ++i)
                if (use.path[i].field == field && i + 1 < use.path.size()) {
                    std::size_t indices = 0;
                    while (i + 1 + indices < use.path.size() && use.path[i + 1 + indices].index)
                        ++indices;
                    all = std::min(all, indices);
                }
    std::size_t rank = 0;
    for (auto array = fixed_array(field->getType()); array; array = fixed_array(array->element))
        ++rank;
    return std::max<std::size_t>(1, std::min(all, rank));
}

/// From where to where, as offsets, what a call leaves in its caller is used. What lies in one
/// statement of the function or of the loop around the call counts as used in all of it.
std::pair<unsigned, unsigned> ContextArrays::lifetime(const GeneratedFunction& function,
                                                      const clang::CallExpr* call) const {
    const clang::Stmt* loop = loop_around(context_, call);
    const auto outermost = [&](const clang::Stmt* node) {
        const clang::Stmt* outer = statement_of(context_, node);
        while (outer) {
            const clang::Stmt* next = above(context_, outer); // the block
            if (next == function.definition->getBody() || (next && above(context_, next) == loop))
                break;
            next = next ? statement_of(context_, next) : nullptr;
            if (!next || next == loop)
                break;
            outer = next;
        }
        return outer ? outer : node;
    };
    std::set<Variable> held;
    for (bool more = true; std::exchange(more, false);)
        for (const Use& use : function.uses) {
            if (use.kind != Use::Kind::read || !holds(use.type()) ||
                (use.call != call && !(use.variable && held.count(use.variable))))
                continue;
            if (use.initialized)
                more |= held.insert(use.initialized).second;
            for (const Use& target : function.uses)
                if (use.assignment && target.assignment == use.assignment &&
                    target.kind == Use::Kind::written && target.variable)
                    more |= held.insert(target.variable).second;
        }
    unsigned end = offset(outermost(call)->getEndLoc());
    for (const Use& use : function.uses)
        if (use.variable && held.count(use.variable))
            end = std::max(end, offset(outermost(use.root)->getEndLoc()));
    return {offset(outermost(call)->getBeginLoc()), end};
}

void ContextArrays::place_calls(const GeneratedFunction& function, ContextFunction& own) {
    std::vector<std::vector<std::pair<unsigned, unsigned>>> taken;
    for (ProducerCall& call : own.calls) {
        if (call.target)
            continue;
        const std::pair<unsigned, unsigned> now = lifetime(function, call.call);
        std::size_t place = 0;
        for (; place < own.places.size(); ++place)
            if (own.places[place] == call.record &&
                std::none_of(taken[place].begin(), taken[place].end(), [&](const auto& other) {
                    return now.first <= other.second && other.first <= now.second;
                }))
                break;
        if (place == own.places.size()) {
            own.places.push_back(call.record);
            taken.emplace_back();
        }
        taken[place].push_back(now);
        call.place = place;
    }
}

} // namespace slimgrad
