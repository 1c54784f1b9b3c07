#include "attributes/syntax_error.h"

#include "rewriter/unclosed_comment.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// slangc's own error in the grammar of this file, or null: codes E10xxx (tokens) and E2xxxx.
const Diagnostic* syntax_diagnostic(const CompileResult& compiled, const std::string& file) {
    for (const Diagnostic& diagnostic : compiled.diagnostics) {
        const std::string& code = diagnostic.code;
        if (diagnostic.severity == DiagnosticSeverity::error && code.size() == 6 &&
            (code.starts_with("E10") || code.starts_with("E2")) && diagnostic.place.file == file)
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

Error first_syntax_error(const ModuleModel& model, const CompileResult& compiled,
                         std::uint32_t file) {
    const ByteRange range = model.trees[file].errors().front();
    const auto& unclosed = model.unclosed[file];
    const Place begin = model.place({file, range});
    const std::uint32_t last = range.empty() ? range.end : range.end - 1;
    const std::uint32_t last_line = model.place(file, last).line;
    Error error{"syntax error here: ", begin};
    if (!unclosed.empty() && unclosed.front().body == range) {
        error = {"this brace is not closed: ", model.place(file, unclosed.front().offset)};
    } else if (!compiled.succeeded()) {
        const Diagnostic* diagnostic = syntax_diagnostic(compiled, model.files[file].path());
        if (diagnostic && diagnostic->place.line == begin.line)
            error.place = diagnostic->place; // one error has one place
    }
    error.message += begin.line == last_line
                         ? "nothing inside is examined or edited"
                         : fmt::format("nothing from line {} to line {} is examined or edited",
                                       begin.line, last_line);
    if (compiled.succeeded())
        error.message += "; slangc accepts it: a macro, or what slimgrad's grammar does not know";
    return error;
}

std::vector<Finding> syntax_error(const RuleInput& input) {
    const ModuleModel& model = input.model;
    std::vector<Finding> findings;
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        const std::size_t errors = model.trees[file].errors().size();
        if (errors == 0)
            continue;
        auto [message, place] = first_syntax_error(model, input.compiled, file);
        if (errors > 1)
            message += fmt::format(" (and at {} more place{} of this file)", errors - 1,
                                   errors == 2 ? "" : "s");
        findings.push_back(note(std::move(place), std::move(message)));
    }
    for (std::uint32_t file = 0; file < model.files.size(); ++file)
        if (const auto comment = comment_to_the_end(model, file))
            findings.push_back(note(model.place(*comment), std::string(comment_not_closed)));
    for (const Contradiction& contradiction : model.contradictions) {
        const Function& function = model.functions[contradiction.function];
        findings.push_back(
            note(model.place(function.name_site),
                 fmt::format("'{}' is not read as slangc reads it: {}; nothing inside "
                             "is examined or edited",
                             function.qualified_name, contradiction.what)));
    }
    for (const Site& unread : model.unread)
        findings.push_back(note(model.place(unread), std::string(nests_too_deep)));
    for (const Site& included : model.included)
        findings.push_back(note(model.place(included), std::string(included_inside)));
    return findings;
}

std::optional<Site> comment_to_the_end(const ModuleModel& model, std::uint32_t file) {
    const std::string& text = model.files[file].text();
    const auto begin = unclosed_comment(model.trees[file], text);
    if (!begin)
        return std::nullopt;
    return Site{file, {*begin, std::uint32_t(text.size())}};
}

bool has_syntax_error(const ModuleModel& model) {
    return !model.unread.empty() || !model.included.empty() || !model.contradictions.empty() ||
           std::any_of(model.trees.begin(), model.trees.end(),
                       [](const SyntaxTree& tree) { return !tree.errors().empty(); });
}

bool touches_syntax_error(const ModuleModel& model, Site site) {
    const Index function = model.function_at(site.file, site.range.begin);
    return model.is_broken(site) ||
           (function != none && model.is_broken(model.functions[function].site));
}

} // namespace slimgrad
