#include "plugin/clang/zero_fill.h"

#include <algorithm>
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
        block_of(context, next) == block_of(context, statement)) {
        const clang::Stmt* body = statement;
        while (const clang::Stmt* outer = above(context, body))
            body = outer;
        std::vector<const clang::Stmt*> writes;
        collect_writes(body, next, writes);
        if (writes.empty())
            value = next->getInit();
    }
    const auto* sum = dyn_cast<clang::BinaryOperator>(value->IgnoreParenImpCasts());
    return sum && sum->getOpcode() == kind && variable_in(sum->getLHS()) == variable &&
           is_number(context, sum->getRHS(), 1);
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
                           const Zeros& zeros, const std::string& from) {
    const std::string index = fmt::format("slimgrad_i{}", indices.size());
    indices.push_back(index);
    return fmt::format("for(int {0} = {1}; {0} < {2}; ++{0}) {{ {3} }}", index, from,
                       extent_(zeros.extent), fill_element(field, indices, zeros));
}

/// One element of `zeros`, or a row of them.
std::string ZeroFill::fill_element(const clang::FieldDecl* field, std::vector<std::string> indices,
                                   const Zeros& zeros) {
    if (indices.size() < arrays_.dimensions(field))
        return fill(field, std::move(indices),
                    zeros.element ? *zeros_in(context_, zeros.element) : *zeros_of(zeros.type),
                    "0");
    if (zeros.element)
        needed_.insert(variable_in(zeros.element));
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
    for (const auto& [then, text] : missing_arms_)
        edits_.insert_after(then->getRBracLoc(), " else {" + text + " }");
    missing_arms_.clear();
}

/// The zeros that the initializer of the function's own context gives the array.
std::optional<Zeros> ZeroFill::initial(const GeneratedFunction& function,
                                       const clang::FieldDecl* field) const {
    const Variable own = arrays_.of(function).filled;
    if (!own->hasInit())
        return std::nullopt;
    if (variable_in(own->getInit())) // a record of zeros
        return zeros_of(field->getType());
    const clang::InitListExpr* list = list_of(own);
    if (!list)
        return std::nullopt;
    return is_empty(list) ? zeros_of(field->getType())
                          : zeros_in(context_, list->getInit(field->getFieldIndex()));
}

/// `assignment`: of the zeros; null: they stand in the variable's initializer.
void ZeroFill::shrink(const GeneratedFunction& function, const clang::FieldDecl* field,
                      const Zeros& zeros, const clang::Expr* assignment) {
    const SlotLoops slots = slot_loops(function, field, assignment);
    const bool only_reached = !slots.levels.empty() && reads_only_reached(function, field, slots);
    const bool one_loop = slots.levels.size() == 1 &&
                          block_of(context_, slots.outermost) == function.definition->getBody();
    if (!only_reached && !one_loop) {
        const std::string text = fill(field, {}, zeros, "0");
        if (assignment)
            edits_.insert_before(assignment->getBeginLoc(), text);
        else
            edits_.insert_after(above(context_, arrays_.of(function).filled)->getEndLoc(),
                                " " + text);
        return;
    }
    // At a loop's last exit its counter may stand behind the array.
    std::string in_array;
    std::vector<std::string> indices;
    Zeros level = zeros;
    for (std::size_t i = 0; i < slots.levels.size(); ++i) {
        if (i > 0)
            level = level.element ? *zeros_in(context_, level.element) : *zeros_of(level.type);
        indices.push_back(slots.levels[i].counter->getNameAsString());
        in_array +=
            fmt::format("{}{} < {}", i == 0 ? "" : " && ", indices[i], extent_(level.extent));
    }
    fill_paths(dyn_cast<clang::CompoundStmt>(slots.innermost->getBody()), slots,
               fmt::format(" if({}) {{ {} }}", in_array, fill_element(field, indices, level)));
    if (!only_reached)
        edits_.insert_after(slots.outermost->getEndLoc(),
                            " " + fill(field, {}, zeros, indices[0] + " + 1"));
}

