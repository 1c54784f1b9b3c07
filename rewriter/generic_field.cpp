#include "rewriter/generic_field.h"

#include <algorithm>
#include <cctype>
#include <optional>
#include <vector>

namespace slimgrad {

namespace {

bool is_word(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::size_t word_end(std::string_view text, std::size_t at) {
    while (at < text.size() && is_word(text[at]))
        ++at;
    return at;
}

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view space = " \t\r\n";
    const auto begin = text.find_first_not_of(space);
    return begin == text.npos ? std::string_view()
                              : text.substr(begin, text.find_last_not_of(space) - begin + 1);
}

/// "T : I" and "let N : int" of the text behind the first `<`; nothing where no `>` closes it.
std::optional<std::vector<std::string_view>> list_behind(std::string_view text) {
    std::vector<std::string_view> parts;
    int depth = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const bool ends = depth == 0 && (text[i] == ',' || text[i] == '>');
        if (ends) {
            parts.push_back(trimmed(text.substr(begin, i - begin)));
            begin = i + 1;
        }
        if (ends && text[i] == '>')
            return parts;
        depth += text[i] == '<' || text[i] == '(' ? 1 : text[i] == '>' || text[i] == ')' ? -1 : 0;
    }
    return std::nullopt;
}

/// "T" and "N" of `struct Box<T : I, let N : int>`; nothing where they are written another way.
std::optional<std::vector<std::string_view>> generics_of(const ModuleModel& model,
                                                         const TypeDeclaration& declared) {
    std::string_view head = model.text(declared.site);
    head = head.substr(0, head.find('{'));
    const auto name = head.find(declared.name);
    const auto before = head.find('<'); // of `__generic<T> struct Box`
    if (name == head.npos)
        return std::nullopt;
    head = before < name ? head.substr(before) : trimmed(head.substr(name + declared.name.size()));
    if (!head.starts_with('<'))
        return std::vector<std::string_view>();
    auto generics = list_behind(head.substr(1));
    for (std::size_t i = 0; generics && i < generics->size(); ++i) {
        std::string_view& generic = (*generics)[i];
        if (generic.starts_with("let "))
            generic = trimmed(generic.substr(4));
        const bool is_pack = generic.starts_with("each ");
        generic = generic.substr(0, word_end(generic, 0));
        if (is_pack || generic.empty())
            return std::nullopt;
    }
    return generics;
}

} // namespace

std::string field_type(const ModuleModel& model, const TypeDeclaration& declared,
                       std::string_view type, std::string_view field) {
    const auto generics = generics_of(model, declared);
    const auto open = type.find('<');
    const auto arguments =
        open == type.npos
            ? std::vector<std::string_view>()
            : list_behind(type.substr(open + 1)).value_or(std::vector<std::string_view>());
    std::vector<std::string_view> outer; // whose arguments are not in `type`
    for (const TypeDeclaration& other : model.types) {
        const bool is_around = &other != &declared && other.site.file == declared.site.file &&
                               other.site.range.contains(declared.site.range);
        const auto names =
            is_around ? generics_of(model, other) : std::optional(std::vector<std::string_view>());
        if (!generics || !names)
            return "";
        outer.insert(outer.end(), names->begin(), names->end());
    }
    std::string written;
    for (std::size_t at = 0; at < field.size();) {
        const std::size_t end = std::max(word_end(field, at), at + 1);
        const std::string_view word = field.substr(at, end - at);
        at = end;
        const auto generic = std::find(generics->begin(), generics->end(), word);
        const std::size_t index = std::size_t(generic - generics->begin());
        if (generic == generics->end() &&
            std::find(outer.begin(), outer.end(), word) != outer.end())
            return "";
        if (generic != generics->end() && arguments.size() != generics->size())
            return "";
        written += generic == generics->end() ? word : arguments[index];
    }
    return written;
}

std::string_view inner_type(const ModuleModel& model, std::string_view type) {
    int depth = 0;
    for (std::size_t i = type.size(); i-- > 0;) {
        depth += type[i] == '>' ? 1 : type[i] == '<' ? -1 : 0;
        if (depth == 0 && type[i] == '.')
            return model.find_type(type.substr(0, word_end(type, 0))) &&
                           model.find_type(type.substr(i + 1, word_end(type, i + 1) - i - 1))
                       ? type.substr(i + 1)
                       : type;
    }
    return type;
}

} // namespace slimgrad
