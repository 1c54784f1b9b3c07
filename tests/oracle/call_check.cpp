#include "tests/oracle/call_check.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <string_view>

namespace slimgrad::oracle {

namespace {

/// Columns of the protocol count UTF-16 units.
std::uint32_t utf16_length(std::string_view text) {
    std::uint32_t units = 0;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        units += (byte & 0xC0) != 0x80;
        units += byte >= 0xF0;
    }
    return units;
}

DefinitionQuery::Position position_of(const SourceFile& file, std::uint32_t offset) {
    const std::uint32_t start = file.line_start(offset);
    return {std::uint32_t(file.place(offset).line - 1), utf16_length(file.slice({start, offset}))};
}

bool is_word(char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           static_cast<unsigned char>(c) >= 0x80;
}

/// Where the callee's name starts: in front of the parenthesis, generic arguments and white space.
std::uint32_t name_offset(const ModuleModel& model, const Call& call) {
    if (call.form != CallForm::call)
        return call.open_parenthesis;
    const std::string_view head =
        model.files[call.site.file].slice({call.site.range.begin, call.open_parenthesis});
    const auto found = call.callee.empty() ? head.npos : head.rfind(call.callee);
    std::size_t at = found;
    // The last one that is a word of its own.
    while (at != head.npos) {
        const std::size_t end = at + call.callee.size();
        if ((at == 0 || !is_word(head[at - 1])) && (end == head.size() || !is_word(head[end])))
            return call.site.range.begin + std::uint32_t(at);
        at = at == 0 ? head.npos : head.rfind(call.callee, at - 1);
    }
    return call.site.range.begin;
}

bool is_same_file(const std::string& a, const std::string& b) {
    std::error_code error;
    return a == b || std::filesystem::equivalent(a, b, error);
}

bool is_of_core_module(const ModuleModel& model, const Definition& definition) {
    return std::none_of(model.files.begin(), model.files.end(), [&](const SourceFile& file) {
        return is_same_file(file.path(), definition.path);
    });
}

/// Whether the definition is this function's name, or that of the property or subscript whose
/// accessor it is.
bool is_at(const ModuleModel& model, const Definition& definition, Index function) {
    const Function& target = model.functions[function];
    const SourceFile& file = model.files[target.name_site.file];
    if (!is_same_file(file.path(), definition.path))
        return false;
    // Columns in files that it has not opened are not to be relied on. `operator*` is at its `*`.
    const ByteRange name = target.name_site.range;
    const auto [line_of_name, first] = position_of(file, name.begin);
    if (line_of_name == definition.line &&
        (target.name_site.file != 0 ||
         (definition.column >= first && definition.column < first + name.end - name.begin)))
        return true;
    // "S.property.get", where a method is "S.get".
    const std::size_t length = target.qualified_name.size() - target.name.size();
    const std::string owner = target.qualified_name.substr(0, length == 0 ? 0 : length - 1);
    const bool accessor =
        !owner.empty() && !target.parent_type.empty() && !owner.ends_with(target.parent_type);
    const std::uint32_t line = file.place(target.site.range.begin).line - 1;
    if (!accessor || definition.line > line)
        return false;
    // The property stands before its accessors; where in the line, only files it opened tell.
    const std::string property = owner.substr(owner.rfind('.') + 1);
    const bool is_exact = target.name_site.file == 0;
    const std::string_view text =
        file.slice({file.offset(definition.line + 1, is_exact ? definition.column + 1 : 1),
                    target.site.range.begin});
    const std::string_view word = property == "operator[]" ? "(" : std::string_view(property);
    const bool names_it =
        is_exact ? text.starts_with(word)
                 : text.substr(0, text.find('\n')).find(word) != std::string_view::npos;
    return names_it && std::count(text.begin(), text.end(), '{') ==
                           1 + std::count(text.begin(), text.end(), '}');
}

/// The function that an answer names, or none.
Index function_of(const ModuleModel& model, const Definition& answer) {
    for (Index function = 0; function < model.functions.size(); ++function) {
        if (is_at(model, answer, function))
            return function;
    }
    return none;
}

/// For a derivative the compiler may name the function that defines it, which an attribute of one
/// of the two or `__func_extension` ties to the target.
bool names_derivative(const ModuleModel& model, const std::vector<Definition>& answers,
                      const Call& call) {
    if (call.kind == CallKind::plain)
        return false;
    const Function& primal = model.functions[call.target];
    const auto ties = [](const Function& function, const std::string& to) {
        return std::any_of(function.attributes.begin(), function.attributes.end(),
                           [&](const Attribute& attribute) {
                               return attribute.name.find("Derivative") != std::string::npos &&
                                      !attribute.arguments.empty() &&
                                      attribute.arguments[0].find(to) != std::string::npos;
                           });
    };
    return std::any_of(answers.begin(), answers.end(), [&](const Definition& answer) {
        const Index function = function_of(model, answer);
        if (function == none)
            return false;
        const Function& derivative = model.functions[function];
        return ties(primal, derivative.name) || ties(derivative, primal.name) ||
               derivative.name.find("(") != std::string::npos;
    });
}

/// A prototype of the target, which is what the compiler names then.
bool names_prototype(const ModuleModel& model, const std::vector<Definition>& answers,
                     const Call& call) {
    const Index function = answers.size() == 1 ? function_of(model, answers[0]) : none;
    if (function == none)
        return false;
    const Function& prototype = model.functions[function];
    const Function& target = model.functions[call.target];
    return !prototype.body && prototype.qualified_name == target.qualified_name &&
           std::equal(prototype.parameters.begin(), prototype.parameters.end(),
                      target.parameters.begin(), target.parameters.end(),
                      [](const Parameter& a, const Parameter& b) { return a.type == b.type; });
}

/// With explicit generic arguments the compiler shows one of the overloads, which may be one that
/// cannot be called.
bool cannot_take(const ModuleModel& model, const std::vector<Definition>& answers,
                 const Call& call) {
    const Index function = answers.size() == 1 ? function_of(model, answers[0]) : none;
    if (call.generic_arguments.empty() || function == none)
        return false;
    const auto& parameters = model.functions[function].parameters;
    // Of two structs of the module that share nothing one is not the other.
    const auto struct_of = [&](std::string_view type) -> const TypeDeclaration* {
        const TypeDeclaration* found = model.find_type(type.substr(0, type.find('<')));
        return found && !found->is_interface && found->bases.empty() ? found : nullptr;
    };
    for (std::size_t i = 0; i < std::min(parameters.size(), call.arguments.size()); ++i) {
        const TypeDeclaration* given = struct_of(model.type_of(call.arguments[i]));
        const TypeDeclaration* wanted = struct_of(parameters[i].type);
        if (given && wanted && given != wanted)
            return true;
    }
    const auto required = std::count_if(parameters.begin(), parameters.end(),
                                        [](const auto& one) { return !one.default_value; });
    return call.arguments.size() > parameters.size() ||
           call.arguments.size() < std::size_t(required);
}

std::string describe(const ModuleModel& model, const Call& call) {
    const Place place = model.place(call.site.file, name_offset(model, call));
    std::string text =
        fmt::format("{}:{}:{}: '{}' ", place.file, place.line, place.column, call.callee);
    if (call.target != none) {
        const Function& target = model.functions[call.target];
        text += fmt::format("means {} in line {}", target.qualified_name,
                            model.place(target.name_site).line);
    } else {
        constexpr const char* kinds[] = {"unresolved",  "function",     "method",  "static",
                                         "constructor", "construction", "builtin", "macro",
                                         "requirement", "value"};
        text += fmt::format("is {} with {} candidates", kinds[int(call.callee_kind)],
                            call.candidates.size());
    }
    return text;
}

std::string describe(const std::vector<Definition>& answers) {
    std::string text;
    for (const Definition& answer : answers)
        text += fmt::format(" {}:{}:{}", std::filesystem::path(answer.path).filename().string(),
                            answer.line + 1, answer.column + 1);
    return text;
}

} // namespace

