#pragma once

#include "rewriter/expanded_use.h"
#include "rewriter/name_index.h"
#include "rewriter/preprocessor.h"
#include "rewriter/source_file.h"
#include "rewriter/syntax_tree.h"
#include "rewriter/unclosed_brace.h"

#include <cstdint>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// Where something stands in a module: which file (index into ModuleModel::files) and which bytes.
struct Site {
    std::uint32_t file = 0;
    ByteRange range;

    friend bool operator==(const Site&, const Site&) = default;
};

/// Index into one of the model's vectors; `none` where there is nothing to point to.
using Index = std::uint32_t;
inline constexpr Index none = ~Index{0};

/// `[Name(arguments)]` as written. `[A, B]` gives two attributes with the same group.
struct Attribute {
    std::string name;                   ///< without arguments: "MaxIters", "vk::binding"
    std::vector<std::string> arguments; ///< source text, white space trimmed
    Site site;                          ///< name and arguments
    ByteRange group;                    ///< the brackets around it
    bool from_macro = false; ///< name and arguments are a macro's; site and group are its use
};

struct Parameter {
    std::string name;
    std::string type; ///< source text without modifiers, array suffix included: "float[8]"
    std::vector<std::string> modifiers; ///< "in", "out", "inout", "no_diff", "uniform", ...
    std::string semantic;               ///< "SV_DispatchThreadID", or ""
    std::optional<std::string> default_value;
    Site site;
};

struct GenericParameter {
    std::string name;
    std::string constraint; ///< source text: "int" for `let N : int`, "IFoo & IBar", or ""
    bool is_value = false;
    Site site;
    std::optional<std::string> default_value = {}; ///< source text, for where no argument is given
};

/// What a function does with a variable that it does not own. One entry per syntactic occurrence.
/// What a call may write (ModuleModel::may_write_argument, [mutating] methods) counts as
/// read_write.
enum class AccessKind { read, write, read_write };

/// An occurrence of a name that is not a callee: `gW[i]`, `x`, `p.d`, `ctx.field = 3`.
/// `subscript` is set for the outermost `[..]` applied to the name, which is where the compiler's
/// report points.
struct Access {
    std::string name; ///< the base identifier; "" for a write to what has none, `f(x)[0] = 1`
    AccessKind kind = AccessKind::read;
    Site site; ///< the whole expression, from the name to the last `.member` or `[..]`
    std::optional<Site> subscript;       ///< from `[` to `]`
    std::optional<Site> subscript_index; ///< the expression between them
    std::vector<std::string>
        members; ///< `.x.y` chain after the name, in order, subscripts left out
    Index function = none;
    Index loop = none; ///< innermost loop around it
    bool as_argument =
        false; ///< stands alone as an argument of a call, so an `inout` parameter may write it
    Index argument_of = none; ///< that call
    std::uint32_t argument_index = 0;
    Index receiver_of = none; ///< `x` in `x.m(a)`: that call
    Index local = none; ///< the local variable that the name means; none for parameters and globals
};

/// How a call differentiates its callee.
enum class CallKind { plain, forward_derivative, backward_derivative };

/// How a call is written. What calls a function of the module without an argument list is a call,
/// too; operators, elements and members of built-in types are none.
enum class CallForm {
    call,      ///< `f(a)`, `x.m(a)`, `T(a)`
    operation, ///< `a + b`, `-a`, `++a`, where the callee is, or may be, an `operator+` of the
               ///< module
    subscript, ///< `x[i]`, where it is, or may be, a __subscript: its accessors
    property,  ///< `x.p`, where it is, or may be, a property: its accessors
};

/// What a call calls, as far as the module's text tells. Anything but `unresolved` is certain.
enum class CalleeKind {
    unresolved,    ///< cannot be told; `candidates` are all functions of the module that it may be
    function,      ///< of the module, at global scope or in a namespace: `target`
    method,        ///< of an object, accessors included: `target`
    static_method, ///< `target`
    constructor,   ///< an `__init`: `target`
    construction,  ///< of a type without such a function: a cast, an object from its fields
    builtin,       ///< of Slang's core module
    macro,         ///< a function-like macro, which is not expanded
    requirement,   ///< `target` of an interface; `candidates`: what implements it in the module,
                   ///< `target` among them where its own body may run
    value,         ///< what a variable or parameter holds, or a lambda
};

