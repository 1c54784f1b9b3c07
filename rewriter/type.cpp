#include "rewriter/type.h"

#include "rewriter/declaration.h"

#include <algorithm>
#include <array>
#include <utility>

namespace slimgrad {

namespace {

using Kind = Type::Kind;

std::string_view canonical_scalar(std::string_view word) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 7> aliases{{
        {"float32_t", "float"},
        {"float16_t", "half"},
        {"float64_t", "double"},
        {"int32_t", "int"},
        {"uint32_t", "uint"},
        {"size_t", "uintptr_t"},
        {"usize_t", "uintptr_t"},
    }};
    for (const auto& [alias, name] : aliases) {
        if (word == alias)
            return name;
    }
    return word;
}

bool is_scalar_word(std::string_view word) {
    constexpr std::array<std::string_view, 17> words{
        "bool",     "int",       "uint",       "half",     "float",    "double",
        "int8_t",   "uint8_t",   "int16_t",    "uint16_t", "int64_t",  "uint64_t",
        "intptr_t", "uintptr_t", "min16float", "min16int", "min16uint"};
    return std::find(words.begin(), words.end(), word) != words.end();
}

std::string joined(const std::vector<TypeRef>& arguments) {
    std::string text;
    for (TypeRef argument : arguments)
        text += (text.empty() ? "" : ", ") + (argument ? spelling(argument) : std::string("_"));
    return text;
}

} // namespace

std::string_view scalar_of(std::string_view name) {
    constexpr std::array<std::string_view, 19> scalars{
        "float64_t", "float32_t", "float16_t", "uint64_t", "uint32_t",  "uint16_t", "uint8_t",
        "int64_t",   "int32_t",   "int16_t",   "int8_t",   "uintptr_t", "intptr_t", "double",
        "float",     "half",      "uint",      "int",      "bool"};
    for (std::string_view scalar : scalars) {
        if (!name.starts_with(scalar))
            continue;
        const std::string_view size = name.substr(scalar.size());
        const auto is_size = [](char c) { return c >= '1' && c <= '4'; };
        if (size.empty() || (size.size() == 1 && is_size(size[0])) ||
            (size.size() == 3 && is_size(size[0]) && size[1] == 'x' && is_size(size[2])))
            return scalar;
    }
    return {};
}

TypeRef TypeTable::make(Type type) {
    Key key{type.kind, type.name, type.declaration, type.arguments};
    const auto found = known_.find(key);
    if (found != known_.end())
        return found->second;
    types_.push_back(std::move(type));
    known_.emplace(std::move(key), &types_.back());
    return &types_.back();
}

TypeRef TypeTable::scalar(std::string_view name) {
    return make({Kind::scalar, std::string(name), nullptr, {}});
}

TypeRef TypeTable::value(std::string number) {
    return make({Kind::value, std::move(number), nullptr, {}});
}

TypeRef TypeTable::vector(TypeRef element, TypeRef size) {
    return make({Kind::vector, "", nullptr, {element, size}});
}

TypeRef TypeTable::builtin(std::string_view name, std::vector<TypeRef> arguments) {
    return make({Kind::builtin, std::string(name), nullptr, std::move(arguments)});
}

TypeRef TypeTable::void_type() {
    return make({Kind::void_type, "", nullptr, {}});
}

TypeRef TypeTable::primitive(std::string_view word) {
    if (word == "void")
        return void_type();
    if (const std::string_view name = canonical_scalar(word); is_scalar_word(name))
        return scalar(name);
    const auto is_size = [](char c) { return c >= '1' && c <= '4'; };
    const std::size_t length = word.size();
    if (length > 3 && is_size(word[length - 1]) && word[length - 2] == 'x' &&
        is_size(word[length - 3])) {
        const std::string_view name = canonical_scalar(word.substr(0, length - 3));
        if (is_scalar_word(name))
            return make({Kind::matrix,
                         "",
                         nullptr,
                         {scalar(name), value(std::string(1, word[length - 3])),
                          value(std::string(1, word[length - 1]))}});
    }
    if (length > 1 && is_size(word[length - 1])) {
        const std::string_view name = canonical_scalar(word.substr(0, length - 1));
        if (is_scalar_word(name))
            return vector(scalar(name), value(std::string(1, word[length - 1])));
    }
    return nullptr;
}

bool is_complete(TypeRef type) {
    return type && std::all_of(type->arguments.begin(), type->arguments.end(), is_complete);
}

bool is_open(TypeRef type) {
    return type &&
           (type->is(Kind::parameter) || type->is(Kind::this_type) || type->is(Kind::associated) ||
            std::any_of(type->arguments.begin(), type->arguments.end(), is_open));
}

std::string spelling(TypeRef type) {
    if (!type)
        return "";
    const auto argument = [&](std::size_t i) {
        return type->arguments[i] ? spelling(type->arguments[i]) : std::string("_");
    };
    switch (type->kind) {
    case Kind::void_type:
        return "void";
    case Kind::vector:
    case Kind::matrix: {
        const bool fixed = std::all_of(type->arguments.begin() + 1, type->arguments.end(),
                                       [](TypeRef size) { return size && size->is(Kind::value); });
        if (fixed && type->arguments[0] && type->arguments[0]->is(Kind::scalar))
            return argument(0) + argument(1) + (type->is(Kind::matrix) ? "x" + argument(2) : "");
        return (type->is(Kind::vector) ? "vector<" : "matrix<") + joined(type->arguments) + ">";
    }
    case Kind::array:
        return argument(0) + "[" + (type->arguments[1] ? argument(1) : "") + "]";
    case Kind::this_type:
        return "This";
    case Kind::associated:
        return argument(0) + "." + type->declaration->name;
    case Kind::differential:
        return argument(0) + ".Differential";
    case Kind::conjunction:
        return argument(0) + " & " + argument(1);
    case Kind::declared: {
        const std::size_t own = type->declaration->generics.size();
        const std::vector<TypeRef> last(type->arguments.end() - std::ptrdiff_t(own),
                                        type->arguments.end());
        return type->declaration->name + (own ? "<" + joined(last) + ">" : "");
    }
    case Kind::parameter:
        return type->declaration->name;
    case Kind::scalar:
    case Kind::value:
        return type->name;
    case Kind::builtin:
        return type->name + (type->arguments.empty() ? "" : "<" + joined(type->arguments) + ">");
    }
    return "";
}

bool is_real(TypeRef type) {
    const TypeRef element = element_of(type);
    return element && element->is(Kind::scalar) &&
           (element->name == "float" || element->name == "half" || element->name == "double");
}

TypeRef element_of(TypeRef type) {
    if (!type)
        return nullptr;
    if (type->is(Kind::scalar))
        return type;
    return type->is(Kind::vector) || type->is(Kind::matrix) ? type->arguments[0] : nullptr;
}

bool is_numeric(TypeRef type) {
    return type && (type->is(Kind::scalar) || type->is(Kind::vector) || type->is(Kind::matrix));
}

} // namespace slimgrad
