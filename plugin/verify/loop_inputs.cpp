#include "plugin/verify/loop_inputs.h"

#include "attributes/entry_point.h"
#include "attributes/function_names.h"

#include <algorithm>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

namespace slimgrad {
namespace {

class InputTracer {
  public:
    explicit InputTracer(const ModuleModel& model) : model_(model) {}

    std::optional<std::vector<std::string>> of(Index index) {
        const Loop& loop = model_.loops[index];
        if (loop.condition)
            expression({loop.site.file, *loop.condition});
        if (loop.has_break || inputs_.empty())
            expression({loop.site.file, loop.body});
        if (lost_)
            return std::nullopt;
        return std::move(inputs_);
    }

  private:
    /// All that the text reads, and what the functions read that it calls.
    void expression(const Site& site) {
        for (const Access& access : model_.accesses)
            if (access.site.file == site.file && site.range.contains(access.site.range))
                name(access);
        for (const Call& call : model_.calls)
            if (call.site.file == site.file && site.range.contains(call.site.range))
                for (const Index callee : model_.callees(call))
                    if (model_.functions[callee].body && entered_.insert(callee).second)
                        expression(
                            {model_.functions[callee].site.file, *model_.functions[callee].body});
    }

    void name(const Access& access) {
        if (access.name.empty() || access.function == none)
            return;
        std::uint32_t index = 0;
        if (is_local_name(model_, access.function, access.name)) {
            if (seen_.insert({access.function, access.name}).second)
                local(access.function, access.name);
        } else if (const Parameter* parameter =
                       find_parameter(model_, access.function, access.name, index)) {
            if (is_entry_point(model_.functions[access.function])) {
                if (parameter->semantic.empty())
                    input(access);
            } else if (seen_.insert({access.function, access.name}).second) {
                assignments(access.function, access.name);
                arguments(access.function, index);
            }
        } else if (const GlobalVariable* global = model_.find_global(access.name)) {
            if (global->kind == GlobalKind::groupshared ||
                global->kind == GlobalKind::mutable_static)
                lost_ = true;
            else if (global->kind != GlobalKind::constant)
                input(access);
        } else if (!is_generic(model_, access.function, access.name)) {
            lost_ = true; // a member of the type around it, a macro
        }
    }

    void input(const Access& access) {
        std::string text = access.name;
        for (const std::string& member : access.members)
            if (model_.find_global(access.name) == nullptr ||
                model_.find_global(access.name)->kind == GlobalKind::constant_buffer)
                text += "." + member;
        if (std::find(inputs_.begin(), inputs_.end(), text) == inputs_.end())
            inputs_.push_back(std::move(text));
    }

    void local(Index function, const std::string& name) {
        for (const LocalVariable& variable : model_.locals)
            if (variable.function == function && variable.name == name && variable.initializer)
                expression(*variable.initializer);
        assignments(function, name);
    }

    /// The statements that write the name, as far as they follow it.
    void assignments(Index function, const std::string& name) {
        for (const Access& access : model_.accesses) {
            if (access.function != function || access.name != name)
                continue;
            if (access.as_argument)
                argument(access);
            if (access.as_argument || access.kind == AccessKind::read)
                continue;
            const std::string_view text = model_.files[access.site.file].text();
            const std::size_t end = text.find(';', access.site.range.end);
            if (end == std::string_view::npos)
                lost_ = true;
            else
                expression({access.site.file, {access.site.range.begin, std::uint32_t(end)}});
        }
    }

    /// A name that stands alone as an argument: what is called may write it.
    void argument(const Access& access) {
        if (access.argument_of == none)
            return;
        for (const Index callee : model_.callees(model_.calls[access.argument_of])) {
            const auto& parameters = model_.functions[callee].parameters;
            if (access.argument_index >= parameters.size())
                continue;
            const auto& modifiers = parameters[access.argument_index].modifiers;
            lost_ = lost_ || std::any_of(modifiers.begin(), modifiers.end(), [](const auto& word) {
                        return word == "out" || word == "inout";
                    });
        }
    }

    void arguments(Index function, std::uint32_t index) {
        bool called = false;
        for (const Call& call : model_.calls) {
            if (call.callee != model_.functions[function].name || index >= call.arguments.size())
                continue;
            called = true;
            expression(call.arguments[index]);
        }
        lost_ = lost_ || !called;
    }

    const ModuleModel& model_;
    std::set<std::pair<Index, std::string>> seen_;
    std::set<Index> entered_;
    std::vector<std::string> inputs_;
    bool lost_ = false; ///< a name cannot be followed
};

} // namespace

std::optional<std::vector<std::string>> loop_inputs(const ModuleModel& model, Index loop) {
    return InputTracer(model).of(loop);
}

} // namespace slimgrad
