#include "plugin/verify/derivative_sites.h"

#include "attributes/effects.h"
#include "attributes/entry_point.h"
#include "plugin/verify/derivative_facts.h"
#include "plugin/verify/derivative_macros.h"
#include "plugin/verify/generic_arguments.h"
#include "plugin/verify/gradient_pairs.h"
#include "plugin/verify/source_tokens.h"
#include "rewriter/words.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

namespace slimgrad::verify {
namespace {

/// `f` of `bwd_diff(f)`, without comments; "" where the text is anything else.
std::string operand(std::string_view callee) {
    const std::vector<SourceToken> tokens =
        source_tokens(callee, {0, static_cast<std::uint32_t>(callee.size())});
    if (tokens.size() < 4 || tokens[1].text != "(" || tokens.back().text != ")")
        return "";
    std::string text;
    for (std::size_t i = 2; i + 1 < tokens.size(); ++i) {
        const std::uint32_t end = tokens[i - 1].range.end;
        const std::string_view gap = callee.substr(end, tokens[i].range.begin - end);
        if (i > 2)
            text += gap.find('/') == std::string_view::npos ? gap : " "; // a comment
        text += tokens[i].text;
    }
    return text;
}

/// Names for `function` as seen from a function of this qualified name: with "N.S.main" and "f",
/// these are "N.S.f", "N.f" and "f".
std::vector<std::string> names_from(std::string scope, const std::string& function) {
    std::vector<std::string> names;
    for (std::size_t dot = scope.rfind('.'); dot != std::string::npos; dot = scope.rfind('.')) {
        scope.resize(dot);
        names.push_back(scope + "." + function);
    }
    names.push_back(function);
    return names;
}

/// The text with object-like macros replaced by what they stand for.
std::string expanded(const ModuleModel& model, const std::string& text, int depth = 0) {
    constexpr int deepest = 8;
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_name(text[end]))
            ++end;
        if (end == i) {
            result += text[i++];
            continue;
        }
        const std::string word = text.substr(i, end - i);
        const MacroDefinition* macro = model.find_macro(word);
        result += macro && !macro->function_like && depth < deepest
                      ? expanded(model, macro->body, depth + 1)
                      : word;
        i = end;
    }
    return result;
}

/// Where the functions use macros that hold bwd_diff, the first use of each.
std::vector<DerivativeSite> macro_sites(const ModuleModel& model,
                                        const std::set<Index>& functions) {
    const std::map<std::string, std::string> macros = macros_of_derivatives(model);
    std::vector<DerivativeSite> sites;
    for (const auto& [macro, use] : uses_of_macros(model, macros, functions)) {
        DerivativeSite& site = sites.emplace_back();
        site.function = macro;
        site.callee = use;
        site.problem = macros.at(macro);
    }
    return sites;
}

/// The bwd_diff calls in these functions.
std::vector<DerivativeSite> sites_in(const ModuleModel& model, const std::set<Index>& reached) {
    std::vector<DerivativeSite> sites = macro_sites(model, reached);
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        if (call.kind != CallKind::backward_derivative || call.function == none ||
            !reached.contains(call.function))
            continue;
        DerivativeSite site;
        site.call = i;
        site.callee = {call.site.file, {call.site.range.begin, call.open_parenthesis}};
        const std::string callee(trimmed(model.text(site.callee)));
        site.callee.range.end = site.callee.range.begin + static_cast<std::uint32_t>(callee.size());
        site.function = operand(callee);
        const std::string& scope = model.functions[call.function].qualified_name;
        const std::string name = expanded(model, site.function);
        if (const std::string arguments = generic_arguments(model, call); !arguments.empty())
            site.names = names_from(scope, name + arguments);
        for (std::string& plain : names_from(scope, name))
            site.names.push_back(std::move(plain));
        if (site.function.empty() || model.is_broken(call.site))
            site.problem = "the call could not be read";
        else if (model.is_macro(call.site))
            site.problem = "the call is part of a macro's use";
        sites.push_back(std::move(site));
    }
    std::stable_sort(sites.begin(), sites.end(), [](const auto& a, const auto& b) {
        return std::pair(a.callee.file, a.callee.range.begin) <
               std::pair(b.callee.file, b.callee.range.begin);
    });
    return sites;
}

} // namespace

std::string source_entry_point(const std::string& entry_point) {
    constexpr std::string_view prefix = "__kernel__";
    return entry_point.starts_with(prefix) ? entry_point.substr(prefix.size()) : entry_point;
}

std::vector<Index> source_functions(const ModuleModel& model, const std::string& entry_point) {
    constexpr std::string_view suffix = "_bwd_diff";
    const std::string name = source_entry_point(entry_point);
    std::vector<Index> functions = model.find_functions(name);
    if (functions.empty() && name.ends_with(suffix))
        functions = model.find_functions(name.substr(0, name.size() - suffix.size()));
    return functions;
}

std::vector<DerivativeSite> find_derivative_sites(const ModuleModel& model,
                                                  const std::string& entry_point) {
    const EffectAnalysis effects(model);
    std::set<Index> reached;
    for (const Index function : model.find_functions(source_entry_point(entry_point)))
        if (is_entry_point(model.functions[function]))
            reached.merge(effects.reachable(function, false));
    return sites_in(model, reached);
}

std::vector<DerivativeSite> custom_derivative_sites(const ModuleModel& model,
                                                    const EffectAnalysis& effects,
                                                    const std::string& function) {
    std::set<Index> reached;
    for (const Index index : functions_named(model, function))
        reached.merge(effects.reachable(index, true));
    std::vector<DerivativeSite> sites;
    for (const Index primal : reached)
        for (const Index derivative :
             backward_derivatives(model, effects.tracer().custom_derivatives(), primal)) {
            const Function& own = model.functions[derivative];
            if (!own.body || own.from_macro || !own.parent_type.empty() ||
                !model.functions[primal].parent_type.empty() || model.is_broken(own.site))
                continue;
            DerivativeSite& site = sites.emplace_back();
            site.derivative = derivative;
            site.function = model.functions[primal].name;
            site.callee = own.name_site;
            site.names = {model.functions[primal].qualified_name};
        }
    return sites;
}

bool differentiates_by_hand(const ModuleModel& model, const EffectAnalysis& effects,
                            const std::string& function) {
    const CustomDerivatives& custom = effects.tracer().custom_derivatives();
    const auto has_custom = [&](Index index) { return !custom.derivatives(index).empty(); };
    std::set<Index> reached;
    for (const Index index : model.find_functions(source_entry_point(function)))
        reached.merge(effects.reachable(index, false));
    for (const DerivativeSite& site : sites_in(model, reached)) {
        const std::vector<Index> differentiated = functions_named(model, site.function);
        if (std::any_of(differentiated.begin(), differentiated.end(), has_custom))
            return true;
        // A macro may mean any function.
        for (Index i = 0; i < model.functions.size() && site.call == none; ++i)
            if (has_custom(i))
                return true;
    }
    return false;
}

} // namespace slimgrad::verify
