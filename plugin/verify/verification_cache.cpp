#include "plugin/verify/verification_cache.h"

#include "plugin/cache/json_fields.h"
#include "plugin/rewrite/content_hash.h"

#include <nlohmann/json.hpp>

namespace slimgrad {

SLIMGRAD_JSON_OF_ALL_FIELDS(StepReport, step, state, detail, duration)
SLIMGRAD_JSON_OF_ALL_FIELDS(ProcessLimits, wall_clock, memory_bytes, output_bytes, resident_bytes,
                            cpu_seconds, file_bytes, stack_bytes)
SLIMGRAD_JSON_OF_ALL_FIELDS(InputRange, minimum, maximum)
SLIMGRAD_JSON_OF_ALL_FIELDS(ValueRange, minimum, maximum)
SLIMGRAD_JSON_OF_ALL_FIELDS(Promises, noalias, ranges)
SLIMGRAD_JSON_OF_ALL_FIELDS(LoopToCover, place, header_end, outer_on_line, shares_line, replaced,
                            bound, allowed, trip_count_is_input, computed, tested_at_end,
                            always_bound, lowest, input, inputs)
SLIMGRAD_JSON_OF_ALL_FIELDS(Difference, buffer, element, original, rewritten, sample, scalar)
SLIMGRAD_JSON_OF_ALL_FIELDS(LeftCheckpointArray, index, extent)

namespace verify {

SLIMGRAD_JSON_OF_ALL_FIELDS(BranchToCover, place, last_line, kind, function, callee, values)
SLIMGRAD_JSON_OF_ALL_FIELDS(DifferentiatedCall, function, place, dot_product, differences, backward,
                            forward, central_difference, samples, kinks, mismatches, sample,
                            typical_mismatch, cuts, custom_derivatives, unpaired, lost)
SLIMGRAD_JSON_OF_ALL_FIELDS(DefaultInputs, floats, smallest_integer, rows, layers)

} // namespace verify

SLIMGRAD_JSON_OF_ALL_FIELDS(VerifyResult, verdict, entry_point, reason, place, bit_equal,
                            reference_is_repaired, largest_error, difference, hidden_difference,
                            left_array, sample, samples, seed, rewritten_clean, unused_ranges,
                            steps, differs_if_aliased, conflict, conflict_place, conflict_certain,
                            not_finite, calls, defaults, elements, tensor_sizes, code_rejected,
                            timed_out, cpp_branch)

namespace verify {
namespace {

using nlohmann::json;

/// By name, so that a field that is added does not go unnoticed.
json all_options(const VerifyOptions& options) {
    const auto& [samples, sample, seed, tolerance, threads, ranges, gradients, loops, loops_are_all,
                 branches, rewritten_branches, noalias, both_machines, derivatives,
                 checkpoint_trips, sanitize, device, limits] = options;
    return json::array({samples, sample, seed, tolerance, threads, ranges, gradients, loops,
                        loops_are_all, branches, rewritten_branches, noalias, both_machines,
                        derivatives, checkpoint_trips, sanitize, device.has_value(), limits});
}

/// A module as it was compiled: the texts of its files, and what came of them.
void add(ContentHash& hash, const ModuleView& module) {
    hash.add(module.source.file).add(module.source.root);
    hash.add(std::to_string(module.source.slang_arguments.size()));
    for (const std::string& argument : module.source.slang_arguments)
        hash.add(argument);
    hash.add(std::to_string(module.model->files.size()));
    for (const SourceFile& file : module.model->files)
        hash.add(file.path()).add(file.text());
    hash.add(module.cuda->code);
}

} // namespace

std::string verification_key(const ModuleView& original, const ModuleView& rewritten,
                             const VerifyOptions& options, const Promises& promises,
                             const std::string& tools) {
    ContentHash hash;
    hash.add(tools).add(to_bytes(all_options(options))).add(to_bytes(promises));
    add(hash, original);
    if (&original != &rewritten)
        add(hash, rewritten);
    return hash.hex();
}

std::string encode(const std::vector<VerifyResult>& results) {
    return to_bytes(results);
}

std::optional<std::vector<VerifyResult>> decode_verification(std::string_view bytes) {
    return from_bytes<std::vector<VerifyResult>>(bytes);
}

} // namespace verify
} // namespace slimgrad
