#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/json_report.h"
#include "plugin/cli/model_report.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace slimgrad {

ExitCode run_model_report(const CommandLine& line) {
    const InputFiles inputs = collect_inputs(line.paths);
    ExitCode code = print_left_out(inputs.left_out);
    SlangCompiler compiler(compiler_options(line));
    auto models = nlohmann::ordered_json::array();
    const TextOptions options = text_options(line, stdout);
    bool first = true;
    for (const InputFile& input : inputs.files) {
        const Result<ModuleSettings> settings = module_settings(line, input.path);
        if (!settings) {
            print_error(settings.error());
            return ExitCode::usage;
        }
        const Result<ModelReport> report = read_model_report(compiler, *settings);
        if (!report) {
            print_error(report.error());
            code = worst(code, ExitCode::failed);
            continue;
        }
        if (!report->compiled.succeeded())
            code = worst(code, ExitCode::failed);
        if (line.format == OutputFormat::json)
            models.push_back(model_json(*report));
        else
            fmt::print("{}{}", first ? "" : "\n", model_text(*report, options));
        first = false;
    }
    if (line.format == OutputFormat::json)
        fmt::print("{}", model_document_json(models, inputs.left_out, code));
    return code;
}

} // namespace slimgrad
