#include "plugin/cli/resource_report.h"

#include "plugin/cli/slang_names.h"

#include <algorithm>
#include <fmt/format.h>
#include <iterator>
#include <string_view>

namespace slimgrad {
namespace {

using Lines = std::back_insert_iterator<std::string>;

constexpr std::string_view code_head = "from the code";

std::string options_text(const MeasuredWith& with) {
    std::string text = fmt::format("slangc {}, {}, fast math {}", with.slang_version, with.arch,
                                   with.fast_math ? "on" : "off");
    if (!with.slang_arguments.empty())
        fmt::format_to(Lines(text), ", slangc arguments: {}", fmt::join(with.slang_arguments, " "));
    if (!with.nvcc_arguments.empty())
        fmt::format_to(Lines(text), ", nvcc arguments: {}", fmt::join(with.nvcc_arguments, " "));
    return text;
}

/// "  1 of 2 loops counted once" where the trips of some are not known.
std::string unknown_loops_text(const KernelFigures& kernel) {
    if (kernel.unknown_loops == 0)
        return "";
    return fmt::format("  {} of {} loops counted once: trips not known", kernel.unknown_loops,
                       kernel.loops);
}

/// What the machine code says, of the kernels whose code was read.
std::string code_table(const std::vector<KernelFigures>& kernels, std::size_t width) {
    std::string text;
    for (const KernelFigures& kernel : kernels) {
        if (kernel.instructions == 0)
            continue;
        if (text.empty())
            text = fmt::format(
                "  {:<{}}  {:<8}  {:>12}  {:>12}  {:>13}  {:>7}  {:>6}  {:>13}  {:>9}\n", code_head,
                width, "", "instructions", "global loads", "global stores", "atomics", "shared",
                "est. executed", "est. cost");
        fmt::format_to(
            Lines(text), "  {:<{}}  {:<8}  {:>12}  {:>12}  {:>13}  {:>7}  {:>6}  {:>13}  {:>9}{}\n",
            printable(kernel.name), width,
            kernel.direction == Direction::forward ? "forward" : "backward", kernel.instructions,
            kernel.global_loads, kernel.global_stores, kernel.atomics, kernel.shared_accesses,
            kernel.executed, kernel.estimate, unknown_loops_text(kernel));
    }
    return text;
}

std::string kernel_table(std::vector<KernelFigures> kernels) {
    std::stable_sort(
        kernels.begin(), kernels.end(),
        [](const KernelFigures& a, const KernelFigures& b) { return a.direction < b.direction; });
    std::size_t width = code_head.size();
    for (const KernelFigures& kernel : kernels)
        width = std::max(width, kernel.name.size());
    std::string text =
        fmt::format("  {:<{}}  {:<8}  {:>9}  {:>7}  {:>12}  {:>11}  {:>11}  {:>12}  {:>6}  {:>8}\n",
                    "kernel", width, "", "registers", "stack B", "spill st. B", "spill ld. B",
                    "local loads", "local stores", "code B", "warps/SM");
    for (const KernelFigures& kernel : kernels)
        fmt::format_to(
            Lines(text),
            "  {:<{}}  {:<8}  {:>9}  {:>7}  {:>12}  {:>11}  {:>11}  {:>12}  {:>6}  {:>8}{}\n",
            printable(kernel.name), width,
            kernel.direction == Direction::forward ? "forward" : "backward", kernel.registers,
            kernel.stack_bytes, kernel.spill_store_bytes, kernel.spill_load_bytes,
            kernel.local_loads, kernel.local_stores, kernel.code_bytes, kernel.warps_per_sm,
            kernel.device_function ? "  device function"
                                   : fmt::format(" at {} threads", kernel.block_size));
    return text + code_table(kernels, width);
}

/// " (specialisation 1 of 2)" where the function has several contexts and no overloads.
std::string specialisation_text(const std::vector<CheckpointContext>& contexts, std::size_t index,
                                const SlangNames& names) {
    const std::string& function = contexts[index].function;
    std::size_t before = 0, all = 0;
    for (std::size_t i = 0; i < contexts.size(); ++i) {
        if (contexts[i].function != function)
            continue;
        ++all;
        before += i < index;
    }
    if (all < 2 || !names.place(function)) // overloads have no place together
        return "";
    return fmt::format(" (specialisation {} of {})", before + 1, all);
}

std::string context_text(const std::vector<CheckpointContext>& contexts, std::size_t index,
                         const ModuleReport& report, const SlangNames& names,
                         const TextOptions& options) {
    const CheckpointContext& context = contexts[index];
    // Slang gives the derivatives that it makes no place.
    const Place place = context.place.file.empty()
                            ? names.place(context.function).value_or(Place{report.file})
                            : context.place;
    std::string text = fmt::format(
        "  {}: {}{}{}{} stores {} B\n",
        printable(to_string(display_place(place, options.directory))), options.style.bold(),
        printable(names.function(context.function)), options.style.reset(),
        specialisation_text(contexts, index, names), context.bytes);
    std::size_t place_width = 0, type_width = 0;
    std::vector<std::string> places;
    for (const CheckpointValue& value : context.values) {
        // Slang gives some values no place.
        const std::string at = to_string(display_place(value.place, options.directory));
        places.push_back(at.empty() ? "(no place given)" : printable(at));
        place_width = std::max(place_width, places.back().size());
        type_width = std::max(type_width, names.type(value.type).size());
    }
    for (std::size_t i = 0; i < context.values.size(); ++i)
        fmt::format_to(Lines(text), "    {:<{}}  {:<{}}  {:>6} B\n", places[i], place_width,
                       printable(names.type(context.values[i].type)), type_width,
                       context.values[i].bytes);
    return text;
}

} // namespace

std::vector<CheckpointContext> sorted_contexts(const CompileResult& compiled) {
    std::vector<CheckpointContext> contexts = compiled.contexts;
    const auto larger = [](const auto& a, const auto& b) { return a.bytes > b.bytes; };
    std::stable_sort(contexts.begin(), contexts.end(), larger);
    for (CheckpointContext& context : contexts)
        std::stable_sort(context.values.begin(), context.values.end(), larger);
    return contexts;
}

std::string no_context_reason(const ModuleReport& report) {
    if (!report.compiled.contexts.empty())
        return "";
    bool plain_tensor = false, gradient_tensor = false;
    const auto look_at = [&](std::string_view type) {
        gradient_tensor |= type.starts_with("DiffTensorView");
        plain_tensor |= type.starts_with("TensorView");
    };
    for (const FunctionSignature& function : report.compiled.reflection.functions)
        if (function.differentiable)
            for (const FunctionSignature::Parameter& parameter : function.parameters)
                look_at(parameter.type);
    if (plain_tensor && !gradient_tensor)
        return "its differentiable kernel takes TensorView, not DiffTensorView: there is no "
               "gradient at all";
    const bool backward =
        std::any_of(report.before.kernels.begin(), report.before.kernels.end(),
                    [](const KernelFigures& k) { return k.direction == Direction::backward; });
    return backward ? "the backward pass stores nothing" : "no kernel runs a backward pass";
}

std::string resource_text(const ModuleReport& report, const MeasuredWith& with,
                          const TextOptions& options) {
    std::string text = fmt::format("{}{}{} ({})\n", options.style.bold(),
                                   printable(display_path(report.file, options.directory)),
                                   options.style.reset(), printable(options_text(with)));
    if (!report.before.kernels.empty())
        text += kernel_table(report.before.kernels);
    const std::string reason = no_context_reason(report);
    if (!reason.empty() && report.compiled.succeeded())
        fmt::format_to(Lines(text), "  {}\n", reason);
    const SlangNames names(report.compiled);
    const std::vector<CheckpointContext> contexts = sorted_contexts(report.compiled);
    for (std::size_t i = 0; i < contexts.size(); ++i)
        text += context_text(contexts, i, report, names, options);
    return text;
}

} // namespace slimgrad
