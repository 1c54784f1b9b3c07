#include "plugin/verify/gradient_pairs.h"

#include "attributes/expression_text.h"

#include <algorithm>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>

namespace slimgrad::verify {

namespace {

bool writes_memory(const Effects& effects) {
    return !effects.writes.empty() || !effects.unknown.empty();
}

bool holds_integers(const ModuleModel& model, const std::string& buffer) {
    const GlobalVariable* global = model.find_global(buffer);
    const std::vector<std::string_view> arguments =
        global ? type_arguments(global->type) : std::vector<std::string_view>{};
    return !arguments.empty() &&
           (compact(arguments[0]).starts_with("int") || compact(arguments[0]).starts_with("uint"));
}

/// Names in the function, or in what it calls, that are neither its own nor constants: parameters
/// of the module in constant buffers, say. Memory that is accessed by index is not among them.
std::set<std::string> module_names(const ModuleModel& model, const EffectAnalysis& effects,
                                   Index function) {
    const std::set<Index> reached = effects.reachable(function, false);
    std::set<std::string> names;
    for (const Access& access : model.accesses) {
        if (!reached.contains(access.function) || access.local != none || access.name.empty())
            continue;
        const Function& own = model.functions[access.function];
        const bool parameter =
            std::any_of(own.parameters.begin(), own.parameters.end(),
                        [&](const Parameter& p) { return p.name == access.name; }) ||
            std::any_of(own.generics.begin(), own.generics.end(),
                        [&](const GenericParameter& p) { return p.name == access.name; });
        const TypeDeclaration* type =
            own.parent_type.empty() ? nullptr : model.find_type(own.parent_type);
        const bool field =
            access.name == "this" ||
            (type && std::any_of(type->fields.begin(), type->fields.end(),
                                 [&](const auto& f) { return f.name == access.name; }));
        const GlobalVariable* global = model.find_global(access.name);
        if (parameter || field || (global && global->kind == GlobalKind::constant) ||
            model.find_macro(access.name) || model.find_type(access.name) ||
            !model.find_functions(access.name).empty())
            continue;
        names.insert(access.name);
    }
    return names;
}

/// What the gradients that the derivative adds to memory may be of.
std::set<std::string> gradients_of(const ModuleModel& model, const EffectAnalysis& effects,
                                   Index function, Index derivative) {
    const Effects done = effects.of_function(function);
    std::set<std::string> names, integers;
    for (const auto& [root, site] : done.reads)
        (holds_integers(model, root.name) ? integers : names).insert(buffer_name(model, root));
    if (names.empty())
        names = module_names(model, effects, function);
    if (names.empty())
        names = std::move(integers); // bits of numbers
    if (names.empty() && !done.unknown.empty())
        names.insert(model.functions[derivative].name);
    return names;
}

bool is_buffer(const GlobalVariable& global) {
    return global.kind == GlobalKind::read_only_buffer ||
           global.kind == GlobalKind::writable_buffer;
}

/// "float" for `RWStructuredBuffer<Atomic<float>>`.
std::string element_type(const GlobalVariable& global) {
    const std::vector<std::string_view> arguments = type_arguments(global.type);
    if (arguments.empty())
        return {};
    std::string type = compact(arguments[0]);
    if (type.starts_with("Atomic<") && type.ends_with(">"))
        type = type.substr(7, type.size() - 8);
    return type;
}

/// The only global buffer among what a function reads or writes, callees included; null where there
/// is none or more.
const GlobalVariable* only_buffer(const ModuleModel& model,
                                  const std::map<MemoryRoot, Site>& roots) {
    if (roots.size() != 1 || !roots.begin()->first.is_global)
        return nullptr;
    const GlobalVariable* global = model.find_global(roots.begin()->first.name);
    return global && is_buffer(*global) ? global : nullptr;
}

/// The text with every name that is a parameter of `from` replaced by the parameter of `to` at the
/// same place.
std::string in_terms_of(std::string_view text, const Function& from, const Function& to) {
    std::string result;
    for (std::size_t i = 0; i < text.size();) {
        const bool name = is_name_start(text[i]) && (i == 0 || !is_name(text[i - 1]));
        std::size_t end = i + 1;
        while (name && end < text.size() && is_name(text[end]))
            ++end;
        std::string word(text.substr(i, end - i));
        for (std::size_t k = 0; name && k < from.parameters.size(); ++k) {
            if (from.parameters[k].name == word && k < to.parameters.size()) {
                word = to.parameters[k].name;
                break;
            }
        }
        result += word;
        i = end;
    }
    return result;
}

/// What custom derivatives say about one module.
class PairReader {
  public:
    PairReader(const ModuleModel& model, const EffectAnalysis& effects)
        : model_(model), effects_(effects) {}

