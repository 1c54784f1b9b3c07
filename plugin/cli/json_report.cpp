#include "plugin/cli/json_report.h"

#include "plugin/cli/finding_view.h"
#include "plugin/cli/slang_names.h"
#include "rewriter/unified_diff.h"

#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;

constexpr int format_version = 1;

Json json(const Place& place) {
    return {{"file", place.file}, {"line", place.line}, {"column", place.column}};
}

/// `checkpoint_bytes` is the module's: the report does not say which backward kernel uses which
/// context.
Json json(const KernelFigures& kernel, std::uint64_t checkpoint_bytes) {
    const bool backward = kernel.direction == Direction::backward;
    return {{"name", kernel.name},
            {"direction", backward ? "backward" : "forward"},
            {"registers", kernel.registers},
            {"stack_bytes", kernel.stack_bytes},
            {"spill_store_bytes", kernel.spill_store_bytes},
            {"spill_load_bytes", kernel.spill_load_bytes},
            {"code_bytes", kernel.code_bytes},
            {"warps_per_sm", kernel.warps_per_sm},
            {"checkpoint_bytes", backward ? checkpoint_bytes : 0},
            {"block_size", kernel.block_size},
            {"device_function", kernel.device_function},
            {"local_loads", kernel.local_loads},
            {"local_stores", kernel.local_stores},
            {"instructions", kernel.instructions},
            {"global_loads", kernel.global_loads},
            {"global_stores", kernel.global_stores},
            {"atomics", kernel.atomics},
            {"shared_accesses", kernel.shared_accesses},
            {"loops", kernel.loops},
            {"unknown_loops", kernel.unknown_loops},
            {"estimated_executed", kernel.executed},
            {"estimated_cost", kernel.estimate}};
}

Json json(const Figures& figures) {
    Json kernels = Json::array();
    for (const KernelFigures& kernel : figures.kernels)
        kernels.push_back(json(kernel, figures.checkpoint_bytes));
    return kernels;
}

std::string_view verdict_name(Verdict verdict) {
    switch (verdict) {
    case Verdict::equal:
        return "equal";
    case Verdict::different:
        return "different";
    case Verdict::original_wrong:
        return "original_wrong";
    case Verdict::rewritten_wrong:
        return "rewritten_wrong";
    case Verdict::unverified:
        return "unverified";
    case Verdict::cannot_run:
        return "cannot_run";
    case Verdict::right:
        return "right";
    case Verdict::wrong:
        return "wrong";
    }
    return "";
}

Json json(const TriedFix& tried) {
    Json edits = Json::array();
    for (const SourceEdit& edit : tried.fix.edits)
        edits.push_back({{"file", edit.path},
                         {"begin", edit.range.begin},
                         {"end", edit.range.end},
                         {"text", edit.text}});
    Json fix = {
        {"description", tried.fix.description},
        {"applicability", tried.fix.applicability == Applicability::safe ? "safe" : "unsafe"},
        {"condition", tried.fix.condition},
        {"outcome", name(tried.outcome)},
        {"reason", tried.why},
        {"edits", std::move(edits)},
        {"before", json(tried.evidence.before)}};
    if (tried.evidence.after)
        fix["after"] = json(*tried.evidence.after);
    if (tried.evidence.verified)
        fix["verified"] = verified_json(*tried.evidence.verified);
    return fix;
}

Json json(const FindingView& view) {
    Json fixes = Json::array();
    if (view.chosen)
        fixes.push_back(json(*view.chosen));
    for (const TriedFix* tried : view.rejected)
        fixes.push_back(json(*tried));
    return {{"rule", view.finding.rule},       {"severity", name(view.severity())},
            {"state", name(view.state)},       {"place", json(view.finding.place)},
            {"message", view.finding.message}, {"bytes", view.finding.bytes},
            {"fixes", std::move(fixes)},       {"not_offered", view.finding.why_not}};
}

Json json(const verify::DifferentiatedCall& call) {
    Json cuts = Json::array();
    for (const Place& cut : call.cuts)
        cuts.push_back(json(cut));
    return {{"function", call.function},
            {"place", json(call.place)},
            {"dot_product", to_string(call.dot_product.state)},
            {"differences", to_string(call.differences.state)},
            {"backward", call.backward},
            {"forward", call.forward},
            {"central_difference", call.central_difference},
            {"samples", call.samples},
            {"kinks", call.kinks},
            {"mismatches", call.mismatches},
            {"sample", call.sample},
            {"cuts", std::move(cuts)},
            {"custom_derivatives", call.custom_derivatives},
            {"unpaired", call.unpaired}};
}

Json json(const CheckpointContext& context, const SlangNames& names) {
    Json values = Json::array();
    for (const CheckpointValue& value : context.values)
        values.push_back({{"place", json(value.place)},
                          {"type", value.type},
                          {"type_text", names.type(value.type)},
                          {"bytes", value.bytes}});
    return {{"function", context.function},
            {"function_text", names.function(context.function)},
            {"place", json(context.place)},
            {"bytes", context.bytes},
            {"values", std::move(values)}};
}

std::string_view command_name(Command command) {
    switch (command) {
    case Command::check:
        return "check";
    case Command::fix:
        return "fix";
    case Command::tune:
        return "tune";
    case Command::report:
        return "report";
    case Command::verify:
        return "verify";
    case Command::explain:
        return "explain";
    case Command::preprocess:
        return "preprocess";
    case Command::cuda:
        return "cuda";
    case Command::cache:
        return "cache";
    }
    return "";
}

