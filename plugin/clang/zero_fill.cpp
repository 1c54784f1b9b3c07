#include "plugin/clang/zero_fill.h"

#include <fmt/core.h>

namespace slimgrad {
namespace {

using clang::dyn_cast;
using clang::isa;

/// `int(1)` or `1`.
bool is_number(clang::ASTContext& context, const clang::Expr* expression, int value) {
    clang::Expr::EvalResult result;
    return expression->EvaluateAsInt(result, context) && result.Val.getInt() == value;
}

/// `variable = variable + 1`, or minus; also by way of `int next = variable + 1`.
bool is_step(clang::ASTContext& context, const clang::Stmt* statement, Variable variable,
             clang::BinaryOperatorKind kind) {
    const auto* assignment = dyn_cast<clang::BinaryOperator>(statement);
    if (!assignment || assignment->getOpcode() != clang::BO_Assign ||
        variable_in(assignment->getLHS()) != variable)
        return false;
    const clang::Expr* value = assignment->getRHS();
    const Variable next = variable_in(value);
    if (next && next != variable && next->isLocalVarDecl() && next->hasInit() &&
        block_of(context, next) == block_of(context, statement))
        value = next->getInit();
    const auto* sum = dyn_cast<clang::BinaryOperator>(value->IgnoreParenImpCasts());
    return sum && sum->getOpcode() == kind && variable_in(sum->getLHS()) == variable &&
           is_number(context, sum->getRHS(), 1);
}

/// Every mention of a variable that is no load of it, below `statement`.
void collect_writes(const clang::Stmt* statement, const clang::VarDecl* variable,
                    std::vector<const clang::Stmt*>& found) {
    if (const auto* cast = dyn_cast<clang::ImplicitCastExpr>(statement);
        cast && cast->getCastKind() == clang::CK_LValueToRValue &&
        isa<clang::DeclRefExpr>(cast->getSubExpr()->IgnoreParens()))
        return;
    if (const auto* reference = dyn_cast<clang::DeclRefExpr>(statement);
        reference && reference->getDecl() == variable)
        found.push_back(reference);
    for (const clang::Stmt* child : statement->children())
        if (child)
            collect_writes(child, variable, found);
}

/// Can control leave the statement for somewhere behind it, or the loop around it?
bool leaves(const clang::Stmt* statement, bool in_loop = false) {
    if (isa<clang::ReturnStmt, clang::GotoStmt>(statement))
        return true;
    if (isa<clang::BreakStmt, clang::ContinueStmt>(statement))
        return !in_loop;
    in_loop |= isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt, clang::SwitchStmt>(statement);
    for (const clang::Stmt* child : statement->children())
        if (child && leaves(child, in_loop))
            return true;
    return false;
}

bool continues(const clang::Stmt* statement) {
    if (isa<clang::ContinueStmt, clang::ReturnStmt, clang::GotoStmt>(statement))
        return true;
    if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(statement))
        return false;
    for (const clang::Stmt* child : statement->children())
        if (child && continues(child))
            return true;
    return false;
}

} // namespace

/// Statements that give the elements of an array (or of the row at `indices`) their zeros, from
/// index `from` on.
std::string ZeroFill::fill(const clang::FieldDecl* field, std::vector<std::string> indices,
                           const Zeros& zeros, const std::string& from) const {
    const std::string index = fmt::format("slimgrad_i{}", indices.size());
    indices.push_back(index);
    return fmt::format("for(int {0} = {1}; {0} < {2}; ++{0}) {{ {3} }}", index, from,
                       extent_(zeros.extent), fill_element(field, indices, zeros));
}

/// One element of `zeros`, or a row of them.
std::string ZeroFill::fill_element(const clang::FieldDecl* field, std::vector<std::string> indices,
                                   const Zeros& zeros) const {
    if (indices.size() < arrays_.dimensions(field))
        return fill(field, std::move(indices),
                    zeros.element ? *zeros_in(context_, zeros.element) : *zeros_of(zeros.type),
                    "0");
    return store_(field, indices, text_of_zero(context_, zeros));
}

void ZeroFill::shrink(const GeneratedFunction& function) {
    const Variable own = arrays_.of(function).filled;
    if (!own)
        return;
    for (const clang::FieldDecl* field : arrays_.parts().at(record_of(own->getType())).arrays) {
        if (const std::optional<Zeros> zeros = initial(function, field)) {
            shrink(function, field, *zeros, nullptr);
            continue;
        }
        for (const Use& use : function.uses) {
            if (use.variable != own || use.kind != Use::Kind::written || use.path.size() != 1 ||
                use.path[0].field != field)
                continue;
            const std::optional<Zeros> zeros = zeros_in(context_, use.other_side);
            if (!zeros)
                continue;
            for (const Use& source : function.uses)
                if (source.kind == Use::Kind::read && source.assignment == use.assignment)
                    forget(source.root);
            edits_.remove_statement(use.assignment->getSourceRange());
            shrink(function, field, *zeros, use.assignment);
        }
    }
}

