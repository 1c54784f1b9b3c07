// What makes ContextArrays leave arrays out: see context_arrays.h.

#include "plugin/clang/context_arrays.h"
#include "plugin/clang/parse_cuda.h"

#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <fmt/core.h>
#include <utility>

namespace slimgrad {

using clang::dyn_cast;
using clang::isa;

void ContextArrays::refuse(const clang::FieldDecl* field, const clang::Stmt* at, const char* why) {
    const auto parts = parts_.find(dyn_cast<clang::CXXRecordDecl>(field->getParent()));
    if (parts == parts_.end() || std::erase(parts->second.arrays, field) == 0)
        return;
    changed_ = true;
    Place place = at ? place_of(context_.getSourceManager(), at->getBeginLoc())
                     : place_of(context_.getSourceManager(), field->getLocation());
    notes_.push_back(
        {RewriteNote::Severity::note, std::string(name_of(pass_)), std::move(place),
         fmt::format("the array {} of {} stays in its context: {}", std::string(field->getName()),
                     std::string(parts->first->getName()), why)});
}

/// Refuses every array in values of the type.
void ContextArrays::refuse(clang::QualType type, const clang::Stmt* at, const char* why) {
    if (const std::optional<FixedArrayType> array = fixed_array(type))
        return refuse(array->element, at, why);
    const Record record = record_of(type);
    if (!record)
        return;
    if (const auto parts = parts_.find(record); parts != parts_.end())
        for (const clang::FieldDecl* field : std::vector(parts->second.arrays))
            refuse(field, at, why);
    for (const clang::FieldDecl* field : record->fields())
        if (field->getType()->isRecordType())
            refuse(field->getType(), at, why);
}

void ContextArrays::check(const GeneratedFunction& function) {
    ContextFunction& own = functions_[function.definition];
    if (own.produces)
        check_result(function, own);
    check_calls(function, own);
    check_lists(function);
    for (const Use& use : function.uses) {
        for (std::size_t i = 0; i < use.path.size(); ++i)
            if (moved(use.path[i].field))
                check_array(function, use, i);
        if (holds(use.type()))
            check_value(function, use);
    }
}

/// Finds the variable that becomes the function's result, or the context in it.
void ContextArrays::check_result(const GeneratedFunction& function, ContextFunction& own) {
    const clang::QualType type = context_.getRecordType(own.produces);
    const clang::Stmt* body = function.definition->getBody();
    if (function.definition->isExternC())
        return refuse(type, body, "other code calls the function that returns it");
    if (function.returns.size() != 1 || block_of(context_, function.returns[0]) != body)
        return refuse(type, body, "more than one return");
    const Use* returned = nullptr;
    for (const Use& use : function.uses)
        if (use.returned == function.returns[0] && use.variable && use.path.empty())
            returned = &use;
    if (!returned || !returned->variable->isLocalVarDecl())
        return refuse(type, function.returns[0], "what is returned is no variable");
    const Use* copied = returned;
    if (record_of(returned->type()) != own.produces) {
        const Variable tuple = returned->variable;
        copied = nullptr;
        if (tuple->hasInit() && !isa<clang::CXXConstructExpr>(tuple->getInit()->IgnoreImplicit()))
            return refuse(type, tuple->getInit(), "the result is not filled member by member");
        for (const Use& use : function.uses)
            if (use.variable == tuple && &use != returned && holds(use.type())) {
                if (copied || use.kind != Use::Kind::written || use.path.size() != 1)
                    return refuse(type, use.root, "the result is used before it is returned");
                for (const Use& source : function.uses)
                    if (source.kind == Use::Kind::read && source.assignment == use.assignment &&
                        source.variable && source.path.empty())
                        copied = &source;
                if (!copied)
                    return refuse(type, use.root, "the context of the result is no variable");
            }
        if (!copied)
            return refuse(type, tuple->getInit(), "the context of the result is not filled");
    }
    const Variable filled = copied->variable;
    if (!filled->isLocalVarDecl() || block_of(context_, filled) != body ||
        loop_around(context_, copied->root))
        return refuse(type, copied->root, "the context is copied in a loop");
    if (filled->hasInit() && !isa<clang::InitListExpr>(filled->getInit()->IgnoreImplicit())) {
        const auto* construct =
            dyn_cast<clang::CXXConstructExpr>(filled->getInit()->IgnoreImplicit());
        const Variable copied_one = variable_in(filled->getInit());
        if (!(construct && construct->getNumArgs() == 0) &&
            !(copied_one && is_zero(function, copied_one)))
            return refuse(type, filled->getInit(), "the context is a copy of another one");
    }
    for (const Use& use : function.uses)
        if (use.variable == filled &&
            offset(use.root->getBeginLoc()) > offset(copied->root->getBeginLoc()))
            return refuse(type, use.root, "the context changes after it was copied");
    own.filled = filled;
    own.result = copied->root;
}

void ContextArrays::check_calls(const GeneratedFunction& function, ContextFunction& own) {
    own.calls.clear();
    for (const Use& use : function.uses) {
        if (!use.call || !use.call->getDirectCallee()->getDefinition())
            continue;
        const auto callee = functions_.find(use.call->getDirectCallee()->getDefinition());
        if (callee == functions_.end() || !callee->second.produces)
            continue;
        ProducerCall entry{use.call, callee->second.produces};
        const auto consider = [&](const Use& source) { // `own context... = source`
            if (source.kind != Use::Kind::read || !source.assignment || !holds(source.type()))
                return;
            for (const Use& target : function.uses) {
                if (target.assignment != source.assignment || target.kind != Use::Kind::written ||
                    !own.filled || target.variable != own.filled)
                    continue;
                if (entry.target || !fits(function, use.call, target, source)) {
                    refuse(target.type(), target.root, "a context goes to a place that may change");
                    continue;
                }
                entry.target = &target;
            }
        };
        consider(use);
        if (use.initialized && use.path.empty())
            for (const Use& source : function.uses)
                if (source.variable == use.initialized)
                    consider(source);
        for (const Use& other : function.uses)
            if (use.initialized && other.variable == use.initialized &&
                other.kind != Use::Kind::read && holds(other.type()))
                refuse(other.type(), other.root, "the result of a call is changed");
        for (const ProducerCall& before : own.calls)
            if (entry.target && before.target &&
                before.target->path[0].field == entry.target->path[0].field)
                refuse(entry.target->type(), use.root, "two calls fill one member");
        own.calls.push_back(entry);
    }
}

/// May the call fill the place that its result is copied to later? Nothing between them may use the
/// place, change its index or go elsewhere.
bool ContextArrays::fits(const GeneratedFunction& function, const clang::CallExpr* call,
                         const Use& target, const Use& source) const {
    if (target.path.empty() || !target.path[0].field)
        return false;
    for (std::size_t i = 1; i < target.path.size(); ++i)
        if (!target.path[i].index)
            return false;
    if (source.call)
        return true; // one statement
    const clang::Stmt* from = statement_of(context_, call);
    const clang::CompoundStmt* block = block_of(context_, call);
    if (block_of(context_, target.assignment) != block || !from)
        return false;
    const unsigned begin = offset(call->getBeginLoc()),
                   end = offset(target.assignment->getBeginLoc());
    if (begin > end)
        return false;
    for (const Use& use : function.uses)
        if (use.variable == target.variable && &use != &target &&
            offset(use.root->getBeginLoc()) > begin && offset(use.root->getBeginLoc()) < end &&
            (use.path.empty() || use.path[0].field == target.path[0].field))
            return false;
    std::vector<Variable> indices;
    for (std::size_t i = 1; i < target.path.size(); ++i) {
        if (target.path[i].index->isEvaluatable(context_))
            continue;
        indices.push_back(variable_in(target.path[i].index));
        if (!indices.back() || !indices.back()->hasLocalStorage())
            return false;
    }
    const std::function<bool(const clang::Stmt*)> disturbs = [&](const clang::Stmt* node) -> bool {
        if (isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(node))
            return true;
        if (const auto* cast = dyn_cast<clang::ImplicitCastExpr>(node);
            cast && cast->getCastKind() == clang::CK_LValueToRValue &&
            isa<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
            return false;
        if (const auto* reference = dyn_cast<clang::DeclRefExpr>(node))
            if (std::count(indices.begin(), indices.end(), reference->getDecl()))
                return true;
        return std::any_of(node->child_begin(), node->child_end(),
                           [&](const clang::Stmt* child) { return child && disturbs(child); });
    };
    for (const clang::Stmt* between : block->body())
        if (offset(between->getBeginLoc()) > begin && offset(between->getBeginLoc()) < end &&
            disturbs(between))
            return false;
    return true;
}

/// Lists that initialize a context: its arrays have to be zeros.
void ContextArrays::check_lists(const GeneratedFunction& function) {
    for (const Variable variable : function.locals) {
        const auto parts = parts_.find(record_of(variable->getType()));
        if (parts == parts_.end() || !variable->hasInit())
            continue;
        const clang::InitListExpr* list = list_of(variable);
        if (!list)
            continue;
        for (const clang::FieldDecl* field : std::vector(parts->second.arrays)) {
            const clang::Expr* zeros = field->getFieldIndex() < list->getNumInits()
                                           ? list->getInit(field->getFieldIndex())
                                           : nullptr;
            const Variable own = functions_[function.definition].filled;
            if (!is_empty(list) && (!zeros || zeros->getBeginLoc() == list->getRBraceLoc() ||
                                    !zeros_in(context_, zeros)))
                refuse(field, list, "a list that is not made of zeros");
            else if (variable != own && zeros_are_read(function, variable))
                zeros_.insert(field);
        }
    }
}

/// Is the record of zeros used for more than to begin the function's own context with?
bool ContextArrays::zeros_are_read(const GeneratedFunction& function, Variable variable) const {
    const auto own = functions_.find(function.definition);
    return std::any_of(function.uses.begin(), function.uses.end(), [&](const Use& use) {
        return use.variable == variable &&
               (!use.initialized || !use.path.empty() || own == functions_.end() ||
                use.initialized != own->second.filled);
    });
}

void ContextArrays::check_array(const GeneratedFunction& function, const Use& use,
                                std::size_t step) {
    const clang::FieldDecl* field = use.path[step].field;
    std::size_t indices = 0;
    while (step + 1 + indices < use.path.size() && use.path[step + 1 + indices].index)
        ++indices;
    const bool to_end = step + 1 + indices == use.path.size();
    const bool own =
        step == 0 && use.variable && use.variable == functions_[function.definition].filled;
    switch (use.kind) {
    case Use::Kind::other:
        return refuse(field, use.root, "a use that is not understood");
    case Use::Kind::address:
        if (whole_elements_ || !only_read(use, 0))
            refuse(field, use.root, "its address is taken");
        return;
    case Use::Kind::read:
        if (whole_elements_ && indices == 0)
            refuse(field, use.root, "it is read as a whole");
        return;
    case Use::Kind::written:
        if (indices == 0 && to_end && zero_array(context_, use.other_side)) {
            if (own)
                return;
            if (step == 0 && use.variable && use.variable->isLocalVarDecl() &&
                !use.variable->getType()->isPointerType()) {
                zeros_.insert(field);
                return;
            }
        }
        if (!own)
            return refuse(field, use.root, "it is written outside of the function that fills it");
        if (whole_elements_ && (indices != dimensions(field) || !to_end))
            refuse(field, use.root, "not whole elements are written");
        return;
    }
}

/// A use of a value that holds moved arrays.
void ContextArrays::check_value(const GeneratedFunction& function, const Use& use) {
    const bool own = use.variable && use.variable == functions_[function.definition].filled;
    switch (use.kind) {
    case Use::Kind::other:
        return refuse(use.type(), use.root, "a use that is not understood");
    case Use::Kind::address:
        if (own || !use.argument_of)
            refuse(use.type(), use.root, "its address is taken");
        return;
    case Use::Kind::written:
        return check_assignment(function, use);
    case Use::Kind::read:
        break;
    }
    if (own && use.root != functions_[function.definition].result)
        return refuse(use.type(), use.root, "it is copied before it is complete");
    if (use.initialized)
        return;
    if (use.assignment) {
        for (const Use& target : function.uses)
            if (target.assignment == use.assignment && target.kind == Use::Kind::written)
                return; // looked at from there
        return refuse(use.type(), use.root, "it is copied to a place that is not understood");
    }
    if (use.returned && use.variable && functions_[function.definition].produces)
        return; // check_result
    if (use.in_list && use.path.empty() && use.variable && is_zero(function, use.variable))
        return;
    if (use.call && isa<clang::CompoundStmt>(above(context_, use.outermost)))
        return;
    refuse(use.type(), use.root, "it is copied in a way that is not understood");
}

void ContextArrays::check_assignment(const GeneratedFunction& function, const Use& target) {
    const ContextFunction& own = functions_[function.definition];
    if (!target.variable || target.variable->getType()->isPointerType())
        return refuse(target.type(), target.root, "it is written through a pointer");
    const Use* source = nullptr;
    for (const Use& use : function.uses)
        if (use.kind == Use::Kind::read && use.assignment == target.assignment)
            source = &use;
    if (!source)
        return refuse(target.type(), target.root, "it is made of what is not understood");
    if (source->variable && source->path.empty() && is_zero(function, source->variable))
        return;
    if (target.variable == own.filled) {
        for (const ProducerCall& call : own.calls)
            if (call.target == &target)
                return;
        return refuse(target.type(), target.root, "the context of another call is stored");
    }
    if (loop_around(context_, target.variable) != loop_around(context_, target.root) &&
        !is_callers(function, source->variable))
        refuse(target.type(), target.root, "a copy outlives the trip of a loop");
}

/// Does the variable point to the caller's context, or hold a copy of what is there? That outlives
/// the function.
bool ContextArrays::is_callers(const GeneratedFunction& function, Variable variable) const {
    if (!variable || variable->getType()->isPointerType())
        return variable && isa<clang::ParmVarDecl>(variable);
    bool copied = false;
    for (const Use& use : function.uses) {
        if (use.variable == variable && use.kind != Use::Kind::read)
            return false;
        copied |= use.initialized == variable && use.variable &&
                  use.variable->getType()->isPointerType() && isa<clang::ParmVarDecl>(use.variable);
    }
    return copied;
}

/// Is nothing written through the address that the use passes on?
bool ContextArrays::only_read(const Use& use, int depth) const {
    if (depth > 16 || !use.argument_of || !use.argument_of->getDirectCallee())
        return false;
    const GeneratedFunction* callee = code_.find(use.argument_of->getDirectCallee());
    if (!callee)
        return false;
    const clang::CallExpr* call = use.argument_of;
    for (unsigned i = 0; i < call->getNumArgs() && i < callee->definition->getNumParams(); ++i) {
        if (call->getArg(i)->IgnoreParenImpCasts() != use.outermost->IgnoreParenImpCasts())
            continue;
        for (const Use& inner : callee->uses)
            if (inner.variable == callee->definition->getParamDecl(i) &&
                inner.kind != Use::Kind::read && !only_read(inner, depth + 1))
                return false;
        return true;
    }
    return false;
}

} // namespace slimgrad
