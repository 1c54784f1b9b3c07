#include "tests/unit/rewriter/comparison/type_probe.h"

#include "rewriter/source_edit.h"
#include "rewriter/syntax_node.h"

#include <cstddef>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <span>
#include <string_view>

namespace slimgrad {
namespace {

constexpr std::string_view probe_name = "slimgrad_probe_";

/// A function that has one parameter.
struct Probe {
    std::size_t question;
    Index function;
    std::string declarator; ///< "float[N] x"
    std::string reflected;
};

/// The declaration of a function; of an accessor that of its property or subscript.
SyntaxNode declaration_of(const ModuleModel& model, const Function& function) {
    const SyntaxNode root = model.trees[function.site.file].root();
    ByteRange range = function.site.range;
    SyntaxNode node = root.named_at(range);
    while (node && node.range() != root.range() && !node.is("function_declaration") &&
           !node.is("property_declaration") && !node.is("subscript_declaration")) {
        range = {node.range().begin - 1, node.range().end + 1};
        node = root.named_at(range);
    }
    return node;
}

/// ` __generic<T> static void slimgrad_probe_7<N>(float[N] x) where .. {}`, behind the function.
SourceEdit edit_of(const ModuleModel& model, const Probe& probe) {
    const Function& function = model.functions[probe.function];
    const SyntaxNode declaration = declaration_of(model, function);
    const auto text = [&](SyntaxNode node) {
        return std::string(model.text({function.site.file, node.range()}));
    };
    std::string before, generics, after;
    for (SyntaxNode child : declaration.children()) {
        if (child.is("generic_modifier"))
            before += text(child) + ' ';
        else if (child.is("where_clause"))
            after += ' ' + text(child);
    }
    if (const SyntaxNode list = declaration.field("generics"))
        generics = text(list);
    const std::uint32_t end = declaration.range().end;
    return {model.files[function.site.file].path(),
            {end, end},
            fmt::format(" {}{}void {}{}{}({}){} {{}}", before,
                        function.parent_type.empty() ? "" : "static ", probe_name, probe.question,
                        generics, probe.declarator, after)};
}

/// The parameters' types by reflection, by the names of the probes; none where the module with all
/// of them does not compile.
std::optional<std::map<std::string, std::string>> compile(ComparedModule& module,
                                                          std::span<const Probe> probes) {
    FileTexts texts;
    for (const SourceFile& file : module.model.files)
        texts[file.path()] = file.text();
    std::vector<SourceEdit> edits;
    for (const Probe& probe : probes)
        edits.push_back(edit_of(module.model, probe));
    const Result<FileTexts> overlay = apply_edits(texts, edits);
    const auto compiled = overlay ? module.recompile(*overlay) : tl::unexpected(overlay.error());
    if (!compiled || !compiled->succeeded())
        return std::nullopt;
    std::map<std::string, std::string> types;
    for (const FunctionSignature& signature : compiled->reflection.functions)
        if (const auto at = signature.name.find(probe_name);
            at != std::string::npos && signature.parameters.size() == 1)
            types[signature.name.substr(at, signature.name.find('$', at) - at)] =
                signature.parameters[0].type;
    return types;
}

/// Of one function type the compiler says "throws never" or does not, from run to run.
std::string spelled(std::string type) {
    constexpr std::string_view default_error = " throws never";
    for (auto at = type.find(default_error); at != type.npos; at = type.find(default_error))
        type.erase(at, default_error.size());
    return type;
}

/// Where not all compile together, halves of them do.
void ask(ComparedModule& module, std::span<const Probe> probes, std::vector<bool>& answers) {
    if (probes.empty())
        return;
    if (const auto types = compile(module, probes)) {
        for (const Probe& probe : probes) {
            const auto type = types->find(std::string(probe_name) + std::to_string(probe.question));
            answers[probe.question] =
                answers[probe.question] ||
                (type != types->end() && spelled(type->second) == spelled(probe.reflected));
        }
    } else if (probes.size() > 1) {
        ask(module, probes.first(probes.size() / 2), answers);
        ask(module, probes.subspan(probes.size() / 2), answers);
    }
}

} // namespace

std::vector<bool> ask_compiler(ComparedModule& module, const std::vector<TypeQuestion>& questions) {
    std::vector<bool> answers(questions.size(), false);
    if (!module.recompile)
        return answers;
    std::vector<Probe> probes, with_sizes;
    for (std::size_t i = 0; i < questions.size(); ++i)
        probes.push_back(
            {i, questions[i].function, questions[i].written + " x", questions[i].reflected});
    ask(module, probes, answers);
    // Of `float x[2][3]` the model has "float[2][3]".
    for (std::size_t i = 0; i < questions.size(); ++i) {
        const std::string& written = questions[i].written;
        if (const auto sizes = written.find('['); !answers[i] && sizes != std::string::npos)
            with_sizes.push_back({i, questions[i].function,
                                  written.substr(0, sizes) + " x" + written.substr(sizes),
                                  questions[i].reflected});
    }
    ask(module, with_sizes, answers);
    return answers;
}

} // namespace slimgrad
