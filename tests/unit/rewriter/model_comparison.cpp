#include "tests/unit/rewriter/model_comparison.h"

#include "rewriter/derivative_type.h"
#include "rewriter/module_model.h"
#include "tests/unit/rewriter/declared_attributes.h"
#include "tests/unit/rewriter/emitted_loops.h"
#include "tests/unit/rewriter/lowered_loops.h"
#include "tests/unit/rewriter/written_types.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <map>
#include <regex>
#include <set>
#include <string_view>

namespace slimgrad {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// What lowered_functions reads.
bool is_ir(const std::string& code) {
    return code.find("= DebugSource(\"") != std::string::npos;
}

/// Compares one module's model with what the compiler says, and counts.
class Comparison {
  public:
    Comparison(const Shader& shader, const CompileResult& compiled, Compared& compared)
        : shader_(shader), compiled_(compiled), compared_(compared), model_(read_model()),
          types_(model_) {}

    std::vector<Error> run() {
        compare_loop_diagnostics();
        if (compiled_.succeeded())
            compare_module();
        return std::move(mismatches_);
    }

  private:
    void compare_module() {
        ++compared_.modules;
        for (Index file = 0; file < model_.trees.size(); ++file)
            if (const auto& errors = model_.trees[file].errors(); !errors.empty())
                mismatch(model_.place(file, errors.front().begin), "is not parsed");
        compare_functions();
        compare_entry_points();
        for (const CheckpointContext& context : compiled_.contexts)
            for (const CheckpointValue& value : context.values)
                compare_stored_value(value);
        for (const ParsedDeclaration& declaration : parsed_declarations(compiled_.syntax_tree))
            compare(declaration);
        if (is_ir(compiled_.code))
            compare_lowered_loops();
        else
            compare_emitted_loops();
        confirm();
    }

    /// What every run of the program compares must raise no false alarm.
    void confirm() {
        confirm_functions(model_, compiled_.reflection.functions);
        for (const Contradiction& contradiction : model_.contradictions)
            mismatch(model_.place(model_.functions[contradiction.function].name_site),
                     contradiction.what);
    }

    ModuleModel read_model() {
        std::vector<SourceFile> files;
        for (const std::string& path : compiled_.dependencies) {
            std::ifstream file(path, std::ios::binary);
            files.emplace_back(path, std::string(std::istreambuf_iterator<char>(file), {}));
            if (!file.good() && !file.eof())
                mismatch({path}, "cannot be read");
        }
        return build_module_model(std::move(files), shader_.defines);
    }

    void mismatch(const Place& place, const std::string& what) {
        // What a macro makes has no place in the compiler's eyes.
        mismatches_.push_back({what, place.file.empty() ? Place{shader_.file} : place});
    }

    std::uint32_t offset(const Place& place, Index file) const {
        return model_.files[file].offset(place.line, place.column);
    }

    // ---- What reflection shows

    /// Imported modules end in .slang here; what they declare is not the module's own.
    bool is_included(Index file) const {
        return file == 0 || !model_.files[file].path().ends_with(".slang");
    }

    Index function_named_at(const Place& place) const {
        const auto found = std::find_if(model_.functions.begin(), model_.functions.end(),
                                        [&](const Function& function) {
                                            // Of `operator+` reflection gives the sign's place.
                                            const Site& name = function.name_site;
                                            return model_.files[name.file].path() == place.file &&
                                                   name.range.contains(offset(place, name.file));
                                        });
        return found == model_.functions.end() ? none : Index(found - model_.functions.begin());
    }

    /// A function whose name a macro joins has no place for the compiler.
    Index joined_function(const std::string& name) const {
        const auto found = std::find_if(
            model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                return function.qualified_name == name && model_.text(function.name_site) != name;
            });
        return found == model_.functions.end() ? none : Index(found - model_.functions.begin());
    }

    /// Whether a macro is defined or used there: what it declares is not in the model.
    bool is_macro_place(const Place& place) const {
        const Index file = model_.find_file(place.file);
        if (file == none)
            return false;
        const std::uint32_t at = offset(place, file);
        return model_.is_macro({file, {at, at + 1}});
    }