    std::optional<GradientPair> obvious(Index function, Index derivative) const {
        const Effects reads = effects_.of_function(function);
        const Effects writes = effects_.of_function(derivative);
        if (!reads.writes.empty() || !reads.unknown.empty() || !writes.unknown.empty())
            return std::nullopt;
        const GlobalVariable* buffer = only_buffer(model_, reads.reads);
        const GlobalVariable* gradient = only_buffer(model_, writes.writes);
        if (!buffer || !gradient || buffer == gradient ||
            element_type(*buffer) != element_type(*gradient) || element_type(*buffer).empty())
            return std::nullopt;
        const std::optional<std::string> read = read_index(function, *buffer);
        const std::optional<std::string> added = added_index(derivative, *gradient);
        if (!read || !added ||
            in_terms_of(*added, model_.functions[derivative], model_.functions[function]) != *read)
            return std::nullopt;
        return GradientPair{buffer->name, gradient->name, model_.functions[derivative].name};
    }

  private:
    std::string index_text(const Access& access) const {
        return compact(model_.text(*access.subscript_index));
    }

    /// The index of all reads of the buffer in the function's own body; nothing where they differ.
    std::optional<std::string> read_index(Index function, const GlobalVariable& buffer) const {
        std::optional<std::string> index;
        for (const Access& access : model_.accesses) {
            if (access.function != function || access.name != buffer.name || access.local != none)
                continue;
            if (!access.subscript_index || !access.members.empty() ||
                (index && *index != index_text(access)))
                return std::nullopt;
            index = index_text(access);
        }
        return index;
    }

    /// Where the derivative adds to the buffer, directly or through functions that it calls with
    /// index and value: the index in its own words. Nothing where it does anything else to it.
    std::optional<std::string> added_index(Index derivative, const GlobalVariable& buffer) const {
        const std::set<Index> reached = effects_.reachable(derivative, false);
        std::optional<std::string> index;
        for (const Access& access : model_.accesses) {
            if (!reached.contains(access.function) || access.name != buffer.name ||
                access.local != none || access.kind == AccessKind::read)
                continue;
            const std::optional<std::string> added = value_added(access);
            if (!added || !access.subscript_index || !access.members.empty())
                return std::nullopt;
            std::vector<std::string> indices;
            if (access.function == derivative) {
                if (!uses_last_parameter(derivative, *added))
                    return std::nullopt;
                indices = {index_text(access)};
            } else {
                indices = called_with(derivative, access.function, index_text(access), *added);
            }
            if (indices.empty())
                return std::nullopt;
            for (const std::string& one : indices) {
                if (index && *index != one)
                    return std::nullopt;
                index = one;
            }
        }
        return index;
    }

    /// `d` of `G[i] += d`, `G[i] = G[i] + d`, `InterlockedAdd(G[i], d)`.
    std::optional<std::string> value_added(const Access& access) const {
        const std::string& text = model_.files[access.site.file].text();
        if (access.argument_of != none) {
            const Call& call = model_.calls[access.argument_of];
            if (call.callee != "InterlockedAdd" || access.argument_index != 0 ||
                call.arguments.size() < 2)
                return std::nullopt;
            return compact(model_.text(call.arguments[1]));
        }
        const std::size_t end = text.find(';', access.site.range.end);
        if (end == std::string::npos)
            return std::nullopt;
        const std::string rest =
            compact(text.substr(access.site.range.end, end - access.site.range.end));
        if (rest.starts_with("+="))
            return rest.substr(2);
        const std::string again = "=" + compact(model_.text(access.site)) + "+";
        if (rest.starts_with(again))
            return rest.substr(again.size());
        return std::nullopt;
    }

    bool uses_last_parameter(Index function, std::string_view expression) const {
        const std::vector<Parameter>& parameters = model_.functions[function].parameters;
        if (parameters.empty())
            return false;
        const std::vector<std::string> names = names_in(expression);
        return std::find(names.begin(), names.end(), parameters.back().name) != names.end();
    }

    /// The arguments for `index`, a parameter of `callee`, in all calls from the derivative;
    /// nothing where one of them is called otherwise or does not pass on the gradient.
    std::vector<std::string> called_with(Index derivative, Index callee, const std::string& index,
                                         const std::string& added) const {
        const std::vector<Parameter>& parameters = model_.functions[callee].parameters;
        const auto position = [&](const std::string& name) {
            return static_cast<std::size_t>(
                std::find_if(parameters.begin(), parameters.end(),
                             [&](const Parameter& parameter) { return parameter.name == name; }) -
                parameters.begin());
        };
        const std::size_t at = position(index), value = position(added);
        std::vector<std::string> result;
        for (const Call& call : model_.calls) {
            if (call.function != derivative || call.callee != model_.functions[callee].name)
                continue;
            if (at >= call.arguments.size() || value >= call.arguments.size() ||
                !uses_last_parameter(derivative, model_.text(call.arguments[value])))
                return {};
            result.push_back(compact(model_.text(call.arguments[at])));
        }
        return result;
    }

