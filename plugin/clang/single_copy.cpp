#include "plugin/clang/single_copy.h"

#include "plugin/clang/generated_code.h"
#include "plugin/clang/parse_cuda.h"
#include "plugin/clang/text_edits.h"
#include "plugin/clang/zero_fill.h"

#include <fmt/core.h>
#include <map>
#include <set>
#include <utility>

namespace slimgrad {
namespace {

using clang::dyn_cast;
using clang::isa;
using Record = const clang::CXXRecordDecl*;

constexpr const char* parameter = "slimgrad_context";
constexpr std::uint64_t smallest_worth_moving = 64; ///< bytes; more than these

/// Who returns a context: in a member of what it returns, or (member null) alone.
struct Producer {
    Record record = nullptr;
    const clang::FieldDecl* member = nullptr;
};

class SingleCopy {
public:
    SingleCopy(clang::ASTContext& context, RewriteResult& result)
        : context_(context), result_(result), code_(read_generated_code(context)),
          edits_(context.getSourceManager(), context.getLangOpts()) {}

    bool run() {
        choose();
        // A context that is refused changes what the others may rely on.
        for (std::size_t before = 0; before != moved_.size();) {
            before = moved_.size();
            find_producers();
            for (const GeneratedFunction& function : code_.functions)
                check(function);
        }
        if (moved_.empty())
            return false;
        emitting_ = true;
        ZeroFill fills(context_, code_, edits_);
        for (const GeneratedFunction& function : code_.functions) {
            check(function);
            for (const Variable variable : function.locals)
                if (moved(variable->getType()))
                    fills.shrink(function, variable);
            fills.remove_unused(function);
        }
        edit_declarations();
        return !edits_.empty() && edits_.apply(result_.text);
    }

private:
    using Variable = const clang::VarDecl*;

    bool moved(Record record) const { return record && moved_.count(record->getDefinition()); }
    bool moved(clang::QualType type) const {
        return !type->isPointerType() && !type->isReferenceType() && moved(record_of(type));
    }
    /// The member of a bundle (what a backward function takes) that is a moved context.
    bool bundle_member(const clang::FieldDecl* field) const {
        return field && moved(field->getType()) &&
               context_kind(dyn_cast<clang::CXXRecordDecl>(field->getParent())) ==
                   ContextKind::both;
    }
    const clang::FieldDecl* bundle_member_of(clang::QualType type) const {
        if (const Record record = record_of(type))
            for (const clang::FieldDecl* field : record->fields())
                if (bundle_member(field))
                    return field;
        return nullptr;
    }
    unsigned offset(clang::SourceLocation place) const {
        const clang::SourceManager& sources = context_.getSourceManager();
        return sources.getFileOffset(sources.getExpansionLoc(place));
    }

    /// Contexts over the size with an array that is written by a variable index, and those that
    /// hold one.
    void choose() {
        std::set<Record> looped;
        for (const GeneratedFunction& function : code_.functions)
            for (const Use& use : function.uses)
                if (use.kind == Use::Kind::written)
                    for (std::size_t i = 1; i < use.path.size(); ++i)
                        if (use.path[i].index && use.path[i - 1].field &&
                            !use.path[i].index->isEvaluatable(context_))
                            if (const Record record = dyn_cast<clang::CXXRecordDecl>(
                                    use.path[i - 1].field->getParent());
                                context_kind(record) == ContextKind::stored)
                                looped.insert(record->getDefinition());
        for (bool more = true; std::exchange(more, false);)
            for (const Record record : code_.records)
                if (context_kind(record) == ContextKind::stored && !looped.count(record))
                    for (const clang::FieldDecl* field : record->fields())
                        if (looped.count(record_of(field->getType())))
                            more = looped.insert(record).second;
        for (const Record record : looped)
            if (context_.getTypeSizeInChars(context_.getRecordType(record)).getQuantity() >
                static_cast<std::int64_t>(smallest_worth_moving))
                moved_.insert(record);
    }

