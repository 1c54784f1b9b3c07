#include "attributes/outlined_variables.h"

#include "attributes/expression_text.h"
#include "attributes/function_names.h"
#include "attributes/memory_types.h"
#include "rewriter/code_block.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <map>
#include <set>

namespace slimgrad {

namespace {

using Direction = OutlinedVariable::Direction;

class Sharing {
  public:
    Sharing(const ModuleModel& model, const FunctionFlow& flow, const CodeToOutline& wanted)
        : model_(model), function_(model.functions[wanted.function]), flow_(flow), wanted_(wanted) {
    }

    Result<std::vector<OutlinedVariable>> run() {
        if (!flow_.incomplete.empty())
            return fail(flow_.incomplete, place());
        if (std::string why = why_names_are_unknown(); !why.empty())
            return fail(std::move(why), place());
        std::vector<OutlinedVariable> shared;
        for (Index variable = 0; variable < flow_.variables.size(); ++variable) {
            if (!is_mentioned(variable))
                continue;
            if (std::string why = add(variable, shared); !why.empty())
                return fail(std::move(why), place());
        }
        if (const std::string twice = named_twice(); !twice.empty())
            return fail(fmt::format("'{}' means several variables in it", twice), place());
        return shared;
    }

  private:
    Place place() const { return model_.place(wanted_.code.front()); }

    bool is_inside(const Site& site) const {
        return std::any_of(wanted_.code.begin(), wanted_.code.end(), [&](const Site& code) {
            return code.file == site.file && code.range.contains(site.range) && !site.range.empty();
        });
    }

    bool is_loop_inside(Index loop) const {
        return loop != none && is_inside(model_.loops[loop].site);
    }

    bool is_mentioned(Index variable) const {
        return std::any_of(flow_.uses.begin(), flow_.uses.end(),
                           [&](const Use& use) {
                               return use.variable == variable && is_inside(use.site);
                           }) ||
               std::any_of(flow_.definitions.begin(), flow_.definitions.end(),
                           [&](const Definition& definition) {
                               return definition.variable == variable && is_inside(definition.site);
                           });
    }

    /// The value comes from one run of the code into it, or the next one.
    bool comes_from_outside(const ReachingDefinition& reaching) const {
        return !is_inside(flow_.definitions[reaching.definition].site) ||
               (reaching.carried_by != none && !is_loop_inside(reaching.carried_by));
    }

    /// Why a word of the code may mean a variable of the function that the flow does not know
    /// there: in an attribute, in the size of an array.
    std::string why_names_are_unknown() const {
        std::set<std::string, std::less<>> own;
        for (const Variable& variable : flow_.variables)
            if (variable.kind == VariableKind::parameter || variable.kind == VariableKind::local)
                own.insert(variable.name);
        for (const Site& code : wanted_.code) {
            for (const Site& name : names_of(model_, code)) {
                const std::string word(model_.text(name));
                if (own.contains(word) && !is_known(word, name))
                    return fmt::format("'{}' stands where it may have to be a constant", word);
            }
        }
        return "";
    }

    bool is_known(std::string_view word, const Site& name) const {
        const auto is_it = [&](Index variable, const Site& site) {
            return flow_.variables[variable].name == word && site.file == name.file &&
                   site.range.contains(name.range);
        };
        return std::any_of(flow_.uses.begin(), flow_.uses.end(),
                           [&](const Use& use) { return is_it(use.variable, use.site); }) ||
               std::any_of(flow_.definitions.begin(), flow_.definitions.end(),
                           [&](const Definition& d) { return is_it(d.variable, d.site); });
    }

    /// A name that stands for two variables of the code.
    std::string named_twice() const {
        std::map<std::string, int> seen;
        for (Index variable = 0; variable < flow_.variables.size(); ++variable) {
            const Variable& v = flow_.variables[variable];
            const bool own = v.kind == VariableKind::local && is_inside(v.site);
            if (!own && is_mentioned(variable) && ++seen[v.name] > 1)
                return v.name;
        }
        return "";
    }

    /// Adds the variable if it is passed; why it cannot be.
    std::string add(Index index, std::vector<OutlinedVariable>& shared) const {
        const Variable& variable = flow_.variables[index];
        const bool is_written = is_defined_inside(index);
        switch (variable.kind) {
        case VariableKind::field:
        case VariableKind::object:
            return is_written ? "it writes the object that the function is called on" : "";
        case VariableKind::global:
        case VariableKind::other:
            return "";
        case VariableKind::parameter:
        case VariableKind::local:
            break;
        }
        if (variable.kind == VariableKind::local && variable.index == wanted_.own_local &&
            variable.index != none)
            return "";
        const bool own = variable.kind == VariableKind::local && is_inside(variable.site);
        if (own && !is_used_behind(index))
            return "";
        OutlinedVariable passed;
        passed.name = variable.name;
        passed.type = type_of(index);
        passed.direction = own ? Direction::result : direction_of(index);
        if (variable.kind == VariableKind::local)
            passed.local = variable.index;
        if (passed.type.empty())
            return fmt::format("the type of '{}' cannot be told from the text", variable.name);
        if (std::string why = why_not_passed(index, passed); !why.empty())
            return why;
        shared.push_back(std::move(passed));
        return "";
    }

