#include "plugin/clang/generated_code.h"

#include <clang/AST/ParentMapContext.h>
#include <clang/AST/RecursiveASTVisitor.h>
#include <clang/Basic/SourceManager.h>

namespace slimgrad {
namespace {

using clang::dyn_cast;
using clang::isa;

const clang::Stmt* parent_of(clang::ASTContext& context, const clang::Stmt* node) {
    const auto parents = context.getParents(*node);
    return parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
}

const clang::VarDecl* variable_above(clang::ASTContext& context, const clang::Stmt* node) {
    const auto parents = context.getParents(*node);
    return parents.empty() ? nullptr : parents[0].get<clang::VarDecl>();
}

bool is_copy(const clang::Stmt* node) {
    const auto* construct = dyn_cast<clang::CXXConstructExpr>(node);
    return construct && construct->getNumArgs() == 1 &&
           construct->getConstructor()->isCopyOrMoveConstructor();
}

/// Follows one use outwards from its root.
class UseReader {
  public:
    UseReader(clang::ASTContext& context, Use& use) : context_(context), use_(use) {}

    void read() {
        const clang::Expr* at = use_.root;
        use_.object = at;
        bool addressed = false; // `at` is the address of the object
        if (at->getType()->isPointerType())
            addressed = true;
        while (true) {
            const clang::Stmt* parent = parent_of(context_, at);
            if (!parent)
                return finish_value(at, addressed);
            if (isa<clang::ParenExpr, clang::MaterializeTemporaryExpr, clang::ExprWithCleanups>(
                    parent)) {
                at = dyn_cast<clang::Expr>(parent);
                if (!addressed)
                    use_.object = at;
                continue;
            }
            if (const auto* cast = dyn_cast<clang::ImplicitCastExpr>(parent)) {
                if (cast->getCastKind() == clang::CK_LValueToRValue && !addressed)
                    return finish_value(cast, false);
                at = cast;
                if (!addressed)
                    use_.object = at;
                continue;
            }
            if (const auto* unary = dyn_cast<clang::UnaryOperator>(parent)) {
                if (unary->getOpcode() == clang::UO_AddrOf && !addressed) {
                    addressed = true;
                    at = unary;
                    continue;
                }
                if (unary->getOpcode() == clang::UO_Deref && addressed) {
                    addressed = false;
                    at = use_.object = unary;
                    continue;
                }
                return finish_other(at);
            }
            if (const auto* member = dyn_cast<clang::MemberExpr>(parent)) {
                const auto* field = dyn_cast<clang::FieldDecl>(member->getMemberDecl());
                if (!field || member->isArrow() != addressed)
                    return finish_other(at);
                addressed = false;
                at = use_.object = member;
                use_.path.push_back({field, nullptr, member});
                continue;
            }
            if (const auto* call = dyn_cast<clang::CXXOperatorCallExpr>(parent)) {
                if (call->getOperator() == clang::OO_Subscript && call->getNumArgs() == 2 &&
                    call->getArg(0) == at && !addressed &&
                    fixed_array(call->getArg(0)->getType())) {
                    at = use_.object = call;
                    use_.path.push_back({nullptr, call->getArg(1), call});
                    continue;
                }
                if (call->getOperator() == clang::OO_Equal && call->getNumArgs() == 2 &&
                    !addressed) {
                    const bool left = call->getArg(0) == at;
                    use_.kind = left ? Use::Kind::written : Use::Kind::read;
                    use_.assignment = call;
                    use_.other_side = call->getArg(left ? 1 : 0);
                    use_.outermost = at;
                    return;
                }
            }
            if (const auto* binary = dyn_cast<clang::BinaryOperator>(parent);
                binary && binary->getOpcode() == clang::BO_Assign && binary->getLHS() == at &&
                !addressed) {
                use_.kind = Use::Kind::written;
                use_.assignment = binary;
                use_.other_side = binary->getRHS();
                use_.outermost = at;
                return;
            }
            return finish_value(at, addressed);
        }
    }

  private:
    void finish_other(const clang::Expr* at) {
        use_.kind = Use::Kind::other;
        use_.outermost = at;
    }

