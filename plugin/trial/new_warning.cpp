#include "plugin/trial/new_warning.h"

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <iterator>
#include <map>
#include <string>
#include <string_view>

namespace slimgrad {
namespace {

bool is_same(const Diagnostic& a, const Diagnostic& b) {
    return a.severity == b.severity && a.code == b.code && a.message == b.message;
}

std::size_t count(const Trial& trial, const Diagnostic& warning) {
    std::size_t times = 0;
    for (const Variant* variant : trial.variants)
        times += std::size_t(
            std::count_if(variant->cuda.diagnostics.begin(), variant->cuda.diagnostics.end(),
                          [&](const Diagnostic& d) { return is_same(d, warning); }));
    return times;
}

/// White space is left out altogether: a copy is indented otherwise.
std::string without_spaces(std::string_view text) {
    std::string kept;
    std::copy_if(text.begin(), text.end(), std::back_inserter(kept),
                 [](unsigned char c) { return std::isspace(c) == 0; });
    return kept;
}

/// The innermost loop around the place; null if there is none.
const Loop* loop_around(const ModuleModel& model, const Place& place) {
    const Index index = model.find_file(place.file);
    const Loop* innermost = nullptr;
    for (const Loop& loop : model.loops)
        if (loop.site.file == index &&
            loop.site.range.contains(model.files[index].offset(place.line, place.column)) &&
            (!innermost || innermost->site.range.contains(loop.site.range)))
            innermost = &loop;
    return innermost;
}

/// The loops with one text, and how many of the warnings stand directly in them.
struct Copies {
    std::size_t loops = 0, warnings = 0;
};

std::map<std::string, Copies> loops_with(const Trial& trial, const Diagnostic& warning) {
    std::map<std::string, Copies> texts;
    for (const Variant* variant : trial.variants) {
        const ModuleModel& model = variant->model;
        for (const Loop& loop : model.loops)
            ++texts[without_spaces(model.text(loop.site))].loops;
        for (const Diagnostic& d : variant->cuda.diagnostics)
            if (const Loop* loop = is_same(d, warning) ? loop_around(model, d.place) : nullptr)
                ++texts[without_spaces(model.text(loop->site))].warnings;
    }
    return texts;
}

/// How many more warnings than before the copies of loops account for.
std::size_t by_copies(const Trial& before, const Trial& after, const Diagnostic& warning) {
    const std::map<std::string, Copies> old = loops_with(before, warning);
    std::size_t all = 0;
    for (const auto& [text, now] : loops_with(after, warning)) {
        const auto known = old.find(text);
        if (known == old.end() || now.loops <= known->second.loops)
            continue;
        const auto [loops, warnings] = known->second;
        // Where one of several loops with this text warns and another does not, it is not the text.
        if (warnings % loops == 0 && now.warnings > warnings)
            all += std::min(now.warnings - warnings, (now.loops - loops) * (warnings / loops));
    }
    return all;
}

} // namespace

const Diagnostic* new_warning(const Trial& before, const Trial& after) {
    for (const Variant* variant : after.variants)
        for (const Diagnostic& diagnostic : variant->cuda.diagnostics) {
            if (diagnostic.severity != DiagnosticSeverity::warning)
                continue;
            const std::size_t old = count(before, diagnostic), now = count(after, diagnostic);
            if (now > old && now > old + by_copies(before, after, diagnostic))
                return &diagnostic;
        }
    return nullptr;
}

} // namespace slimgrad