    void find_producers() {
        producers_.clear();
        for (const GeneratedFunction& function : code_.functions) {
            const Record record = record_of(function.definition->getReturnType());
            if (!record || function.definition->getReturnType()->isPointerType())
                continue;
            if (moved(record))
                producers_[function.definition] = {record, nullptr};
            else if (!context_kind(record))
                for (const clang::FieldDecl* field : record->fields())
                    if (moved(field->getType()))
                        producers_[function.definition] = {record_of(field->getType()), field};
        }
    }
    const Producer* producer(const clang::FunctionDecl* function) const {
        if (const clang::FunctionDecl* definition = function->getDefinition())
            if (const auto found = producers_.find(definition); found != producers_.end())
                return &found->second;
        return nullptr;
    }

    void refuse(Record record, const clang::Stmt* at, const char* why) {
        if (!record || !moved_.erase(record->getDefinition()))
            return;
        Place place = at ? place_of(context_.getSourceManager(), at->getBeginLoc())
                         : place_of(context_.getSourceManager(), record->getLocation());
        result_.notes.push_back({RewriteNote::Severity::note, "single-copy", std::move(place),
                                 fmt::format("the context {} is still copied: {}",
                                             std::string(record->getName()), why)});
    }

    // What one function does with contexts. Nothing is edited until every context that is left is
    // understood everywhere.
    void check(const GeneratedFunction& function) {
        function_ = &function;
        bound_ = nullptr;
        names_.clear();
        if (const Producer* own = producer(function.definition))
            check_producer(*own);
        for (const Use& use : function.uses)
            if (use.call)
                check_call(use);
        for (const Use& use : function.uses)
            if (use.variable)
                check_variable(use);
        for (const Variable variable : function.locals)
            if (bundle_member_of(variable->getType()) && variable->hasInit() &&
                isa<clang::InitListExpr>(variable->getInit()->IgnoreImplicit()))
                refuse(record_of(bundle_member_of(variable->getType())->getType()),
                       variable->getInit(), "a bundle is initialized by a list");
    }

    // --- the forward function -------------------------------------------------------------------

    void check_producer(const Producer& own) {
        if (function_->returns.size() != 1 ||
            block_of(context_, function_->returns[0]) != function_->definition->getBody())
            return refuse(own.record, function_->definition->getBody(), "more than one return");
        const Use* returned = nullptr;
        for (const Use& use : function_->uses)
            if (use.returned == function_->returns[0] && use.variable && use.path.empty())
                returned = &use;
        if (!returned)
            return refuse(own.record, function_->returns[0], "what is returned is no variable");
        if (!own.member) {
            bound_ = bindable(returned->variable, returned->root) ? returned->variable : nullptr;
            if (emitting_) {
                edits_.replace(function_->returns[0]->getSourceRange(),
                               bound_ ? std::string("return")
                                      : fmt::format("*{} = {}; return", parameter,
                                                    returned->variable->getNameAsString()));
            }
        } else {
            returned_ = returned->variable;
            const Use* filled = nullptr;
            for (const Use& use : function_->uses)
                if (use.variable == returned_) {
                    if (&use != returned && use.path.empty())
                        return refuse(own.record, use.root, "the tuple is used whole");
                    if (!use.path.empty() && use.path[0].field == own.member)
                        filled = filled ? returned : &use; // twice: none
                }
            if (returned_->hasInit() &&
                isa<clang::InitListExpr>(returned_->getInit()->IgnoreImplicit()))
                return refuse(own.record, returned_->getInit(), "the tuple is made by a list");
            if (filled && filled != returned && filled->path.size() == 1 &&
                filled->kind == Use::Kind::written)
                for (const Use& use : function_->uses)
                    if (use.variable && use.path.empty() && use.kind == Use::Kind::read &&
                        use.assignment == filled->assignment &&
                        bindable(use.variable, use.root)) {
                        bound_ = use.variable;
                        if (emitting_)
                            edits_.remove_statement(filled->assignment->getSourceRange());
                    }
            names_[{returned_, own.member}] = fmt::format("(*{})", parameter);
        }
        if (bound_ && emitting_)
            bind();
    }

    /// May a context be what the caller gave, in place of a variable that is copied at `copied`?
    bool bindable(Variable variable, const clang::Expr* copied) const {
        if (!variable->isLocalVarDecl() || !moved(variable->getType()) ||
            block_of(context_, variable) != function_->definition->getBody() ||
            loop_around(context_, copied))
            return false;
        for (const Use& use : function_->uses)
            if (use.variable == variable && offset(use.root->getBeginLoc()) >
                                                offset(copied->getBeginLoc()))
                return false;
        return true;
    }

