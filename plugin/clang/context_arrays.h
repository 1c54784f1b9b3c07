#pragma once

#include "plugin/clang/generated_code.h"
#include "plugin/clang/rewrite.h"
#include "plugin/clang/zeros.h"

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

using Record = const clang::CXXRecordDecl*;
/// What of a stored context gets a place outside of it.
struct ContextParts {
    std::vector<const clang::FieldDecl*> arrays; ///< these members do
    /// Members that are contexts with parts, or arrays of them; may be among `arrays` as well.
    std::vector<const clang::FieldDecl*> inner;
};

/// A call of a function that fills a context (a producer).
struct ProducerCall {
    const clang::CallExpr* call = nullptr;
    Record record = nullptr; ///< the context
    /// The member of the caller's own context that the result goes to: `(&_S59)->value4_1[_pc_0]`;
    /// its path is a member and indices that have the same values at the call.
    const Use* target = nullptr;
    std::size_t place = 0; ///< without a target: which of the caller's places
};

/// A function's part in it.
struct ContextFunction {
    Record produces = nullptr; ///< its result is, or holds, this context
    Variable filled =
        nullptr; ///< the variable that becomes the result: its arrays are the caller's
    const clang::Expr* result = nullptr; ///< where it is copied to the result, or returned
    std::vector<ProducerCall> calls;
    /// One for each context that calls leave in this function; calls whose contexts are never there
    /// at the same time share one.
    std::vector<Record> places;
};

/// Which arrays of checkpoint contexts can lie outside of the contexts, so that what is copied is
/// where they are. slangc returns and copies contexts by value; here it is shown that each copy of
/// an array is used only while its original is unchanged and still there. Arrays with a use that is
/// not understood are left out, with a note.
class ContextArrays {
  public:
    struct Choice {
        const clang::FieldDecl* field;
        std::uint64_t bytes;
        bool looped; ///< an element is written by an index that is no constant
        /// Every backward loop that reads it starts at a constant: the number of trips is known to
        /// the CUDA compiler.
        bool counted;
        std::uint64_t outermost_bytes; ///< of the largest context that holds it
    };
    using Chooser = std::function<bool(const Choice&)>;

    /// `whole_elements`: arrays are left out where anything but whole elements is written, or read
    /// without an index.
    ContextArrays(clang::ASTContext& context, const GeneratedCode& code, Pass pass,
                  bool whole_elements, const Chooser& chosen, std::vector<RewriteNote>& notes);

    bool empty() const { return parts_.empty(); }
    const std::map<Record, ContextParts>& parts() const { return parts_; }
    const ContextFunction& of(const GeneratedFunction& function) const;
    bool moved(const clang::FieldDecl* field) const;
    /// The index steps that every use of an element has.
    std::size_t dimensions(const clang::FieldDecl* field) const;
    /// A record of zeros holds this array: something has to stand for it.
    bool zeros_needed(const clang::FieldDecl* field) const { return zeros_.count(field) != 0; }
    /// Is the variable a record of zeros, as far as its arrays go?
    bool is_zero(const GeneratedFunction& function, Variable variable) const;
    /// True where a value of the type holds a moved array.
    bool holds(clang::QualType type) const;

  private:
    void choose(const Chooser& chosen);
    bool counted(const clang::FieldDecl* field) const;
    std::uint64_t outermost_bytes(Record record) const;
    void close_parts();
    void find_producers();
    void check(const GeneratedFunction& function);
    void check_result(const GeneratedFunction& function, ContextFunction& own);
    void check_calls(const GeneratedFunction& function, ContextFunction& own);
    void check_array(const GeneratedFunction& function, const Use& use, std::size_t step);
    void check_value(const GeneratedFunction& function, const Use& use);
    void check_assignment(const GeneratedFunction& function, const Use& target);
    void check_lists(const GeneratedFunction& function);
    bool is_callers(const GeneratedFunction& function, Variable variable) const;
    bool zeros_are_read(const GeneratedFunction& function, Variable variable) const;
    bool fits(const GeneratedFunction& function, const clang::CallExpr* call, const Use& target,
              const Use& source) const;
    void place_calls(const GeneratedFunction& function, ContextFunction& own);
    std::pair<unsigned, unsigned> lifetime(const GeneratedFunction& function,
                                           const clang::CallExpr* call) const;
    bool only_read(const Use& use, int depth) const;
    void refuse(clang::QualType type, const clang::Stmt* at, const char* why);
    void refuse(const clang::FieldDecl* field, const clang::Stmt* at, const char* why);
    unsigned offset(clang::SourceLocation place) const;

    clang::ASTContext& context_;
    const GeneratedCode& code_;
    const Pass pass_;
    const bool whole_elements_;
    std::vector<RewriteNote>& notes_;
    std::map<Record, ContextParts> parts_;
    std::map<const clang::FunctionDecl*, ContextFunction> functions_;
    std::set<const clang::FieldDecl*> zeros_;
    bool changed_ = false; ///< something was refused
};

} // namespace slimgrad
