#pragma once

/// Part of slimgrad_checkpoint_heap.h: the memory of the heap, and how it grows.

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// What went wrong, in one line: what failed, how many bytes, what to do. Empty: nothing.
struct CheckpointStatus {
    std::string error;
    explicit operator bool() const { return error.empty(); }
};

/// One piece of device memory that only grows. Its content does not outlive growing. Not for
/// several threads.
template <class Api> class CheckpointMemory {
  public:
    explicit CheckpointMemory(std::uint64_t budget) : budget_(budget) {}

    std::uint64_t address() const { return address_; }
    std::uint64_t bytes() const { return bytes_; }

    /// A graph has the address now: the memory stays until `release`.
    void keep_for_graph() { in_graph_ = true; }

    /// At least `bytes`. Gives the old memory back first, after `wait` has waited for its uses: the
    /// budget holds at any moment. Takes twice the old size if there is so much, so that growing
    /// costs little over time. `what`: needs it.
    template <class Wait>
    CheckpointStatus grow(Api& api, std::uint64_t bytes, bool capturing, const std::string& what,
                          Wait&& wait) {
        if (bytes <= bytes_)
            return {};
        const std::string need = what + " needs " + std::to_string(bytes) + " bytes of checkpoints";
        const std::string advice =
            ": launch fewer threads at a time, lower [MaxIters], or give the trips of its loops, "
            "for "
            "which the kernel has to be compiled with -DSLIMGRAD_CHECKPOINT_TRIPS=1";
        const std::uint64_t most = budget_ - std::min(budget_, graph_bytes_);
        if (bytes > most)
            return {need + ", more than the budget of " + std::to_string(budget_) + " bytes" +
                    (graph_bytes_
                         ? " less " + std::to_string(graph_bytes_) + " that captured graphs keep"
                         : "") +
                    advice};
        if (capturing)
            return {
                need +
                ", which cannot be allocated during stream capture: call ensure_checkpoint_heap(" +
                std::to_string(bytes) + ") before"};
        const std::uint64_t doubled = std::max(bytes, std::min(most, 2 * bytes_));
        if (CheckpointStatus status = give_back(api, wait); !status)
            return status;
        if (api.allocate(doubled, address_)) {
            bytes_ = doubled;
        } else if (doubled > bytes && api.allocate(bytes, address_)) {
            bytes_ = bytes;
        } else {
            address_ = 0;
            return {need + ", which the device does not have (" + api.problem + ")" + advice};
        }
        return {};
    }

    /// All of it, also what graphs use. Nothing may run that does.
    void release(Api& api) {
        if (address_)
            api.release(address_);
        for (const std::uint64_t address : of_graphs_)
            api.release(address);
        *this = CheckpointMemory(budget_);
    }

  private:
    template <class Wait> CheckpointStatus give_back(Api& api, Wait& wait) {
        if (!address_)
            return {};
        if (CheckpointStatus status = wait(); !status)
            return status;
        if (in_graph_) {
            of_graphs_.push_back(address_);
            graph_bytes_ += bytes_;
        } else if (!api.release(address_)) {
            return {"the checkpoint heap cannot give its memory back: " + api.problem};
        }
        address_ = bytes_ = 0;
        in_graph_ = false;
        return {};
    }

    std::uint64_t budget_;
    std::uint64_t address_ = 0, bytes_ = 0;
    bool in_graph_ = false;
    std::vector<std::uint64_t> of_graphs_; ///< earlier memory
    std::uint64_t graph_bytes_ = 0;        ///< of that
};

} // namespace slimgrad
