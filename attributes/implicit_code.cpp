#include "attributes/implicit_code.h"

#include "attributes/builtins.h"
#include "attributes/expression_text.h"
#include "attributes/memory_types.h"
#include "rewriter/field_initializers.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace slimgrad {

namespace {

constexpr std::size_t longest_alias = 1000; ///< bytes of a typedef that are read

/// Calls `visit(begin, end)` for each word of the text; numbers are none.
template <class Visit> void for_words(std::string_view text, Visit visit) {
    for (std::size_t i = 0; i < text.size();) {
        std::size_t end = i;
        while (end < text.size() && is_name(text[end]))
            ++end;
        if (end > i && is_name_start(text[i]))
            visit(i, end);
        i = std::max(end, i + 1);
    }
}

char next_character(std::string_view text, std::size_t at) {
    while (at < text.size() && std::isspace(static_cast<unsigned char>(text[at])))
        ++at;
    return at < text.size() ? text[at] : '\0';
}

char last_character(std::string_view text, std::size_t at) {
    while (at > 0 && std::isspace(static_cast<unsigned char>(text[at - 1])))
        --at;
    return at > 0 ? text[at - 1] : '\0';
}

/// What follows `.` or `::`; "" where there is none.
std::string_view after_scope(std::string_view text) {
    text = trimmed(text);
    for (std::string_view dots : {".", "::"})
        if (text.starts_with(dots))
            return trimmed(text.substr(dots.size()));
    return {};
}

/// Whether the text has the two words one after the other: `enum Mode`, `let N`.
bool has_words(std::string_view text, std::string_view first, std::string_view second) {
    bool found = false, was_first = false;
    for_words(text, [&](std::size_t begin, std::size_t end) {
        const std::string_view word = text.substr(begin, end - begin);
        found |= was_first && word == second;
        was_first = word == first || (was_first && word == "class");
    });
    return found;
}

/// `struct Net<T>`, or an extension.
bool has_generic_head(std::string_view declaration) {
    const std::string_view head = declaration.substr(0, declaration.find('{'));
    return head.find('<') != std::string_view::npos;
}

/// Operators, subscripts and the like: no word stands for their calls.
bool has_no_name(const Function& function) {
    return function.name.starts_with("operator") ||
           function.qualified_name.find("operator") != std::string::npos;
}

} // namespace

ImplicitCode::ImplicitCode(const ModuleModel& model, const MemoryTracer& tracer)
    : model_(model), tracer_(tracer), parts_(model.functions.size()) {
    for (Index i = 0; i < model.functions.size(); ++i) {
        for (const Parameter& parameter : model.functions[i].parameters)
            if (parameter.default_value)
                parts_[i].push_back(read(*parameter.default_value, parameter.site));
    }
    read_types();
}

ImplicitCode::Part ImplicitCode::read(std::string_view text, Site site) const {
    Part part;
    part.site = site;
    for_words(text, [&](std::size_t begin, std::size_t end) { read_name(text, begin, end, part); });
    const bool operates = text.find_first_of("+-*/%<>=!&|^~[") != std::string_view::npos;
    for (Index i = 0; operates && i < model_.functions.size(); ++i)
        if (has_no_name(model_.functions[i]))
            part.callees.insert(i);
    return part;
}

void ImplicitCode::read_name(std::string_view text, std::size_t begin, std::size_t end,
                             Part& part) const {
    const std::string name(text.substr(begin, end - begin));
    const char next = next_character(text, end);
    const bool called = next == '(' || next == '<';
    const bool is_member = last_character(text, begin) == '.';
    const auto not_known = [&] { part.unknown = std::string(trimmed(text)); };
    const auto& functions = tracer_.named(name);
    part.callees.insert(functions.begin(), functions.end());
    const GlobalVariable* global = is_member ? nullptr : model_.find_global(name);
    if (global && !read_global(*global, part))
        not_known();
    if (is_member && !called) { // a field, a static member or a property
        for (Index i : tracer_.static_members().named(name))
            read_global(model_.globals[i], part);
        for (Index i = 0; i < model_.functions.size(); ++i)
            if (model_.functions[i].qualified_name.find("." + name + ".") != std::string::npos)
                part.callees.insert(i);
        return;
    }
    if (!functions.empty() || global)
        return;
    if (const MacroDefinition* macro = model_.find_macro(name)) {
        if (macro->function_like ||
            macro->body.find_first_not_of("0123456789.fFuUxX+-*/() ") != std::string::npos)
            not_known();
        return;
    }
    constexpr std::string_view plain[] = {"true", "false", "none", "nullptr"};
    const bool harmless =
        std::find(std::begin(plain), std::end(plain), name) != std::end(plain) ||
        is_builtin_type(name) || builtin_effect(name) == BuiltinEffect::pure ||
        (model_.find_type(name) && next != '.' && next != ':') ||
        (model_.find_type(name) && next == '.' &&
         !tracer_.static_members().named(first_name(after_scope(text.substr(end)))).empty()) ||
        !tracer_.named(first_name(after_scope(text.substr(end)))).empty() || is_enumeration(name) ||
        (!called && is_value_parameter(name));
    if (!harmless)
        not_known();
}

