#include "attributes/memory_roots.h"

#include "attributes/builtins.h"
#include "attributes/expression_text.h"

#include <algorithm>
#include <cctype>

namespace slimgrad {

namespace {

constexpr int deepest = 12;

bool is_inferred(std::string_view type) { return type == "var" || type == "let" || type == "auto" || type.empty(); }

bool is_pointer_type(std::string_view type) {
    return type.find('*') != std::string_view::npos || type.find("Ptr") != std::string_view::npos ||
           type.find("Ref<") != std::string_view::npos;
}

/// Bindings that the pipeline sets one by one. Everything else that gives access to memory may overlap.
bool is_binding_type(std::string_view type) {
    if (is_pointer_type(type) || type.find("Handle") != std::string_view::npos)
        return false;
    return type.find("Buffer") != std::string_view::npos || type.find("Texture") != std::string_view::npos ||
           type.find("Image") != std::string_view::npos;
}

std::string joined(std::string name, const std::vector<std::string>& members) {
    for (const std::string& member : members)
        name += "." + member;
    return name;
}

} // namespace

MemoryTracer::MemoryTracer(const ModuleModel& model) : model_(model) {
    derivatives_.resize(model.functions.size());
    primals_.resize(model.functions.size());
    substitutes_.resize(model.functions.size());
    unresolved_.resize(model.functions.size());
    for (Index i = 0; i < model.functions.size(); ++i)
        functions_[model.functions[i].name].push_back(i);
    for (Index i = 0; i < model.calls.size(); ++i)
        calls_[model.calls[i].callee].push_back(i);
    const auto link = [&](Index primal, Index derivative) {
        derivatives_[primal].insert(derivative);
        primals_[derivative].insert(primal);
    };
    for (Index i = 0; i < model.functions.size(); ++i) {
        // `__func_extension bwd_diff(g)(..)` is named "bwd_diff(g)".
        const std::string& own = model.functions[i].name;
        for (std::string_view derivative : {"bwd_diff(", "fwd_diff(", "__bwd_diff(", "__fwd_diff("}) {
            if (own.starts_with(derivative) && own.ends_with(')')) {
                const std::string primal = last_name(std::string_view(own).substr(derivative.size(), own.size() - derivative.size() - 1));
                for (Index named_function : named(primal))
                    link(named_function, i);
                unresolved_[i] = named(primal).empty();
            }
        }
        for (const Attribute& attribute : model.functions[i].attributes) {
            if (attribute.arguments.empty())
                continue;
            const std::string& kind = attribute.name;
            std::string other = last_name(attribute.arguments[0]);
            if (const MacroDefinition* macro = model.find_macro(other); macro && !macro->function_like)
                other = last_name(macro->body);
            if (named(other).empty() && (kind.find("Derivative") != std::string::npos || kind.starts_with("PrimalSubstitute")))
                unresolved_[i] = true;
            for (Index named_function : named(other)) {
                if (kind == "PrimalSubstitute")
                    substitutes_[i].insert(named_function);
                if (kind == "PrimalSubstituteOf")
                    substitutes_[named_function].insert(i);
                if (kind == "BackwardDerivative" || kind == "ForwardDerivative" || kind == "PrimalSubstitute")
                    link(i, named_function);
                else if (kind == "BackwardDerivativeOf" || kind == "ForwardDerivativeOf" || kind == "PrimalSubstituteOf")
                    link(named_function, i);
            }
        }
    }
}

const std::vector<Index>& MemoryTracer::named(const std::string& name) const {
    static const std::vector<Index> nobody;
    const auto found = functions_.find(name);
    return found == functions_.end() ? nobody : found->second;
}

bool MemoryTracer::is_entry_point(Index function) const {
    const Function& f = model_.functions[function];
    for (std::string_view attribute : {"shader", "numthreads", "CUDAKernel", "CudaKernel", "CudaDeviceExport", "CUDADeviceExport",
                                       "AutoPyBindCUDA", "TorchEntryPoint"}) {
        if (f.has_attribute(attribute))
            return true;
    }
    return std::any_of(f.parameters.begin(), f.parameters.end(), [](const Parameter& p) {
        return p.semantic.starts_with("SV_") || p.semantic.starts_with("sv_");
    });
}

bool MemoryTracer::is_memory(std::string_view type) const { return is_memory(type, 0); }

bool MemoryTracer::is_memory(std::string_view type, int depth) const {
    type = trimmed(type);
    if (depth > deepest)
        return true;
    for (std::string_view word : {"Buffer", "Texture", "TensorView", "Tensor", "Ptr", "*", "ParameterBlock", "Image", "Atomic", "Ref<"}) {
        if (type.find(word) != std::string_view::npos)
            return true;
    }
    const std::string name = first_name(type);
    if (const TypeDeclaration* declaration = model_.find_type(name)) {
        // Who implements an interface may hold anything. Bases that the module does not declare are the core module's interfaces.
        if (declaration->is_interface)
            return true;
        for (const std::string& base : declaration->bases) {
            const TypeDeclaration* known = model_.find_type(first_name(base));
            if (known && !known->is_interface && is_memory(base, depth + 1))
                return true;
        }
        return std::any_of(declaration->fields.begin(), declaration->fields.end(),
                           [&](const TypeDeclaration::Field& field) { return is_memory(field.type, depth + 1); });
    }
    if (!is_builtin_type(name))
        return true;
    // "Array<T, N>", "Tuple<A, B>", "vector<float, N>": N is a number.
    for (std::string_view argument : type_arguments(type)) {
        const std::string inner = first_name(argument);
        const GlobalVariable* constant = model_.find_global(inner);
        const bool number = inner.empty() || constant || model_.find_macro(inner) || (argument.size() == inner.size() && inner.size() == 1);
        if (!number && is_memory(argument, depth + 1))
            return true;
    }
    return false;
}

bool MemoryTracer::is_pointer(Index function, const std::string& name, Index local) const {
    const auto of_local = [&](const LocalVariable& variable) {
        if (is_pointer_type(variable.type))
            return true;
        return is_inferred(variable.type) && variable.initializer && trimmed(model_.text(*variable.initializer)).starts_with('&');
    };
    if (local != none)
        return of_local(model_.locals[local]);
    for (const Parameter& parameter : model_.functions[function].parameters) {
        if (parameter.name == name)
            return is_pointer_type(parameter.type);
    }
    const GlobalVariable* global = model_.find_global(name);
    return global && is_pointer_type(global->type);
}

std::optional<MemoryTracer::Path> MemoryTracer::as_path(std::string_view expression) {
    expression = trimmed(expression);
    Path path;
    path.name = first_name(expression);
    if (path.name.empty())
        return std::nullopt;
    std::size_t at = path.name.size();
    while (at < expression.size()) {
        if (expression[at] != '.')
            return std::nullopt;
        const std::string member = first_name(expression.substr(at + 1));
        if (member.empty())
            return std::nullopt;
        at += 1 + member.size();
        path.members.push_back(member);
    }
    return path;
}

Roots MemoryTracer::trace(Index function, const std::string& name, const std::vector<std::string>& members, Index local) const {
    Roots result;
    trace(function, {name, members}, local, 0, result);
    return result;
}

bool MemoryTracer::is_buffer_method(const Call& call) const {
    if (call.function == none || call.receiver.empty())
        return false;
    const BuiltinEffect effect = builtin_effect(call.callee);
    if (effect != BuiltinEffect::reads_receiver && effect != BuiltinEffect::writes)
        return false;
    const std::string name = first_name(call.receiver);
    std::string type;
    for (const Parameter& parameter : model_.functions[call.function].parameters)
        type = parameter.name == name ? parameter.type : type;
    for (const LocalVariable& local : model_.locals)
        type = local.function == call.function && local.name == name ? local.type : type;
    if (const GlobalVariable* global = model_.find_global(name); global && type.empty())
        type = global->type;
    return !model_.find_type(first_name(type)) && is_memory(type);
}

Roots MemoryTracer::trace_expression(Index function, std::string_view expression) const {
    Roots result;
    trace_argument(function, expression, {}, 0, result);
    return result;
}

void MemoryTracer::trace(Index function, const Path& path, Index local, int depth, Roots& result) const {
    if (depth > deepest) {
        result.unknown.insert(path.name);
        return;
    }
    const Function& f = model_.functions[function];
    if (path.name == "this") {
        trace_this(function, path, depth, result);
        return;
    }
    if (local != none) {
        trace_local(function, path, model_.locals[local], depth, result);
        return;
    }
    bool found = false;
    for (const LocalVariable& variable : model_.locals) {
        if (variable.function == function && variable.name == path.name) {
            trace_local(function, path, variable, depth, result);
            found = true;
        }
    }
    for (std::uint32_t i = 0; i < f.parameters.size(); ++i) {
        if (f.parameters[i].name == path.name) {
            trace_parameter(function, path, i, depth, result);
            found = true;
        }
    }
    if (found)
        return;
    const TypeDeclaration* type = f.parent_type.empty() ? nullptr : model_.find_type(first_name(f.parent_type));
    // A member of the type around the function, or of one that it inherits from.
    std::set<std::string> bases;
    while (type && std::none_of(type->fields.begin(), type->fields.end(),
                                [&](const TypeDeclaration::Field& field) { return field.name == path.name; })) {
        const TypeDeclaration* next = nullptr;
        for (const std::string& base : type->bases) {
            const TypeDeclaration* declared = model_.find_type(first_name(base));
            if (declared && !declared->is_interface && bases.insert(base).second)
                next = declared;
        }
        type = next;
    }
    const bool is_field = type && std::any_of(type->fields.begin(), type->fields.end(),
                                              [&](const TypeDeclaration::Field& field) { return field.name == path.name; });
    if (is_field) {
        Path through_this{"this", {path.name}};
        through_this.members.insert(through_this.members.end(), path.members.begin(), path.members.end());
        trace_this(function, through_this, depth, result);
        return;
    }
    bool is_global = false;
    for (const GlobalVariable& global : model_.globals) { // of all namespaces
        if (global.name == path.name) {
            trace_global(path, global, result);
            is_global = true;
        }
    }
    if (is_global)
        return;
    if (const MacroDefinition* macro = model_.find_macro(path.name)) {
        if (const auto meaning = as_path(macro->body); meaning && !macro->function_like) {
            Path expanded = *meaning;
            expanded.members.insert(expanded.members.end(), path.members.begin(), path.members.end());
            trace(function, expanded, none, depth + 1, result);
        } else if (!macro->function_like && !macro->body.empty() &&
                   macro->body.find_first_not_of("0123456789.fuUxX+-*/() ") != std::string::npos) {
            result.unknown.insert(path.name);
        }
        return;
    }
    // A static member, something of a namespace or of a type that is declared elsewhere.
    result.unknown.insert(path.name);
}

void MemoryTracer::trace_local(Index function, const Path& path, const LocalVariable& local, int depth, Roots& result) const {
    const bool inferred = is_inferred(local.type);
    if (local.is_static) {
        result.roots.insert({true, model_.functions[local.function].name + "." + path.name});
        return;
    }
    if (!inferred && !is_memory(member_type(local.type, path.members)))
        return;
    if (!local.initializer || (local.reassigned && !inferred)) {
        result.unknown.insert(path.name);
        return;
    }
    const std::string_view value = trimmed(model_.text(*local.initializer));
    const auto initial = as_path(value);
    if (initial && initial->name != path.name) {
        Path alias = *initial;
        alias.members.insert(alias.members.end(), path.members.begin(), path.members.end());
        Roots behind;
        trace(function, alias, none, depth + 1, behind);
        if (local.reassigned && (!behind.roots.empty() || !behind.unknown.empty()))
            behind.unknown.insert(path.name);
        result.roots.merge(behind.roots);
        result.unknown.merge(behind.unknown);
        return;
    }
    if (!inferred) {
        result.unknown.insert(path.name);
        return;
    }
    if (is_memory_value(function, value))
        result.unknown.insert(path.name);
}

/// Whether an expression that is more than a path may be a buffer or pointer. `f(x)`, `x.m(y)` and `a[i] * b` are values, if
/// the functions and the elements are.
bool MemoryTracer::is_memory_value(Index function, std::string_view value) const {
    value = trimmed(value);
    const auto outer = [&](std::string_view characters) {
        int depth = 0;
        for (std::size_t i = 0; i < value.size(); ++i) {
            depth += value[i] == '(' || value[i] == '[' ? 1 : value[i] == ')' || value[i] == ']' ? -1 : 0;
            if (depth == 0 && i > 0 && characters.find(value[i]) != std::string_view::npos)
                return true;
        }
        return false;
    };
    if (value.empty() || value.starts_with('&') || value.starts_with('*') || value.starts_with('{') || outer("?"))
        return true;
    if (std::isdigit(static_cast<unsigned char>(value[0])) || value[0] == '-' || value[0] == '!' || value[0] == '~' ||
        value[0] == '"')
        return false;
    if (value.ends_with(']')) {
        // An element: of an array of buffers, or of a buffer of pointers, it is memory.
        const std::string base = first_name(value);
        std::string type;
        for (const Parameter& parameter : model_.functions[function].parameters)
            type = parameter.name == base ? parameter.type : type;
        if (const GlobalVariable* global = model_.find_global(base); global && type.empty())
            type = global->type;
        const auto arguments = type_arguments(type);
        if (type.find('[') != std::string::npos)
            return is_memory(type);
        return is_pointer_type(type) || arguments.empty() || is_memory(arguments[0]);
    }
    if (outer("+-/%^|") || (outer("*") && !value.starts_with('(')))
        return false; // arithmetic
    const bool call = value.ends_with(')') && !value.starts_with('(');
    if (!call)
        return value.find(')') != std::string_view::npos || value.find('<') != std::string_view::npos;
    // The callee of the last call: what stands before its parenthesis.
    int depth = 0;
    std::size_t open = value.size();
    while (open > 0) {
        --open;
        depth += value[open] == ')' ? 1 : value[open] == '(' ? -1 : 0;
        if (depth == 0)
            break;
    }
    std::string_view callee = trimmed(value.substr(0, open));
    if (callee.ends_with('>')) {
        const auto angle = callee.find('<');
        callee = angle == std::string_view::npos ? callee : callee.substr(0, angle);
    }
    const std::string name = last_name(callee);
    if (name.empty())
        return true;
    if (const auto& functions = named(name); !functions.empty())
        return std::any_of(functions.begin(), functions.end(), [&](Index f) { return is_memory(model_.functions[f].return_type); });
    if (model_.find_type(name))
        return is_memory(name);
    return builtin_effect(name) == BuiltinEffect::unknown;
}

std::string MemoryTracer::member_type(std::string type, const std::vector<std::string>& members) const {
    for (const std::string& member : members) {
        std::string name = first_name(type);
        if (name == "ConstantBuffer" || name == "ParameterBlock") {
            const auto arguments = type_arguments(type);
            name = arguments.empty() ? "" : first_name(arguments[0]);
        }
        const TypeDeclaration* declaration = model_.find_type(name);
        if (!declaration)
            return type;
        const auto field = std::find_if(declaration->fields.begin(), declaration->fields.end(),
                                        [&](const TypeDeclaration::Field& f) { return f.name == member; });
        if (field == declaration->fields.end())
            return type;
        type = field->type;
    }
    return type;
}

void MemoryTracer::trace_parameter(Index function, const Path& path, std::uint32_t index, int depth, Roots& result) const {
    const Function& f = model_.functions[function];
    const Parameter& parameter = f.parameters[index];
    if (!is_memory(member_type(parameter.type, path.members)))
        return;
    if (is_entry_point(function))
        result.roots.insert({false, joined(f.name + "." + parameter.name, path.members)});
    bool called = is_entry_point(function);
    if (const auto calls = calls_.find(f.name); calls != calls_.end()) {
        for (Index i : calls->second) {
            const Call& call = model_.calls[i];
            called = true;
            const bool shifted = call.kind != CallKind::plain &&
                                 std::any_of(f.parameters.begin(), f.parameters.end(), [](const Parameter& p) {
                                     return std::find(p.modifiers.begin(), p.modifiers.end(), "out") != p.modifiers.end();
                                 });
            if (shifted) // a derivative takes no argument for an `out` parameter
                result.unknown.insert(parameter.name);
            else if (index < call.arguments.size() && call.function != none)
                trace_argument(call.function, model_.text(call.arguments[index]), {"", path.members}, depth + 1, result);
            else if (named(f.name).size() == 1)
                result.unknown.insert(parameter.name);
        }
    }
    // A custom derivative is called by the generated code, with what its primal is called with.
    for (Index primal : primals_[function]) {
        const auto& parameters = model_.functions[primal].parameters;
        std::uint32_t match = 0;
        while (match < parameters.size() && parameters[match].name != parameter.name)
            ++match;
        if (match == parameters.size())
            match = index;
        called = true;
        if (match < parameters.size())
            trace_parameter(primal, {parameters[match].name, path.members}, match, depth + 1, result);
        else
            result.unknown.insert(parameter.name);
    }
    if (!called || depth > deepest)
        result.unknown.insert(parameter.name);
}

void MemoryTracer::trace_this(Index function, const Path& path, int depth, Roots& result) const {
    const Function& f = model_.functions[function];
    const TypeDeclaration* type = model_.find_type(first_name(f.parent_type));
    if (type && !is_memory(member_type(type->name, path.members)))
        return;
    const auto calls = calls_.find(f.name);
    if (depth > deepest || calls == calls_.end()) {
        result.unknown.insert(joined("this", path.members));
        return;
    }
    for (Index i : calls->second) {
        const Call& call = model_.calls[i];
        if (call.function == none)
            result.unknown.insert(joined("this", path.members));
        else if (call.receiver.empty())
            trace(call.function, {"this", path.members}, none, depth + 1, result);
        else
            trace_argument(call.function, call.receiver, {"", path.members}, depth + 1, result);
    }
}

/// Whether another global is bound to the same place, [[vk::binding(n)]].
bool MemoryTracer::shares_binding(const GlobalVariable& global) const {
    return std::any_of(model_.globals.begin(), model_.globals.end(), [&](const GlobalVariable& other) {
        return &other != &global && std::any_of(other.attributes.begin(), other.attributes.end(), [&](const Attribute& theirs) {
                   return std::any_of(global.attributes.begin(), global.attributes.end(), [&](const Attribute& ours) {
                       return ours.name == theirs.name && ours.name.ends_with("binding") && ours.arguments == theirs.arguments;
                   });
               });
    });
}

void MemoryTracer::trace_global(const Path& path, const GlobalVariable& global, Roots& result) const {
    switch (global.kind) {
    case GlobalKind::constant:
        return;
    case GlobalKind::uniform:
    case GlobalKind::constant_buffer: {
        // Values in it cannot be written by a dispatch; buffers and pointers in it can.
        std::string type = member_type(global.type, path.members);
        if (path.members.empty() && (type.starts_with("ConstantBuffer") || type.starts_with("ParameterBlock"))) {
            const auto arguments = type_arguments(type);
            type = arguments.empty() ? type : std::string(arguments[0]);
        }
        if (is_memory(type))
            result.roots.insert({is_binding_type(type), joined(path.name, path.members)});
        return;
    }
    case GlobalKind::read_only_buffer:
    case GlobalKind::writable_buffer:
        result.roots.insert({is_binding_type(global.type) && !shares_binding(global), path.name});
        return;
    case GlobalKind::groupshared:
    case GlobalKind::mutable_static:
        result.roots.insert({true, path.name});
        return;
    }
}

void MemoryTracer::trace_argument(Index function, std::string_view expression, const Path& suffix, int depth, Roots& result) const {
    auto path = as_path(expression);
    if (!path) {
        // An element of an array of buffers still is that array; anything else cannot be followed.
        const std::string name = first_name(expression);
        const auto bracket = expression.find('[');
        if (!name.empty() && bracket == name.size() && expression.find('(') == std::string_view::npos &&
            expression.find('?') == std::string_view::npos)
            path = Path{name, {}};
    }
    if (!path) {
        result.unknown.insert(std::string(trimmed(expression)));
        return;
    }
    path->members.insert(path->members.end(), suffix.members.begin(), suffix.members.end());
    trace(function, *path, none, depth + 1, result);
}

} // namespace slimgrad