    void bind() {
        const std::string type = record_of(bound_->getType())->getNameAsString();
        const std::string name = bound_->getNameAsString();
        const std::string reference = fmt::format("{} & {} = *{}", type, name, parameter);
        const clang::Expr* initial = bound_->getInit();
        const bool listed = initial && isa<clang::InitListExpr>(initial->IgnoreImplicit());
        const bool copied = initial && !listed && !isa<clang::CXXConstructExpr>(initial);
        if (listed || copied) {
            edits_.replace({bound_->getBeginLoc(), bound_->getLocation()},
                           reference + fmt::format("; {} = {}", name, listed ? type : ""));
            edits_.replace_between(bound_->getLocation(), initial->getBeginLoc(), " ");
        } else {
            edits_.replace({bound_->getBeginLoc(), bound_->getLocation()}, reference);
        }
    }

    // --- who calls it ---------------------------------------------------------------------------

    void check_call(const Use& use) {
        const Producer* callee = producer(use.call->getDirectCallee());
        if (!callee)
            return;
        const clang::Stmt* statement = statement_of(context_, use.call);
        if (!statement || isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(statement))
            return refuse(callee->record, use.call, "a call in the head of a loop");
        if (use.path.empty() && use.initialized) {
            if (!callee->member)
                return call_for_variable(use);
            return call_for_tuple(use, *callee, statement);
        }
        const bool statement_alone = use.outermost == statement || use.call == statement;
        if (!use.path.empty() && use.path[0].field == callee->member) {
            if (use.path.size() != 1 || use.kind != Use::Kind::read || !use.assignment)
                return refuse(callee->record, use.call, "a context that is used in an expression");
            const std::string name =
                declare(*callee, statement, {bundle_target(use.other_side)}, use.call);
            if (!emitting_)
                return;
            edits_.insert_before(use.call->getBeginLoc(), "(");
            give(use.call, "&" + name);
            edits_.replace_between(use.call->getRParenLoc(),
                                   use.assignment->getEndLoc(), "");
            edits_.replace({use.path[0].whole->getEndLoc(), use.path[0].whole->getEndLoc()},
                           ", " + name + ")");
            return;
        }
        if (use.path.empty() && !statement_alone)
            return refuse(callee->record, use.call, "a call whose whole result is used");
        const std::string name = declare(*callee, statement, {}, use.call);
        if (emitting_)
            give(use.call, "&" + name);
    }

    /// `M v = f(x)`: `M v; f(x, &v)`.
    void call_for_variable(const Use& use) {
        if (!emitting_)
            return;
        edits_.replace_between(use.initialized->getLocation(), use.call->getBeginLoc(), "; ");
        give(use.call, "&" + use.initialized->getNameAsString());
    }

    /// `Tuple t = f(x)`: the context has a name of its own, which stands for t.value1.
    void call_for_tuple(const Use& use, const Producer& callee, const clang::Stmt* statement) {
        std::vector<Variable> bundles;
        std::vector<const Use*> contexts;
        for (const Use& other : function_->uses) {
            if (other.variable != use.initialized)
                continue;
            if (other.path.empty())
                return refuse(callee.record, other.root, "the tuple is used whole");
            if (other.path[0].field != callee.member)
                continue;
            contexts.push_back(&other);
            if (other.path.size() == 1 && other.assignment && other.kind == Use::Kind::read)
                bundles.push_back(bundle_target(other.other_side));
        }
        if (const Use* target = destination(use, contexts, statement)) {
            names_[{use.initialized, callee.member}] = "";
            if (emitting_) {
                give(use.call, fmt::format("&({})", edits_.source(target->object->getSourceRange())));
                edits_.remove_statement(target->assignment->getSourceRange());
            }
            return;
        }
        const std::string name = declare(callee, statement, bundles, use.call);
        names_[{use.initialized, callee.member}] = name;
        if (emitting_)
            give(use.call, "&" + name);
    }