    const ModuleModel& model_;
    const EffectAnalysis& effects_;
};

} // namespace

std::vector<Index> backward_derivatives(const ModuleModel& model,
                                        const CustomDerivatives& derivatives, Index function) {
    std::vector<Index> result;
    const Function& primal = model.functions[function];
    for (const Index other : derivatives.derivatives(function)) {
        const Function& candidate = model.functions[other];
        const auto named = [&](std::string_view kind) {
            return std::any_of(primal.attributes.begin(), primal.attributes.end(),
                               [&](const Attribute& attribute) {
                                   return attribute.name == kind && !attribute.arguments.empty() &&
                                          last_name(attribute.arguments[0]) == candidate.name;
                               });
        };
        const bool backward =
            named("BackwardDerivative") || candidate.has_attribute("BackwardDerivativeOf") ||
            candidate.name.starts_with("bwd_diff(") || candidate.name.starts_with("__bwd_diff(");
        const bool forward =
            named("ForwardDerivative") || candidate.has_attribute("ForwardDerivativeOf") ||
            candidate.name.starts_with("fwd_diff(") || candidate.name.starts_with("__fwd_diff(");
        if (backward || (!forward && !derivatives.substitutes(function).contains(other)))
            result.push_back(other);
    }
    return result;
}

std::string buffer_name(const ModuleModel& model, const MemoryRoot& root) {
    const std::size_t dot = root.name.find('.');
    return root.is_global || dot == std::string::npos ||
                   model.find_functions(root.name.substr(0, dot)).empty()
               ? root.name
               : root.name.substr(dot + 1);
}

GradientPairs gradient_pairs(const ModuleModel& model, const EffectAnalysis& effects,
                             const std::map<std::string, std::string>& configured) {
    const CustomDerivatives& derivatives = effects.tracer().custom_derivatives();
    const PairReader reader(model, effects);
    std::map<std::string, GradientPair> pairs;
    std::set<std::string> unpaired;
    for (Index function = 0; function < model.functions.size(); ++function) {
        for (const Index derivative : backward_derivatives(model, derivatives, function)) {
            if (std::optional<GradientPair> pair = reader.obvious(function, derivative)) {
                const auto [known, added] = pairs.emplace(pair->buffer, *pair);
                if (!added && known->second.gradient != pair->gradient)
                    unpaired.insert(pair->buffer);
            } else if (writes_memory(effects.of_function(derivative))) {
                unpaired.merge(gradients_of(model, effects, function, derivative));
            }
        }
    }
    for (const std::string& buffer : unpaired)
        pairs.erase(buffer);
    for (const auto& [buffer, gradient] : configured)
        pairs[buffer] = {buffer, gradient, ""};
    GradientPairs result;
    for (const auto& [buffer, pair] : pairs)
        result.pairs.push_back(pair);
    unpaired.clear();
    for (Index function = 0; function < model.functions.size(); ++function)
        for (const Index derivative : backward_derivatives(model, derivatives, function))
            if (writes_memory(effects.of_function(derivative)))
                for (const std::string& name : gradients_of(model, effects, function, derivative))
                    if (!pairs.contains(name)) {
                        result.unpaired_of[function].insert(name);
                        unpaired.insert(name);
                    }
    result.unpaired.assign(unpaired.begin(), unpaired.end());
    return result;
}

std::vector<std::string> GradientPairs::unpaired_below(const EffectAnalysis& effects,
                                                       Index function) const {
    std::set<std::string> names;
    for (const Index reached : effects.reachable(function, false))
        if (const auto found = unpaired_of.find(reached); found != unpaired_of.end())
            names.insert(found->second.begin(), found->second.end());
    return {names.begin(), names.end()};
}

std::string problem_of_pairs(const ModuleModel& model, const EffectAnalysis& effects,
                             const std::map<std::string, std::string>& configured) {
    const auto known = [&](const std::string& buffer) {
        const std::string first = buffer.substr(0, buffer.find('.'));
        return model.find_global(first) ||
               std::any_of(model.functions.begin(), model.functions.end(), [&](const Function& f) {
                   return std::any_of(f.parameters.begin(), f.parameters.end(),
                                      [&](const Parameter& p) { return p.name == first; });
               });
    };
    const CustomDerivatives& derivatives = effects.tracer().custom_derivatives();
    const auto is_added_to = [&](const std::string& gradient) {
        for (Index function = 0; function < model.functions.size(); ++function)
            for (const Index derivative : backward_derivatives(model, derivatives, function)) {
                const Effects done = effects.of_function(derivative);
                if (!done.unknown.empty() ||
                    std::any_of(done.writes.begin(), done.writes.end(), [&](const auto& write) {
                        return buffer_name(model, write.first) == gradient;
                    }))
                    return true;
            }
        return false;
    };
    for (const auto& [buffer, gradient] : configured) {
        const bool has_buffer = known(buffer), has_gradient = known(gradient);
        if (has_buffer != has_gradient)
            return fmt::format("gradient.{}: there is no buffer '{}'", buffer,
                               has_buffer ? gradient : buffer);
        if (has_buffer && !is_added_to(gradient))
            return fmt::format("gradient.{}: no custom derivative writes '{}'", buffer, gradient);
    }
    return "";
}

} // namespace slimgrad::verify