    bool is_undecided(const Site& site) const {
        return std::any_of(model_.undecided.begin(), model_.undecided.end(),
                           [&](const ConditionalBranch& branch) {
                               return branch.file == site.file && branch.body.contains(site.range);
                           });
    }

    void compare_functions() {
        std::set<Index> reflected;
        for (const FunctionSignature& signature : compiled_.reflection.functions) {
            Index function = function_named_at(signature.place);
            if (function == none && signature.place.file.empty())
                function = joined_function(signature.name);
            if (function == none) {
                // What the compiler makes of a lambda and of an interface's requirement.
                if (signature.name.find("_slang_Lambda_") != std::string::npos ||
                    signature.name.find("__syn") != std::string::npos)
                    continue;
                if (is_macro_place(signature.place))
                    ++compared_.macros;
                else
                    mismatch(signature.place, "the model has no function " + signature.name);
                continue;
            }
            reflected.insert(function);
            compare(model_.functions[function], signature);
        }
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const Function& function = model_.functions[i];
            // Initialisers are no functions to reflection, and what a macro declares may be
            // anything.
            if (is_included(function.site.file) && function.name != "__init" &&
                function.name.find('(') == std::string::npos &&
                !model_.is_function_like_macro(function.name) && !reflected.count(i))
                mismatch(model_.place(function.name_site),
                         "reflection has no function " + function.qualified_name);
        }
    }

    /// Reflection leaves out namespaces and the type that an extension extends, and names operators
    /// by their signs alone. Files that are `__include`d are scopes of their own to it, and so is
    /// what an interface's default implementation becomes.
    static bool same_name(const Function& function, std::string reflected,
                          const std::string& path) {
        const std::filesystem::path file(path);
        std::string identifier = file.stem().string();
        std::replace(identifier.begin(), identifier.end(), '-', '_');
        for (const std::string& scope :
             {file.filename().string(), file.stem().string(), identifier})
            if (const auto at = reflected.find(scope + '.');
                at != std::string::npos && (at == 0 || reflected[at - 1] == '/'))
                reflected.erase(0, at + scope.size() + 1); // "lib/part.f", too
        constexpr std::string_view implementation = "$defaultImpl";
        if (const auto at = reflected.find(implementation); at != std::string::npos)
            reflected.erase(at, implementation.size());
        std::string name = function.qualified_name;
        if (function.name.starts_with("operator"))
            name.erase(name.size() - function.name.size(), std::string_view("operator").size());
        return name == reflected || name.ends_with("." + reflected);
    }

    /// `get` or `set` of a property or subscript: its parent is not the type alone.
    static bool is_accessor(const Function& function) {
        return !function.parent_type.empty() &&
               !function.qualified_name.ends_with(function.parent_type + "." + function.name);
    }

    void compare(const Function& function, const FunctionSignature& signature) {
        ++compared_.functions;
        const auto differs = [&](const std::string& what, const auto& read, const auto& reflected) {
            mismatch(signature.place, fmt::format("{} of {}: read {}, reflected {}", what,
                                                  signature.name, read, reflected));
        };
        if (!same_name(function, signature.name, signature.place.file))
            differs("name", function.qualified_name, signature.name);
        if (!types_.same(function.return_type, signature.result_type, function.parent_type))
            differs("result", function.return_type, signature.result_type);
        // To reflection [BackwardDerivativeOf(f)] is a kind of [Differentiable] of the function
        // that has it.
        const bool differentiable = function.is_differentiable() ||
                                    function.has_attribute("BackwardDerivativeOf") ||
                                    function.has_attribute("ForwardDerivativeOf");
        if (differentiable != signature.differentiable)
            differs("differentiability", differentiable, signature.differentiable);
        // Members of a generic type are generic without parameters of their own.
        if (!function.generics.empty() && !signature.generic)
            differs("generics", function.generics.size(), signature.generic);
        if (function.generics.empty() && function.parent_type.empty() && signature.generic)
            differs("generics", function.generics.size(), signature.generic);
        for (const std::string& attribute : signature.attributes) {
            ++compared_.attributes;
            if (!function.has_attribute(attribute))
                differs("attribute", "none", attribute);
        }
        if (is_accessor(
                function)) // the model gives it the subscript's parameters, reflection `newValue`
            return;
        if (function.parameters.size() != signature.parameters.size())
            return differs("parameters", function.parameters.size(), signature.parameters.size());
        for (std::size_t i = 0; i < function.parameters.size(); ++i)
            compare(function.parameters[i], signature.parameters[i], function, signature);
    }

    void compare(const Parameter& parameter, const FunctionSignature::Parameter& reflected,
                 const Function& function, const FunctionSignature& signature) {
        ++compared_.parameters;
        const bool in_out = contains(parameter.modifiers, "inout");
        const bool out = in_out || contains(parameter.modifiers, "out");
        const bool in = in_out || !out;
        const bool no_diff = contains(parameter.modifiers, "no_diff");
        // In a differentiable function what has no derivative is no_diff without saying so; not
        // always where its type is an instance of a generic one.
        const DerivativeUse use =
            DerivativeTypes(model_, Index(&function - model_.functions.data()))
                .of(parameter.type)
                .use;
        const bool implied = signature.differentiable &&
                             (use == DerivativeUse::unknown || (use == DerivativeUse::does_not &&
                                                                parameter.type.ends_with('>'))
                                  ? reflected.no_diff
                                  : use == DerivativeUse::does_not);
        const bool same_name =
            parameter.name == reflected.name ||
            (parameter.name.empty() && reflected.name.starts_with("SLANG_anonymous_"));
        if (!same_name ||
            !types_.same(written_type(parameter), reflected.type, function.parent_type) ||
            in != reflected.is_in || out != reflected.is_out ||
            (no_diff || implied) != reflected.no_diff)
            mismatch(signature.place,
                     fmt::format("parameter of {}: read {} {} (in {}, out {}, no_diff {}), "
                                 "reflected {} {} ({}, {}, {})",
                                 signature.name, parameter.type, parameter.name, in, out,
                                 no_diff || implied, reflected.type, reflected.name,
                                 reflected.is_in, reflected.is_out, reflected.no_diff));
    }

    // ---- What the syntax tree shows

    /// Attributes of functions and globals. Those of one line that share a name are told apart by
    /// nothing: one of them has to fit.
    void compare(const ParsedDeclaration& declaration) {
        const Index file = file_of(declaration.file);
        const auto is_here = [&](const Site& site) {
            return site.file == file && model_.place(site).line == declaration.line;
        };
        bool found = false, fits = false;
        std::string read;
        const auto try_it = [&](const Site& site, const std::vector<Attribute>& attributes) {
            if (!is_here(site))
                return;
            std::vector<ParsedDeclaration::Attribute> parsed;
            for (const Attribute& attribute : attributes)
                parsed.push_back({std::regex_replace(attribute.name, std::regex("::"), "_"),
                                  attribute.arguments.size()});
            found = true;
            fits = fits || parsed == declaration.attributes;
            read = listed(parsed);
        };
        for (const Function& function : model_.functions)
            if (is_same(declaration, function))
                try_it(function.name_site, function.attributes);
        if (declaration.kind == "VarDecl")
            for (const GlobalVariable& global : model_.globals)
                if (global.name == declaration.name)
                    try_it(global.site, global.attributes);
        compared_.attributes += found ? int(declaration.attributes.size()) : 0;
        if (found && !fits)
            mismatch({declaration.file, declaration.line, 0},
                     fmt::format("attributes of {}, with the numbers of their arguments: the model "
                                 "has {}, slangc {}",
                                 declaration.name, read, listed(declaration.attributes)));
    }

    static bool is_same(const ParsedDeclaration& declaration, const Function& function) {
        if (declaration.kind == "FuncDecl")
            return function.name == declaration.name ||
                   function.name == "operator" + declaration.name;
        return (declaration.kind == "ConstructorDecl" && function.name == "__init") ||
               (declaration.kind == "GetterDecl" && function.name == "get") ||
               (declaration.kind == "SetterDecl" && function.name == "set") ||
               (declaration.kind == "RefAccessorDecl" && function.name == "ref");
    }

    static std::string listed(const std::vector<ParsedDeclaration::Attribute>& attributes) {
        std::string text;
        for (const auto& [name, arguments] : attributes)
            text += fmt::format("[{}/{}]", name, arguments);
        return text.empty() ? "none" : text;
    }

    /// What a mesh shader puts out, `out vertices Vertex v[3]`, has a type of its own.
    static std::string written_type(const Parameter& parameter) {
        const auto bracket = parameter.type.rfind('[');
        for (const auto& [modifier, type] :
             {std::pair{"vertices", "OutputVertices"}, std::pair{"indices", "OutputIndices"},
              std::pair{"primitives", "OutputPrimitives"}})
            if (contains(parameter.modifiers, modifier) && bracket != std::string::npos)
                return fmt::format(
                    "{}<{},{}>", type, parameter.type.substr(0, bracket),
                    parameter.type.substr(bracket + 1, parameter.type.size() - bracket - 2));
        return parameter.type;
    }

    /// [shader("compute")] and [numthreads(..)] with literal arguments.
    void compare_entry_points() {
        for (const EntryPoint& entry : compiled_.reflection.entry_points) {
            if (entry.stage.empty()) {
                compare_cuda_kernel(entry);
                continue;
            }
            const auto functions = model_.find_functions(entry.name);
            if (functions.size() != 1) {
                mismatch({}, fmt::format("{} functions of the entry point's name {}",
                                         functions.size(), entry.name));
                continue;
            }
            const Function& function = model_.functions[functions[0]];
            const Attribute* stage = function.find_attribute("shader");
            const Attribute* threads = function.find_attribute("numthreads");
            ++compared_.attributes;
            if (!stage || stage->arguments != std::vector<std::string>{'"' + entry.stage + '"'})
                mismatch(model_.place(function.name_site), "[shader] of " + entry.name);
            std::vector<std::string> expected;
            for (std::uint32_t size : entry.thread_group)
                expected.push_back(std::to_string(size));
            ++compared_.attributes;
            if (!threads || threads->arguments != expected)
                mismatch(model_.place(function.name_site), "[numthreads] of " + entry.name);
        }
    }

    /// The kernels of f are `__kernel__f` and its derivatives.
    void compare_cuda_kernel(const EntryPoint& entry) {
        ++compared_.attributes;
        const bool found = std::any_of(
            model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                return (function.has_attribute("CUDAKernel") ||
                        function.has_attribute("CudaKernel") ||
                        function.has_attribute("AutoPyBindCUDA")) &&
                       entry.name.find(function.name) != std::string::npos;
            });
        if (!found)
            mismatch({}, "no [CUDAKernel] for " + entry.name);
    }

    // ---- What the report shows

    /// `s_minCtx_s_bwdCallableCtx_Ray_advance_0`: what Ray.advance stores, at the call of it.
    void compare_callee(const CheckpointValue& value, const Call& call) {
        if (call.callee_kind == CalleeKind::unresolved) {
            compared_.open_calls.push_back(
                {fmt::format("what '{}' calls is not known", call.callee), value.place});
            return;
        }
        constexpr std::string_view context = "bwdCallableCtx_";
        std::string_view name = value.type;
        const auto begin = name.find(context);
        if (begin == name.npos)
            return;
        name = name.substr(begin + context.size());
        name = name.substr(0, name.rfind('_'));
        // Underscores at the end of a name are left out.
        const auto called = [&](Index function) {
            std::string own = model_.functions[function].name;
            own.erase(own.find_last_not_of('_') + 1);
            return name.ends_with(own);
        };
        const std::vector<Index> callees = model_.callees(call);
        if (std::none_of(callees.begin(), callees.end(), called))
            mismatch(value.place,
                     fmt::format("what '{}' calls stores {}", call.callee, value.type));
        else
            ++compared_.callees;
    }
    void compare_stored_value(const CheckpointValue& value) {
        const Index file = model_.find_file(value.place.file);
        if (file == none || value.place.line == 0) {
            ++compared_.elsewhere;
            return;
        }
        const std::uint32_t at = offset(value.place, file);
        const std::string_view text = std::string_view(model_.files[file].text()).substr(at);
        const bool is_word =
            !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
        if (model_.is_macro({file, {at, at + 1}})) {
            ++compared_.macros; // the place is in the macro's body
        } else if (text.starts_with("(")) {
            ++compared_.calls;
            if (const Index call = model_.call_at(file, at); call == none)
                mismatch(value.place, "no call in the model");
            else
                compare_callee(value, model_.calls[call]);
        } else if (text.starts_with("[")) {
            ++compared_.subscripts;
            if (model_.access_at(file, at) == none)
                mismatch(value.place, "no access with a subscript in the model");
        } else if (is_word && is_keyword_of_loop(text)) {
            ++compared_.loops;
            if (model_.loop_at(file, at) == none)
                mismatch(value.place, "no loop in the model");
        } else if (std::string_view("+-*/%<>=!&|^~?").find(text.substr(0, 1)) !=
                       std::string_view::npos ||
                   text.starts_with("no_diff")) {
            ++compared_.operators;
            if (model_.function_at(file, at) == none)
                mismatch(value.place, "no function of the model holds this operator");
        } else if (is_word) {
            ++compared_.names;
            if (!declares(file, at))
                mismatch(value.place, "no variable, parameter or function in the model");
        } else {
            mismatch(value.place, fmt::format("{} is stored from a place of another kind: {}",
                                              value.type, text.substr(0, 20)));
        }
    }

    static bool is_keyword_of_loop(std::string_view text) {
        const auto end = std::find_if_not(
            text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        const std::string_view word(text.begin(), end);
        return word == "for" || word == "while" || word == "do";
    }

    bool declares(Index file, std::uint32_t at) const {
        const auto here = [&](const Site& site) {
            return site.file == file && site.range.begin == at;
        };
        return std::any_of(model_.locals.begin(), model_.locals.end(),
                           [&](const LocalVariable& local) { return here(local.site); }) ||
               std::any_of(
                   model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                       return here(function.name_site) ||
                              (function.site.file == file &&
                               std::any_of(function.parameters.begin(), function.parameters.end(),
                                           [&](const Parameter& parameter) {
                                               return parameter.site.range.contains(at);
                                           }));
                   });
    }

    bool declares_on(Index file, std::uint32_t line) const {
        const auto here = [&](const Site& site) {
            return site.file == file && model_.place(site).line == line;
        };
        return std::any_of(model_.locals.begin(), model_.locals.end(),
                           [&](const LocalVariable& local) { return here(local.site); }) ||
               std::any_of(model_.functions.begin(), model_.functions.end(),
                           [&](const Function& function) { return here(function.name_site); });
    }

    // ---- What diagnostics and the emitted code show

    /// E30510, a loop that does not say how often it runs, points to its keyword; E30519, one that
    /// runs less often than it says, to the attribute.
    void compare_loop_diagnostics() {
        for (const Diagnostic& diagnostic : compiled_.diagnostics) {
            if (diagnostic.code != "E30510" && diagnostic.code != "E30519")
                continue;
            ++compared_.loop_diagnostics;
            const Index file = model_.find_file(diagnostic.place.file);
            const std::uint32_t at = file == none ? 0 : offset(diagnostic.place, file);
            if (file == none ||
                (!model_.is_macro({file, {at, at + 1}}) && !is_loop_or_bound(file, at)))
                mismatch(diagnostic.place, diagnostic.code + " at no loop of the model");
        }
    }

    bool is_loop_or_bound(Index file, std::uint32_t at) const {
        return std::any_of(model_.loops.begin(), model_.loops.end(), [&](const Loop& loop) {
            return loop.site.file == file &&
                   (loop.keyword == at ||
                    std::any_of(loop.attributes.begin(), loop.attributes.end(),
                                [&](const Attribute& attribute) {
                                    return attribute.site.range.begin == at;
                                }));
        });
    }

    /// #line has no columns, and where a loop stores what it carries the line is that of the
    /// variable's declaration: the first other line in an emitted loop must be a line of a loop.
    void compare_emitted_loops() {
        for (const std::vector<Place>& inside : emitted_loops(compiled_.code)) {
            const auto first = std::find_if(inside.begin(), inside.end(), [&](const Place& place) {
                const Index file = model_.find_file(place.file);
                return file != none &&
                       (is_in_loop(file, place.line) || !declares_on(file, place.line));
            });
            if (first == inside.end())
                continue;
            if (is_macro_line(model_.find_file(first->file), first->line))
                continue;
            ++compared_.emitted_loops;
            if (!is_in_loop(model_.find_file(first->file), first->line))
                mismatch(*first, "the emitted code has a loop here, the model has none");
        }
    }

    // ---- What the IR shows

    /// The syntax tree and the IR name files as they were found.
    Index file_of(const std::string& path) {
        const auto [entry, is_new] = found_files_.emplace(path, none);
        if (is_new) {
            std::error_code error;
            entry->second = model_.find_file(path);
            if (entry->second == none)
                entry->second =
                    model_.find_file(std::filesystem::weakly_canonical(path, error).string());
        }
        return entry->second;
    }

    /// Places of the IR count characters.
    Site site_of(const Place& place) {
        const Index file = file_of(place.file);
        if (file == none)
            return {none, {}};
        const std::string& text = model_.files[file].text();
        std::uint32_t at = model_.files[file].offset(place.line, 1);
        for (std::uint32_t i = 1; i < place.column && at < text.size(); ++i)
            while (++at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
            }
        return {file, {at, at + 1}};
    }

    void compare_lowered_loops() {
        std::set<Index> lowered, functions;
        std::set<std::pair<Index, std::uint32_t>> lines;
        for (const LoweredFunction& function : lowered_functions(compiled_.code)) {
            functions.insert(function_at(site_of(function.place)));
            for (const Place& line : function.lines) {
                const Site site = site_of(line);
                lines.emplace(site.file, site.range.begin);
            }
            if (function.name.find("x24x5Fx5Fsyn") != std::string::npos)
                continue; // "$__syn..": made by the compiler
            for (const LoweredLoop& loop : function.loops)
                lowered.insert(compare(loop, function));
        }
        for (Index i = 0; i < model_.loops.size(); ++i)
            if (model_.loops[i].from_macro)
                ++compared_.macros; // the compiler's place is in the macro's body
            else if (!lowered.count(i) && !is_undecided(model_.loops[i].site) &&
                     functions.count(model_.loops[i].function) &&
                     !is_removed(model_.loops[i], lines))
                mismatch(model_.place(model_.loops[i].site.file, model_.loops[i].keyword),
                         "the model has a loop here, the compiler has none");
    }

    Index function_at(Site name) const {
        const auto found = std::find_if(
            model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                return function.name_site.file == name.file &&
                       function.name_site.range.contains(name.range.begin);
            });
        return found == model_.functions.end() ? none : Index(found - model_.functions.begin());
    }

    /// The loop of the model that the compiler's is.
    Index compare(const LoweredLoop& loop, const LoweredFunction& function) {
        for (const Place& place : loop.before) {
            const Site site = site_of(place);
            const Index found =
                site.file == none ? none : model_.loop_at(site.file, site.range.begin);
            if (found == none)
                continue;
            ++compared_.lowered_loops;
            // A lambda is a function of its own to the compiler.
            const Index named = function_at(site_of(function.place));
            if (named != none && named != model_.loops[found].function)
                mismatch(place, "the loop is not in the function " + function.name);
            compare_attributes(model_.loops[found], loop, place);
            return found;
        }
        const Place place = loop.before.empty() ? function.place : loop.before.front();
        const Site site = site_of(place);
        if (site.file != none && model_.is_macro(site))
            ++compared_.macros;
        else
            mismatch(place, "the compiler has a loop here, the model has none");
        return none;
    }

    /// Each of the attributes that the IR keeps, with its number where that is a literal. The
    /// compiler adds loopMaxIters by itself, and unrolls what has to be known before it runs.
    void compare_attributes(const Loop& loop, const LoweredLoop& lowered, const Place& place) {
        struct Kept {
            const char* name;
            const char* in_ir;
            bool has_number, is_added;
        };
        for (const Kept kept : {Kept{"ForceUnroll", "ForceUnroll(", true, true},
                                Kept{"MaxIters", "loopMaxIters(", true, true},
                                Kept{"unroll", "loopControl(0)", false, false},
                                Kept{"loop", "loopControl(1)", false, false}}) {
            const auto read = std::find_if(
                loop.attributes.begin(), loop.attributes.end(),
                [&](const Attribute& attribute) { return attribute.name == kept.name; });
            const auto in_ir = std::find_if(
                lowered.attributes.begin(), lowered.attributes.end(),
                [&](const std::string& attribute) { return attribute.starts_with(kept.in_ir); });
            const bool has = read != loop.attributes.end(),
                       expected = in_ir != lowered.attributes.end();
            compared_.attributes += has || expected;
            if (has != expected && (has || !kept.is_added))
                mismatch(place, fmt::format("[{}] of a loop: read {}, in the IR {}", kept.name, has,
                                            expected));
            if (!has || !expected || !kept.has_number || read->arguments.size() != 1 ||
                read->arguments[0].find_first_not_of("0123456789") != std::string::npos)
                continue;
            if (*in_ir != kept.in_ir + read->arguments[0] + ')')
                mismatch(place, fmt::format("number of a loop's [{}]: read {}, in the IR {}",
                                            kept.name, read->arguments[0], *in_ir));
        }
    }

    /// Whether the compiler removed a loop before it wrote the IR: one that it repeats itself, one
    /// that it never reaches, of which it keeps no line, and one that does not repeat, of which it
    /// keeps the keyword's line.
    bool is_removed(const Loop& loop,
                    const std::set<std::pair<Index, std::uint32_t>>& lines) const {
        if (loop.kind == LoopKind::compile_time_for || lines.count({loop.site.file, loop.keyword}))
            return true;
        const auto line = lines.lower_bound({loop.site.file, loop.site.range.begin});
        return line == lines.end() || line->first != loop.site.file ||
               line->second >= loop.site.range.end;
    }

    bool is_macro_line(Index file, std::uint32_t line) const {
        return std::any_of(
            model_.macros.begin(), model_.macros.end(), [&](const MacroDefinition& macro) {
                return macro.file == file && model_.place(file, macro.range.begin).line <= line &&
                       line <= model_.place(file, macro.range.end).line;
            });
    }

    bool is_in_loop(Index file, std::uint32_t line) const {
        return std::any_of(model_.loops.begin(), model_.loops.end(), [&](const Loop& loop) {
            return loop.site.file == file &&
                   model_.place(file, loop.with_attributes.begin).line <= line &&
                   line <= model_.place(file, loop.site.range.end).line;
        });
    }

    const Shader& shader_;
    const CompileResult& compiled_;
    Compared& compared_;
    std::vector<Error> mismatches_; // before the model, whose reading may add to it
    ModuleModel model_;
    const WrittenTypes types_;
    std::map<std::string, Index> found_files_;
};

} // namespace

std::string Shader::name() const {
    std::string text = std::filesystem::path(file).filename();
    for (const std::string& define : defines)
        text += " -D" + define;
    return text;
}

Compared& Compared::operator+=(const Compared& other) {
    constexpr std::array counts = {
        &Compared::modules,       &Compared::functions,     &Compared::parameters,
        &Compared::attributes,    &Compared::calls,         &Compared::subscripts,
        &Compared::loops,         &Compared::names,         &Compared::operators,
        &Compared::macros,        &Compared::elsewhere,     &Compared::loop_diagnostics,
        &Compared::emitted_loops, &Compared::lowered_loops, &Compared::callees};
    for (const auto count : counts)
        this->*count += other.*count;
    open_calls.insert(open_calls.end(), other.open_calls.begin(), other.open_calls.end());
    return *this;
}

std::vector<Error> compare_model(const Shader& shader, const CompileResult& compiled,
                                 Compared& compared) {
    return Comparison(shader, compiled, compared).run();
}

} // namespace slimgrad