    /// Where the only use of the context is to be stored in a larger one right behind the call, the
    /// place there: the callee fills it.
    const Use* destination(const Use& call, const std::vector<const Use*>& contexts,
                           const clang::Stmt* statement) const {
        if (contexts.size() != 1 || contexts[0]->path.size() != 1 ||
            contexts[0]->kind != Use::Kind::read || !contexts[0]->assignment)
            return nullptr;
        const clang::Expr* assignment = contexts[0]->assignment;
        const clang::CompoundStmt* block = block_of(context_, statement);
        if (block_of(context_, assignment) != block)
            return nullptr;
        const Use* target = nullptr;
        for (const Use& use : function_->uses)
            if (use.assignment == assignment && use.kind == Use::Kind::written)
                target = &use;
        if (!target || !target->variable || !target->variable->isLocalVarDecl() ||
            target->path.empty() ||
            context_kind(record_of(target->variable->getType())) != ContextKind::stored ||
            target->variable->getType()->isPointerType())
            return nullptr;
        const unsigned begin = offset(call.root->getBeginLoc()),
                       end = offset(assignment->getBeginLoc());
        if (begin > end)
            return nullptr;
        for (const Use& use : function_->uses) // nothing else of that context in between, or in the call
            if (use.variable == target->variable && &use != target &&
                offset(use.root->getBeginLoc()) > begin && offset(use.root->getBeginLoc()) < end &&
                (use.path.empty() || use.path[0].field == target->path[0].field))
                return nullptr;
        for (const clang::Stmt* between : block->body())
            if (offset(between->getBeginLoc()) > begin && offset(between->getBeginLoc()) < end &&
                (leaves(between) || writes_index(between, *target)))
                return nullptr;
        return target;
    }

    static bool leaves(const clang::Stmt* statement) {
        if (isa<clang::BreakStmt, clang::ContinueStmt, clang::ReturnStmt>(statement))
            return true;
        for (const clang::Stmt* child : statement->children())
            if (child && leaves(child))
                return true;
        return false;
    }
    bool writes_index(const clang::Stmt* statement, const Use& target) const {
        for (const PathStep& step : target.path)
            if (step.index && !step.index->isEvaluatable(context_)) {
                const auto* index =
                    dyn_cast<clang::DeclRefExpr>(step.index->IgnoreParenImpCasts());
                if (!index || mentions_written(statement, index->getDecl()))
                    return true;
            }
        return false;
    }
    /// Anything but a load of the variable counts.
    static bool mentions_written(const clang::Stmt* statement, const clang::ValueDecl* variable) {
        if (const auto* cast = dyn_cast<clang::ImplicitCastExpr>(statement);
            cast && cast->getCastKind() == clang::CK_LValueToRValue)
            return false;
        if (const auto* reference = dyn_cast<clang::DeclRefExpr>(statement))
            return reference->getDecl() == variable;
        for (const clang::Stmt* child : statement->children())
            if (child && mentions_written(child, variable))
                return true;
        return false;
    }

    /// The local bundle that an expression is a member of; or null.
    Variable bundle_target(const clang::Expr* side) const {
        for (const Use& use : function_->uses)
            if (use.variable && use.kind == Use::Kind::written && use.object == side &&
                use.path.size() == 1 && bundle_member(use.path[0].field))
                return use.variable;
        return nullptr;
    }

    /// A variable for the context that a call fills, declared where every bundle that will point to
    /// it is within its scope. Returns its name.
    std::string declare(const Producer& callee, const clang::Stmt* statement,
                        const std::vector<Variable>& bundles, const clang::Expr* call) {
        const clang::Stmt* before = statement;
        for (const Variable bundle : bundles) {
            if (!bundle)
                continue;
            if (!bundle->isLocalVarDecl() ||
                loop_around(context_, bundle) != loop_around(context_, call)) {
                refuse(callee.record, call, "a bundle outlives the loop that fills it");
                return {};
            }
            const clang::CompoundStmt* block = block_of(context_, bundle);
            if (block != block_of(context_, before) && inside(context_, before, block))
                before = statement_of(context_, above(context_, bundle));
        }
        const std::string name = fmt::format("{}_{}", parameter, emitting_ ? next_++ : 0);
        if (emitting_)
            edits_.insert_before(before->getBeginLoc(),
                                 fmt::format("{} {}; ", callee.record->getNameAsString(), name));
        return name;
    }

    /// One more argument for a call.
    void give(const clang::CallExpr* call, const std::string& argument) {
        edits_.insert_before(call->getRParenLoc(),
                             (call->getNumArgs() == 0 ? "" : ", ") + argument);
    }

    // --- variables ------------------------------------------------------------------------------

