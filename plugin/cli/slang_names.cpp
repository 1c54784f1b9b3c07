#include "plugin/cli/slang_names.h"

#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <utility>

namespace slimgrad {
namespace {

constexpr std::string_view forward = "s_fwd_";

std::string with_underscores(std::string_view name) {
    std::string text(name);
    std::replace(text.begin(), text.end(), '.', '_');
    return text;
}

/// "vector<float,3>" for "vectorx3Cfloatx2C3x3E".
std::string demangled(std::string text) {
    constexpr std::array<std::pair<std::string_view, char>, 4> escapes = {
        {{"x3C", '<'}, {"x3E", '>'}, {"x2C", ','}, {"x20", ' '}}};
    for (const auto& [escape, character] : escapes)
        for (std::size_t at = 0; (at = text.find(escape, at)) != std::string::npos;)
            text.replace(at, escape.size(), 1, character);
    return text;
}

} // namespace

std::string function_of_record(std::string_view record) {
    constexpr std::array<std::string_view, 3> prefixes = {"s_minCtx_", "s_paramCtx_",
                                                          "s_bwdCallableCtx_"};
    for (const std::string_view prefix : prefixes)
        if (record.starts_with(prefix))
            record.remove_prefix(prefix.size());
    const std::size_t number = record.find_last_not_of("0123456789");
    if (number != std::string_view::npos && record[number] == '_' && number + 1 < record.size())
        record = record.substr(0, number);
    return std::string(record);
}

SlangNames::SlangNames(const CompileResult& compiled) {
    for (const FunctionSignature& function : compiled.reflection.functions)
        add(function.name, function.place);
    for (const CheckpointContext& context : compiled.contexts)
        if (const auto name = with_underscores(context.function); !functions_.count(name))
            functions_[name] = {context.function, {}};
}

/// Overloads share a name and have no place together.
void SlangNames::add(const std::string& name, const Place& place) {
    const auto [entry, is_new] = functions_.emplace(with_underscores(name), Known{name, place});
    if (!is_new)
        entry->second.place = {};
}

std::string SlangNames::function(std::string_view name) const {
    if (name.starts_with(forward))
        return fmt::format("fwd_diff({})", function(name.substr(forward.size())));
    const auto known = functions_.find(with_underscores(name));
    return known == functions_.end() ? std::string(name) : known->second.name;
}

std::string SlangNames::type(std::string_view name) const {
    std::string text;
    while (!name.empty()) {
        const auto end = std::find_if_not(name.begin(), name.end(), is_name);
        const auto length = std::max<std::size_t>(std::size_t(end - name.begin()), 1);
        text += end == name.begin() ? std::string(1, name[0]) : type_name(name.substr(0, length));
        name.remove_prefix(length);
    }
    return text;
}

std::string SlangNames::type_name(std::string_view word) const {
    constexpr std::string_view pair = "DiffPair_";
    const std::string name = function_of_record(word);
    if (word.starts_with("s_minCtx_") || word.starts_with("s_bwdCallableCtx_") ||
        word.starts_with("s_paramCtx_"))
        return fmt::format("what {} stores", function(name));
    if (name.starts_with(pair) && name.size() < word.size())
        return fmt::format("DifferentialPair<{}>", demangled(name.substr(pair.size())));
    return name;
}

std::optional<Place> SlangNames::place(std::string_view name) const {
    if (name.starts_with(forward))
        return place(name.substr(forward.size()));
    const auto known = functions_.find(with_underscores(name));
    if (known == functions_.end() || known->second.place.file.empty())
        return std::nullopt;
    return known->second.place;
}

} // namespace slimgrad