/// The zeros that the initializer of the function's own context gives the array.
std::optional<Zeros> ZeroFill::initial(const GeneratedFunction& function,
                                       const clang::FieldDecl* field) const {
    const Variable own = arrays_.of(function).filled;
    if (!own->hasInit())
        return std::nullopt;
    if (variable_in(own->getInit())) // a record of zeros
        return zeros_of(field->getType());
    const auto* list = dyn_cast<clang::InitListExpr>(own->getInit()->IgnoreImplicit());
    if (!list)
        return std::nullopt;
    return is_empty(list) ? zeros_of(field->getType())
                          : zeros_in(context_, list->getInit(field->getFieldIndex()));
}

/// `assignment`: of the zeros; null: they stand in the variable's initializer.
void ZeroFill::shrink(const GeneratedFunction& function, const clang::FieldDecl* field,
                      const Zeros& zeros, const clang::Expr* assignment) {
    const SlotLoop slots = slot_loop(function, field, assignment);
    if (!slots.loop) {
        const std::string text = fill(field, {}, zeros, "0");
        if (assignment)
            edits_.insert_before(assignment->getBeginLoc(), text);
        else
            edits_.insert_after(above(context_, arrays_.of(function).filled)->getEndLoc(),
                                " " + text);
        return;
    }
    // At the loop's last exit the counter may stand behind the array.
    const std::string counter = slots.counter->getNameAsString();
    fill_paths(dyn_cast<clang::CompoundStmt>(slots.loop->getBody()), slots,
               fmt::format(" if({} < {}) {{ {} }}", counter, extent_(zeros.extent),
                           fill_element(field, {counter}, zeros)));
    if (!reads_only_reached(function, field, slots))
        edits_.insert_after(slots.loop->getEndLoc(),
                            " " + fill(field, {}, zeros, counter + " + 1"));
}

/// The loop around all element writes of the array; `loop` null where there is none, or anything
/// else is done with it but the fill.
ZeroFill::SlotLoop ZeroFill::slot_loop(const GeneratedFunction& function,
                                       const clang::FieldDecl* field,
                                       const clang::Expr* fill) const {
    SlotLoop result;
    const Variable own = arrays_.of(function).filled;
    const clang::Stmt* body = function.definition->getBody();
    if (fill && block_of(context_, fill) != body)
        return {};
    for (const Use& use : function.uses) {
        if (use.variable != own || (fill && use.assignment == fill) || use.path.empty() ||
            use.path[0].field != field)
            continue;
        if (use.kind != Use::Kind::written || use.path.size() != 2 || !use.path[1].index)
            return {};
        const Variable counter = variable_in(use.path[1].index);
        if (!counter || (result.counter && counter != result.counter))
            return {};
        result.counter = counter;
        result.writes.insert(statement_of(context_, use.assignment));
    }
    if (!result.counter || block_of(context_, result.counter) != body)
        return {};
    for (const clang::Stmt* statement : dyn_cast<clang::CompoundStmt>(body)->body()) {
        bool holds = false;
        for (const clang::Stmt* write : result.writes)
            holds |= inside(context_, write, statement);
        if (!holds)
            continue;
        if (result.loop || !isa<clang::ForStmt>(statement))
            return {};
        result.loop = dyn_cast<clang::ForStmt>(statement);
    }
    return result.loop && counts_trips(function, result) ? result : SlotLoop{};
}

/// Is the counter 0 before the loop and one more at the end of each of its trips?
bool ZeroFill::counts_trips(const GeneratedFunction& function, const SlotLoop& slots) const {
    const clang::ForStmt* loop = slots.loop;
    const auto* body = dyn_cast<clang::CompoundStmt>(loop->getBody());
    if (!body || loop->getInit() || loop->getCond() || loop->getInc() || continues(body) ||
        !slots.counter->hasInit() || !is_number(context_, slots.counter->getInit(), 0))
        return false;
    std::vector<const clang::Stmt*> writes;
    collect_writes(function.definition->getBody(), slots.counter, writes);
    const clang::Stmt* step = nullptr;
    for (const clang::Stmt* statement : body->body())
        if (is_step(context_, statement, slots.counter, clang::BO_Add))
            step = step ? body : statement;
    if (!step || step == body || writes.size() != 1 || !inside(context_, writes[0], step))
        return false;
    bool behind = false;
    for (const clang::Stmt* statement : body->body()) {
        if (behind && (leaves(statement) || slots.writes.count(statement)))
            return false;
        for (const clang::Stmt* write : slots.writes)
            if (behind && inside(context_, write, statement))
                return false;
        behind |= statement == step;
    }
    return true;
}