    void check_variable(const Use& use) {
        if (!use.path.empty())
            if (const auto named = names_.find({use.variable, use.path[0].field});
                named != names_.end()) {
                if (use.kind == Use::Kind::other)
                    return refuse(record_of(use.path[0].field->getType()), use.root,
                                  "a use that is not understood");
                if (emitting_ && !named->second.empty() && !(bound_ && use.variable == returned_))
                    edits_.replace(use.path[0].whole->getSourceRange(), named->second);
            }
        if (use.kind == Use::Kind::other) {
            if (moved(record_of(use.variable->getType())))
                refuse(record_of(use.variable->getType()), use.root,
                       "a use that is not understood");
            for (const PathStep& step : use.path)
                if (step.field && moved(step.field->getType()))
                    refuse(record_of(step.field->getType()), use.root,
                           "a use that is not understood");
        }
        const clang::FieldDecl* member = bundle_member_of(use.variable->getType());
        if (member)
            check_bundle(use, member);
        if (use.variable->isLocalVarDecl() && moved(use.variable->getType()) && use.in_list &&
            use.path.empty() && !fixed_array(use.in_list->getType()) &&
            context_kind(record_of(use.in_list->getType())) != ContextKind::stored)
            refuse(record_of(use.variable->getType()), use.root, "a list that holds a context");
    }

    void check_bundle(const Use& use, const clang::FieldDecl* member) {
        const Record record = record_of(member->getType());
        if (use.path.empty()) {
            if (use.kind == Use::Kind::written &&
                loop_around(context_, use.variable) != loop_around(context_, use.root))
                refuse(record, use.root, "a bundle outlives the loop that fills it");
            if ((use.kind == Use::Kind::read && !use.initialized && !use.assignment) ||
                (use.kind == Use::Kind::address && !use.argument_of))
                refuse(record, use.root, "a use of a bundle that is not understood");
            return;
        }
        if (use.path[0].field != member)
            return;
        if (use.kind == Use::Kind::written) {
            if (use.path.size() != 1 || !use.variable->isLocalVarDecl())
                return refuse(record, use.root, "a context is written in the bundle");
            return check_binding(use, record);
        }
        if (use.kind == Use::Kind::address && use.argument_of && written_by_callee(use))
            return refuse(record, use.root, "a callee writes to the context");
        if (emitting_) {
            edits_.insert_before(use.path[0].whole->getBeginLoc(), "(*");
            edits_.insert_after(use.path[0].whole->getEndLoc(), ")");
        }
    }

    /// `bundle.value1 = source`: will the source live, unchanged, as long as the bundle?
    void check_binding(const Use& target, Record record) {
        const Use* source = nullptr;
        for (const Use& use : function_->uses)
            if (use.kind == Use::Kind::read && use.assignment == target.assignment)
                source = &use;
        if (!source)
            return refuse(record, target.root, "a bundle is given what is not understood");
        if (source->variable &&
            !(source->path.size() >= 1 && names_.count({source->variable, source->path[0].field})))
            if (const char* why = too_short(target, *source))
                return refuse(record, target.root, why);
        if (emitting_) {
            edits_.insert_before(target.other_side->getBeginLoc(), "&(");
            edits_.insert_after(target.other_side->getEndLoc(), ")");
        }
    }

    /// Why a bundle may not point to the source; null where it may.
    const char* too_short(const Use& target, const Use& source) {
        const Variable variable = source.variable;
        if (variable->getType()->isPointerType())
            return nullptr; // of the caller: never written to (check_bundle)
        if (loop_around(context_, target.variable) != loop_around(context_, target.root))
            return "a bundle outlives the loop that fills it";
        const unsigned at = offset(target.root->getBeginLoc());
        for (const Use& use : function_->uses)
            if (use.variable == variable && offset(use.root->getBeginLoc()) > at &&
                (use.kind == Use::Kind::written || use.kind == Use::Kind::address))
                return "a context changes while a bundle holds it";
        const clang::CompoundStmt* scope = block_of(context_, variable);
        if (scope == block_of(context_, target.variable) ||
            inside(context_, block_of(context_, target.variable), scope))
            return nullptr;
        // Declared in an inner block. What only names a part of the caller's context may be a
        // reference; anything else is declared where the bundle is.
        if (loop_around(context_, variable) != loop_around(context_, target.variable))
            return "a context is declared in an inner loop";
        bool written = false, by_caller = false;
        for (const Use& use : function_->uses) {
            written |= use.variable == variable && use.kind != Use::Kind::read;
            by_caller |= use.initialized == variable && use.variable &&
                         use.variable->getType()->isPointerType() &&
                         bundle_member_of(use.variable->getType());
        }
        if (by_caller && !written) {
            if (emitting_ && widened_.insert(variable).second)
                edits_.insert_before(variable->getLocation(), "& ");
            return nullptr;
        }
        if (variable->hasInit() && !isa<clang::CXXConstructExpr>(variable->getInit()))
            return "a context is declared in an inner block";
        if (emitting_ && widened_.insert(variable).second) {
            const clang::Stmt* before = statement_of(context_, above(context_, target.variable));
            const std::string type = record_of(variable->getType())->getNameAsString();
            const std::string name = variable->getNameAsString();
            edits_.insert_before(before->getBeginLoc(), fmt::format("{} {}; ", type, name));
            if (variable->getInit()->getBeginLoc() != variable->getLocation()) {
                edits_.replace({variable->getBeginLoc(), variable->getLocation()}, name);
            } else {
                edits_.remove_statement(variable->getSourceRange());
            }
        }
        return nullptr;
    }