CallFigures& CallFigures::operator+=(const CallFigures& other) {
    resolved += other.resolved;
    unresolved += other.unresolved;
    confirmed += other.confirmed;
    unanswered += other.unanswered;
    wrong.insert(wrong.end(), other.wrong.begin(), other.wrong.end());
    missing.insert(missing.end(), other.missing.begin(), other.missing.end());
    return *this;
}

CallPlaces places_of_calls(const ModuleModel& model) {
    CallPlaces places;
    const SourceFile& file = model.files[0];
    places.query.path = file.path();
    places.query.text = file.text();
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        if (call.site.file != 0)
            continue;
        places.calls.push_back(i);
        places.query.positions.push_back(position_of(file, name_offset(model, call)));
    }
    return places;
}

CallFigures compare_calls(const ModuleModel& model, const CallPlaces& places) {
    CallFigures figures;
    for (std::size_t i = 0; i < places.calls.size(); ++i) {
        const Call& call = model.calls[places.calls[i]];
        const std::vector<Definition>& answers = places.query.answers[i];
        const auto says = [&](auto matches) {
            return std::any_of(answers.begin(), answers.end(), matches);
        };
        const auto is_function = [&](Index function) {
            return says([&](const Definition& answer) { return is_at(model, answer, function); });
        };
        const auto is_any = [&](const std::vector<Definition>& definitions) {
            return std::any_of(definitions.begin(), definitions.end(),
                               [&](const Definition& definition) {
                                   return function_of(model, definition) != none;
                               });
        };
        if (call.callee_kind == CalleeKind::unresolved) {
            ++figures.unresolved;
            figures.missing.push_back(describe(model, call) + ", compiler:" + describe(answers));
            // All that it may be has to be among the candidates.
            const bool core =
                says([&](const Definition& answer) { return is_of_core_module(model, answer); });
            if (is_any(answers) && !core && answers.size() == 1 &&
                std::none_of(call.candidates.begin(), call.candidates.end(), is_function))
                figures.wrong.push_back(describe(model, call) +
                                        " without the compiler's:" + describe(answers));
            continue;
        }
        ++figures.resolved;
        if (answers.empty() || call.callee_kind == CalleeKind::macro ||
            call.callee_kind == CalleeKind::value) {
            ++figures.unanswered;
            continue;
        }
        bool same = false;
        if (call.target != none) {
            same = is_function(call.target) || names_derivative(model, answers, call) ||
                   names_prototype(model, answers, call);
            // The compiler shows the type or an alias of it, or the variable that is called.
            const bool no_name = call.callee_kind == CalleeKind::constructor ||
                                 model.functions[call.target].name == "operator()";
            if (!same && ((no_name && !is_any(answers)) || cannot_take(model, answers, call))) {
                ++figures.unanswered;
                continue;
            }
        } else {
            // Of no function of the module: the compiler names the core module, or a type.
            same = true;
            for (Index function = 0; function < model.functions.size(); ++function)
                same &= !is_function(function);
            if (call.callee_kind == CalleeKind::builtin)
                same &= says(
                    [&](const Definition& answer) { return is_of_core_module(model, answer); });
        }
        if (same)
            ++figures.confirmed;
        else
            figures.wrong.push_back(describe(model, call) + ", compiler:" + describe(answers));
    }
    return figures;
}

} // namespace slimgrad::oracle
