#include "attributes/offset_expression.h"

#include "attributes/expression_text.h"
#include "attributes/range_arithmetic.h"
#include "rewriter/integer_expression.h"

#include <algorithm>
#include <string_view>

namespace slimgrad {

std::string with_one_added(const std::string& expression) {
    const bool simple = std::all_of(expression.begin(), expression.end(), is_name);
    return simple ? expression + " + 1" : "(" + expression + ") + 1";
}

std::string less_by(const std::string& expression, std::int64_t amount) {
    auto [text, offset] = with_offset(expression);
    offset -= amount;
    if (offset == 0)
        return text;
    if (!std::all_of(text.begin(), text.end(), is_name))
        text = "(" + text + ")";
    return text + (offset < 0 ? " - " : " + ") + std::to_string(offset < 0 ? -offset : offset);
}

std::pair<std::string, std::int64_t> with_offset(const std::string& expression) {
    const std::string text = compact(expression);
    const auto no_names = [](std::string_view) { return std::optional<ConstantName>(); };
    const auto offset = [&](const std::string& part) {
        const auto value = evaluate_integer(part, no_names);
        return value && *value >= 0 && *value <= INT16_MAX ? value : std::nullopt;
    };
    const auto parts = split_operation(text);
    if (!parts || (parts->op != '+' && parts->op != '-'))
        return {text, 0};
    if (const auto value = offset(parts->right))
        return {compact(parts->left), parts->op == '+' ? *value : -*value};
    const auto value = parts->op == '+' ? offset(parts->left) : std::nullopt;
    return value ? std::pair(compact(parts->right), *value) : std::pair(text, std::int64_t{0});
}

} // namespace slimgrad
