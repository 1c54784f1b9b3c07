#include "rewriter/static_member.h"

#include "rewriter/type_alias.h"

#include <algorithm>
#include <array>
#include <utility>

namespace slimgrad {

namespace {

constexpr int deepest = 16; ///< of types that inherit from each other

std::string_view last_part(std::string_view name) {
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos ? name : name.substr(dot + 1);
}

std::string_view without_last_part(std::string_view name) {
    const auto dot = name.rfind('.');
    return dot == std::string_view::npos ? std::string_view() : name.substr(0, dot);
}

/// "N.Box.get" for "N.Box<T>.get".
std::string without_arguments(std::string_view name) {
    std::string result;
    int depth = 0;
    for (const char c : name) {
        depth += c == '<';
        if (depth == 0)
            result += c;
        depth -= c == '>' && depth > 0;
    }
    return result;
}

/// "Box" for "N.Box<T>[4]".
std::string type_name(std::string_view type) {
    const std::string plain = without_arguments(type.substr(0, type.find('[')));
    std::string_view name = last_part(plain);
    if (const auto scope = name.rfind(':'); scope != std::string_view::npos)
        name.remove_prefix(scope + 1);
    return std::string(name);
}

bool is_builtin_value(std::string_view type) {
    constexpr std::array<std::string_view, 8> begins{"float", "half", "double", "int",
                                                     "uint",  "bool", "vector", "matrix"};
    return std::any_of(begins.begin(), begins.end(),
                       [&](std::string_view begin) { return type.starts_with(begin); });
}

class Lookup {
  public:
    Lookup(const ModuleModel& model, std::vector<Index> named)
        : model_(model), named_(std::move(named)) {}

    /// Those of the type with this qualified name, or the end of one; else those that it inherits.
    std::vector<Index> of_type(std::string_view owner, int depth = 0) const {
        std::vector<Index> found = declared_in(owner);
        const std::string end = "." + std::string(owner);
        for (Index i : named_) {
            if (without_arguments(without_last_part(model_.globals[i].name)).ends_with(end))
                found.push_back(i);
        }
        const TypeDeclaration* type = model_.find_type(last_part(owner));
        if (!found.empty() || !type || depth > deepest)
            return found;
        for (const std::string& base : type->bases) {
            for (Index i : of_type(type_name(base), depth + 1))
                found.push_back(i);
        }
        return found;
    }

    /// Those of the types around a function, from the inside.
    std::vector<Index> around(const Function& function) const {
        std::vector<Index> found;
        const std::string plain = without_arguments(function.qualified_name);
        for (std::string_view owner = without_last_part(plain); found.empty() && !owner.empty();
             owner = without_last_part(owner)) {
            found = declared_in(owner);
            if (found.empty())
                found = of_type(owner);
        }
        return found;
    }

    StaticMember result(std::vector<Index> found, std::size_t members) const {
        StaticMember result;
        const bool is_known = !found.empty();
        result.globals = is_known ? std::move(found) : named_;
        result.members = members;
        result.is_generic = std::any_of(result.globals.begin(), result.globals.end(),
                                        [&](Index i) { return is_of_generic_type(i); });
        result.is_certain = is_known && result.globals.size() == 1;
        return result;
    }

  private:
    std::vector<Index> declared_in(std::string_view owner) const {
        std::vector<Index> found;
        for (Index i : named_) {
            if (without_arguments(without_last_part(model_.globals[i].name)) == owner)
                found.push_back(i);
        }
        return found;
    }

    bool is_of_generic_type(Index global) const {
        for (std::string_view owner = without_last_part(model_.globals[global].name);
             !owner.empty(); owner = without_last_part(owner)) {
            const TypeDeclaration* type = model_.find_type(type_name(owner));
            if (!type)
                continue;
            const std::string_view text = model_.text(type->site);
            if (text.substr(0, text.find('{')).find('<') != std::string_view::npos)
                return true;
        }
        return false;
    }

    const ModuleModel& model_;
    const std::vector<Index> named_;
};

/// The declared type of a field, or "".
std::string field_type(const ModuleModel& model, std::string_view type, std::string_view field,
                       int depth = 0) {
    const TypeDeclaration* declared = model.find_type(type_name(type));
    if (!declared || depth > deepest)
        return "";
    for (const TypeDeclaration::Field& own : declared->fields) {
        if (own.name == field)
            return own.type;
    }
    for (const std::string& base : declared->bases) {
        if (std::string found = field_type(model, base, field, depth + 1); !found.empty())
            return found;
    }
    return "";
}

std::string joined(std::string_view name, const std::vector<std::string>& members,
                   std::size_t count) {
    std::string result(name);
    for (std::size_t i = 0; i < count; ++i)
        result += "." + members[i];
    return result;
}

} // namespace

StaticMembers::StaticMembers(const ModuleModel& model) : model_(model) {
    for (Index i = 0; i < model.globals.size(); ++i) {
        const std::string& name = model.globals[i].name;
        if (!without_last_part(name).empty())
            by_name_[std::string(last_part(name))].push_back(i);
    }
}

const std::vector<Index>& StaticMembers::named(std::string_view member) const {
    static const std::vector<Index> nothing;
    const auto found = by_name_.find(member);
    return found == by_name_.end() ? nothing : found->second;
}

std::optional<StaticMember> StaticMembers::find(Index function, std::string_view name,
                                                const std::vector<std::string>& members) const {
    if (const auto& named = this->named(name); !named.empty()) {
        const Lookup lookup(model_, named);
        auto found = lookup.around(model_.functions[function]);
        if (!found.empty())
            return lookup.result(std::move(found), 0);
    }
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto& named = this->named(members[i]);
        if (named.empty())
            continue;
        const Lookup lookup(model_, named);
        if (i == 0 && name == "This")
            return lookup.result(lookup.around(model_.functions[function]), 1);
        const std::string type = type_name(type_behind_alias(model_, name));
        auto found = lookup.of_type(joined(type, members, i));
        const std::string enumerator = joined(name, members, i + 1);
        const bool is_enumerator = std::any_of(
            model_.enum_constants.begin(), model_.enum_constants.end(),
            [&](const EnumConstant& constant) {
                return constant.name == enumerator || constant.name.ends_with("." + enumerator);
            });
        if (found.empty() && is_enumerator)
            return std::nullopt;
        return lookup.result(std::move(found), i + 1);
    }
    return std::nullopt;
}

std::optional<StaticMember> StaticMembers::find(std::string_view type,
                                                const std::vector<std::string>& members) const {
    std::string object = type == "var" || type == "let" ? "" : type_behind_alias(model_, type);
    for (std::size_t i = 0; i < members.size(); ++i) {
        const std::string field = field_type(model_, object, members[i]);
        const auto named = field.empty() ? this->named(members[i]) : std::vector<Index>();
        if (!named.empty()) {
            const Lookup lookup(model_, named);
            auto found = lookup.of_type(type_name(object));
            if (found.empty() && (is_builtin_value(object) || model_.find_type(type_name(object))))
                return std::nullopt; // an element, a property
            return lookup.result(std::move(found), i + 1);
        }
        object = field;
    }
    return std::nullopt;
}

} // namespace slimgrad
