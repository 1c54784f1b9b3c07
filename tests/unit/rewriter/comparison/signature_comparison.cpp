#include "tests/unit/rewriter/comparison/signature_comparison.h"

#include "rewriter/derivative_type.h"
#include "rewriter/function_signature.h"
#include "rewriter/literate_text.h"
#include "tests/unit/rewriter/comparison/type_probe.h"
#include "tests/unit/rewriter/written_types.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <regex>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

const char* const declared_by_macro =
    "functions that a macro declares: the compiler's place is in its text";

class SignatureComparison {
  public:
    explicit SignatureComparison(ComparedModule& module)
        : module_(module), model_(module.model), compared_(module.compared), types_(module.model) {}

    void run() {
        compare_functions();
        settle_types();
        confirm();
    }

  private:
    /// What every run of the program compares must raise no false alarm.
    void confirm() {
        confirm_functions(module_.model, module_.compiled.reflection.functions);
        for (const Contradiction& contradiction : model_.contradictions)
            module_.mismatch(model_.place(model_.functions[contradiction.function].name_site),
                             contradiction.what);
    }

    Index function_named_at(const Place& place) const {
        const auto found = std::find_if(
            model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                // Of `operator+` reflection gives the sign's place.
                const Site& name = function.name_site;
                return model_.files[name.file].path() == place.file &&
                       name.range.contains(module_.offset(place, name.file));
            });
        return found == model_.functions.end() || is_renamed(model_, found->name_site)
                   ? none
                   : Index(found - model_.functions.begin());
    }

    /// A function whose name a macro joins has no place for the compiler.
    Index joined_function(const std::string& name) const {
        const auto found = std::find_if(
            model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                return function.qualified_name == name && model_.text(function.name_site) != name;
            });
        return found == model_.functions.end() ? none : Index(found - model_.functions.begin());
    }

    /// The only function of this name whose place a #line renames.
    Index renamed_function(const FunctionSignature& signature) const {
        Index found = none;
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const Function& function = model_.functions[i];
            if (!same_name(function, signature.name, signature.place.file) ||
                !is_renamed(model_, function.name_site))
                continue;
            if (found != none)
                return none;
            found = i;
        }
        return found;
    }

    /// Whether a macro is defined or used there: what it declares is not in the model.
    bool is_macro_place(const Place& place) const {
        const Index file = model_.find_file(place.file);
        if (file == none)
            return false;
        const std::uint32_t at = module_.offset(place, file);
        return model_.is_macro({file, {at, at + 1}});
    }

    void compare_functions() {
        std::set<Index> reflected;
        for (const FunctionSignature& signature : module_.compiled.reflection.functions) {
            Index function = function_named_at(signature.place);
            if (function == none && signature.place.file.empty())
                function = joined_function(signature.name);
            else if (function == none)
                function = renamed_function(signature);
            if (function == none) {
                // What the compiler makes of a lambda and of an interface's requirement.
                if (signature.name.find("_slang_Lambda_") != std::string::npos ||
                    signature.name.find("__syn") != std::string::npos)
                    continue;
                if (is_macro_place(signature.place))
                    module_.not_compared(signature.place, declared_by_macro);
                else
                    module_.mismatch(signature.place,
                                     "the model has no function " + signature.name);
                continue;
            }
            reflected.insert(function);
            compare(model_.functions[function], signature);
        }
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const Function& function = model_.functions[i];
            if (!module_.is_own(function.site.file) || reflected.count(i))
                continue;
            const Place place = model_.place(function.name_site);
            if (is_unreflected(module_.model, function))
                module_.not_compared(place, "initialisers and extensions of functions: reflection "
                                            "shows no parameters of theirs");
            else if (function.name.ends_with(')') || model_.is_function_like_macro(function.name))
                module_.not_compared(place, declared_by_macro);
            else
                module_.mismatch(place, "reflection has no function " + function.qualified_name);
        }
    }

    /// Reflection leaves out namespaces and the type that an extension extends, and names operators
    /// by their signs alone. Files that are `__include`d are scopes of their own to it, and so is
    /// what an interface's default implementation becomes.
    static bool same_name(const Function& function, std::string reflected,
                          const std::string& path) {
        std::filesystem::path file(path);
        if (is_literate(path))
            file.replace_extension(); // "part.slang.md"
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
        const auto difference = [&](const std::string& what, const auto& read,
                                    const auto& reflected) {
            return fmt::format("{} of {}: read {}, reflected {}", what, signature.name, read,
                               reflected);
        };
        const auto differs = [&](const std::string& what, const auto& read, const auto& reflected) {
            module_.mismatch(signature.place, difference(what, read, reflected));
        };
        if (!same_name(function, signature.name, signature.place.file))
            differs("name", function.qualified_name, signature.name);
        compare_types(function, function.return_type, signature.result_type, signature.place,
                      difference("result", function.return_type, signature.result_type));
        // To reflection these are kinds of [Differentiable] of the function that has them.
        const bool differentiable = function.is_differentiable() ||
                                    function.has_attribute("BackwardDerivativeOf") ||
                                    function.has_attribute("ForwardDerivativeOf") ||
                                    function.has_attribute("HasTrivialForwardDerivative");
        if (differentiable != signature.differentiable)
            differs("differentiability", differentiable, signature.differentiable);
        // Members of a generic type are generic without parameters of their own.
        if (!function.generics.empty() && !signature.generic)
            differs("generics", function.generics.size(), signature.generic);
        if (function.generics.empty() && function.parent_type.empty() && signature.generic)
            differs("generics", function.generics.size(), signature.generic);
        for (const std::string& attribute : signature.attributes) {
            ++compared_.attributes;
            const auto is_it = [&](const Attribute& read) {
                return std::regex_replace(read.name, std::regex("::"), "_") == attribute;
            };
            if (std::none_of(function.attributes.begin(), function.attributes.end(), is_it))
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
        const std::string what = fmt::format(
            "parameter of {}: read {} {} (in {}, out {}, no_diff {}), reflected {} {} ({}, {}, {})",
            signature.name, parameter.type, parameter.name, in, out, no_diff || implied,
            reflected.type, reflected.name, reflected.is_in, reflected.is_out, reflected.no_diff);
        if (!same_name || in != reflected.is_in || out != reflected.is_out ||
            (no_diff || implied) != reflected.no_diff)
            module_.mismatch(signature.place, what);
        else
            compare_types(function, written_type(parameter), reflected.type, signature.place, what);
    }

    void compare_types(const Function& function, const std::string& written,
                       const std::string& reflected, const Place& place, const std::string& what) {
        if (types_.same(written, reflected, function.parent_type))
            return;
        questions_.push_back({Index(&function - model_.functions.data()), written, reflected});
        differences_.push_back({what, place});
    }

    /// Types that are not written as reflection names them: the compiler has to say what they are.
    void settle_types() {
        const std::vector<bool> same = ask_compiler(module_, questions_);
        for (std::size_t i = 0; i < questions_.size(); ++i)
            if (!same[i])
                module_.mismatch(differences_[i].place, differences_[i].message);
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

    ComparedModule& module_;
    const ModuleModel& model_;
    Compared& compared_;
    const WrittenTypes types_;
    std::vector<TypeQuestion> questions_;
    std::vector<Error> differences_; ///< if the answers are no
};

} // namespace

void compare_signatures(ComparedModule& module) {
    SignatureComparison(module).run();
}

} // namespace slimgrad