Json head(Command command) {
    return {{"version", format_version},
            {"slimgrad", SLIMGRAD_VERSION},
            {"command", command_name(command)}};
}

Json json(const std::vector<LeftOut>& left_out) {
    Json skipped = Json::array();
    for (const LeftOut& input : left_out)
        skipped.push_back({{"file", input.path},
                           {"reason", input.reason},
                           {"is_error", input.code != ExitCode::clean}});
    return skipped;
}

} // namespace

std::string printed(const Json& document) {
    return document.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
}

Json place_json(const Place& place) {
    return json(place);
}

std::string_view status_name(CompileStatus status) {
    switch (status) {
    case CompileStatus::succeeded:
        return "succeeded";
    case CompileStatus::rejected:
        return "rejected";
    case CompileStatus::refused:
        return "refused";
    case CompileStatus::crashed:
        return "crashed";
    case CompileStatus::timed_out:
        return "timed_out";
    case CompileStatus::out_of_memory:
        return "out_of_memory";
    case CompileStatus::killed:
        return "killed";
    }
    return "";
}

std::string model_document_json(const Json& models, const std::vector<LeftOut>& left_out,
                                ExitCode code) {
    Json document = head(Command::report);
    document["models"] = models;
    document["left_out"] = json(left_out);
    document["exit_code"] = static_cast<int>(code);
    return printed(document);
}

Json figures_json(const Figures& figures) {
    return json(figures);
}

std::string cuda_document_json(const Json& result, ExitCode code) {
    Json document = head(Command::cuda);
    document.update(result);
    document["exit_code"] = static_cast<int>(code);
    return printed(document);
}

Json verified_json(const VerifyResult& verified) {
    Json result = {{"entry_point", verified.entry_point},
                   {"verdict", verdict_name(verified.verdict)},
                   {"reason", verified.reason},
                   {"bit_equal", verified.bit_equal},
                   {"reference_is_repaired", verified.reference_is_repaired},
                   {"largest_error", verified.largest_error},
                   {"samples", verified.samples},
                   {"seed", verified.seed},
                   {"cpp_branch", verified.cpp_branch}};
    result["differs_if_aliased"] = verified.differs_if_aliased;
    result["place"] = json(verified.place);
    result["steps"] = Json::array();
    for (const StepReport& step : verified.steps)
        result["steps"].push_back({{"step", to_string(step.step)},
                                   {"state", to_string(step.state)},
                                   {"detail", step.detail},
                                   {"milliseconds", step.duration.count()}});
    result["calls"] = Json::array();
    for (const verify::DifferentiatedCall& call : verified.calls)
        result["calls"].push_back(json(call));
    if (const auto& difference = verified.difference)
        result["difference"] = {{"buffer", difference->buffer},
                                {"element", difference->element},
                                {"original", difference->original},
                                {"rewritten", difference->rewritten},
                                {"sample", difference->sample}};
    return result;
}

Json module_json(const ModuleReport& report, const MeasuredWith& with, bool written) {
    Json contexts = Json::array();
    const SlangNames names(report.compiled);
    for (const CheckpointContext& context : sorted_contexts(report.compiled))
        contexts.push_back(json(context, names));
    Json findings = Json::array();
    for (const FindingView& view : view_findings(report))
        findings.push_back(json(view));
    Json changed = Json::array();
    std::string diff;
    for (const auto& [path, text] : report.changed) {
        changed.push_back(path);
        diff +=
            unified_diff(display_path(path, current_directory()), report.original.at(path), text);
    }
    Json module = {{"file", report.file},
                   {"status", status_name(report.compiled.status)},
                   {"detail", report.compiled.detail},
                   {"options",
                    {{"arch", with.arch},
                     {"fast_math", with.fast_math},
                     {"slang_version", with.slang_version},
                     {"slang_arguments", with.slang_arguments},
                     {"nvcc_arguments", with.nvcc_arguments}}},
                   {"kernels", json(report.before)},
                   {"contexts", std::move(contexts)},
                   {"no_contexts", no_context_reason(report)},
                   {"findings", std::move(findings)},
                   {"changed_files", std::move(changed)},
                   {"written", written},
                   {"diff", std::move(diff)}};
    if (report.after)
        module["kernels_after"] = json(*report.after);
    if (report.verified)
        module["verified"] = verified_json(*report.verified);
    return module;
}

Json tried_json(const TriedFix& tried) {
    return json(tried);
}

Json tune_document(const Json& modules, const Json& tunings, const std::vector<LeftOut>& left_out,
                   ExitCode code) {
    Json document = head(Command::tune);
    document["modules"] = modules;
    document["tunings"] = tunings;
    document["left_out"] = json(left_out);
    document["exit_code"] = static_cast<int>(code);
    return document;
}

Json modules_document(Command command, const Json& modules, const std::vector<LeftOut>& left_out,
                      ExitCode code) {
    Json document = head(command);
    document["modules"] = modules;
    document["left_out"] = json(left_out);
    document["exit_code"] = static_cast<int>(code);
    return document;
}

std::string verify_document_json(const std::string& before, const std::string& after,
                                 const std::vector<VerifyResult>& results,
                                 const std::string& problem, ExitCode code) {
    Json document = head(Command::verify);
    document["before"] = before;
    document["after"] = after;
    document["results"] = Json::array();
    for (const VerifyResult& result : results)
        document["results"].push_back(verified_json(result));
    document["problem"] = problem;
    document["exit_code"] = static_cast<int>(code);
    return printed(document);
}

} // namespace slimgrad