/// The loops around all element writes of the array; none where they are not understood, or
/// anything else is done with the array but the fill, which stands before them.
ZeroFill::SlotLoops ZeroFill::slot_loops(const GeneratedFunction& function,
                                         const clang::FieldDecl* field,
                                         const clang::Expr* fill) const {
    SlotLoops result;
    const Variable own = arrays_.of(function).filled;
    std::vector<Variable> counters;
    for (const Use& use : function.uses) {
        if (use.variable != own || (fill && use.assignment == fill) || use.path.empty() ||
            use.path[0].field != field)
            continue;
        if (use.kind != Use::Kind::written || use.path.size() != 1 + arrays_.dimensions(field))
            return {};
        std::vector<Variable> indices;
        for (std::size_t i = 1; i < use.path.size(); ++i) {
            if (!use.path[i].index || !variable_in(use.path[i].index))
                return {};
            indices.push_back(variable_in(use.path[i].index));
        }
        if (!counters.empty() && indices != counters)
            return {};
        counters = indices;
        result.writes.insert(statement_of(context_, use.assignment));
    }
    for (const Variable counter : counters) {
        const CountedLoop level = counted_loop(function, counter);
        if (!level.loop)
            return {};
        result.levels.push_back(level);
        if (!result.innermost || inside(context_, level.loop, result.innermost))
            result.innermost = level.loop;
        if (!result.outermost || inside(context_, result.outermost, level.loop))
            result.outermost = level.loop;
    }
    if (result.levels.empty() ||
        (fill && (block_of(context_, fill) != function.definition->getBody() ||
                  !(fill->getBeginLoc() < result.outermost->getBeginLoc()))))
        return {};
    // One in another, with no other loop between, and all writes in the innermost.
    std::size_t depth = 1;
    for (const clang::Stmt* loop = result.innermost; loop != result.outermost; ++depth) {
        loop = loop_around(context_, loop);
        if (!loop || std::none_of(result.levels.begin(), result.levels.end(),
                                  [&](const CountedLoop& level) { return level.loop == loop; }))
            return {};
    }
    if (depth != result.levels.size())
        return {};
    for (const clang::Stmt* write : result.writes)
        if (!inside(context_, write, result.innermost->getBody()))
            return {};
    // Nothing is written between the step of a counter and the end of the trip.
    for (const CountedLoop& level : result.levels) {
        bool behind = false;
        for (const clang::Stmt* statement :
             dyn_cast<clang::CompoundStmt>(level.loop->getBody())->body()) {
            for (const clang::Stmt* write : result.writes)
                if (behind && inside(context_, write, statement))
                    return {};
            behind |= is_step(context_, statement, level.counter, clang::BO_Add);
        }
    }
    return result;
}

/// The loop that counts with the variable: it is 0 before the loop, in the same block, and one more
/// at the end of each trip, whatever the trip does.
ZeroFill::CountedLoop ZeroFill::counted_loop(const GeneratedFunction& function,
                                             Variable counter) const {
    if (!counter->isLocalVarDecl() || !counter->hasInit() ||
        !is_number(context_, counter->getInit(), 0))
        return {};
    std::vector<const clang::Stmt*> writes;
    collect_writes(function.definition->getBody(), counter, writes);
    if (writes.size() != 1)
        return {};
    const clang::Stmt* step = statement_of(context_, writes[0]);
    const auto* loop = dyn_cast_or_null<clang::ForStmt>(loop_around(context_, writes[0]));
    const auto* body = loop ? dyn_cast<clang::CompoundStmt>(loop->getBody()) : nullptr;
    if (!body || !step || block_of(context_, step) != body ||
        !is_step(context_, step, counter, clang::BO_Add) || loop->getInit() || loop->getCond() ||
        loop->getInc() || continues(body) ||
        block_of(context_, counter) != block_of(context_, loop))
        return {};
    bool behind = false;
    for (const clang::Stmt* statement : body->body()) {
        if (behind && leaves(statement))
            return {};
        behind |= statement == step;
    }
    return {loop, counter};
}

/// Puts the fill on every path through the block that does not write the slot.
void ZeroFill::fill_paths(const clang::CompoundStmt* block, const SlotLoops& slots,
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
        const auto* other = branch && branch->getElse()
                                ? dyn_cast<clang::CompoundStmt>(branch->getElse())
                                : nullptr;
        if (!then || (branch->getElse() && !other)) {
            edits_.insert_before(statement->getBeginLoc(), text + " ");
            return;
        }
        for (const clang::CompoundStmt* arm : {then, other})
            if (arm && (written || leaves(arm)))
                fill_paths(arm, slots, text);
        if (written && !other)
            missing_arms_[then] += text;
        if (written)
            return;
    }
}

/// Do the backward functions read only elements that the loops reached? They do where each index
/// counts down from a member that its loop sets to its counter at the head of each trip.
bool ZeroFill::reads_only_reached(const GeneratedFunction& function, const clang::FieldDecl* field,
                                  const SlotLoops& slots) const {
    const Variable own = arrays_.of(function).filled;
    std::vector<StoredCounter> counters;
    for (std::size_t level = 0; level < slots.levels.size(); ++level) {
        counters.push_back(stored_counter(function, slots, level));
        if (!counters.back().field)
            return false;
    }
    for (const GeneratedFunction& reader : code_.functions)
        for (const Use& use : reader.uses)
            for (std::size_t i = 0; i < use.path.size(); ++i) {
                if (use.path[i].field != field || (&reader == &function && use.variable == own))
                    continue;
                for (std::size_t level = 0; level < counters.size(); ++level)
                    if (!starts_at_counter(reader, use, i, level, counters[level]))
                        return false;
            }
    return true;
}