/// `f(a, b)`, `x.m(a)`, `f<4>(a)`, `bwd_diff(f)(p, 1.0)`. Constructor-like casts (`float3(0)`) are
/// calls, too: the callee is then a type's name.
struct Call {
    std::string callee;   ///< last name: "m" for `x.m(a)`, "f" for `bwd_diff(f)(..)` and `f<4>(..)`
    std::string receiver; ///< source text before `.m` or `::f`, or ""
    std::optional<Site> receiver_site; ///< of the object before `.m`
    std::vector<std::string> generic_arguments;
    CallKind kind = CallKind::plain;
    std::vector<Site> arguments;
    Site site; ///< the whole call expression
    std::uint32_t open_parenthesis =
        0;                          ///< offset of the `(` of the arguments: where the report points
    Index function = none;          ///< function whose body holds it
    Index loop = none;              ///< innermost loop around it
    bool no_diff = false;           ///< `no_diff f(x)`
    CallForm form = CallForm::call; ///< of others `open_parenthesis` is the operator, the `[` or
                                    ///< the name of the property
    CalleeKind callee_kind = CalleeKind::unresolved;
    Index target = none; ///< the function that is called, or differentiated
    std::vector<Index> candidates;
};

enum class LoopKind { for_loop, while_loop, do_while_loop, compile_time_for };

struct Loop {
    LoopKind kind = LoopKind::for_loop;
    std::uint32_t keyword =
        0;     ///< offset of `for`, `while` or `do`: where the report points for a loop's counter
    Site site; ///< from the keyword to the end of the body
    ByteRange with_attributes; ///< the same, from the first attribute on
    ByteRange body;            ///< the statement that is repeated
    std::vector<Attribute> attributes;
    Index function = none;
    Index parent = none; ///< innermost loop around it in the same function

    // The parts of a counted loop `for (T i = start; i < end; i += step)`, or the same as
    // `T i = start; while (i < end) { ..; i += step; }` and as do-while; empty where the form
    // differs.
    std::string counter;
    Index counter_local = none; ///< the local variable it is
    std::string start; ///< of a counter that is declared before the loop, where that value is it
    /// What the counter is compared with: it goes on while `i comparison end`.
    struct Test {
        std::string comparison; ///< "<", "<=", ">", ">=", "!="
        std::string end;
        ByteRange end_range; ///< of `end`; empty where the text does not hold it
    };
    std::string comparison; ///< of the first test
    std::string end;
    ByteRange end_range, start_range, step_range; ///< of `end`, `start` and the operand of the
                                                  ///< step; empty where the text has none
    std::vector<Test> more_tests; ///< `i < end && i < more`, in the order of the text
    bool steps_before_test =
        false;        ///< the first test sees the counter stepped: do-while, `--i > 0`
    std::string step; ///< signed: "1" for ++i, "-1" for i--, "2" for i += 2; "" when not additive
    std::string scaling; ///< "*", "/", "<<" or ">>" where the counter changes by that: i *= 2
    std::string factor;  ///< the operand of `scaling`
    std::optional<ByteRange> condition;
    std::optional<ByteRange> update;   ///< in the head, or the counter's step in the body
    bool has_other_conditions = false; ///< `i < end && other`, which tests no counter: it may end
                                       ///< before
    bool counter_is_float = false; ///< a scalar, declared in the loop, the function or as parameter
    bool counter_written_in_body = false; ///< or in the condition, other than by `update`
    bool has_break = false;               ///< a break or return that leaves this loop early
    /// Its head is a macro's, which stands in `site` in place of the keyword: never edited. The
    /// ranges of the condition and the update are the whole use unless they are arguments of it.
    bool from_macro = false;
};

/// `T name = value` in a function's body.
struct LocalVariable {
    std::string name;
    std::string type; ///< source text; "var" or "let" where inferred
    std::optional<Site> initializer;
    Site site; ///< the name
    Index function = none;
    Index loop = none;
    bool is_const = false;
    bool is_static = false;  ///< outlives the call
    bool reassigned = false; ///< written after its declaration, or passed to a call where it may be
};

