#pragma once

#include "plugin/cli/command_line.h"
#include "plugin/cli/input_files.h"
#include "plugin/cli/resource_report.h"

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

// The objects of plugin/cli/report.schema.json. Paths are absolute. Bytes that are not UTF-8 become
// U+FFFD.

/// One module of `check`, `fix`, `tune` or `report`. `written`: its changes stand in the files now.
nlohmann::ordered_json module_json(const ModuleReport& report, const MeasuredWith& with,
                                   bool written);

/// The kernels of one variant.
nlohmann::ordered_json figures_json(const Figures& figures);

/// A verdict on one entry point.
nlohmann::ordered_json verified_json(const VerifyResult& verified);

/// The whole document: `modules` as `module_json` made them, what was left out, the exit code.
nlohmann::ordered_json modules_document(Command command, const nlohmann::ordered_json& modules,
                                        const std::vector<LeftOut>& left_out, ExitCode code);

/// The document of `tune`: the modules as everywhere, and what was tuned together.
nlohmann::ordered_json tune_document(const nlohmann::ordered_json& modules,
                                     const nlohmann::ordered_json& tunings,
                                     const std::vector<LeftOut>& left_out, ExitCode code);

/// A document as it is printed.
std::string printed(const nlohmann::ordered_json& document);

/// One fix that was tried, with its evidence.
nlohmann::ordered_json tried_json(const TriedFix& tried);

/// The document of `report --model`: `models` as `model_json` made them.
std::string model_document_json(const nlohmann::ordered_json& models,
                                const std::vector<LeftOut>& left_out, ExitCode code);

/// A place as all documents write it.
nlohmann::ordered_json place_json(const Place& place);

/// What the Slang compiler made of a module: "succeeded", "rejected", ...
std::string_view status_name(CompileStatus status);

/// The document of `cuda`: `result` holds its fields.
std::string cuda_document_json(const nlohmann::ordered_json& result, ExitCode code);

/// The document of `verify`.
std::string verify_document_json(const std::string& before, const std::string& after,
                                 const std::vector<VerifyResult>& results,
                                 const std::string& problem, ExitCode code);

} // namespace slimgrad
