#include "plugin/verify/run_failure.h"

#include <cstdint>
#include <fmt/format.h>

namespace slimgrad::verify {

std::string_view to_string(Role role) {
    return role == Role::original ? "original" : "rewritten";
}

const Subscript& subscript_of(const KernelRun& run, const InstrumentedText& text) {
    return text.subscripts[run.subscript < text.subscripts.size() ? run.subscript : 0];
}

RunFailure describe_failure(const KernelRun& run, const InstrumentedText& text, Role role,
                            std::string_view input) {
    const bool is_original = role == Role::original;
    const Subscript& subscript = subscript_of(run, text);
    const std::string where = subscript.place.line ? " at " + short_form(subscript.place) : "";
    RunFailure failure;
    failure.place = subscript.place;
    if (run.end == KernelRun::End::failed) {
        // A run that takes too long is not known to be wrong.
        if (!is_original && !run.timed_out && !run.unsupported)
            failure.verdict = Verdict::rewritten_wrong;
        failure.reason =
            fmt::format("the {} kernel {}{}{}", to_string(role), run.failure, where, input);
        return failure;
    }
    const auto index = static_cast<std::int64_t>(run.index); // a negative index became a large one
    if (subscript.checkpoint) {
        failure.left_array = LeftCheckpointArray{index, run.count};
        failure.verdict = is_original ? Verdict::original_wrong : Verdict::rewritten_wrong;
        failure.reason =
            fmt::format("the {} kernel indexes a checkpoint array of {} elements with {}{}{}",
                        to_string(role), run.count, index, where, input);
        return failure;
    }
    const std::string name = !run.buffer.empty()      ? run.buffer
                             : subscript.name.empty() ? "an array"
                                                      : subscript.name;
    const std::string along =
        run.dimension ? fmt::format(" along dimension {}", *run.dimension) : "";
    failure.verdict = is_original ? Verdict::cannot_run : Verdict::rewritten_wrong;
    failure.reason =
        fmt::format("index out of range: {}[{}] of {} elements{}{}{}{}", name, index, run.count,
                    along, where, input, is_original ? "" : ", where the original stays inside");
    return failure;
}

} // namespace slimgrad::verify
