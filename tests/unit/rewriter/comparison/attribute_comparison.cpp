#include "tests/unit/rewriter/comparison/attribute_comparison.h"

#include "rewriter/function_signature.h"
#include "tests/unit/rewriter/declared_attributes.h"

#include <algorithm>
#include <fmt/format.h>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {
namespace {

class AttributeComparison {
  public:
    explicit AttributeComparison(ComparedModule& module)
        : module_(module), model_(module.model), compared_(module.compared) {}

    void run() {
        compare_entry_points();
        for (const ParsedDeclaration& declaration :
             parsed_declarations(module_.compiled.syntax_tree)) {
            dumped_.insert(module_.file_of(declaration.file));
            compare(declaration);
        }
        if (!module_.compiled.syntax_tree.empty())
            compare_unreflected();
    }

  private:
    /// What reflection leaves out has to be in the syntax tree.
    void compare_unreflected() {
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const Function& function = model_.functions[i];
            if (!module_.is_own(function.site.file) || !is_unreflected(model_, function))
                continue;
            const Place place = model_.place(function.name_site);
            compared_.functions += int(declared_.count(i));
            if (declared_.count(i))
                continue;
            if (dumped_.count(function.site.file))
                module_.mismatch(place, "the syntax tree has no " + function.qualified_name);
            else
                module_.not_compared(place, "initialisers in files that are __included: the "
                                            "syntax tree is printed without them");
        }
    }

    /// Attributes of functions and globals. Those of one line that share a name are told apart by
    /// nothing, nor those that a #line renames: one of them has to fit.
    void compare(const ParsedDeclaration& declaration) {
        const Index file = module_.file_of(declaration.file);
        const auto is_here = [&](const Site& site) {
            if (is_renamed(model_, site))
                return true;
            return site.file == file && model_.place(site).line == declaration.line;
        };
        bool found = false, fits = false;
        std::string read;
        const auto try_it = [&](const Site& site, const std::vector<Attribute>& attributes) {
            if (!is_here(site))
                return false;
            std::vector<ParsedDeclaration::Attribute> parsed;
            for (const Attribute& attribute : attributes)
                parsed.push_back({std::regex_replace(attribute.name, std::regex("::"), "_"),
                                  attribute.arguments.size()});
            found = true;
            fits = fits || parsed == declaration.attributes;
            read = listed(parsed);
            return true;
        };
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const Function& function = model_.functions[i];
            if (is_same(declaration, function) && try_it(function.name_site, function.attributes))
                declared_.insert(i);
        }
        if (declaration.kind == "VarDecl")
            for (const GlobalVariable& global : model_.globals)
                if (global.name == declaration.name)
                    try_it(global.site, global.attributes);
        compared_.attributes += found ? int(declaration.attributes.size()) : 0;
        if (!found && !declaration.attributes.empty())
            module_.not_compared({declaration.file, declaration.line, 0},
                                 "lists of attributes: the model has none of " + declaration.kind);
        if (found && !fits)
            module_.mismatch(
                {declaration.file, declaration.line, 0},
                fmt::format("attributes of {}, with the numbers of their arguments: the model "
                            "has {}, slangc {}",
                            declaration.name, read, listed(declaration.attributes)));
    }

    static bool is_same(const ParsedDeclaration& declaration, const Function& function) {
        if (declaration.kind == "FuncDecl")
            return function.name == declaration.name ||
                   function.name + "$defaultImpl" == declaration.name ||
                   function.name == "operator" + declaration.name;
        return (declaration.kind == "ConstructorDecl" && function.name == "__init") ||
               (declaration.kind == "FuncExtensionDecl" && function.name.ends_with(')')) ||
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

    /// [shader("compute")] and [numthreads(..)] with literal arguments.
    void compare_entry_points() {
        for (const EntryPoint& entry : module_.compiled.reflection.entry_points) {
            if (entry.stage.empty()) {
                compare_cuda_kernel(entry);
                continue;
            }
            const auto functions = model_.find_functions(entry.name);
            if (functions.size() != 1) {
                module_.mismatch({}, fmt::format("{} functions of the entry point's name {}",
                                                 functions.size(), entry.name));
                continue;
            }
            const Function& function = model_.functions[functions[0]];
            const Attribute* stage = function.find_attribute("shader");
            const Attribute* threads = function.find_attribute("numthreads");
            ++compared_.attributes;
            if (!stage || stage->arguments != std::vector<std::string>{'"' + entry.stage + '"'})
                module_.mismatch(model_.place(function.name_site), "[shader] of " + entry.name);
            std::vector<std::string> expected;
            for (std::uint32_t size : entry.thread_group)
                expected.push_back(std::to_string(size));
            ++compared_.attributes;
            if (!threads || threads->arguments != expected)
                module_.mismatch(model_.place(function.name_site), "[numthreads] of " + entry.name);
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
            module_.mismatch({}, "no [CUDAKernel] for " + entry.name);
    }

    ComparedModule& module_;
    const ModuleModel& model_;
    Compared& compared_;
    std::set<Index> declared_; ///< functions that the syntax tree has
    std::set<Index> dumped_;   ///< files that it has something of
};

} // namespace

void compare_attributes(ComparedModule& module) {
    AttributeComparison(module).run();
}

} // namespace slimgrad
