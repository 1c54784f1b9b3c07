#include "tests/unit/rewriter/declared_attributes.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>

namespace slimgrad {
namespace {

/// An object of the dump: `FuncDecl:4 {`, indented lines, `}`.
struct Object {
    std::string_view kind;
    std::string_view number;
    std::string_view text; ///< the whole object
};

std::string_view next_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

std::vector<Object> objects(std::string_view dump) {
    std::vector<Object> found;
    while (!dump.empty()) {
        const std::string_view rest = dump, line = next_line(dump);
        const auto colon = line.find(':');
        if (line.empty() || !std::isalpha(static_cast<unsigned char>(line[0])) ||
            !line.ends_with(" {") || colon == std::string_view::npos)
            continue;
        while (!dump.empty() && !dump.starts_with("}\n") && dump != "}")
            next_line(dump);
        next_line(dump);
        found.push_back({line.substr(0, colon), line.substr(colon + 1, line.size() - colon - 3),
                         rest.substr(0, rest.size() - dump.size())});
    }
    return found;
}

bool is_attribute(const Object& object) {
    return object.kind == "UncheckedAttribute";
}

bool is_declaration(const Object& object) {
    return object.kind.ends_with("Decl") && !object.kind.ends_with("ParamDecl") &&
           !object.kind.ends_with("ConstraintDecl");
}

/// What follows `name : ` in an object.
std::string_view field(const Object& object, std::string_view name) {
    const std::string key = "\n    " + std::string(name) + " : ";
    const auto at = object.text.find(key);
    return at == std::string_view::npos ? "" : object.text.substr(at + key.size());
}

/// The items of a list: the lines between its braces, the last one may have the brace behind it.
std::vector<std::string_view> items(std::string_view list) {
    std::vector<std::string_view> found;
    if (!next_line(list).ends_with("{ "))
        return found;
    for (bool closed = false; !closed && !list.empty();) {
        std::string_view line = next_line(list);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        closed = line.ends_with('}');
        while (!line.empty() && (line.back() == ',' || line.back() == '}' || line.back() == ' '))
            line.remove_suffix(1);
        if (!line.empty())
            found.push_back(line);
    }
    return found;
}

/// The text between the first two quotation marks of a line.
std::string quoted(std::string_view text) {
    text = next_line(text);
    const auto open = text.find('"'), close = text.find('"', open + 1);
    return close == std::string_view::npos ? ""
                                           : std::string(text.substr(open + 1, close - open - 1));
}

} // namespace

std::vector<ParsedDeclaration> parsed_declarations(std::string_view dump) {
    const std::vector<Object> all = objects(dump);
    std::map<std::string_view, const Object*> attributes;
    for (const Object& object : all)
        if (is_attribute(object))
            attributes[object.number] = &object;
    std::vector<ParsedDeclaration> declarations;
    for (const Object& object : all) {
        if (!is_declaration(object))
            continue;
        ParsedDeclaration& declaration = declarations.emplace_back();
        declaration.kind = object.kind;
        declaration.name = quoted(field(object, "nameAndLoc"));
        // `SourceLoc(5244605) a.slang:28`
        std::string_view place = field(object, "loc");
        place = next_line(place);
        const auto name = place.find(") "), line = place.rfind(':');
        if (name != std::string_view::npos && line != std::string_view::npos && name + 2 < line) {
            declaration.file = place.substr(name + 2, line - name - 2);
            declaration.line = static_cast<std::uint32_t>(
                std::strtoul(std::string(place.substr(line + 1)).c_str(), nullptr, 10));
        }
        for (const std::string_view modifier : items(field(object, "modifiers"))) {
            const auto attribute = attributes.find(modifier.substr(modifier.find(':') + 1));
            if (modifier.starts_with("UncheckedAttribute:") && attribute != attributes.end())
                declaration.attributes.push_back({quoted(field(*attribute->second, "keywordName")),
                                                  items(field(*attribute->second, "args")).size()});
        }
    }
    return declarations;
}

std::string what_declarations_need(std::string_view dump) {
    std::string kept;
    for (const Object& object : objects(dump))
        if (is_attribute(object) || is_declaration(object))
            kept += object.text;
    return kept;
}

} // namespace slimgrad
