#include "plugin/slang/reflect_kernels.h"
#include "plugin/slang/reflect_layout.h"

#include <algorithm>
#include <string_view>

namespace slimgrad::slang_plugin {
namespace {

/// "__kernel__f_bwd_diff", "__kernel__f", "f" -> "f".
std::string_view declared_name(std::string_view kernel) {
    constexpr std::string_view prefix = "__kernel__";
    if (!kernel.starts_with(prefix))
        return kernel;
    kernel.remove_prefix(prefix.size());
    for (std::string_view suffix : {"_bwd_diff", "_fwd_diff"})
        if (kernel.ends_with(suffix))
            kernel.remove_suffix(suffix.size());
    return kernel;
}

slang::FunctionReflection* find_function(slang::DeclReflection& scope, std::string_view name) {
    for (unsigned i = 0; i < scope.getChildrenCount(); ++i) {
        slang::DeclReflection* child = scope.getChild(i);
        if (child && child->getKind() == slang::DeclReflection::Kind::Func && child->getName() &&
            child->getName() == name)
            return child->asFunction();
    }
    return nullptr;
}

void add_parameters(slang::ISession& session, slang::FunctionReflection& function,
                    EntryPoint& entry) {
    std::uint64_t end = 0, alignment = 1;
    auto align = [](std::uint64_t offset, std::uint64_t to) { return (offset + to - 1) / to * to; };
    for (unsigned i = 0; i < function.getParameterCount(); ++i) {
        slang::VariableReflection* variable = function.getParameterByIndex(i);
        slang::TypeLayoutReflection* layout =
            variable ? session.getTypeLayout(variable->getType()) : nullptr;
        if (!layout)
            continue;
        ParameterLayout parameter;
        parameter.name = variable->getName() ? variable->getName() : "";
        parameter.type = reflect_type(*layout);
        parameter.offset = align(end, parameter.type.alignment);
        end = parameter.offset + parameter.type.size;
        alignment = std::max(alignment, parameter.type.alignment);
        entry.uniforms.push_back(std::move(parameter));
    }
    entry.uniform_bytes = align(end, alignment);
}

/// The function that an entry point becomes: of the same name, or with a number added.
std::string name_in_code(const GeneratedCode& code, const std::string& name) {
    if (code.calls.contains(name))
        return name;
    const std::string numbered = name + "_0";
    return code.calls.contains(numbered) ? numbered : name;
}

} // namespace

void reflect_kernels(slang::ISession& session, slang::DeclReflection& module,
                     const GeneratedCode& code, Reflection& reflection) {
    for (EntryPoint& entry : reflection.entry_points)
        entry.code_name = name_in_code(code, entry.name);
    for (const std::string& kernel : code.kernels) {
        const bool known =
            std::any_of(reflection.entry_points.begin(), reflection.entry_points.end(),
                        [&](const EntryPoint& entry) { return entry.code_name == kernel; });
        if (known)
            continue;
        EntryPoint entry;
        entry.name = entry.code_name = kernel;
        if (slang::FunctionReflection* function = find_function(module, declared_name(kernel)))
            add_parameters(session, *function, entry);
        reflection.entry_points.push_back(std::move(entry));
    }
}

} // namespace slimgrad::slang_plugin
