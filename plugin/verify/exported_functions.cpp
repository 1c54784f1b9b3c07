#include "plugin/verify/exported_functions.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace slimgrad::verify {
namespace {

/// Types that are no elements of a structured buffer, by what their names hold.
bool is_resource(std::string_view type) {
    constexpr std::array parts{"Buffer", "Texture", "Sampler",  "TensorView",   "ParameterBlock",
                               "Ptr<",   "*",       "RayQuery", "Acceleration", "Atomic"};
    return std::any_of(parts.begin(), parts.end(), [&](std::string_view part) {
        return type.find(part) != std::string_view::npos;
    });
}

/// The first parameter that cannot come from a buffer; "" if all can.
std::string problem_of(const Function& function) {
    if (!function.generics.empty())
        return "it is generic";
    if (function.qualified_name != function.name)
        return "it is " + function.qualified_name;
    for (const Parameter& parameter : function.parameters)
        if (parameter.type.empty() || is_resource(parameter.type))
            return "its parameter " + parameter.name + " is a " + parameter.type;
    return is_resource(function.return_type) ? "it returns a " + function.return_type : "";
}

bool has_modifier(const Parameter& parameter, std::string_view modifier) {
    return std::find(parameter.modifiers.begin(), parameter.modifiers.end(), modifier) !=
           parameter.modifiers.end();
}

std::string caller(const Function& function, const std::string& name) {
    const std::string thread = "slimgrad_thread";
    std::string uniforms, before, arguments, after;
    for (const Parameter& parameter : function.parameters) {
        const std::string element = parameter.name + "[" + thread + ".x]";
        const bool written = has_modifier(parameter, "out") || has_modifier(parameter, "inout");
        uniforms += std::string(", uniform ") + (written ? "RW" : "") + "StructuredBuffer<" +
                    parameter.type + "> " + parameter.name;
        const std::string local = "slimgrad_" + parameter.name;
        before += "    " + parameter.type + " " + local + " = " + element + ";\n";
        if (written)
            after += "    " + element + " = " + local + ";\n";
        arguments += (arguments.empty() ? "" : ", ") + local;
    }
    std::string call = function.name + "(" + arguments + ");\n";
    if (function.return_type != "void") {
        uniforms += ", uniform RWStructuredBuffer<" + function.return_type + "> slimgrad_result";
        call = "slimgrad_result[" + thread + ".x] = " + call;
    }
    return "[shader(\"compute\")] [numthreads(1, 1, 1)]\nvoid " + name + "(uint3 " + thread +
           " : SV_DispatchThreadID" + uniforms + ")\n{\n" + before + "    " + call + after + "}\n";
}

} // namespace

ExportCallers export_callers(const ModuleModel& model) {
    ExportCallers result;
    for (const Function& function : model.functions) {
        if (!function.has_attribute("CudaDeviceExport") || !function.body)
            continue;
        ExportedFunction exported{function.name, "", problem_of(function)};
        if (exported.problem.empty()) {
            exported.entry_point = "slimgrad_call_" + function.name;
            result.text += "\n" + caller(function, exported.entry_point);
        }
        result.functions.push_back(std::move(exported));
    }
    return result;
}

} // namespace slimgrad::verify