    /// `at`: the value of the object, or its address.
    void finish_value(const clang::Expr* at, bool addressed) {
        use_.kind = addressed ? Use::Kind::address : Use::Kind::read;
        if (!addressed && at->isLValue() && !at->getType()->isRecordType() &&
            !at->getType()->isPointerType()) // an lvalue of a scalar that nothing loads
            use_.kind = Use::Kind::other;
        while (true) {
            use_.outermost = at;
            if (const clang::VarDecl* variable = variable_above(context_, at)) {
                use_.initialized = variable;
                return;
            }
            const clang::Stmt* parent = parent_of(context_, at);
            if (!parent)
                return;
            if (is_copy(parent) ||
                isa<clang::ParenExpr, clang::ImplicitCastExpr, clang::ExprWithCleanups,
                    clang::MaterializeTemporaryExpr>(parent)) {
                at = dyn_cast<clang::Expr>(parent);
                continue;
            }
            if (const auto* list = dyn_cast<clang::InitListExpr>(parent))
                use_.in_list = list;
            else if (const auto* returned = dyn_cast<clang::ReturnStmt>(parent))
                use_.returned = returned;
            else if (const auto* binary = dyn_cast<clang::BinaryOperator>(parent);
                     binary && binary->getOpcode() == clang::BO_Assign) {
                use_.assignment = binary;
                use_.other_side = binary->getLHS();
            } else if (const auto* op = dyn_cast<clang::CXXOperatorCallExpr>(parent);
                       op && op->getOperator() == clang::OO_Equal && op->getArg(1) == at) {
                use_.assignment = op;
                use_.other_side = op->getArg(0);
            } else if (const auto* call = dyn_cast<clang::CallExpr>(parent))
                use_.argument_of = call;
            return;
        }
    }

    clang::ASTContext& context_;
    Use& use_;
};

bool interesting(clang::QualType type) {
    if (type->isPointerType() || type->isReferenceType())
        type = type->getPointeeType();
    return type->isRecordType();
}

class Reader : public clang::RecursiveASTVisitor<Reader> {
  public:
    Reader(clang::ASTContext& context, GeneratedCode& code) : context_(context), code_(code) {}

    bool in_main_file(clang::SourceLocation place) const {
        const clang::SourceManager& sources = context_.getSourceManager();
        return sources.isInMainFile(sources.getExpansionLoc(place));
    }

    void read_all() {
        for (clang::Decl* declaration : context_.getTranslationUnitDecl()->decls()) {
            if (auto* linkage = dyn_cast<clang::LinkageSpecDecl>(declaration)) {
                for (clang::Decl* inner : linkage->decls())
                    read_top(inner);
            } else {
                read_top(declaration);
            }
        }
    }

    bool VisitDeclRefExpr(clang::DeclRefExpr* reference) {
        const auto* variable = dyn_cast<clang::VarDecl>(reference->getDecl());
        if (variable && variable->isLocalVarDeclOrParm() && interesting(variable->getType())) {
            Use& use = function_->uses.emplace_back();
            use.variable = variable;
            use.root = reference;
            UseReader(context_, use).read();
        }
        return true;
    }
    bool VisitCallExpr(clang::CallExpr* call) {
        const clang::FunctionDecl* callee = call->getDirectCallee();
        if (!callee || isa<clang::CXXMethodDecl>(callee) || callee->isTemplateInstantiation() ||
            !in_main_file(callee->getLocation()) || !callee->getDefinition())
            return true;
        function_->calls.push_back(call);
        if (call->getType()->isRecordType()) {
            Use& use = function_->uses.emplace_back();
            use.call = call;
            use.root = call;
            UseReader(context_, use).read();
        }
        return true;
    }
    bool VisitVarDecl(clang::VarDecl* variable) {
        if (variable->isLocalVarDecl())
            function_->locals.push_back(variable);
        return true;
    }
    bool VisitReturnStmt(clang::ReturnStmt* statement) {
        function_->returns.push_back(statement);
        return true;
    }

  private:
    void read_top(clang::Decl* declaration) {
        if (!in_main_file(declaration->getLocation()))
            return;
        if (auto* record = dyn_cast<clang::CXXRecordDecl>(declaration);
            record && record->isThisDeclarationADefinition() && !record->isDependentType()) {
            code_.records.push_back(record);
        } else if (auto* function = dyn_cast<clang::FunctionDecl>(declaration);
                   function && function->isThisDeclarationADefinition() && function->getBody() &&
                   !function->isDependentContext()) {
            function_ = &code_.functions.emplace_back();
            function_->definition = function;
            TraverseStmt(function->getBody());
        }
    }