/// Puts the fill on every path through the block that does not write the slot.
void ZeroFill::fill_paths(const clang::CompoundStmt* block, const SlotLoop& slots,
                          const std::string& text) {
    const auto writes = [&](const clang::Stmt* statement) {
        for (const clang::Stmt* write : slots.writes)
            if (inside(context_, write, statement))
                return true;
        return false;
    };
    if (!writes(block)) {
        edits_.insert_after(block->getLBracLoc(), text);
        return;
    }
    for (const clang::Stmt* statement : block->body()) {
        const bool written = writes(statement);
        if (slots.writes.count(statement))
            return;
        if (!written && !leaves(statement))
            continue;
        const auto* branch = dyn_cast<clang::IfStmt>(statement);
        const auto* then = branch ? dyn_cast<clang::CompoundStmt>(branch->getThen()) : nullptr;
        const auto* other =
            branch && branch->getElse() ? dyn_cast<clang::CompoundStmt>(branch->getElse()) : nullptr;
        if (!then || (branch->getElse() && !other)) {
            edits_.insert_before(statement->getBeginLoc(), text + " ");
            return;
        }
        for (const clang::CompoundStmt* arm : {then, other})
            if (arm && (written || leaves(arm)))
                fill_paths(arm, slots, text);
        if (written && !other)
            edits_.insert_after(then->getRBracLoc(), " else {" + text + " }");
        if (written)
            return;
    }
}

/// Do the backward functions read only slots up to the last one that the loop reached? They do
/// where they count down from a member that the loop sets to its counter at the head of each trip.
bool ZeroFill::reads_only_reached(const GeneratedFunction& function,
                                  const clang::FieldDecl* field, const SlotLoop& slots) const {
    const Variable own = arrays_.of(function).filled;
    const clang::FieldDecl* counter = nullptr;
    for (const clang::Stmt* statement :
         dyn_cast<clang::CompoundStmt>(slots.loop->getBody())->body()) {
        if (leaves(statement))
            break;
        for (const Use& use : function.uses)
            if (use.variable == own && use.kind == Use::Kind::written &&
                use.path.size() == 1 && use.assignment == statement &&
                variable_in(use.other_side) == slots.counter)
                counter = use.path[0].field;
    }
    if (!counter)
        return false;
    for (const Use& use : function.uses) // nothing else sets it but before the loop
        if (use.variable == own && !use.path.empty() && use.path[0].field == counter &&
            (use.kind != Use::Kind::written ||
             (use.assignment->getBeginLoc() > slots.loop->getEndLoc()) ||
             (inside(context_, use.assignment, slots.loop) &&
              variable_in(use.other_side) != slots.counter)))
            return false;
    for (const GeneratedFunction& reader : code_.functions)
        for (const Use& use : reader.uses)
            for (std::size_t i = 0; i < use.path.size(); ++i) {
                if (use.path[i].field != field ||
                    (&reader == &function && use.variable == own))
                    continue;
                if (!starts_at_counter(reader, use, i, counter))
                    return false;
            }
    return true;
}

/// `[_dc_0]` with `int _dc_0 = context.counter - int(1)`, which only ever goes down.
bool ZeroFill::starts_at_counter(const GeneratedFunction& function, const Use& read,
                                 std::size_t step, const clang::FieldDecl* counter) const {
    if (read.kind != Use::Kind::read || step + 1 >= read.path.size() || !read.path[step + 1].index)
        return false;
    const clang::VarDecl* index = variable_in(read.path[step + 1].index);
    if (!index || !index->isLocalVarDecl() || !index->hasInit())
        return false;
    const Use* start = nullptr;
    for (const Use& use : function.uses)
        if (use.variable == read.variable && use.kind == Use::Kind::read &&
            use.path.size() == step + 1 && use.path[step].field == counter &&
            inside(context_, use.root, index->getInit()))
            start = &use;
    if (!start)
        return false;
    for (std::size_t i = 0; i < step; ++i)
        if (!read.path[i].field || start->path[i].field != read.path[i].field)
            return false;
    const clang::Expr* initial = index->getInit()->IgnoreParenImpCasts();
    if (const auto* difference = dyn_cast<clang::BinaryOperator>(initial)) {
        clang::Expr::EvalResult result;
        if (difference->getOpcode() != clang::BO_Sub ||
            !difference->getRHS()->EvaluateAsInt(result, context_) ||
            result.Val.getInt().isNegative())
            return false;
        initial = difference->getLHS()->IgnoreParenImpCasts();
    }
    if (initial != start->object->IgnoreParenImpCasts())
        return false;
    std::vector<const clang::Stmt*> writes;
    collect_writes(function.definition->getBody(), index, writes);
    for (const clang::Stmt* write : writes)
        if (!is_step(context_, statement_of(context_, write), index, clang::BO_Sub))
            return false;
    return true;
}

void ZeroFill::remove_unused(const GeneratedFunction& function) {
    // The last one first: it may hold the others.
    for (auto it = function.locals.rbegin(); it != function.locals.rend(); ++it) {
        const clang::VarDecl* variable = *it;
        if (!fixed_array(variable->getType()) || !variable->hasInit() ||
            !zeros_in(context_, variable->getInit()))
            continue;
        bool used = false, any = false;
        for (const Use& use : function.uses)
            if (use.variable == variable) {
                any = true;
                used |= !gone_.count(use.root);
            }
        if (!any || used)
            continue;
        edits_.remove_statement(variable->getSourceRange());
        for (const Use& use : function.uses)
            if (use.variable && use.in_list && inside(context_, use.root, variable->getInit()))
                gone_.insert(use.root);
    }
}

} // namespace slimgrad
