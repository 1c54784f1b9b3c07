#include "plugin/slangc/slangc_call.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

namespace slimgrad::slangc {
namespace {

/// Options with one value as the next argument, beside those below.
constexpr std::array<std::string_view, 50> with_value{"-D",
                                                      "-I",
                                                      "-archive-type",
                                                      "-bindless-space-index",
                                                      "-capability",
                                                      "-conformance",
                                                      "-coverage-manifest-output",
                                                      "-denorm-mode-fp16",
                                                      "-denorm-mode-fp32",
                                                      "-denorm-mode-fp64",
                                                      "-depfile",
                                                      "-diagnostic-color",
                                                      "-dump-intermediate-prefix",
                                                      "-dump-ir-after",
                                                      "-dump-ir-before",
                                                      "-entry",
                                                      "-extract-repro",
                                                      "-file-system",
                                                      "-floating-point-mode",
                                                      "-fp-mode",
                                                      "-get-module-info",
                                                      "-help-style",
                                                      "-ir-compression",
                                                      "-lang",
                                                      "-line-directive-mode",
                                                      "-llvm-cpu",
                                                      "-llvm-features",
                                                      "-llvm-target-triple",
                                                      "-load-core-module",
                                                      "-load-repro",
                                                      "-load-repro-directory",
                                                      "-module-name",
                                                      "-o",
                                                      "-pass-through",
                                                      "-profile",
                                                      "-r",
                                                      "-reflection-json",
                                                      "-repro-file-system",
                                                      "-separate-debug-info-output",
                                                      "-source-embed-language",
                                                      "-source-embed-name",
                                                      "-source-embed-style",
                                                      "-specialize",
                                                      "-spirv-core-grammar",
                                                      "-spirv-resource-heap-stride",
                                                      "-spirv-sampler-heap-stride",
                                                      "-stage",
                                                      "-std",
                                                      "-target",
                                                      "-trace-coverage-reserved-space"};
constexpr std::array<std::string_view, 7> also_with_value{"-repro-fallback-directory",
                                                          "-save-core-module",
                                                          "-save-core-module-bin-source",
                                                          "-save-glsl-module-bin-source",
                                                          "-trace-coverage-counter-width",
                                                          "-warnings-as-errors",
                                                          "-warnings-disable"};
constexpr std::array<std::string_view, 3> with_two_values{
    "-default-downstream-compiler", "-fvk-bind-globals", "-trace-coverage-binding"};

template <std::size_t N>
bool is_among(const std::array<std::string_view, N>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// Options with which the output's file, if there is one, does not hold what slangc generated.
constexpr std::array<std::string_view, 9> without_cuda{"--help",
                                                       "-E",
                                                       "-h",
                                                       "-help",
                                                       "-no-codegen",
                                                       "-output-preprocessor",
                                                       "-pass-through",
                                                       "-skip-codegen",
                                                       "-source-embed-style"};

/// How many arguments after `option` are its values.
std::size_t values_of(std::string_view option) {
    if (is_among(with_two_values, option) ||
        (option.starts_with("-fvk-") && option.ends_with("-shift")))
        return 2;
    const bool compiler_path = option.ends_with("-path") && option.size() > 6;
    const bool downstream = option.starts_with("-X") && option.size() > 2;
    return is_among(with_value, option) || is_among(also_with_value, option) || compiler_path ||
           downstream;
}

bool is_cuda(std::string_view target) {
    return target == "cuda" || target == "cu" || target == "cuh";
}

std::string_view extension(std::string_view path) {
    const std::size_t dot = path.rfind('.');
    return dot == std::string_view::npos ? "" : path.substr(dot + 1);
}

} // namespace

SlangcCall read_slangc_call(const std::vector<std::string>& arguments) {
    SlangcCall call;
    std::vector<std::string> outputs, targets;
    for (std::size_t i = 0; i < arguments.size() && arguments[i] != "--"; ++i) {
        const std::string& option = arguments[i];
        if (!option.starts_with('-') || option == "-")
            continue;
        if (is_among(without_cuda, option))
            call.why_not = option;
        if (option == "-enable-machine-readable-diagnostics")
            call.machine_readable = true;
        if (option.starts_with("-X") && option.ends_with("...")) {
            // -Xnvrtc... OPTIONS -X.
            while (i + 1 < arguments.size() && arguments[i] != "-X.")
                ++i;
            continue;
        }
        const std::size_t values = values_of(option);
        if (values == 1 && i + 1 < arguments.size()) {
            const std::string& value = arguments[i + 1];
            if (option == "-o")
                outputs.push_back(value);
            else if (option == "-target")
                targets.push_back(value);
            else if (option == "-depfile")
                call.depfile = value;
        }
        i += values;
    }
    if (!call.why_not.empty())
        return call;
    if (outputs.empty() || outputs.front() == "-")
        call.why_not = "no output file";
    else if (outputs.size() > 1 || targets.size() > 1)
        call.why_not = "several outputs";
    else if (const std::string target =
                 targets.empty() ? std::string(extension(outputs.front())) : targets.front();
             !is_cuda(target))
        call.why_not = "target " + target;
    else
        call.cuda_file = outputs.front();
    return call;
}

} // namespace slimgrad::slangc