struct Function {
    std::string name;
    std::string qualified_name; ///< with the types and namespaces around it: "Material.eval"
    std::string return_type;
    std::string semantic; ///< of the result: "SV_Target0", or ""
    std::vector<GenericParameter> generics;
    std::vector<GenericParameter> outer_generics; ///< of the types and extensions around it,
                                                  ///< outermost first
    std::vector<Parameter> parameters;
    std::vector<Attribute> attributes;
    std::vector<std::string> modifiers; ///< "static", "public", ...
    Site site;                          ///< whole declaration, attributes included
    Site name_site;
    std::uint32_t declaration_start =
        0; ///< offset of the first modifier or of the return type: attributes end before it
    std::optional<ByteRange> body;
    std::string parent_type; ///< struct, interface or extension it is a member of, or ""
    bool from_macro = false; ///< its head cannot be edited: it comes from a macro's expansion
    /// What macros in or around the body may declare: not what is declared further out.
    std::set<std::string, std::less<>> hidden_names;

    bool has_attribute(std::string_view attribute) const;
    const Attribute* find_attribute(std::string_view attribute) const;
    bool is_differentiable() const; ///< [Differentiable], [BackwardDifferentiable],
                                    ///< [ForwardDifferentiable], custom derivative
};

enum class GlobalKind {
    constant,         ///< static const with an initializer
    read_only_buffer, ///< StructuredBuffer, ByteAddressBuffer, Buffer, Texture*, ...
    writable_buffer,  ///< RWStructuredBuffer, RWByteAddressBuffer, RWTexture*, ...
    constant_buffer,  ///< cbuffer, ConstantBuffer<T>, ParameterBlock<T>
    uniform,          ///< a plain global without static
    groupshared,
    mutable_static, ///< static without const
};

struct GlobalVariable {
    std::string name;
    std::string type;
    GlobalKind kind = GlobalKind::uniform;
    std::optional<std::string> initializer;
    std::vector<Attribute> attributes;
    Site site;
};

/// A struct, class or interface with its member variables; those of an extension are not in it.
struct TypeDeclaration {
    struct Field {
        std::string name;
        std::string type;                   ///< source text, array suffix included
        std::vector<std::string> modifiers; ///< "no_diff", ...
    };
    std::string name;
    std::vector<Field> fields;      ///< without static ones
    std::vector<std::string> bases; ///< source text: structs and interfaces it inherits from
    bool is_interface = false;
    Site site;
};

/// `Slow = 3` of an enum.
struct EnumConstant {
    std::string name;  ///< qualified: "Mode.Slow"
    std::string type;  ///< of its value: "int" unless the enum names another one
    std::string value; ///< source text; of one without a value "0" or "(Mode.Slow) + 1"
};

/// `typealias Name = type;`, `typedef type Name;`. The type is "" where it is not one for all uses:
/// of an associatedtype, with generic parameters, in a function's body.
struct TypeAlias {
    std::string name;
    std::string type; ///< source text
};

/// `extension T : IFoo`. Its methods are functions with T as parent_type.
struct TypeExtension {
    std::string type; ///< source text of T
    std::vector<std::string> bases;
    Site site;
};

/// The type of one expression in a function's body, where it is known.
struct ExpressionType {
    Site site;
    Index type = none; ///< index into ModuleModel::type_names
};

/// A function that the text was read to declare and that the compiler knows otherwise, or not.
struct Contradiction {
    Index function = none;
    std::string what; ///< "to the compiler it is named 'g'"
};

/// A use of a macro in a function's body of which the model does not hold what it does.
struct UnreadMacro {
    std::string name;
    Site site;
    Index function = none;
    bool holds_statements = false; ///< else it stands for a variable, where that may be set
};

