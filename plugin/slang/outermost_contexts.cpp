#include "plugin/slang/outermost_contexts.h"

#include <algorithm>
#include <cctype>
#include <map>
#include <string>
#include <string_view>

namespace slimgrad::slang_plugin {
namespace {

constexpr std::string_view backward_prefix = "s_bwdProp_";
constexpr std::string_view context_prefix = "s_minCtx_s_bwdCallableCtx_";

/// One instance of a differentiated function as the generated code has it.
struct Instance {
    std::uint64_t context_bytes = 0;
    bool outermost = false;
};

/// "march_0" -> "march".
std::string_view without_number(std::string_view name) {
    auto underscore = name.rfind('_');
    const bool numbered = underscore != std::string_view::npos && underscore + 1 < name.size() &&
                          std::all_of(name.begin() + static_cast<std::ptrdiff_t>(underscore) + 1,
                                      name.end(), [](unsigned char c) { return std::isdigit(c); });
    return numbered ? name.substr(0, underscore) : name;
}

/// As generated code spells a name: "Field.sample" -> "Field_sample".
std::string as_identifier(std::string name) {
    std::replace_if(
        name.begin(), name.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
    return name;
}

std::map<std::string, std::vector<Instance>> instances_by_name(const GeneratedCode& code) {
    std::map<std::string, std::vector<Instance>> result;
    for (const auto& [function, ignored] : code.calls) {
        if (!function.starts_with(backward_prefix))
            continue;
        const std::string name = function.substr(backward_prefix.size());
        const std::string context = std::string(context_prefix) + name;
        if (!code.fields.contains(context))
            continue; // it stores nothing, or its backward pass is written by hand
        Instance instance{code.size_of(context), false};
        for (const auto& [caller, callees] : code.calls)
            if (callees.contains(function) && !caller.starts_with(backward_prefix))
                instance.outermost = true;
        result[std::string(without_number(name))].push_back(instance);
    }
    return result;
}

} // namespace

void mark_outermost(const GeneratedCode& code, std::vector<CheckpointContext>& contexts) {
    if (contexts.empty())
        return;
    std::map<std::string, std::vector<Instance>> instances = instances_by_name(code);
    std::map<std::string, std::vector<CheckpointContext*>> notes;
    for (CheckpointContext& context : contexts)
        notes[as_identifier(context.function)].push_back(&context);
    for (auto& [name, same_name] : notes) {
        std::vector<Instance>& candidates = instances[name];
        std::stable_sort(same_name.begin(), same_name.end(),
                         [](const auto* a, const auto* b) { return a->bytes < b->bytes; });
        std::stable_sort(candidates.begin(), candidates.end(), [](const auto& a, const auto& b) {
            return a.context_bytes < b.context_bytes;
        });
        const bool paired = same_name.size() == candidates.size();
        const bool any_outermost =
            candidates.empty() || std::any_of(candidates.begin(), candidates.end(),
                                              [](const auto& c) { return c.outermost; });
        for (std::size_t i = 0; i < same_name.size(); ++i)
            same_name[i]->outermost = paired ? candidates[i].outermost : any_outermost;
    }
}

} // namespace slimgrad::slang_plugin