/// False: what is behind it is not known.
bool ImplicitCode::read_global(const GlobalVariable& global, Part& part) const {
    switch (global.kind) {
    case GlobalKind::constant:
        return true;
    case GlobalKind::uniform: // values in it cannot be written by a dispatch
    case GlobalKind::constant_buffer:
        return !is_memory_type(model_, global.type);
    case GlobalKind::read_only_buffer:
    case GlobalKind::writable_buffer:
    case GlobalKind::groupshared:
    case GlobalKind::mutable_static:
        break;
    }
    part.reads.insert({true, tracer_.binding_of(global).name});
    return true;
}

bool ImplicitCode::is_enumeration(std::string_view name) const {
    return std::any_of(model_.files.begin(), model_.files.end(), [&](const SourceFile& file) {
        return has_words(file.text(), "enum", name);
    });
}

bool ImplicitCode::is_value_parameter(std::string_view name) const {
    return std::any_of(model_.files.begin(), model_.files.end(),
                       [&](const SourceFile& file) { return has_words(file.text(), "let", name); });
}

std::map<std::string, ImplicitCode::Words, std::less<>> ImplicitCode::read_meanings() const {
    std::map<std::string, Words, std::less<>> meanings;
    const auto add = [&](std::string_view name, std::string_view text) {
        Words& words = meanings[std::string(name)];
        for_words(text, [&](std::size_t begin, std::size_t end) {
            words.emplace(text.substr(begin, end - begin));
        });
    };
    for (const TypeDeclaration& type : model_.types)
        add(type.name, model_.text(type.site));
    for (const TypeExtension& extension : model_.extensions)
        add(first_name(extension.type), model_.text(extension.site));
    for (const MacroDefinition& macro : model_.macros)
        add(macro.name, macro.body);
    for (const GlobalVariable& global : model_.globals)
        add(global.name, global.type);
    for (const Function& function : model_.functions) {
        const std::string_view name = has_no_name(function) ? "" : std::string_view(function.name);
        add(name, function.return_type);
        for (const Parameter& parameter : function.parameters)
            add(name, parameter.type);
    }
    // `typealias New<T> = Old<T>;`, `typedef Old New;`
    for (const SourceFile& file : model_.files) {
        const std::string_view text = file.text();
        for_words(text, [&](std::size_t begin, std::size_t end) {
            const std::string_view word = text.substr(begin, end - begin);
            if (word != "typealias" && word != "typedef")
                return;
            std::string_view alias = text.substr(end, longest_alias);
            alias = alias.substr(0, alias.find(';'));
            std::string_view first, last;
            for_words(alias, [&](std::size_t from, std::size_t to) {
                last = alias.substr(from, to - from);
                first = first.empty() ? last : first;
            });
            add(word == "typealias" ? first : last, alias);
        });
    }
    return meanings;
}

/// Which types a function may make objects of: those that its text names, or what that names. In
/// generic code it may be any.
void ImplicitCode::read_types() {
    std::map<std::string, std::vector<Part>, std::less<>> of_type;
    for (const FieldInitializer& field : find_field_initializers(model_)) {
        Part part = read(model_.text(field.value), field.value);
        if (!part.callees.empty() || !part.reads.empty() || !part.unknown.empty())
            of_type[model_.types[field.type].name].push_back(std::move(part));
    }
    for (Index i = 0; i < model_.functions.size(); ++i) {
        const Function& function = model_.functions[i];
        if (function.name == "__init")
            of_type[first_name(function.parent_type)].push_back({function.name_site, {i}, {}, ""});
    }
    if (of_type.empty())
        return;
    const auto meanings = read_meanings();
    for (Index i = 0; i < model_.functions.size(); ++i) {
        const Function& function = model_.functions[i];
        std::set<std::string, std::less<>> reached;
        std::vector<std::string> work;
        const auto visit = [&](std::string_view word) {
            if (meanings.contains(word) && reached.emplace(word).second)
                work.emplace_back(word);
        };
        visit("");
        for (const std::string& text :
             {std::string(model_.text(function.site)), function.parent_type})
            for_words(text, [&](std::size_t begin, std::size_t end) {
                visit(std::string_view(text).substr(begin, end - begin));
            });
        while (!work.empty()) {
            const std::string word = std::move(work.back());
            work.pop_back();
            for (const std::string& next : meanings.find(word)->second)
                visit(next);
        }
        const TypeDeclaration* parent = model_.find_type(first_name(function.parent_type));
        if (!function.body && !function.parent_type.empty())
            continue; // a requirement makes nothing
        const bool is_generic =
            function.from_macro || function.parent_type.find('<') != std::string::npos ||
            (parent ? parent->is_interface || has_generic_head(model_.text(parent->site))
                    : !function.parent_type.empty() && !is_builtin_type(function.parent_type)) ||
            std::any_of(function.generics.begin(), function.generics.end(),
                        [](const GenericParameter& g) { return !g.is_value; });
        for (const auto& [type, parts] : of_type)
            if (type.empty() || is_generic || reached.contains(type))
                parts_[i].insert(parts_[i].end(), parts.begin(), parts.end());
    }
}

} // namespace slimgrad