    /// Does the function that gets the address write to it?
    bool written_by_callee(const Use& use) {
        const clang::FunctionDecl* callee = use.argument_of->getDirectCallee();
        const GeneratedFunction* function = callee ? code_.find(callee) : nullptr;
        for (unsigned i = 0; i < use.argument_of->getNumArgs(); ++i)
            if (use.argument_of->getArg(i)->IgnoreParenImpCasts() ==
                use.outermost->IgnoreParenImpCasts())
                return !function || !only_read(*function, i, 0);
        return true;
    }
    bool only_read(const GeneratedFunction& function, unsigned index, int depth) {
        if (depth > 16 || index >= function.definition->getNumParams())
            return false;
        const clang::ParmVarDecl* given = function.definition->getParamDecl(index);
        for (const Use& use : function.uses) {
            if (use.variable != given || use.kind == Use::Kind::read)
                continue;
            const GeneratedFunction* next = nullptr;
            unsigned argument = 0;
            if (use.kind == Use::Kind::address && use.argument_of &&
                use.argument_of->getDirectCallee()) {
                next = code_.find(use.argument_of->getDirectCallee());
                while (argument < use.argument_of->getNumArgs() &&
                       use.argument_of->getArg(argument)->IgnoreParenImpCasts() !=
                           use.outermost->IgnoreParenImpCasts())
                    ++argument;
            }
            if (!next || !only_read(*next, argument, depth + 1))
                return false;
        }
        return true;
    }

    // --- declarations ---------------------------------------------------------------------------

    void edit_declarations() {
        for (const auto& [function, own] : producers_) {
            for (const clang::FunctionDecl* declaration : function->redecls()) {
                edits_.insert_before(
                    declaration->getFunctionTypeLoc().getRParenLoc(),
                    fmt::format("{}{} * {}", declaration->getNumParams() == 0 ? "" : ", ",
                                own.record->getNameAsString(), parameter));
                if (!own.member)
                    edits_.replace(declaration->getReturnTypeSourceRange(), "void");
            }
            if (own.member && fields_.insert(own.member).second)
                edits_.remove_statement(own.member->getSourceRange());
        }
        for (const Record record : code_.records)
            for (const clang::FieldDecl* field : record->fields())
                if (bundle_member(field) && fields_.insert(field).second)
                    edits_.insert_before(field->getLocation(), "* ");
    }

    clang::ASTContext& context_;
    RewriteResult& result_;
    const GeneratedCode code_;
    TextEdits edits_;
    bool emitting_ = false;
    unsigned next_ = 0;

    std::set<Record> moved_;
    std::map<const clang::FunctionDecl*, Producer> producers_;
    std::set<const clang::FieldDecl*> fields_;

    // of the function that is looked at
    const GeneratedFunction* function_ = nullptr;
    Variable bound_ = nullptr, returned_ = nullptr;
    /// What stands for a tuple's member; "" where its only use goes.
    std::map<std::pair<Variable, const clang::FieldDecl*>, std::string> names_;
    std::set<Variable> widened_;
};

} // namespace

bool single_copy(clang::ASTContext& context, RewriteResult& result) {
    return SingleCopy(context, result).run();
}

} // namespace slimgrad
