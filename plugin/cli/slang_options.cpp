#include "plugin/cli/slang_options.h"

#include "plugin/cli/nearest_name.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <string_view>

namespace slimgrad {
namespace {

enum class Form {
    exact,  ///< `-name` and `values` further arguments
    joined, ///< `-nameVALUE`; the value may be empty
    either, ///< `-nameVALUE` or `-name VALUE`
};

struct SlangOption {
    std::string_view name;
    Form form = Form::exact;
    std::size_t values = 0;
};

/// slangc's options that change what code is generated, or what is said about it, and write no
/// file.
constexpr std::array slang_options{
    SlangOption{"-D", Form::either},
    SlangOption{"-I", Form::either},
    SlangOption{"-O", Form::joined},
    SlangOption{"-W", Form::joined},
    SlangOption{"-g", Form::joined},
    SlangOption{"-allow-glsl"},
    SlangOption{"-capability", Form::exact, 1},
    SlangOption{"-conformance", Form::exact, 1},
    SlangOption{"-denorm-mode-fp16", Form::exact, 1},
    SlangOption{"-denorm-mode-fp32", Form::exact, 1},
    SlangOption{"-denorm-mode-fp64", Form::exact, 1},
    SlangOption{"-disable-dynamic-dispatch"},
    SlangOption{"-disable-non-essential-validations"},
    SlangOption{"-disable-short-circuit"},
    SlangOption{"-disable-specialization"},
    SlangOption{"-enable-experimental-dynamic-dispatch"},
    SlangOption{"-enable-experimental-passes"},
    SlangOption{"-entry", Form::exact, 1},
    SlangOption{"-experimental-feature"},
    SlangOption{"-floating-point-mode", Form::exact, 1},
    SlangOption{"-fp-mode", Form::exact, 1},
    SlangOption{"-fvk-use-c-layout"},
    SlangOption{"-fvk-use-scalar-layout"},
    SlangOption{"-force-glsl-scalar-layout"},
    SlangOption{"-ignore-capabilities"},
    SlangOption{"-incomplete-library"},
    SlangOption{"-line-directive-mode", Form::exact, 1},
    SlangOption{"-matrix-layout-column-major"},
    SlangOption{"-matrix-layout-row-major"},
    SlangOption{"-minimum-slang-optimization"},
    SlangOption{"-module-name", Form::exact, 1},
    SlangOption{"-msvc-style-bitfield-packing"},
    SlangOption{"-no-mangle"},
    SlangOption{"-preserve-params"},
    SlangOption{"-profile", Form::exact, 1},
    SlangOption{"-restrictive-capability-check"},
    SlangOption{"-specialize", Form::exact, 1},
    SlangOption{"-stage", Form::exact, 1},
    SlangOption{"-std", Form::exact, 1},
    SlangOption{"-unscoped-enum"},
    SlangOption{"-validate-ir"},
    SlangOption{"-validate-ir-detailed"},
    SlangOption{"-validate-uniformity"},
    SlangOption{"-verbose-paths"},
    SlangOption{"-warnings-as-errors", Form::exact, 1},
    SlangOption{"-warnings-disable", Form::exact, 1},
    SlangOption{"-zero-initialize"},
};

struct RefusedOption {
    std::string_view name;
    std::string_view reason;
};

/// slangc's options that would take a decision out of slimgrad's hands.
constexpr std::array refused_options{
    RefusedOption{"-target", "slimgrad chooses the targets: cuda to measure, cpp to verify"},
    RefusedOption{
        "-o", "slimgrad chooses where generated code goes; only `preprocess` and `cuda` take -o"},
    RefusedOption{"-depfile", "`preprocess` writes one: --depfile FILE"},
    RefusedOption{"-lang", "slimgrad reads Slang only"},
    RefusedOption{"-pass-through", "slimgrad reads Slang only"},
    RefusedOption{"-no-codegen", "slimgrad measures the generated code"},
    RefusedOption{"-skip-codegen", "slimgrad measures the generated code"},
    RefusedOption{"-obfuscate", "kernels are told apart by their names"},
    RefusedOption{"-report-checkpoint-intermediates", "slimgrad asks for that report itself"},
    RefusedOption{"-enable-machine-readable-diagnostics", "slimgrad asks for them itself"},
    RefusedOption{"-v", "slimgrad's version is `--version`"},
    RefusedOption{"-version", "slimgrad's version is `--version`"},
};

/// slimgrad's own options that take a value.
constexpr std::array<std::string_view, 19> own_options_with_value{
    "--arch",    "--nvcc-arg",  "--output-format",  "--color",       "--timeout",
    "--memory",  "--samples",   "--sample",         "--seed",        "--config",
    "--depfile", "--passes",    "--heap-threshold", "--heap-layout", "--cache-dir",
    "--budget",  "--objective", "--time-limit",     "--save-trials"};

const SlangOption* find_option(std::string_view argument) {
    const SlangOption* found = nullptr;
    for (const SlangOption& option : slang_options) {
        if (argument == option.name)
            return &option;
        if (option.form != Form::exact && argument.starts_with(option.name))
            found = &option;
    }
    // `-glsl-version`, `-Oops`, `-gfoo-path` are no levels: what is joined to -O and -g is a short
    // word or digit.
    if (found && (found->name == "-O" || found->name == "-g")) {
        const std::string_view level = argument.substr(found->name.size());
        static constexpr std::array<std::string_view, 11> levels{
            "", "0", "1", "2", "3", "none", "default", "high", "maximal", "minimal", "standard"};
        return std::find(levels.begin(), levels.end(), level) != levels.end() ? found : nullptr;
    }
    return found;
}

std::string unknown_option(std::string_view argument) {
    std::vector<std::string_view> names;
    for (const SlangOption& option : slang_options)
        names.push_back(option.name);
    return fmt::format("unknown option '{}'{}; what slangc alone knows goes behind `--`: -- {}",
                       argument, did_you_mean(argument, names), argument);
}

} // namespace

Result<SplitArguments> split_slang_options(const std::vector<std::string>& arguments) {
    SplitArguments split;
    // The command comes first, or after options of the whole program.
    const auto command = std::find_if(arguments.begin(), arguments.end(),
                                      [](const std::string& a) { return !a.starts_with('-'); });
    const bool cuda = command != arguments.end() && *command == "cuda";
    const bool takes_output = cuda || (command != arguments.end() && *command == "preprocess");

    for (std::size_t i = 0; i < arguments.size(); ++i) {
        const std::string& argument = arguments[i];
        const auto take_values = [&](std::size_t count) -> Result<std::vector<std::string>> {
            if (arguments.size() - i - 1 < count)
                return fail(fmt::format("option '{}' needs a value", argument));
            std::vector<std::string> values(arguments.begin() + i + 1,
                                            arguments.begin() + i + 1 + count);
            i += count;
            return values;
        };

        if (argument == "--") {
            split.slang.insert(split.slang.end(), arguments.begin() + i + 1, arguments.end());
            break;
        }
        if (argument == "-" && !cuda)
            return fail("standard input cannot be read: a shader is a file");
        if (!argument.starts_with('-') || argument == "-") {
            split.own.push_back(argument);
            continue;
        }
        const bool takes_value =
            std::find(own_options_with_value.begin(), own_options_with_value.end(), argument) !=
            own_options_with_value.end();
        const bool own_short = argument == "-j" || (takes_output && argument == "-o");
        if (takes_value || own_short) {
            const std::string name = argument;
            Result<std::vector<std::string>> value = take_values(1);
            if (!value)
                return tl::unexpected(value.error());
            if (own_short)
                split.own.insert(split.own.end(), {name, value->front()});
            else
                split.own.push_back(name + '=' + value->front());
            continue;
        }
        const bool joined_jobs = argument.size() > 2 && argument.starts_with("-j") &&
                                 argument.find_first_not_of("0123456789", 2) == std::string::npos;
        if (argument.starts_with("--") || argument == "-h" || joined_jobs) {
            split.own.push_back(argument);
            continue;
        }
        for (const RefusedOption& refused : refused_options)
            if (argument == refused.name)
                return fail(fmt::format("option '{}' is refused: {}", argument, refused.reason));
        const SlangOption* option = find_option(argument);
        if (!option)
            return fail(unknown_option(argument));
        split.slang.push_back(argument);
        const bool separate = option->form == Form::either && argument == option->name;
        Result<std::vector<std::string>> values = take_values(separate ? 1 : option->values);
        if (!values)
            return tl::unexpected(values.error());
        split.slang.insert(split.slang.end(), values->begin(), values->end());
    }
    return split;
}

} // namespace slimgrad
