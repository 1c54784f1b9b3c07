#include "tests/unit/rewriter/written_types.h"

#include "rewriter/integer_expression.h"
#include "rewriter/macro_text.h"
#include "rewriter/syntax_node.h"

#include <algorithm>
#include <cctype>
#include <regex>

namespace slimgrad {
namespace {

/// A type taken apart: `Pair<float,int>[2]`.
struct Parts {
    std::string name;
    std::vector<Parts> arguments;
    std::vector<std::string> sizes;
};

/// Reads one type from the front of a text without white space.
Parts take_type(std::string_view& text) {
    Parts type;
    int depth = 0; // of parentheses: `int(N)`, `(float)->int`
    while (!text.empty()) {
        const char c = text[0];
        const bool arrow = c == '>' && type.name.ends_with('-');
        if (depth == 0 && !arrow && (c == '<' || c == ',' || c == '>' || c == '['))
            break;
        depth += (c == '(') - (c == ')');
        type.name += c;
        text.remove_prefix(1);
    }
    if (text.starts_with('<')) {
        do {
            text.remove_prefix(1);
            type.arguments.push_back(take_type(text));
        } while (text.starts_with(','));
        text.remove_prefix(text.starts_with('>') ? 1 : 0);
    }
    while (text.starts_with('[')) {
        const auto close = std::min(text.find(']'), text.size() - 1);
        type.sizes.emplace_back(text.substr(1, close - 1));
        text.remove_prefix(close + 1);
    }
    if (type.name == "Array" && type.arguments.size() == 2) {
        Parts element = type.arguments[0];
        element.sizes.insert(element.sizes.begin(), type.arguments[1].name);
        element.sizes.insert(element.sizes.begin(), type.sizes.begin(), type.sizes.end());
        return element;
    }
    return type;
}

std::string replaced(const std::string& text, const char* pattern, const char* by) {
    return std::regex_replace(text, std::regex(pattern), by);
}

/// The names that reflection gives to the language's own types, without white space.
std::string canonical(std::string type) {
    static const std::regex words(R"(\b(functype|expand|each|const|unsigned +int)\b\s*)");
    type = std::regex_replace(type, std::regex(R"(\bunsigned\s+int\b)"), "uint");
    type = std::regex_replace(type, words, "");
    std::erase_if(type, [](unsigned char c) { return std::isspace(c); });
    type = replaced(type, "::", ".");
    if (type.find('*') != std::string::npos)
        for (std::string before; before != type;) {
            before = type;
            type = replaced(type, R"((^|[<,])([\w.]+(?:<[^*]*>)?)\*(?=$|[>,*\[]))", "$1Ptr<$2>");
        }
    static const std::regex number(R"(\b(u?)int32_t)"), half(R"(\bfloat16_t)"),
        single(R"(\bfloat32_t)"), twice(R"(\bfloat64_t)"), word(R"(\bdword)"),
        glsl_vector(R"(\b(i|u|b|d)?vec([2-4])\b)"), glsl_matrix(R"(\bmat([2-4])(?:x([2-4]))?\b)");
    if (type.find("_t") != std::string::npos) {
        type = std::regex_replace(type, number, "$1int");
        type = std::regex_replace(type, half, "half");
        type = std::regex_replace(type, single, "float");
        type = std::regex_replace(type, twice, "double");
    }
    type = std::regex_replace(type, word, "uint");
    std::smatch match;
    while (std::regex_search(type, match, glsl_vector)) {
        const std::string letter = match[1];
        const std::string scalar = letter == "i"   ? "int"
                                   : letter == "u" ? "uint"
                                   : letter == "b" ? "bool"
                                   : letter == "d" ? "double"
                                                   : "float";
        type.replace(static_cast<std::size_t>(match.position()),
                     static_cast<std::size_t>(match.length()), scalar + match[2].str());
    }
    while (std::regex_search(type, match, glsl_matrix)) {
        const std::string columns = match[1], rows = match[2].matched ? match[2].str() : columns;
        type.replace(static_cast<std::size_t>(match.position()),
                     static_cast<std::size_t>(match.length()),
                     "matrix<float," + columns + "," + rows + ">");
    }
    static const std::string scalar = R"(\b(float|half|double|bool|u?int|u?int(?:8|16|32|64)_t))";
    static const std::regex matrix(scalar + R"(([1-4])x([1-4])\b)"),
        vector(scalar + R"(([1-4])\b)");
    static const std::regex differential(
        R"(\b((?:vector<)?(?:float|half|double)(?:,.>)?)\.Differential\b)");
    type = std::regex_replace(type, matrix, "matrix<$1,$2,$3>");
    type = std::regex_replace(type, vector, "vector<$1,$2>");
    return std::regex_replace(type, differential, "$1");
}

/// Bodies of functions aside: their types are no one else's.
void find_aliases(SyntaxNode node, const std::string& text,
                  std::multimap<std::string, std::string, std::less<>>& aliases) {
    const auto source = [&](SyntaxNode part) {
        return text.substr(part.range().begin, part.range().end - part.range().begin);
    };
    for (SyntaxNode child : node.children()) {
        if (child.is("type_alias_declaration"))
            aliases.emplace(source(child.field("name")), source(child.field("type")));
        else if (!child.is("function_declaration"))
            find_aliases(child, text, aliases);
    }
}

} // namespace

WrittenTypes::WrittenTypes(const ModuleModel& model) : model_(model) {
    for (std::size_t i = 0; i < model.trees.size(); ++i)
        find_aliases(model.trees[i].root(), model.files[i].text(), aliases_);
}

bool WrittenTypes::same(const std::string& written, const std::string& reflected) const {
    const auto expanded = expand_macros(model_, written);
    return same(expanded ? *expanded : written, canonical(reflected), 0);
}

/// Two files may have an alias of the same name: it is enough that one fits.
bool WrittenTypes::same(std::string written, const std::string& reflected, int depth) const {
    const auto equal = [this](const auto& self, const Parts& left, const Parts& right) -> bool {
        if (left.arguments.empty() && right.arguments.empty() && left.sizes.empty() &&
            right.sizes.empty() && same_value(left.name, right.name))
            return true;
        return (left.name == right.name || right.name.ends_with('.' + left.name)) &&
               left.arguments.size() <= right.arguments.size() &&
               left.sizes.size() == right.sizes.size() &&
               std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(),
                          [&](const Parts& a, const Parts& b) { return self(self, a, b); }) &&
               std::equal(left.sizes.begin(), left.sizes.end(), right.sizes.begin(),
                          [&](const auto& a, const auto& b) { return same_value(a, b); });
    };
    const std::string text = canonical(written);
    std::string_view left = text, right = reflected;
    const Parts a = take_type(left), b = take_type(right);
    if (text == reflected || (left.empty() && right.empty() && equal(equal, a, b)))
        return true;
    constexpr int deepest_alias = 8;
    for (std::size_t at = 0; at < written.size() && depth < deepest_alias;) {
        std::size_t end = at;
        while (end < written.size() &&
               (std::isalnum(static_cast<unsigned char>(written[end])) || written[end] == '_'))
            ++end;
        const auto [first, last] = aliases_.equal_range(written.substr(at, end - at));
        for (auto alias = first; alias != last; ++alias)
            if (same(written.substr(0, at) + alias->second + written.substr(end), reflected,
                     depth + 1))
                return true;
        at = std::max(end, at + 1);
    }
    return false;
}

/// Sizes and generic arguments that are numbers: reflection knows the values of constants, and
/// writes conversions out.
bool WrittenTypes::same_value(const std::string& written, const std::string& reflected) const {
    static const std::regex conversion(R"(\bu?int\(([^()]*)\))");
    const std::string right = std::regex_replace(reflected, conversion, "$1");
    if (written == right || right.ends_with('.' + written))
        return true;
    const NameLookup lookup = [&](std::string_view name) -> std::optional<ConstantName> {
        const GlobalVariable* global = model_.find_global(name);
        if (!global || global->kind != GlobalKind::constant || !global->initializer)
            return std::nullopt;
        return ConstantName{true, *global->initializer};
    };
    const auto value = evaluate_integer(written, lookup);
    return value && std::to_string(*value) == right;
}

} // namespace slimgrad