/// One module over all its files, read from their syntax trees alone. It knows no compiler: names
/// are what the text says, overloads share a name, and what cannot be told stays empty. Macros are
/// not expanded but where they begin a statement; text in branches of #if that are not taken is not
/// in the model.
struct ModuleModel {
    std::vector<SourceFile> files;
    std::vector<SyntaxTree> trees; ///< same order as files
    std::vector<Function> functions;
    std::vector<Loop> loops;
    std::vector<Call> calls;
    std::vector<Access> accesses;
    std::vector<LocalVariable> locals;
    std::vector<GlobalVariable> globals;
    std::vector<TypeDeclaration> types;
    std::vector<TypeExtension> extensions;
    std::vector<TypeAlias> aliases;
    std::vector<EnumConstant> enum_constants;
    std::vector<MacroDefinition> macros;
    std::vector<std::vector<ByteRange>>
        macro_uses; ///< per file: uses of function-like macros, in order
    /// Macros that begin a statement, in the order of the files: read as what they stand for.
    std::vector<ExpandedUse> expanded_uses;
    std::vector<std::vector<ByteRange>> inactive; ///< per file: directives and what they leave out
    std::vector<ConditionalBranch> not_taken;     ///< branches of #if that the model does not hold
    std::vector<ConditionalBranch> undecided; ///< branches whose condition is not known: it does
    /// Per file: bodies of functions that are not closed. They are errors of its tree, which goes
    /// on behind them.
    std::vector<std::vector<UnclosedBrace>> unclosed;
    std::vector<UnreadMacro> unread_macros; ///< in the order of the files (find_unread_macros)
    std::vector<Site> unread;               ///< nested too deep to be in the model; is_broken there
    /// Directives that put a file's text into a function, a type or a value: the model does not
    /// hold it; is_broken there.
    std::vector<Site> included;
    /// Functions that macros and broken text of the files may declare: not what is built in.
    std::set<std::string, std::less<>> hidden_names;
    /// Functions that the compiler sees otherwise (confirm_functions); is_broken in them.
    std::vector<Contradiction> contradictions;
    std::vector<ExpressionType> expression_types; ///< in the order of their sites
    /// Types as Slang writes them, aliases replaced: "float3", "Pair<Ray, 4>".
    std::vector<std::string> type_names;
    /// What the find functions look in: caught up as they are asked, complete once the model is
    /// built.
    struct Names {
        NameIndex functions, globals, types, macros;
    };
    mutable Names names;

    std::string_view text(Site site) const;
    Place place(Site site) const;
    Place place(std::uint32_t file, std::uint32_t offset) const;
    /// Index of the file with this path, or `none`.
    Index find_file(std::string_view path) const;
    /// All functions of this name, overloads and members included.
    std::vector<Index> find_functions(std::string_view name) const;
    const GlobalVariable* find_global(std::string_view name) const;
    /// The same in a function's text; null where a macro may declare the name nearer.
    const GlobalVariable* find_global(std::string_view name, Index function) const;
    /// The type of this name, or null; types that share a name share the first one's entry.
    const TypeDeclaration* find_type(std::string_view name) const;
    const MacroDefinition* find_macro(std::string_view name) const;
    /// The macro of this name; null where there is none, and where the module defines it in several
    /// ways: which one holds depends on the place.
    const MacroDefinition* find_only_macro(std::string_view name) const;
    bool is_function_like_macro(std::string_view name) const;
    /// The use of a macro that stands exactly here, if the model reads what it stands for; or null.
    const ExpandedUse* expanded_use(Site use) const;
    /// Whether the call may write the variable that stands alone as its argument: an out or inout
    /// parameter of any of its callees, a differentiable one of a backward derivative, a
    /// macro, an intrinsic with out parameters. Other functions that the module does not define are
    /// taken to write none.
    bool may_write_argument(const Call& call, std::uint32_t argument) const;
    /// The functions of the module that a call may run: its target with all that may stand in for
    /// it, or all candidates; empty for calls of what the module does not define.
    std::vector<Index> callees(const Call& call) const;
    /// The type of the expression that stands exactly here, as Slang writes it, or "".
    std::string_view type_of(Site expression) const;
    /// The innermost function whose declaration holds this offset, or `none`.
    Index function_at(std::uint32_t file, std::uint32_t offset) const;
    /// The call whose argument list opens at this offset, or whose operator, `[` or property stands
    /// there: where the compiler's report points. Or `none`.
    Index call_at(std::uint32_t file, std::uint32_t open_parenthesis) const;
    /// The loop whose keyword stands at this offset, or `none`.
    Index loop_at(std::uint32_t file, std::uint32_t keyword) const;
    /// The access whose subscript opens at this offset, or `none`.
    Index access_at(std::uint32_t file, std::uint32_t open_bracket) const;
    /// Whether the range overlaps a syntax error (ERROR or MISSING), text that was not read, or a
    /// function that the compiler sees otherwise: nothing may be edited there.
    bool is_broken(Site site) const;
    /// Whether text is included into what stands there.
    bool has_included_text(Site site) const;
    /// Whether the range touches a macro's definition or an invocation of a function-like macro of
    /// the module.
    bool is_macro(Site site) const;
};

/// Reads the model of the given files; the first is the module's own file. `defines` are slangc's
/// -D options ("NAME=value"). The trees are parsed from preprocess(files, defines).texts, so that
/// they hold only what the compiler sees, at its own offsets; `macros` is what that pass found.
/// Text slices of the model come from the files as they are on disk.
ModuleModel build_module_model(std::vector<SourceFile> files,
                               const std::vector<std::string>& defines = {});

} // namespace slimgrad
