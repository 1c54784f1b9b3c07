#include "plugin/verify/extrema.h"

#include "attributes/expression_text.h"

#include <algorithm>
#include <cstdlib>
#include <fmt/format.h>
#include <optional>
#include <utility>

namespace slimgrad::verify {
namespace {

/// "0" for "0.0f": clamp(x, 0.0f, 1.0f) is saturate(x).
std::string normal_form(std::string_view expression) {
    const std::string text = compact(expression);
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    const std::string_view rest = end;
    return rest.size() < text.size() && (rest.empty() || rest == "f" || rest == "h" || rest == "u")
               ? fmt::format("{}", value)
               : text;
}

/// Collects what a value is made of.
class Slice {
  public:
    explicit Slice(const ModuleModel& model) : model_(model) {}

    std::string of(Index function, std::string_view expression) {
        result_.clear();
        seen_.clear();
        add(function, expression);
        return std::move(result_);
    }

  private:
    void add(Index function, std::string_view expression) {
        result_ += normal_form(expression) + ';';
        for (const std::string& name : names_in(expression))
            if (seen_.emplace(function, name).second)
                add_name(function, name);
    }

    void add_name(Index function, const std::string& name) {
        for (const LocalVariable& local : model_.locals) {
            if (local.function != function || local.name != name)
                continue;
            if (local.initializer)
                add(function, model_.text(*local.initializer));
            if (local.reassigned)
                result_ += text_of(function);
        }
        const auto& parameters = model_.functions[function].parameters;
        for (std::size_t i = 0; i < parameters.size(); ++i)
            if (parameters[i].name == name)
                add_arguments(model_.functions[function].name, i);
        for (const Index callee : model_.find_functions(name))
            if (seen_.emplace(callee, "").second)
                add_function(callee);
        if (const GlobalVariable* global = model_.find_global(name); global && global->initializer)
            add(function, *global->initializer);
    }

    void add_arguments(const std::string& function, std::size_t index) {
        for (const Call& call : model_.calls)
            if (call.callee == function && call.function != none && index < call.arguments.size())
                add(call.function, model_.text(call.arguments[index]));
    }

    /// Without its attributes, which do not change what it computes.
    std::string text_of(Index function) const {
        const Function& of = model_.functions[function];
        return compact(model_.text(of.body ? Site{of.site.file, *of.body} : of.site));
    }

    void add_function(Index function) {
        result_ += text_of(function);
        for (const Call& call : model_.calls)
            if (call.function == function)
                for (const Index callee : model_.callees(call))
                    if (seen_.emplace(callee, "").second)
                        add_function(callee);
    }

    const ModuleModel& model_;
    std::string result_;
    std::set<std::pair<Index, std::string>> seen_;
};

} // namespace

std::vector<Extremum> extrema_in(const ModuleModel& model) {
    std::vector<Extremum> result;
    Slice slice(model);
    for (const Call& call : model.calls) {
        if (call.function == none || !call.receiver.empty() || call.kind != CallKind::plain ||
            model.is_macro(call.site) || !model.find_functions(call.callee).empty())
            continue;
        const auto add = [&](bool maximum, const std::string& a, const std::string& b) {
            result.push_back({call.callee,
                              maximum,
                              call.site,
                              call.function,
                              {compact(a), compact(b)},
                              {slice.of(call.function, a), slice.of(call.function, b)}});
        };
        std::vector<std::string> values;
        for (const Site& argument : call.arguments)
            values.emplace_back(model.text(argument));
        if ((call.callee == "max" || call.callee == "min") && values.size() == 2)
            add(call.callee == "max", values[0], values[1]);
        else if (call.callee == "abs" && values.size() == 1)
            add(true, values[0], "-(" + values[0] + ")");
        else if (call.callee == "saturate" && values.size() == 1)
            values.insert(values.end(), {"0", "1"});
        if ((call.callee == "clamp" || call.callee == "saturate") && values.size() == 3) {
            add(true, values[0], values[1]);
            add(false, values[0], values[2]);
        }
    }
    return result;
}

std::string arm_of(const Extremum& extremum, std::size_t value) {
    return (extremum.maximum ? "max: " : "min: ") + extremum.keys[value] + " with " +
           normal_form(extremum.values[1 - value]);
}

std::set<std::string> changed_arms(const ModuleModel& one, const ModuleModel& other) {
    const std::vector<Extremum> left = extrema_in(one), right = extrema_in(other);
    std::set<std::string> changed;
    for (const auto& [mine, others] : {std::pair{&left, &right}, std::pair{&right, &left}}) {
        std::set<std::string> arms;
        std::set<std::pair<bool, std::string>> keys, partners;
        for (const Extremum& extremum : *others)
            for (const std::size_t value : {0, 1}) {
                arms.insert(arm_of(extremum, value));
                keys.emplace(extremum.maximum, extremum.keys[value]);
                partners.emplace(extremum.maximum, normal_form(extremum.values[value]));
            }
        for (const Extremum& extremum : *mine)
            for (const std::size_t value : {0, 1}) {
                // What it was chosen from may have got another name.
                const bool renamed =
                    !partners.contains({extremum.maximum, normal_form(extremum.values[1 - value])});
                const std::string arm = arm_of(extremum, value);
                if (!arms.contains(arm) &&
                    !(renamed && keys.contains({extremum.maximum, extremum.keys[value]})))
                    changed.insert(arm);
            }
    }
    return changed;
}

} // namespace slimgrad::verify
