#include "plugin/cuda/sass_cost.h"

#include "plugin/cuda/sass_counter.h"
#include "plugin/cuda/sass_flow.h"

#include <algorithm>
#include <optional>

namespace slimgrad {
namespace {

/// Bytes that an access moves for a thread.
std::uint32_t width(std::string_view operation) {
    if (operation.find(".128") != std::string_view::npos)
        return 16;
    return operation.find("64") != std::string_view::npos ? 8 : 4;
}

/// Counts the instruction by its kind. Result: whether it is an access to memory.
bool count(const SassInstruction& instruction, SassCost& cost) {
    const std::string_view name = instruction.name();
    ++cost.instructions;
    std::uint32_t* kind = nullptr;
    if (name == "LDL")
        kind = &cost.local_loads;
    else if (name == "STL")
        kind = &cost.local_stores;
    else if (name == "LDG" || name == "LD")
        kind = &cost.global_loads;
    else if (name == "STG" || name == "ST")
        kind = &cost.global_stores;
    else if (name == "RED" || name == "REDG" || name == "ATOM" || name == "ATOMG")
        kind = &cost.atomics;
    else if (name == "LDS" || name == "STS" || name == "ATOMS")
        kind = &cost.shared_accesses;
    if (kind != nullptr)
        ++*kind;
    return kind != nullptr;
}

class CostReader {
  public:
    CostReader(const SassCode& code, const std::vector<LoopTrips>& trips)
        : code_(code), trips_(trips), flow_(read_flow(code)), source_(flow_.loops.size()) {}

    SassCost read() {
        cost_.loops = static_cast<std::uint32_t>(flow_.loops.size());
        std::vector<double> weights(flow_.blocks.size(), 1);
        for (std::size_t loop = 0; loop < flow_.loops.size(); ++loop) {
            const double trips = loop_trips(loop);
            for (const std::size_t block : flow_.loops[loop].blocks)
                weights[block] *= trips;
        }
        weigh_calls(weights);
        for (std::size_t block = 0; block < flow_.blocks.size(); ++block)
            if (flow_.blocks[block].reachable)
                add(flow_.blocks[block], weights[block]);
        return cost_;
    }

  private:
    void add(const SassBlock& block, double weight) {
        for (std::size_t i = block.begin; i < block.end; ++i) {
            const SassInstruction& instruction = code_.instructions[i];
            const bool access = count(instruction, cost_);
            cost_.executed += weight;
            cost_.slots += weight * (access ? width(instruction.operation) : 1);
        }
    }

    double loop_trips(std::size_t loop) {
        source_[loop] = source_loop(loop);
        const auto counter = loop_counter(code_, flow_, flow_.loops[loop]);
        std::optional<std::uint64_t> trips;
        if (counter)
            trips = counter->trips;
        if (const LoopTrips* source = source_[loop]; source != nullptr && source->trips != 0) {
            // Only by a power of two is a loop of unknown length unrolled.
            const std::uint64_t step =
                counter ? counter->step / std::max<std::uint64_t>(source->step, 1) : 1;
            const bool unrolled = step > 1 && (step & (step - 1)) == 0;
            const std::uint64_t most = unrolled ? (source->trips + step - 1) / step : source->trips;
            trips = trips ? std::min(*trips, most) : most;
        }
        cost_.unknown_loops += !trips;
        return static_cast<double>(std::max<std::uint64_t>(trips.value_or(1), 1));
    }

    /// The innermost source loop that one of the loop's branches stands in: those back to its
    /// beginning are asked first. If a loop inside this one is the same source loop, this is one
    /// around that.
    const LoopTrips* source_loop(std::size_t index) const {
        const SassLoop& loop = flow_.loops[index];
        std::vector<std::size_t> blocks = loop.latches;
        blocks.insert(blocks.end(), loop.blocks.begin(), loop.blocks.end());
        for (const std::size_t block : blocks) {
            const SassInstruction& last = code_.instructions[flow_.blocks[block].end - 1];
            const bool decides = flow_.blocks[block].next.size() > 1 || block == blocks.front();
            if (const LoopTrips* found = decides ? innermost(last.line, index) : nullptr)
                return found;
        }
        return nullptr;
    }

    const LoopTrips* innermost(const SassLine& at, std::size_t index) const {
        const LoopTrips* found = nullptr;
        const auto lines = [](const LoopTrips& loop) { return loop.last_line - loop.first_line; };
        for (const LoopTrips& loop : trips_)
            if (at.line >= loop.first_line && at.line <= loop.last_line && at.file == loop.file &&
                (found == nullptr || lines(loop) < lines(*found)) && !taken_inside(loop, index))
                found = &loop;
        return found;
    }

    bool taken_inside(const LoopTrips& source, std::size_t index) const {
        for (std::size_t inner = 0; inner < index; ++inner)
            if (source_[inner] == &source && flow_.loops[index].holds(flow_.loops[inner].header))
                return true;
        return false;
    }

    /// A function in the same section runs as often as it is called.
    void weigh_calls(std::vector<double>& weights) const {
        std::vector<std::pair<std::size_t, double>> called; // by the function's first block
        for (const SassCall& call : flow_.calls) {
            const auto known = std::find_if(called.begin(), called.end(), [&](const auto& entry) {
                return entry.first == call.to;
            });
            if (known == called.end())
                called.push_back({call.to, weights[call.from]});
            else
                known->second += weights[call.from];
        }
        for (const auto& [first, times] : called) {
            std::vector<std::size_t> open{first};
            std::vector<bool> seen(flow_.blocks.size());
            while (!open.empty()) {
                const std::size_t block = open.back();
                open.pop_back();
                if (seen[block])
                    continue;
                seen[block] = true;
                weights[block] *= times;
                open.insert(open.end(), flow_.blocks[block].next.begin(),
                            flow_.blocks[block].next.end());
            }
        }
    }

    const SassCode& code_;
    const std::vector<LoopTrips>& trips_;
    SassFlow flow_;
    std::vector<const LoopTrips*> source_; ///< by loop
    SassCost cost_;
};

} // namespace

SassCost estimate_cost(const SassCode& code, const std::vector<LoopTrips>& trips) {
    return CostReader(code, trips).read();
}

} // namespace slimgrad
