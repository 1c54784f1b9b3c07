#include "plugin/clang/zeros.h"

#include <algorithm>
#include <clang/Basic/SourceManager.h>
#include <clang/Lex/Lexer.h>

namespace slimgrad {
namespace {

using clang::dyn_cast;
using clang::isa;

/// Is the variable, or a part of it, mentioned below the statement for anything but its value?
bool changes(clang::ASTContext& context, Variable variable, const clang::Stmt* statement) {
    const auto* reference = dyn_cast<clang::DeclRefExpr>(statement);
    if (reference && reference->getDecl() == variable) {
        const clang::Stmt* inner = reference;
        for (const clang::Stmt* outer = above(context, inner); outer;
             inner = outer, outer = above(context, outer)) {
            if (const auto* cast = dyn_cast<clang::ImplicitCastExpr>(outer)) {
                if (cast->getCastKind() == clang::CK_LValueToRValue)
                    return false;
            } else if (isa<clang::CXXConstructExpr, clang::InitListExpr, clang::DeclStmt>(outer)) {
                return false;
            } else if (const auto* call = dyn_cast<clang::CXXOperatorCallExpr>(outer)) {
                return !(call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2 &&
                         call->getArg(1) == inner);
            } else if (!isa<clang::ParenExpr, clang::MemberExpr>(outer)) {
                return true;
            }
        }
        return true;
    }
    for (const clang::Stmt* child : statement->children())
        if (child && changes(context, variable, child))
            return true;
    return false;
}

/// The same, in the function of a local variable.
bool changes(clang::ASTContext& context, Variable variable) {
    const clang::Stmt* body = above(context, variable);
    while (const clang::Stmt* outer = body ? above(context, body) : nullptr)
        body = outer;
    return !body || changes(context, variable, body);
}

/// Is the value 0, whatever it is made of: `0.0f`, `int(0)`, `make_float3 (0.0f)`, a variable that
/// is initialized so?
bool is_zero_value(clang::ASTContext& context, const clang::Expr* value, int depth) {
    if (depth > 32)
        return false;
    value = value->IgnoreImplicit()->IgnoreParenCasts();
    if (const auto* number = dyn_cast<clang::IntegerLiteral>(value))
        return number->getValue() == 0;
    if (const auto* number = dyn_cast<clang::FloatingLiteral>(value))
        return number->getValue().isPosZero();
    if (const auto* boolean = dyn_cast<clang::CXXBoolLiteralExpr>(value))
        return !boolean->getValue();
    if (isa<clang::CXXNullPtrLiteralExpr, clang::ImplicitValueInitExpr>(value))
        return true;
    if (const Variable variable = variable_in(value))
        return variable->isLocalVarDecl() && variable->hasInit() &&
               is_zero_value(context, variable->getInit(), depth + 1) &&
               !changes(context, variable);
    if (const auto* list = dyn_cast<clang::InitListExpr>(value))
        return std::all_of(list->begin(), list->end(), [&](const clang::Stmt* element) {
            return is_zero_value(context, dyn_cast<clang::Expr>(element), depth + 1);
        });
    if (const auto* construct = dyn_cast<clang::CXXConstructExpr>(value))
        return construct->getNumArgs() != 0 &&
               std::all_of(construct->arg_begin(), construct->arg_end(),
                           [&](const clang::Expr* argument) {
                               return is_zero_value(context, argument, depth + 1);
                           });
    if (const auto* call = dyn_cast<clang::CallExpr>(value)) {
        const clang::FunctionDecl* callee = call->getDirectCallee();
        return callee && callee->getIdentifier() &&
               (callee->getName().starts_with("make_") || callee->getName() == "makeMatrix") &&
               std::all_of(call->arg_begin(), call->arg_end(), [&](const clang::Expr* argument) {
                   return is_zero_value(context, argument, depth + 1);
               });
    }
    return false;
}

std::string source(clang::ASTContext& context, const clang::Expr* expression) {
    return clang::Lexer::getSourceText(
               clang::CharSourceRange::getTokenRange(expression->getSourceRange()),
               context.getSourceManager(), context.getLangOpts())
        .str();
}

} // namespace

bool is_zero_value(clang::ASTContext& context, const clang::Expr* value) {
    return is_zero_value(context, value, 0);
}

Variable variable_in(const clang::Expr* expression) {
    while (true) {
        expression = expression->IgnoreImplicit()->IgnoreParenImpCasts();
        const auto* construct = dyn_cast<clang::CXXConstructExpr>(expression);
        if (!construct || construct->getNumArgs() != 1)
            break;
        expression = construct->getArg(0);
    }
    const auto* reference = dyn_cast<clang::DeclRefExpr>(expression);
    return reference ? dyn_cast<clang::VarDecl>(reference->getDecl()) : nullptr;
}

const clang::InitListExpr* list_of(Variable variable) {
    return variable->hasInit()
               ? dyn_cast<clang::InitListExpr>(variable->getInit()->IgnoreImplicit())
               : nullptr;
}

bool is_empty(const clang::InitListExpr* list) {
    const clang::InitListExpr* written = list->isSyntacticForm() ? list : list->getSyntacticForm();
    return written && written->getNumInits() == 0;
}

std::optional<Zeros> zeros_of(clang::QualType type) {
    const std::optional<FixedArrayType> array = fixed_array(type);
    return array ? std::optional(Zeros{array->extent, array->element, nullptr}) : std::nullopt;
}

std::optional<Zeros> zeros_in(clang::ASTContext& context, const clang::Expr* expression) {
    if (const Variable variable = variable_in(expression)) {
        if (!variable->isLocalVarDecl() || !variable->hasInit() || variable_in(variable->getInit()))
            return std::nullopt;
        expression = variable->getInit();
    }
    const auto* record = dyn_cast<clang::InitListExpr>(expression->IgnoreImplicit());
    const std::optional<Zeros> all = record ? zeros_of(record->getType()) : std::optional<Zeros>();
    if (!all || is_empty(record))
        return all;
    const auto* array = record->getNumInits() == 1
                            ? dyn_cast<clang::InitListExpr>(record->getInit(0)->IgnoreImplicit())
                            : nullptr;
    if (!array || array->getNumInits() != all->extent || all->extent == 0 ||
        !is_zero_value(context, array->getInit(0), 0))
        return std::nullopt;
    const std::string first = source(context, array->getInit(0));
    for (const clang::Expr* init : array->inits())
        if (source(context, init) != first)
            return std::nullopt;
    return Zeros{all->extent, all->type, array->getInit(0)};
}

std::string text_of_zero(clang::ASTContext& context, const Zeros& zeros) {
    if (!zeros.element && zeros.type->isScalarType())
        return zeros.type->isPointerType() ? "nullptr" : "0";
    const std::string text = zeros.element ? source(context, zeros.element) : "{}";
    if (zeros.element && !isa<clang::InitListExpr>(zeros.element->IgnoreImplicit()))
        return text;
    return zeros.type.getAsString(clang::PrintingPolicy(context.getLangOpts())) + text;
}

Variable zero_array(clang::ASTContext& context, const clang::Expr* expression) {
    const Variable variable = variable_in(expression);
    return variable && zeros_in(context, expression) ? variable : nullptr;
}

} // namespace slimgrad
