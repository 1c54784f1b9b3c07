#include "attributes/memory_roots.h"

#include "attributes/expression_text.h"
#include "attributes/memory_types.h"

#include <algorithm>

namespace slimgrad {

const GlobalVariable& MemoryTracer::binding_of(const GlobalVariable& global) const {
    for (const GlobalVariable& other : model_.globals) {
        for (const Attribute& theirs : other.attributes) {
            const bool shared = theirs.name.ends_with("binding") &&
                                std::any_of(global.attributes.begin(), global.attributes.end(),
                                            [&](const Attribute& ours) {
                                                return ours.name == theirs.name &&
                                                       ours.arguments == theirs.arguments;
                                            });
            if (shared)
                return other;
        }
    }
    return global;
}

/// A member of the type around the function, or of one that it inherits from.
bool MemoryTracer::is_field(Index function, const std::string& name) const {
    const std::string& parent = model_.functions[function].parent_type;
    const TypeDeclaration* type = parent.empty() ? nullptr : model_.find_type(first_name(parent));
    std::set<std::string> bases;
    while (type &&
           std::none_of(type->fields.begin(), type->fields.end(),
                        [&](const TypeDeclaration::Field& field) { return field.name == name; })) {
        const TypeDeclaration* next = nullptr;
        for (const std::string& base : type->bases) {
            const TypeDeclaration* declared = model_.find_type(first_name(base));
            if (declared && !declared->is_interface && bases.insert(base).second)
                next = declared;
        }
        type = next;
    }
    return type != nullptr;
}

std::optional<StaticMember> MemoryTracer::static_member(Index function, const std::string& name,
                                                        const std::vector<std::string>& members,
                                                        Index local) const {
    const auto is_member = [&](const std::string& part) {
        return !static_members_.named(part).empty();
    };
    if (!is_member(name) && std::none_of(members.begin(), members.end(), is_member))
        return std::nullopt;
    const Function& f = model_.functions[function];
    const auto of_local = [&](const LocalVariable& variable) {
        const bool inferred = is_inferred_type(variable.type) && variable.initializer;
        return static_members_.find(
            inferred ? model_.type_of(*variable.initializer) : variable.type, members);
    };
    if (name == "this")
        return static_members_.find(f.parent_type, members);
    if (local != none)
        return of_local(model_.locals[local]);
    for (const LocalVariable& variable : model_.locals) {
        if (variable.function == function && variable.name == name)
            return of_local(variable);
    }
    for (const Parameter& parameter : f.parameters) {
        if (parameter.name == name)
            return static_members_.find(parameter.type, members);
    }
    auto found = static_members_.find(function, name, members);
    if (found && found->members == 0)
        return found;
    if (is_field(function, name)) {
        std::vector<std::string> of_this{name};
        of_this.insert(of_this.end(), members.begin(), members.end());
        found = static_members_.find(f.parent_type, of_this);
        if (found)
            --found->members;
        return found;
    }
    if (const GlobalVariable* global = model_.find_global(name))
        return static_members_.find(global->type, members);
    // `Tab::hits`, of which the name is "hits".
    if (const auto& all = static_members_.named(name);
        !found && !all.empty() && !model_.find_macro(name) && named(name).empty())
        return StaticMember{all};
    return found;
}

void MemoryTracer::trace_static(const Path& path, const StaticMember& member,
                                Search& result) const {
    for (Index i : member.globals) {
        const GlobalVariable& global = model_.globals[i];
        const auto rest = path.members.begin() + std::ptrdiff_t(member.members);
        trace_global({global.name, {rest, path.members.end()}}, global, result);
    }
}

void MemoryTracer::trace_global(const Path& path, const GlobalVariable& global,
                                Search& result) const {
    switch (global.kind) {
    case GlobalKind::constant:
        return;
    case GlobalKind::uniform:
    case GlobalKind::constant_buffer: {
        // Values in it cannot be written by a dispatch; buffers and pointers in it can.
        std::string type = member_type(model_, global.type, path.members);
        if (path.members.empty() &&
            (type.starts_with("ConstantBuffer") || type.starts_with("ParameterBlock"))) {
            const auto arguments = type_arguments(type);
            type = arguments.empty() ? type : std::string(arguments[0]);
        }
        if (is_memory_type(model_, type))
            result.roots.insert({is_binding_type(type), path.text()});
        return;
    }
    case GlobalKind::read_only_buffer:
    case GlobalKind::writable_buffer:
        result.roots.insert({is_binding_type(global.type), binding_of(global).name});
        return;
    case GlobalKind::groupshared:
    case GlobalKind::mutable_static:
        result.roots.insert({true, path.name});
        return;
    }
}

} // namespace slimgrad
