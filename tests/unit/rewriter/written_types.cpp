#include "tests/unit/rewriter/written_types.h"

#include "rewriter/integer_expression.h"
#include "rewriter/macro_text.h"

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
    while (text.starts_with('<')) {
        type.arguments.clear();
        do {
            text.remove_prefix(1);
            type.arguments.push_back(take_type(text));
        } while (text.starts_with(','));
        text.remove_prefix(text.starts_with('>') ? 1 : 0);
        // `Outer<T>.Inner` goes on with the name.
        if (text.starts_with('.')) {
            type.arguments.clear();
            do {
                type.name += text[0];
                text.remove_prefix(1);
            } while (!text.empty() && std::string_view("<,>[").find(text[0]) == text.npos);
        }
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
    static const std::regex words(R"(\b(functype|const|throws +never)\b\s*)");
    static const std::regex unsigned_int(R"(\bunsigned\s+int\b)"),
        handle(R"(([\w]+(?:<[^<>]*>)?)\.Handle\b)");
    type = std::regex_replace(type, unsigned_int, "uint");
    type = std::regex_replace(type, words, "");
    std::erase_if(type, [](unsigned char c) { return std::isspace(c); });
    type = replaced(type, "::", ".");
    type = std::regex_replace(type, handle, "DescriptorHandle<$1>");
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
    // Names that the language's GLSL module adds.
    type = replaced(type, R"(\bSampler2DRect\b)", "Sampler2D");
    type = replaced(type, R"(\bSamplerBuffer\b)", "RWBuffer");
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

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

/// Where the qualified name begins whose last word begins at `at`: `A<B>::` and `N.` before it.
std::size_t begin_of_qualified(const std::string& text, std::size_t at) {
    for (;;) {
        std::size_t end = at;
        if (end >= 1 && text[end - 1] == '.')
            end -= 1;
        else if (end >= 2 && text.compare(end - 2, 2, "::") == 0)
            end -= 2;
        else
            return at;
        int depth = 0;
        while (end > 0 && (is_name(text[end - 1]) || depth > 0 || text[end - 1] == '>')) {
            depth += (text[end - 1] == '>') - (text[end - 1] == '<');
            --end;
        }
        at = end;
    }
}

bool has_word(std::string_view text, std::string_view word) {
    for (auto at = text.find(word); at != text.npos; at = text.find(word, at + 1)) {
        const auto end = at + word.size();
        if ((at == 0 || !is_name(text[at - 1])) && (end == text.size() || !is_name(text[end])))
            return true;
    }
    return false;
}

} // namespace

WrittenTypes::WrittenTypes(const ModuleModel& model) : model_(model) {
    for (std::size_t i = 0; i < model.trees.size(); ++i)
        find_aliases(model.trees[i].root(), model.files[i].text(), aliases_);
}

/// Bodies of functions aside: their types are no one else's.
void WrittenTypes::find_aliases(SyntaxNode node, const std::string& text,
                                std::multimap<std::string, Alias, std::less<>>& aliases) {
    const auto source = [&](SyntaxNode part) {
        return text.substr(part.range().begin, part.range().end - part.range().begin);
    };
    for (SyntaxNode child : node.children()) {
        if (child.is("type_alias_declaration"))
            aliases.emplace(source(child.field("name")),
                            Alias{source(child.field("type")),
                                  child.field("generics") ||
                                      source(child).find("__generic") != std::string::npos});
        else if (!child.is("function_declaration"))
            find_aliases(child, text, aliases);
    }
}

bool WrittenTypes::same(const std::string& written, const std::string& reflected,
                        const std::string& self) const {
    const auto expanded = expand_macros(model_, written);
    std::string type = expanded ? *expanded : written;
    const std::string right = canonical(reflected);
    if (same(type, right, 0))
        return true;
    return !self.empty() &&
           same(std::regex_replace(type, std::regex(R"(\bThis\b)"), self), right, 0);
}

