#include "plugin/verify/derivative_sites.h"

#include "attributes/effects.h"
#include "attributes/entry_point.h"
#include "plugin/verify/source_tokens.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <set>

namespace slimgrad::verify {
namespace {

std::string trimmed(std::string_view text) {
    constexpr std::string_view spaces = " \t\r\n";
    const std::size_t first = text.find_first_not_of(spaces);
    if (first == std::string_view::npos)
        return "";
    return std::string(text.substr(first, text.find_last_not_of(spaces) - first + 1));
}

/// `f` of `bwd_diff(f)`.
std::string operand(std::string_view callee) {
    const std::size_t open = callee.find('(', callee.find("bwd_diff")),
                      close = callee.rfind(')');
    if (open == std::string_view::npos || close == std::string_view::npos || close < open)
        return "";
    return trimmed(callee.substr(open + 1, close - open - 1));
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
    const auto is_word = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
    };
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_word(text[end]))
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

bool holds_backward_derivative(const ModuleModel& model, const MacroDefinition& macro,
                               int depth = 0) {
    constexpr int deepest = 8;
    const auto size = static_cast<std::uint32_t>(macro.body.size());
    for (const SourceToken& token : source_tokens(macro.body, {0, size})) {
        if (token.text == "bwd_diff" || token.text == "__bwd_diff")
            return true;
        const MacroDefinition* other = model.find_macro(token.text);
        if (other && other->name != macro.name && depth < deepest &&
            holds_backward_derivative(model, *other, depth + 1))
            return true;
    }
    return false;
}

/// Where the functions use macros that hold bwd_diff, the first use of each.
std::vector<DerivativeSite> macro_sites(const ModuleModel& model,
                                        const std::set<Index>& functions) {
    std::set<std::string> macros;
    for (const MacroDefinition& macro : model.macros)
        if (holds_backward_derivative(model, macro))
            macros.insert(macro.name);
    std::vector<DerivativeSite> sites;
    for (const Index function : functions) {
        if (macros.empty() || !model.functions[function].body)
            continue;
        const std::uint32_t file = model.functions[function].site.file;
        for (const SourceToken& token :
             source_tokens(model.files[file].text(), *model.functions[function].body)) {
            if (macros.erase(std::string(token.text)) == 0)
                continue;
            DerivativeSite& site = sites.emplace_back();
            site.function = token.text;
            site.callee = {file, token.range};
            site.problem =
                fmt::format("bwd_diff in the macro {} is not looked at", token.text);
        }
    }
    return sites;
}

} // namespace

std::string source_entry_point(const std::string& entry_point) {
    constexpr std::string_view prefix = "__kernel__";
    return entry_point.starts_with(prefix) ? entry_point.substr(prefix.size()) : entry_point;
}

std::vector<DerivativeSite> find_derivative_sites(const ModuleModel& model,
                                                  const std::string& entry_point) {
    const EffectAnalysis effects(model);
    std::set<Index> reached;
    for (const Index function : model.find_functions(source_entry_point(entry_point)))
        if (is_entry_point(model.functions[function]))
            reached.merge(effects.reachable(function, false));
    std::vector<DerivativeSite> sites = macro_sites(model, reached);
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        if (call.kind != CallKind::backward_derivative || call.function == none ||
            !reached.contains(call.function))
            continue;
        DerivativeSite site;
        site.call = i;
        site.callee = {call.site.file, {call.site.range.begin, call.open_parenthesis}};
        const std::string callee = trimmed(model.text(site.callee));
        site.callee.range.end =
            site.callee.range.begin + static_cast<std::uint32_t>(callee.size());
        site.function = operand(callee);
        site.names = names_from(model.functions[call.function].qualified_name,
                                expanded(model, site.function));
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

} // namespace slimgrad::verify
