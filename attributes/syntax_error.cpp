#include "attributes/syntax_error.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// Text of one file that could not be read, in order.
std::vector<ByteRange> errors_of(const ModuleModel& model, std::uint32_t file) {
    std::vector<ByteRange> errors = model.trees[file].errors();
    for (const Site& unread : model.unread) {
        if (unread.file == file)
            errors.push_back(unread.range);
    }
    std::sort(errors.begin(), errors.end());
    return errors;
}

/// slangc's own syntax error, or null: codes E1xxxx (text) and E2xxxx (grammar).
const Diagnostic* syntax_diagnostic(const CompileResult& compiled) {
    for (const Diagnostic& diagnostic : compiled.diagnostics) {
        const std::string& code = diagnostic.code;
        if (diagnostic.severity == DiagnosticSeverity::error && code.size() == 6 &&
            (code.starts_with("E1") || code.starts_with("E2")))
            return &diagnostic;
    }
    return nullptr;
}

Finding note(Place place, std::string message) {
    Finding finding;
    finding.rule = "syntax-error";
    finding.place = std::move(place);
    finding.message = std::move(message);
    return finding;
}

} // namespace

std::vector<Finding> syntax_error(const RuleInput& input) {
    const ModuleModel& model = input.model;
    const bool rejected = input.compiled.status == CompileStatus::rejected;
    const std::string_view silent =
        "slangc rejects the module, so rules that need its report say nothing";
    std::vector<Finding> findings;
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        const std::vector<ByteRange> errors = errors_of(model, file);
        if (errors.empty())
            continue;
        const auto& unclosed = model.unclosed[file];
        std::uint32_t first = errors.front().begin;
        std::string message = "syntax error here: nothing inside is examined or edited";
        if (!unclosed.empty() && unclosed.front().body == errors.front()) {
            first = unclosed.front().offset;
            message = fmt::format(
                "this brace is not closed: nothing from {} to line {} is examined or edited",
                first == errors.front().begin
                    ? "here"
                    : fmt::format("line {}", model.place(file, errors.front().begin).line),
                model.place(file, errors.front().end - 1).line);
        }
        if (errors.size() > 1)
            message += fmt::format(" (and at {} more place{} of this file)", errors.size() - 1,
                                   errors.size() == 2 ? "" : "s");
        if (rejected)
            message += fmt::format("; {}", silent);
        else if (input.compiled.succeeded())
            message += "; slangc accepts it: a macro, or what slimgrad's grammar does not know";
        findings.push_back(note(model.place(file, first), std::move(message)));
    }
    for (const Contradiction& contradiction : model.contradictions) {
        const Function& function = model.functions[contradiction.function];
        findings.push_back(
            note(model.place(function.name_site),
                 fmt::format("'{}' is not read as slangc reads it: {}; nothing inside "
                             "is examined or edited",
                             function.qualified_name, contradiction.what)));
    }
    // What only slangc does not read.
    if (const Diagnostic* diagnostic = syntax_diagnostic(input.compiled);
        diagnostic && rejected && findings.empty())
        findings.push_back(note(diagnostic->place, std::string(silent)));
    return findings;
}

bool has_syntax_error(const ModuleModel& model) {
    return !model.unread.empty() || !model.contradictions.empty() ||
           std::any_of(model.trees.begin(), model.trees.end(),
                       [](const SyntaxTree& tree) { return !tree.errors().empty(); });
}

bool touches_syntax_error(const ModuleModel& model, Site site) {
    const Index function = model.function_at(site.file, site.range.begin);
    return model.is_broken(site) ||
           (function != none && model.is_broken(model.functions[function].site));
}

} // namespace slimgrad