/// Two files may have an alias of the same name: it is enough that one fits.
bool WrittenTypes::same(const std::string& written, const std::string& reflected, int depth) const {
    const auto equal = [this](const auto& self, const Parts& left, const Parts& right) -> bool {
        if (left.arguments.empty() && right.arguments.empty() && left.sizes.empty() &&
            right.sizes.empty() && same_value(left.name, right.name))
            return true;
        const auto same_sizes = [&](const std::vector<std::string>& sizes) {
            return std::equal(sizes.begin(), sizes.end(), right.sizes.begin(),
                              [&](const auto& a, const auto& b) { return same_value(a, b); });
        };
        // The model writes sizes as they stand behind a name, the outermost first.
        const std::vector<std::string> inner_first(left.sizes.rbegin(), left.sizes.rend());
        // `This` of an interface, which is written for its name here.
        const std::string itself = left.name + ".This";
        const bool is_this = right.name == itself || right.name.ends_with('.' + itself);
        return (is_this || left.name == right.name || right.name.ends_with('.' + left.name)) &&
               (is_this ||
                (left.arguments.size() <= right.arguments.size() &&
                 std::equal(left.arguments.begin(), left.arguments.end(), right.arguments.begin(),
                            [&](const Parts& x, const Parts& y) { return self(self, x, y); }))) &&
               left.sizes.size() == right.sizes.size() &&
               (same_sizes(left.sizes) || same_sizes(inner_first));
    };
    const std::string text = canonical(written);
    std::string_view left = text, right = reflected;
    const Parts a = take_type(left), b = take_type(right);
    if (text == reflected || (left.empty() && right.empty() && equal(equal, a, b)))
        return true;
    constexpr int deepest_alias = 4;
    for (std::size_t at = 0; at < written.size() && depth < deepest_alias;) {
        std::size_t end = at;
        while (end < written.size() && is_name(written[end]))
            ++end;
        const auto [first, last] = aliases_.equal_range(written.substr(at, end - at));
        for (auto alias = first; alias != last; ++alias) {
            // What a generic alias stands for depends on its arguments, `typedef
            // Dual<T.Differential> Differential` on T.
            if (alias->second.is_generic || has_word(alias->second.type, alias->first))
                continue;
            if (same(written.substr(0, begin_of_qualified(written, at)) + alias->second.type +
                         written.substr(end),
                     reflected, depth + 1))
                return true;
        }
        at = std::max(end, at + 1);
    }
    return false;
}

/// Sizes and generic arguments that are numbers: reflection knows the values of constants, writes
/// conversions out.
bool WrittenTypes::same_value(const std::string& written, const std::string& reflected,
                              int depth) const {
    static const std::regex conversion(R"(\bu?int\(([^()]*)\))");
    const std::string right = std::regex_replace(reflected, conversion, "$1");
    if (written == right || right.ends_with('.' + written))
        return true;
    // A type's own constants go by their short names in it.
    const auto find = [&](std::string_view name) -> const GlobalVariable* {
        const std::string member = '.' + std::string(name);
        for (const GlobalVariable& global : model_.globals)
            if (global.kind == GlobalKind::constant && global.initializer &&
                (global.name == name || global.name.ends_with(member)))
                return &global;
        return nullptr;
    };
    const bool is_number = !right.empty() && std::all_of(right.begin(), right.end(), [](char c) {
        return std::isdigit(static_cast<unsigned char>(c));
    });
    if (is_number) {
        const NameLookup lookup = [&](std::string_view name) -> std::optional<ConstantName> {
            const GlobalVariable* global = find(name);
            return global ? std::optional(ConstantName{true, *global->initializer}) : std::nullopt;
        };
        const auto value = evaluate_integer(written, lookup);
        return value && std::to_string(*value) == right;
    }
    const GlobalVariable* global = depth < 8 ? find(written) : nullptr;
    return global && same_value(*global->initializer, right, depth + 1);
}

} // namespace slimgrad