/// The member of the function's own context that holds a loop's counter; `field` null where there
/// is none, or it has another value where the loop did not run than the zero it begins with.
ZeroFill::StoredCounter ZeroFill::stored_counter(const GeneratedFunction& function,
                                                 const SlotLoops& slots, std::size_t level) const {
    const Variable own = arrays_.of(function).filled;
    const CountedLoop& counted = slots.levels[level];
    std::vector<std::size_t> around; // the levels outside of this one
    for (std::size_t i = 0; i < slots.levels.size(); ++i)
        if (i != level && inside(context_, counted.loop, slots.levels[i].loop))
            around.push_back(i);
    StoredCounter found;
    for (const clang::Stmt* statement :
         dyn_cast<clang::CompoundStmt>(counted.loop->getBody())->body()) {
        if (leaves(statement))
            break;
        for (const Use& use : function.uses) {
            if (use.variable != own || use.kind != Use::Kind::written ||
                use.assignment != statement || use.path.size() != 1 + around.size() ||
                variable_in(use.other_side) != counted.counter)
                continue;
            StoredCounter candidate{use.path[0].field, {}};
            for (std::size_t i = 1; i < use.path.size(); ++i)
                for (const std::size_t outer : around)
                    if (use.path[i].index &&
                        variable_in(use.path[i].index) == slots.levels[outer].counter)
                        candidate.outer.push_back(outer);
            if (candidate.outer.size() == around.size())
                found = candidate;
        }
    }
    if (!found.field)
        return {};
    // It begins with zeros, and nothing else sets it.
    bool zero = own->hasInit() &&
                (variable_in(own->getInit()) || !isa<clang::CXXConstructExpr>(own->getInit()));
    zero |= block_of(context_, slots.outermost) == function.definition->getBody() && around.empty();
    for (const Use& use : function.uses) {
        if (use.variable != own || use.path.empty() || use.path[0].field != found.field)
            continue;
        if (use.kind != Use::Kind::written)
            return {};
        if (inside(context_, use.assignment, counted.loop)) {
            if (variable_in(use.other_side) != counted.counter)
                return {};
            continue;
        }
        if (use.path.size() != 1 ||
            !(use.assignment->getBeginLoc() < slots.outermost->getBeginLoc()))
            return {};
        zero |= is_number(context_, use.other_side, 0) || zeros_in(context_, use.other_side);
    }
    return zero ? found : StoredCounter{};
}

/// `[_dc_0]` with `int _dc_0 = context->counter - int(1)`, or `context->counts[_dc_1] - int(1)`,
/// which only ever goes down. The context is the caller's: nothing writes to it here.
bool ZeroFill::starts_at_counter(const GeneratedFunction& function, const Use& read,
                                 std::size_t step, std::size_t level,
                                 const StoredCounter& counter) const {
    const auto index_at = [&](std::size_t of_level) {
        const std::size_t at = step + 1 + of_level;
        return at < read.path.size() && read.path[at].index ? variable_in(read.path[at].index)
                                                            : nullptr;
    };
    const Variable index = index_at(level);
    if (read.kind != Use::Kind::read || !read.variable || !isa<clang::ParmVarDecl>(read.variable) ||
        !read.variable->getType()->isPointerType() || !index || !index->isLocalVarDecl() ||
        !index->hasInit())
        return false;
    const clang::Expr* initial = index->getInit()->IgnoreParenImpCasts();
    // In the last trip of a loop the ones in it do not run: their counter's zero is no element.
    bool before_last = false;
    if (const auto* difference = dyn_cast<clang::BinaryOperator>(initial)) {
        clang::Expr::EvalResult result;
        if (difference->getOpcode() != clang::BO_Sub ||
            !difference->getRHS()->EvaluateAsInt(result, context_) ||
            result.Val.getInt().isNegative())
            return false;
        before_last = result.Val.getInt().isStrictlyPositive();
        initial = difference->getLHS()->IgnoreParenImpCasts();
    }
    if (!counter.outer.empty() && !before_last)
        return false;
    const Use* start = nullptr;
    for (const Use& use : function.uses) {
        if (use.variable != read.variable)
            continue;
        bool holds_counter = true;
        for (std::size_t i = 0; i <= step && i < use.path.size(); ++i)
            holds_counter &= use.path[i].field == (i < step ? read.path[i].field : counter.field);
        if (use.kind != Use::Kind::read && holds_counter)
            return false; // written to, or given away
        if (use.object->IgnoreParenImpCasts() == initial)
            start = &use;
    }
    if (!start || start->path.size() != step + 1 + counter.outer.size() ||
        start->path[step].field != counter.field)
        return false;
    for (std::size_t i = 0; i < step; ++i)
        if (!read.path[i].field || start->path[i].field != read.path[i].field)
            return false;
    for (std::size_t i = 0; i < counter.outer.size(); ++i)
        if (!start->path[step + 1 + i].index ||
            variable_in(start->path[step + 1 + i].index) != index_at(counter.outer[i]))
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
        if (!any || used || needed_.count(variable))
            continue;
        edits_.remove_statement(variable->getSourceRange());
        for (const Use& use : function.uses)
            if (use.variable && use.in_list && inside(context_, use.root, variable->getInit()))
                gone_.insert(use.root);
    }
}

} // namespace slimgrad
