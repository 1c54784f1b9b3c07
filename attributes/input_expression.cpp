#include "attributes/input_expression.h"

#include "attributes/entry_point.h"
#include "attributes/expression_text.h"
#include "attributes/function_names.h"

#include <cstdint>
#include <string_view>

namespace slimgrad {

namespace {

constexpr int deepest = 8; ///< names and calls followed one after the other

bool is_computed(const ModuleModel& model, const std::string& expression, Index function,
                 int depth) {
    if (depth > deepest)
        return true;
    const std::string text = compact(expression);
    int brackets = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        brackets += text[i] == '[' ? 1 : text[i] == ']' ? -1 : 0;
        if (brackets == 0 &&
            std::string_view("+-*/%<>&|^?").find(text[i]) != std::string_view::npos && i > 0 &&
            text[i - 1] != '(' && text[i - 1] != ',')
            return true;
    }
    for (const std::string& name : names_in(text)) {
        if (const LocalVariable* local = find_local(model, function, name);
            local && local->initializer &&
            is_computed(model, std::string(model.text(*local->initializer)), function, depth + 1))
            return true;
        std::uint32_t index = 0;
        if (!find_parameter(model, function, name, index))
            continue;
        for (const Call& call : model.calls) {
            if (call.callee == model.functions[function].name && index < call.arguments.size() &&
                call.function != none &&
                is_computed(model, std::string(model.text(call.arguments[index])), call.function,
                            depth + 1))
                return true;
        }
    }
    return false;
}

std::string input_of(const ModuleModel& model, const std::string& expression, Index function,
                     int depth) {
    const std::string text = compact(expression);
    const auto names = names_in(text);
    if (names.empty() || depth > deepest)
        return "";
    const std::string& head = names.front();
    const bool at_head = text.starts_with(head);
    if (at_head && text.size() > head.size() && text[head.size()] == '(') {
        // A cast, min, max or clamp: its first argument that is an input.
        std::string found;
        int brackets = 0;
        std::size_t begin = head.size() + 1;
        for (std::size_t i = begin; i < text.size() && found.empty(); ++i) {
            if ((text[i] == ',' || i + 1 == text.size()) && brackets == 0) {
                found = input_of(model, text.substr(begin, i - begin), function, depth + 1);
                begin = i + 1;
            }
            brackets += text[i] == '(' || text[i] == '['   ? 1
                        : text[i] == ')' || text[i] == ']' ? -1
                                                           : 0;
        }
        return found;
    }
    if (!at_head)
        return text.starts_with('(')
                   ? input_of(model, text.substr(text.find(')') + 1), function, depth + 1)
                   : "";
    if (is_local_name(model, function, head)) {
        const LocalVariable* local = find_local(model, function, head);
        return local && local->initializer && !local->reassigned && text == head
                   ? input_of(model, std::string(model.text(*local->initializer)), function,
                              depth + 1)
                   : "";
    }
    std::uint32_t index = 0;
    if (find_parameter(model, function, head, index)) {
        if (is_entry_point(model.functions[function]))
            return text;
        std::string found;
        for (const Call& call : model.calls) {
            if (text != head || call.callee != model.functions[function].name ||
                index >= call.arguments.size() || call.function == none)
                continue;
            const std::string input = input_of(
                model, std::string(model.text(call.arguments[index])), call.function, depth + 1);
            if (!found.empty() && input != found)
                return "";
            found = input;
        }
        return found;
    }
    const GlobalVariable* global = model.find_global(head);
    if (!global || global->kind == GlobalKind::constant)
        return "";
    // One element by a literal index; another index is some element of a buffer of integers.
    const auto bracket = text.find('[');
    if (bracket == std::string::npos ||
        text.find_first_not_of("0123456789uU", bracket + 1) + 1 == text.size())
        return text;
    return global->type.find("<int>") != std::string::npos ||
                   global->type.find("<uint>") != std::string::npos
               ? head
               : "";
}

} // namespace

bool is_computed(const ModuleModel& model, const std::string& expression, Index function) {
    return is_computed(model, expression, function, 0);
}

std::string input_of(const ModuleModel& model, const std::string& expression, Index function) {
    return input_of(model, expression, function, 0);
}

} // namespace slimgrad
