#include "plugin/cli/cuda_report.h"

#include "plugin/cli/context_report.h"
#include "plugin/cli/json_report.h"

#include <algorithm>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <string_view>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* columns =
    "  {:<{}}  {:<{}}  {:>9}  {:>7}  {:>12}  {:>11}  {:>11}  {:>12}  {:>6}  {:>8}{}\n";

std::string_view status_name(NvccStatus status) {
    switch (status) {
    case NvccStatus::succeeded:
        return "succeeded";
    case NvccStatus::rejected:
        return "rejected";
    case NvccStatus::crashed:
        return "crashed";
    case NvccStatus::timed_out:
        return "timed_out";
    case NvccStatus::out_of_memory:
        return "out_of_memory";
    case NvccStatus::killed:
        return "killed";
    }
    return "";
}

std::string_view severity_style(const CudaRewriteNote& note, const Style& style) {
    return note.severity == "error" && !note.repaired    ? style.severity(Severity::error)
           : note.severity == "warning" || note.repaired ? style.severity(Severity::cost)
                                                         : style.severity(Severity::note);
}

/// Why a variant stands in the table without being a candidate.
std::string remark(const CudaChoice& choice, std::size_t index) {
    const CudaVariant& variant = choice.variants[index];
    if (!variant.distinct)
        return "the same text";
    if (variant.status != NvccStatus::succeeded)
        return "nvcc: " + printable(variant.detail);
    if (index == choice.chosen)
        return "chosen";
    return variant.allowed ? "" : "not asked for";
}

Json variant_json(const CudaChoice& choice, std::size_t index) {
    const CudaVariant& variant = choice.variants[index];
    return {{"name", variant.name},
            {"allowed", variant.allowed},
            {"distinct", variant.distinct},
            {"chosen", index == choice.chosen},
            {"status", status_name(variant.status)},
            {"detail", variant.detail},
            {"kernels", figures_json(variant.figures)}};
}

Json layouts_json(const RewrittenCuda& rewritten) {
    const auto contexts = parse_cuda_contexts(rewritten.report);
    return contexts ? cuda_contexts_json({*contexts, ""})["layouts"] : Json::array();
}

/// The kernels of slimgrad-clang's report, as they are.
Json kernels_json(const RewrittenCuda& rewritten) {
    const Json report = Json::parse(rewritten.report, nullptr, false);
    const bool listed = report.is_object() && report.contains("kernels");
    return listed && report["kernels"].is_array() ? report["kernels"] : Json::array();
}

} // namespace

std::string cuda_notes_text(const CudaOutcome& outcome, const Style& style,
                            const std::string& directory) {
    std::string text;
    const std::string file =
        outcome.input.empty() ? "<stdin>" : display_path(outcome.input, directory);
    for (const CudaRewriteNote& note : outcome.rewritten.notes) {
        Place place =
            note.place.file.starts_with('/') ? display_place(note.place, directory) : note.place;
        if (place.file.empty())
            place.file = file;
        text += fmt::format("{}: {}{}{}: {} [{}]\n", printable(to_string(place)),
                            severity_style(note, style),
                            note.repaired ? "warning" : printable(note.severity), style.reset(),
                            printable(note.message), printable(note.pass));
    }
    for (const HeapKernel& kernel : outcome.rewritten.heap_kernels)
        text += fmt::format("{}: {}note{}: {} [heap]\n", printable(file),
                            style.severity(Severity::note), style.reset(),
                            printable(heap_demand(kernel)));
    return text;
}

std::string cuda_choice_text(const CudaOutcome& outcome, const Style& style) {
    if (!outcome.choice)
        return "";
    const CudaChoice& choice = *outcome.choice;
    std::size_t name_width = 7, kernel_width = 6;
    for (const CudaVariant& variant : choice.variants) {
        name_width = std::max(name_width, variant.name.size());
        for (const KernelFigures& kernel : variant.figures.kernels)
            kernel_width = std::max(kernel_width, kernel.name.size());
    }
    std::string text =
        fmt::format("{}, fast math {}{}\n", outcome.measured_with.arch,
                    outcome.measured_with.fast_math ? "on" : "off",
                    choice.remembered ? "; figures remembered from an earlier run" : "");
    text += fmt::format(columns, "variant", name_width, "kernel", kernel_width, "registers",
                        "stack B", "spill st. B", "spill ld. B", "local loads", "local stores",
                        "code B", "warps/SM", "");
    for (std::size_t i = 0; i < choice.variants.size(); ++i) {
        const CudaVariant& variant = choice.variants[i];
        std::string note = remark(choice, i);
        if (!note.empty())
            note = fmt::format("  {}{}{}", i == choice.chosen ? style.good() : style.dim(), note,
                               style.reset());
        if (variant.figures.kernels.empty())
            text += fmt::format("  {:<{}}{}\n", variant.name, name_width, note);
        for (const KernelFigures& kernel : variant.figures.kernels) {
            const bool first = &kernel == &variant.figures.kernels.front();
            text += fmt::format(columns, first ? variant.name : "", name_width,
                                printable(kernel.name), kernel_width, kernel.registers,
                                kernel.stack_bytes, kernel.spill_store_bytes,
                                kernel.spill_load_bytes, kernel.local_loads, kernel.local_stores,
                                kernel.code_bytes, kernel.warps_per_sm, first ? note : "");
        }
    }
    return text;
}

Json cuda_outcome_json(const CudaOutcome& outcome) {
    Json notes = Json::array();
    for (const CudaRewriteNote& note : outcome.rewritten.notes)
        notes.push_back({{"severity", note.severity},
                         {"pass", note.pass},
                         {"place",
                          {{"file", note.place.file},
                           {"line", note.place.line},
                           {"column", note.place.column}}},
                         {"message", note.message},
                         {"repaired", note.repaired}});
    for (const HeapKernel& kernel : outcome.rewritten.heap_kernels)
        notes.push_back({{"severity", "note"},
                         {"pass", "heap"},
                         {"place", {{"file", outcome.input}, {"line", 0}, {"column", 0}}},
                         {"message", heap_demand(kernel)},
                         {"repaired", false}});
    Json result = {{"file", outcome.input},
                   {"output", outcome.output},
                   {"of_slang", outcome.of_slang},
                   {"changed", outcome.rewritten.changed},
                   {"passes", outcome.rewritten.passes},
                   {"layouts", layouts_json(outcome.rewritten)},
                   {"kernels", kernels_json(outcome.rewritten)},
                   {"notes", std::move(notes)}};
    if (outcome.choice) {
        result["measured"] = {{"arch", outcome.measured_with.arch},
                              {"fast_math", outcome.measured_with.fast_math},
                              {"nvcc_arguments", outcome.measured_with.extra_arguments},
                              {"remembered", outcome.choice->remembered},
                              {"variants", Json::array()}};
        for (std::size_t i = 0; i < outcome.choice->variants.size(); ++i)
            result["measured"]["variants"].push_back(variant_json(*outcome.choice, i));
    }
    return result;
}

} // namespace slimgrad