    clang::ASTContext& context_;
    GeneratedCode& code_;
    GeneratedFunction* function_ = nullptr;
};

} // namespace

std::optional<ContextKind> context_kind(const clang::CXXRecordDecl* record) {
    if (!record || !record->getIdentifier())
        return std::nullopt;
    const llvm::StringRef name = record->getName();
    if (name.starts_with("s_minCtx_"))
        return ContextKind::stored;
    if (name.starts_with("s_paramCtx_"))
        return ContextKind::parameters;
    if (name.starts_with("s_bwdCallableCtx_"))
        return ContextKind::both;
    return std::nullopt;
}

std::optional<FixedArrayType> fixed_array(clang::QualType type) {
    const auto* record =
        llvm::dyn_cast_or_null<clang::ClassTemplateSpecializationDecl>(type->getAsCXXRecordDecl());
    if (!record || record->getName() != "FixedArray" || record->getTemplateArgs().size() != 2)
        return std::nullopt;
    return FixedArrayType{record->getTemplateArgs()[0].getAsType(),
                          record->getTemplateArgs()[1].getAsIntegral().getZExtValue()};
}

ArrayElements elements_of(clang::QualType type) {
    ArrayElements result;
    while (const std::optional<FixedArrayType> array = fixed_array(type)) {
        result.extents.push_back(array->extent);
        type = array->element;
    }
    result.type = type;
    return result;
}

const clang::CXXRecordDecl* record_of(clang::QualType type) {
    if (type->isPointerType() || type->isReferenceType())
        type = type->getPointeeType();
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    return record ? record->getDefinition() : nullptr;
}

bool holds_stored_context(clang::QualType type) {
    if (const std::optional<FixedArrayType> array = fixed_array(type))
        return holds_stored_context(array->element);
    const clang::CXXRecordDecl* record = type->getAsCXXRecordDecl();
    if (!record || !(record = record->getDefinition()))
        return false;
    if (context_kind(record) == ContextKind::stored)
        return true;
    for (const clang::FieldDecl* field : record->fields())
        if (field->getType()->isRecordType() && holds_stored_context(field->getType()))
            return true;
    return false;
}

const GeneratedFunction* GeneratedCode::find(const clang::FunctionDecl* function) const {
    for (const GeneratedFunction& candidate : functions)
        if (candidate.definition->getCanonicalDecl() == function->getCanonicalDecl())
            return &candidate;
    return nullptr;
}

GeneratedCode read_generated_code(clang::ASTContext& context) {
    GeneratedCode code;
    Reader(context, code).read_all();
    return code;
}

const clang::Stmt* above(clang::ASTContext& context, const clang::Stmt* node) {
    const auto parents = context.getParents(*node);
    if (parents.empty())
        return nullptr;
    if (const auto* variable = parents[0].get<clang::VarDecl>())
        return above(context, variable);
    return parents[0].get<clang::Stmt>();
}

const clang::Stmt* above(clang::ASTContext& context, const clang::VarDecl* variable) {
    const auto parents = context.getParents(*variable);
    return parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
}

const clang::Stmt* statement_of(clang::ASTContext& context, const clang::Stmt* node) {
    while (const clang::Stmt* parent = above(context, node)) {
        if (isa<clang::CompoundStmt>(parent))
            return node;
        node = parent;
    }
    return nullptr;
}

const clang::CompoundStmt* block_of(clang::ASTContext& context, const clang::Stmt* node) {
    while ((node = above(context, node)))
        if (const auto* block = dyn_cast<clang::CompoundStmt>(node))
            return block;
    return nullptr;
}

const clang::CompoundStmt* block_of(clang::ASTContext& context, const clang::VarDecl* variable) {
    const clang::Stmt* statement = above(context, variable);
    return statement ? block_of(context, statement) : nullptr;
}

bool inside(clang::ASTContext& context, const clang::Stmt* inner, const clang::Stmt* outer) {
    for (; inner; inner = above(context, inner))
        if (inner == outer)
            return true;
    return false;
}

const clang::Stmt* loop_around(clang::ASTContext& context, const clang::Stmt* node) {
    while ((node = above(context, node)))
        if (isa<clang::ForStmt, clang::WhileStmt, clang::DoStmt>(node))
            return node;
    return nullptr;
}

const clang::Stmt* loop_around(clang::ASTContext& context, const clang::VarDecl* variable) {
    const clang::Stmt* statement = above(context, variable);
    return statement ? loop_around(context, statement) : nullptr;
}

} // namespace slimgrad