    bool is_defined_inside(Index variable) const {
        return std::any_of(flow_.definitions.begin(), flow_.definitions.end(),
                           [&](const Definition& definition) {
                               return definition.variable == variable && is_inside(definition.site);
                           });
    }

    /// Whether what the code sets it to is used outside of it, or by its next run.
    bool is_used_behind(Index variable) const {
        return std::any_of(flow_.uses.begin(), flow_.uses.end(), [&](const Use& use) {
            if (use.variable != variable)
                return false;
            const bool inside = is_inside(use.site);
            return std::any_of(use.reaching.begin(), use.reaching.end(), [&](const auto& reaching) {
                return is_inside(flow_.definitions[reaching.definition].site) &&
                       (!inside || comes_from_outside(reaching));
            });
        });
    }

    /// Whether the caller of the function gets what the parameter is set to.
    bool is_returned(const Variable& variable) const {
        if (variable.kind != VariableKind::parameter)
            return false;
        const auto& words = function_.parameters[variable.index].modifiers;
        return std::any_of(words.begin(), words.end(), [](const std::string& word) {
            return word != "in" && word != "no_diff" && word != "const" && word != "uniform";
        });
    }

    Direction direction_of(Index index) const {
        const Variable& variable = flow_.variables[index];
        if (!is_defined_inside(index) || is_binding_type(variable.type) ||
            variable.type.find("TensorView") != std::string::npos)
            return Direction::in;
        if (is_returned(variable))
            return Direction::inout;
        if (!is_used_behind(index))
            return Direction::in;
        for (const Definition& definition : flow_.definitions)
            if (definition.variable == index && definition.partial && is_inside(definition.site))
                return Direction::inout;
        // Whoever may get a value of the code must get one in any case, or else the one before.
        for (const Use& use : flow_.uses) {
            if (use.variable != index)
                continue;
            const bool inside = is_inside(use.site);
            bool from_code = inside, from_elsewhere = false;
            for (const ReachingDefinition& reaching : use.reaching) {
                const bool set_here = is_inside(flow_.definitions[reaching.definition].site);
                from_code |= set_here;
                from_elsewhere |= inside ? comes_from_outside(reaching) : !set_here;
            }
            if (from_code && from_elsewhere)
                return Direction::inout;
        }
        return Direction::out;
    }

    std::string type_of(Index index) const {
        const Variable& variable = flow_.variables[index];
        if (!is_inferred_type(variable.type))
            return variable.type;
        for (const Use& use : flow_.uses)
            if (use.variable == index && model_.text(use.site) == variable.name)
                if (const std::string_view type = model_.type_of(use.site); !type.empty())
                    return std::string(type);
        return "";
    }

    std::string why_not_passed(Index index, const OutlinedVariable& passed) const {
        const Variable& variable = flow_.variables[index];
        const std::string head = first_name(passed.type);
        if (const TypeDeclaration* type = model_.find_type(head); type && type->is_interface)
            return fmt::format("'{}' is of an interface's type", variable.name);
        for (const std::string& name : names_in(passed.type))
            if (is_local_name(model_, wanted_.function, name))
                return fmt::format("the type of '{}' depends on '{}'", variable.name, name);
        if (variable.kind == VariableKind::local && variable.index != none &&
            model_.locals[variable.index].is_static)
            return fmt::format("'{}' is static", variable.name);
        if (variable.kind == VariableKind::parameter)
            return why_not_passed_on(function_.parameters[variable.index]);
        return is_pointer_type(passed.type) && passed.direction != Direction::in
                   ? fmt::format("it sets the pointer '{}'", variable.name)
                   : "";
    }

    static std::string why_not_passed_on(const Parameter& parameter) {
        constexpr std::array<std::string_view, 6> known{"in",      "out",   "inout",
                                                        "no_diff", "const", "uniform"};
        for (const std::string& word : parameter.modifiers)
            if (std::find(known.begin(), known.end(), word) == known.end())
                return fmt::format("'{}' is passed as '{}'", parameter.name, word);
        return "";
    }

    const ModuleModel& model_;
    const Function& function_;
    const FunctionFlow& flow_;
    const CodeToOutline& wanted_;
};

} // namespace

Result<std::vector<OutlinedVariable>> outlined_variables(const ModuleModel& model,
                                                         const FunctionFlow& flow,
                                                         const CodeToOutline& wanted) {
    auto shared = Sharing(model, flow, wanted).run();
    if (!shared)
        return shared;
    for (OutlinedVariable& variable : *shared)
        for (const Parameter& parameter : model.functions[wanted.function].parameters)
            if (variable.local == none && parameter.name == variable.name)
                variable.no_diff = std::find(parameter.modifiers.begin(), parameter.modifiers.end(),
                                             "no_diff") != parameter.modifiers.end();
    return shared;
}

} // namespace slimgrad
