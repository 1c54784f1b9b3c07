#pragma once

#include <clang/AST/ASTContext.h>
#include <clang/AST/DeclTemplate.h>
#include <clang/AST/ExprCXX.h>
#include <cstdint>
#include <optional>
#include <vector>

namespace slimgrad {

/// What a record of a checkpoint context holds. Slang names them so:
///
///     struct s_minCtx_s_bwdCallableCtx_march_0      // stored: values of the forward pass
///     struct s_paramCtx_s_bwdCallableCtx_march_0    // parameters: the arguments
///     struct s_bwdCallableCtx_march_0               // both: what the backward function takes
enum class ContextKind { stored, parameters, both };
std::optional<ContextKind> context_kind(const clang::CXXRecordDecl* record);

/// FixedArray<element, extent> of Slang's prelude.
struct FixedArrayType {
    clang::QualType element;
    std::uint64_t extent = 0;
};
std::optional<FixedArrayType> fixed_array(clang::QualType type);

/// A type without the arrays around it.
struct ArrayElements {
    clang::QualType type;
    std::vector<std::uint64_t> extents; ///< from the outside in; empty for no array
};
ArrayElements elements_of(clang::QualType type);

/// The definition of a record type, of what a pointer or reference to it points to; or null.
const clang::CXXRecordDecl* record_of(clang::QualType type);

/// True where the type is, or has among its members and elements, a stored context.
bool holds_stored_context(clang::QualType type);

/// One step from a variable into it.
struct PathStep {
    const clang::FieldDecl* field = nullptr; ///< of `.field`; or
    const clang::Expr* index = nullptr;      ///< of `[index]`
    const clang::Expr* whole = nullptr;      ///< the expression up to and with this step
};

/// A place where a variable of record or array type (or a pointer to one) is used, or the record
/// that a call returns: `(&_S59)->value0_5[_pc_0] = T_0`.
struct Use {
    enum class Kind {
        read,    ///< the object at the end of the path is copied or loaded
        written, ///< assigned, whole
        address, ///< its address is taken: an argument, mostly
        other,   ///< not understood
    };
    Kind kind = Kind::other;
    const clang::VarDecl* variable = nullptr; ///< or
    const clang::CallExpr* call = nullptr;    ///< the call whose result is used
    const clang::Expr* root = nullptr;        ///< the DeclRefExpr or the call
    std::vector<PathStep> path;
    const clang::Expr* object = nullptr; ///< the whole expression: root and path
    /// read, written: the assignment that it is a side of.
    const clang::Expr* assignment = nullptr;
    const clang::Expr* other_side = nullptr; ///< of that assignment
    /// read: the variable that it initializes, alone.
    const clang::VarDecl* initialized = nullptr;
    const clang::ReturnStmt* returned = nullptr;  ///< read: `return object;`
    const clang::InitListExpr* in_list = nullptr; ///< read: an element of it
    const clang::CallExpr* argument_of = nullptr; ///< address or value
    const clang::Expr* outermost = nullptr;       ///< with the `&` and casts around the object

    clang::QualType type() const { return object->getType(); }
};

/// A device function or kernel that the text defines.
struct GeneratedFunction {
    const clang::FunctionDecl* definition = nullptr;
    std::vector<const clang::VarDecl*> locals; ///< of all types, in the text's order
    std::vector<Use> uses;                     ///< of records, arrays and pointers to them
    std::vector<const clang::CallExpr*> calls; ///< of functions that the text defines
    std::vector<const clang::ReturnStmt*> returns;
};

/// What slangc emitted after its prelude.
struct GeneratedCode {
    std::vector<GeneratedFunction> functions; ///< in the text's order
    std::vector<const clang::CXXRecordDecl*> records;

    const GeneratedFunction* find(const clang::FunctionDecl* function) const;
};

GeneratedCode read_generated_code(clang::ASTContext& context);

/// The statement or expression around a node; null at the function's body.
const clang::Stmt* above(clang::ASTContext& context, const clang::Stmt* node);
const clang::Stmt* above(clang::ASTContext& context, const clang::VarDecl* variable);
/// The statement, of a compound statement, that holds the node.
const clang::Stmt* statement_of(clang::ASTContext& context, const clang::Stmt* node);
/// The compound statement around a statement or variable; null for a parameter.
const clang::CompoundStmt* block_of(clang::ASTContext& context, const clang::Stmt* node);
const clang::CompoundStmt* block_of(clang::ASTContext& context, const clang::VarDecl* variable);
/// True where `inner` is `outer` or lies in it.
bool inside(clang::ASTContext& context, const clang::Stmt* inner, const clang::Stmt* outer);
/// The innermost loop around the node, within its function; or null.
const clang::Stmt* loop_around(clang::ASTContext& context, const clang::Stmt* node);
const clang::Stmt* loop_around(clang::ASTContext& context, const clang::VarDecl* variable);

} // namespace slimgrad
