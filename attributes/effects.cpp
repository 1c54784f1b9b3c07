#include "attributes/effects.h"

#include "attributes/builtins.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>

namespace slimgrad {

namespace {

bool is_name_start(char c) { return std::isalpha(static_cast<unsigned char>(c)) || c == '_'; }
bool is_name(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; }

/// "a" of "a.b[3].c", "" of "f(x)" or "(a)".
std::string base_name(std::string_view expression) {
    std::size_t length = 0;
    while (length < expression.size() && is_name(expression[length]))
        ++length;
    if (length == 0 || !is_name_start(expression[0]) || (length < expression.size() && expression[length] == '('))
        return "";
    return std::string(expression.substr(0, length));
}

/// "b" and "c" of "a.b[3].c": the members up to the first subscript only.
std::vector<std::string> member_names(std::string_view expression) {
    std::vector<std::string> members;
    std::size_t at = base_name(expression).size();
    while (at < expression.size() && expression[at] == '.') {
        std::size_t end = ++at;
        while (end < expression.size() && is_name(expression[end]))
            ++end;
        members.emplace_back(expression.substr(at, end - at));
        at = end;
    }
    return members;
}

std::string last_name(std::string_view qualified) {
    std::size_t begin = qualified.size();
    while (begin > 0 && is_name(qualified[begin - 1]))
        --begin;
    return std::string(qualified.substr(begin));
}

bool has_modifier(const Parameter& parameter, std::string_view modifier) {
    return std::find(parameter.modifiers.begin(), parameter.modifiers.end(), modifier) != parameter.modifiers.end();
}

bool is_shared_writable(GlobalKind kind) {
    return kind == GlobalKind::writable_buffer || kind == GlobalKind::groupshared || kind == GlobalKind::mutable_static;
}

std::string joined(const std::string& name, const std::vector<std::string>& members) {
    return members.empty() ? name : name + "." + members.front();
}

constexpr int deepest_root = 8;

} // namespace

EffectAnalysis::EffectAnalysis(const ModuleModel& model) : model_(model) {
    const std::size_t count = model.functions.size();
    calls_of_.resize(count);
    accesses_of_.resize(count);
    callees_.resize(count);
    derivatives_.resize(count);
    for (Index i = 0; i < count; ++i) {
        const Function& function = model.functions[i];
        by_name_[function.name].push_back(i);
        constexpr std::string_view accessors[] = {"get", "set", "ref", "modify", "__subscript", "__init"};
        const bool accessor = std::find(std::begin(accessors), std::end(accessors), function.name) != std::end(accessors);
        if (function.name.starts_with("operator") || (accessor && !function.parent_type.empty()))
            implicit_.insert(i);
    }
    for (Index i = 0; i < model.calls.size(); ++i) {
        const Call& call = model.calls[i];
        calls_by_callee_[call.callee].push_back(i);
        if (call.function == none)
            continue;
        calls_of_[call.function].push_back(i);
        if (const auto found = by_name_.find(call.callee); found != by_name_.end())
            callees_[call.function].insert(found->second.begin(), found->second.end());
    }
    for (Index i = 0; i < model.accesses.size(); ++i) {
        if (model.accesses[i].function != none)
            accesses_of_[model.accesses[i].function].push_back(i);
        // A function that is named without being called, as in `apply(f, x)`, may be called there.
        if (const auto found = by_name_.find(model.accesses[i].name);
            found != by_name_.end() && model.accesses[i].function != none && !model.find_global(model.accesses[i].name))
            callees_[model.accesses[i].function].insert(found->second.begin(), found->second.end());
    }
    for (Index i = 0; i < count; ++i) {
        for (const Attribute& attribute : model.functions[i].attributes) {
            if (attribute.arguments.empty())
                continue;
            const auto named = by_name_.find(last_name(attribute.arguments[0]));
            if (named == by_name_.end())
                continue;
            const std::string& name = attribute.name;
            if (name == "BackwardDerivative" || name == "ForwardDerivative" || name == "PrimalSubstitute") {
                derivatives_[i].insert(named->second.begin(), named->second.end());
            } else if (name == "BackwardDerivativeOf" || name == "ForwardDerivativeOf" || name == "PrimalSubstituteOf") {
                for (Index primal : named->second)
                    derivatives_[primal].insert(i);
            }
        }
    }
}

bool EffectAnalysis::is_entry_point(Index function) const {
    const Function& f = model_.functions[function];
    for (std::string_view attribute : {"shader", "numthreads", "CUDAKernel", "CudaKernel", "CudaDeviceExport", "AutoPyBindCUDA", "TorchEntryPoint"}) {
        if (f.has_attribute(attribute))
            return true;
    }
    return std::any_of(f.parameters.begin(), f.parameters.end(), [](const Parameter& p) {
        return p.semantic.starts_with("SV_") || p.semantic.starts_with("sv_");
    });
}

std::set<Index> EffectAnalysis::reachable(Index function, bool with_derivatives) const {
    std::set<Index> reached = implicit_;
    std::vector<Index> work(implicit_.begin(), implicit_.end());
    reached.insert(function);
    work.push_back(function);
    while (!work.empty()) {
        const Index current = work.back();
        work.pop_back();
        const auto visit = [&](const std::set<Index>& next) {
            for (Index i : next) {
                if (reached.insert(i).second)
                    work.push_back(i);
            }
        };
        visit(callees_[current]);
        if (with_derivatives)
            visit(derivatives_[current]);
    }
    return reached;
}

bool EffectAnalysis::is_differentiated(Index function) const {
    for (const Call& call : model_.calls) {
        if (call.kind != CallKind::backward_derivative)
            continue;
        if (const auto found = by_name_.find(call.callee); found != by_name_.end()) {
            for (Index callee : found->second) {
                if (reachable(callee, false).contains(function))
                    return true;
            }
        }
    }
    for (Index i = 0; i < model_.functions.size(); ++i) {
        const Function& f = model_.functions[i];
        if (is_entry_point(i) && f.is_differentiable() && reachable(i, false).contains(function))
            return true;
    }
    return false;
}

bool EffectAnalysis::is_memory_type(const std::string& type) const {
    if (type.find('[') != std::string::npos && type.find("Buffer") == std::string::npos)
        return false;
    for (std::string_view word : {"Buffer", "Texture", "TensorView", "Tensor", "Ptr", "*", "ParameterBlock", "Image", "Atomic"}) {
        if (type.find(word) != std::string::npos)
            return true;
    }
    // Values: numbers, vectors. A structure of the module may hold a buffer.
    std::string name = base_name(type);
    return !is_builtin_type(name) && name != "DifferentialPair" && !name.empty() && name != "var" && name != "let";
}

std::vector<MemoryRoot> EffectAnalysis::roots(Index function, const std::string& name,
                                              const std::vector<std::string>& members, int depth) const {
    const Function& f = model_.functions[function];
    for (std::uint32_t i = 0; i < f.parameters.size(); ++i) {
        const Parameter& parameter = f.parameters[i];
        if (parameter.name != name)
            continue;
        if (!is_memory_type(parameter.type))
            return {};
        const MemoryRoot self{false, joined(f.name + "." + name, members)};
        if (is_entry_point(function) || depth >= deepest_root)
            return {self};
        std::vector<MemoryRoot> all;
        const auto calls = calls_by_callee_.find(f.name);
        if (calls == calls_by_callee_.end())
            return {self};
        for (Index index : calls->second) {
            const Call& call = model_.calls[index];
            if (call.function == none || i >= call.arguments.size())
                return {self};
            const std::string_view argument = model_.text(call.arguments[i]);
            const std::string base = base_name(argument);
            if (base.empty())
                return {self};
            std::vector<std::string> path = member_names(argument);
            path.insert(path.end(), members.begin(), members.end());
            const auto found = roots(call.function, base, path, depth + 1);
            all.insert(all.end(), found.begin(), found.end());
        }
        if (all.empty())
            return {self};
        return all;
    }
    for (const LocalVariable& local : model_.locals) {
        if (local.function != function || local.name != name)
            continue;
        const bool inferred = local.type == "var" || local.type == "let" || local.type == "auto";
        if (!inferred && !is_memory_type(local.type))
            return {};
        if (!local.initializer)
            return {};
        const std::string_view value = model_.text(*local.initializer);
        const std::string base = base_name(value);
        if (base.empty() || base == name || depth >= deepest_root)
            return inferred || base.empty() ? std::vector<MemoryRoot>{} : std::vector<MemoryRoot>{{false, f.name + "." + name}};
        std::vector<std::string> path = member_names(value);
        path.insert(path.end(), members.begin(), members.end());
        return roots(function, base, path, depth + 1);
    }
    if (const GlobalVariable* global = model_.find_global(name)) {
        switch (global->kind) {
        case GlobalKind::constant:
            return {};
        case GlobalKind::uniform:
        case GlobalKind::constant_buffer:
            // Uniform values cannot be written by a dispatch; buffers inside a block can.
            return {{true, joined(name, members)}};
        default:
            return {{true, name}};
        }
    }
    if (const MacroDefinition* macro = model_.find_macro(name); macro && !macro->function_like && depth < deepest_root) {
        const std::string base = base_name(macro->body);
        if (!base.empty() && base != name)
            return roots(function, base, members, depth + 1);
        return {};
    }
    // A member of the type around the function, reached through an implicit `this`.
    if (!f.parent_type.empty())
        return {{false, f.parent_type + "." + name}};
    return {};
}

void EffectAnalysis::add_macro(const std::string& name, Site site, Effects& effects, int depth) const {
    const MacroDefinition* macro = model_.find_macro(name);
    if (!macro)
        return;
    const std::string& body = macro->body;
    const std::string unknown = fmt::format("uses the macro {}, which is not looked into", name);
    if (depth > 4 || body.find("++") != std::string::npos || body.find("--") != std::string::npos) {
        effects.unknown.emplace(unknown, site);
        return;
    }
    for (std::size_t i = 0; i < body.size(); ++i) {
        const bool comparison = i > 0 && std::string_view("=<>!").find(body[i - 1]) != std::string_view::npos;
        if (body[i] == '=' && !comparison && body.substr(i + 1, 1) != "=") {
            effects.unknown.emplace(unknown, site);
            return;
        }
        if (!is_name_start(body[i]) || (i > 0 && is_name(body[i - 1])))
            continue;
        std::size_t end = i;
        while (end < body.size() && is_name(body[end]))
            ++end;
        const std::string word = body.substr(i, end - i);
        const bool called = end < body.size() && body[end] == '(';
        if (const GlobalVariable* global = model_.find_global(word); global && global->kind != GlobalKind::constant) {
            effects.reads.emplace(MemoryRoot{true, word}, site);
        } else if (model_.find_macro(word) && word != name) {
            add_macro(word, site, effects, depth + 1);
        } else if (called && (by_name_.contains(word) || builtin_effect(word) != BuiltinEffect::pure)) {
            effects.unknown.emplace(unknown, site);
        }
        i = end - 1;
    }
}

void EffectAnalysis::add_function(Index index, Effects& effects) const {
    const Function& function = model_.functions[index];
    if (!function.body && function.parent_type.empty())
        effects.unknown.emplace(fmt::format("calls '{}', which has no body here", function.name), function.name_site);
    for (Index i : accesses_of_[index]) {
        const Access& access = model_.accesses[i];
        const bool direct_write = access.kind != AccessKind::read;
        bool argument_write = false;
        if (access.as_argument && access.argument_of != none) {
            // Passed where it may be written: `InterlockedAdd(gWG[i], d)`, or an inout parameter of a function here.
            const Call& call = model_.calls[access.argument_of];
            const auto callees = by_name_.find(call.callee);
            if (callees == by_name_.end()) {
                argument_write = builtin_effect(call.callee) == BuiltinEffect::writes;
            } else {
                for (Index callee : callees->second) {
                    const auto& parameters = model_.functions[callee].parameters;
                    argument_write = argument_write || access.argument_index >= parameters.size() ||
                                     has_modifier(parameters[access.argument_index], "out") ||
                                     has_modifier(parameters[access.argument_index], "inout") ||
                                     has_modifier(parameters[access.argument_index], "__ref");
                }
            }
        }
        if (const MacroDefinition* macro = model_.find_macro(access.name); macro && !macro->function_like)
            add_macro(access.name, access.site, effects, 0);
        const GlobalVariable* global = model_.find_global(access.name);
        const bool scalar_global = global && (is_shared_writable(global->kind) || global->kind == GlobalKind::uniform);
        // A value parameter or local that is written is the function's own; memory is reached by a subscript or a global.
        if (!access.subscript && !scalar_global && !(direct_write && global))
            continue;
        for (const MemoryRoot& root : roots(index, access.name, access.members, 0)) {
            if (direct_write || argument_write)
                effects.writes.emplace(root, access.site);
            if (access.kind != AccessKind::write)
                effects.reads.emplace(root, access.site);
        }
    }
    for (Index i : calls_of_[index]) {
        const Call& call = model_.calls[i];
        if (const MacroDefinition* macro = model_.find_macro(call.callee)) {
            add_macro(macro->name, call.site, effects, 0);
            continue;
        }
        if (by_name_.contains(call.callee))
            continue;
        const bool makes_value = builtin_effect(call.callee) == BuiltinEffect::unknown && !call.callee.empty() &&
                                 std::isupper(static_cast<unsigned char>(call.callee[0])) && call.receiver.empty() &&
                                 std::any_of(model_.functions.begin(), model_.functions.end(),
                                             [&](const Function& f) { return f.parent_type == call.callee; });
        switch (makes_value ? BuiltinEffect::pure : builtin_effect(call.callee)) {
        case BuiltinEffect::pure:
            break;
        case BuiltinEffect::reads_receiver:
        case BuiltinEffect::writes: {
            const bool writes = builtin_effect(call.callee) == BuiltinEffect::writes;
            std::string base = base_name(call.receiver);
            if (base.empty() && writes && call.arguments.empty())
                effects.unknown.emplace(fmt::format("calls '{}'", call.callee), call.site);
            if (base.empty())
                break; // `InterlockedAdd(gWG[i], ..)`: its argument is an access of its own
            for (const MemoryRoot& root : roots(index, base, member_names(call.receiver), 0))
                (writes ? effects.writes : effects.reads).emplace(root, call.site);
            break;
        }
        case BuiltinEffect::impure:
            effects.impure.emplace(fmt::format("calls {}", call.callee), call.site);
            break;
        case BuiltinEffect::unknown:
            effects.unknown.emplace(fmt::format("calls '{}', whose effects are not known", call.callee), call.site);
            break;
        }
    }
}

Effects EffectAnalysis::of_function(Index function) const {
    Effects effects;
    for (Index i : reachable(function, false))
        add_function(i, effects);
    return effects;
}

Effects EffectAnalysis::of_dispatches(Index function) const {
    Effects effects;
    std::set<Index> reached;
    for (Index i = 0; i < model_.functions.size(); ++i) {
        if (!is_entry_point(i))
            continue;
        const auto from_entry = reachable(i, true);
        if (from_entry.contains(function))
            reached.insert(from_entry.begin(), from_entry.end());
    }
    if (reached.empty()) {
        for (Index i = 0; i < model_.functions.size(); ++i)
            reached.insert(i);
    }
    for (Index i : reached)
        add_function(i, effects);
    return effects;
}

} // namespace slimgrad
