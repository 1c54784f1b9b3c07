#pragma once

/// Part of slimgrad_checkpoint_heap.h: what a rewritten module says about its kernels, as
/// plugin/clang/runtime has it, and what they say about their arrays when they have run.

#include "checkpoint_memory.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// No loop's limit is known.
constexpr std::uint64_t unknown_trips = ~std::uint64_t{0};

/// a * b in 64 bits; false: it does not fit.
inline bool checkpoint_product(std::uint64_t a, std::uint64_t b, std::uint64_t& product) {
    product = a * b;
    return a == 0 || product / a == b;
}

/// The content of the module's variable slimgrad_checkpoint_heap.
struct CheckpointDescriptor {
    std::uint64_t base, bytes, threads, trips, overflow;
};

/// A kernel as its variable slimgrad_checkpoint_of_KERNEL describes it.
struct CheckpointKernel {
    static constexpr std::uint32_t version = 1;
    struct Head {
        std::uint32_t version, layout, terms, index;
    };
    struct Term {
        std::uint64_t bytes;
        std::uint32_t slots[4];
    };

    std::uint32_t index = 0; ///< of its overflow word
    std::vector<Term> terms;
    std::uint64_t least_trips =
        unknown_trips; ///< that it was launched with since its word was read

    /// False: it is not of this version.
    bool read(const std::vector<unsigned char>& content) {
        Head head{};
        if (content.size() < sizeof head)
            return false;
        std::memcpy(&head, content.data(), sizeof head);
        if (head.version != version || content.size() < sizeof head + head.terms * sizeof(Term))
            return false;
        index = head.index;
        terms.resize(head.terms);
        if (head.terms != 0)
            std::memcpy(terms.data(), content.data() + sizeof head, head.terms * sizeof(Term));
        return true;
    }

    /// Whether known trips make slices smaller: it was compiled with SLIMGRAD_CHECKPOINT_TRIPS 1.
    bool shrinks() const {
        for (const Term& term : terms)
            for (const std::uint64_t slots : term.slots)
                if (slots != 0)
                    return true;
        return false;
    }

    /// Bytes of one thread. False: more than there are addresses.
    bool stride(std::uint64_t trips, std::uint64_t& bytes) const {
        bytes = 0;
        for (const Term& term : terms) {
            std::uint64_t of_term = term.bytes;
            for (const std::uint64_t slots : term.slots) {
                const std::uint64_t used = trips < slots ? std::min(slots, trips + 2) : slots;
                if (slots != 0 && !checkpoint_product(of_term, used, of_term))
                    return false;
            }
            if (of_term > ~std::uint64_t{0} - 7 - bytes)
                return false;
            bytes += of_term;
        }
        bytes = (bytes + 7) / 8 * 8;
        return true;
    }

    /// `slots`: its overflow word. A loop of n trips uses n + 2.
    std::string overflow(const std::string& name, std::uint32_t slots) const {
        if (slots == ~std::uint32_t{0})
            return "kernel " + name +
                   " stored checkpoints at a negative index, or one beyond 32 bits: its results "
                   "are wrong";
        const std::uint32_t trips = slots > 2 ? slots - 2 : 1;
        const std::string needed =
            "kernel " + name + " needed " + std::to_string(slots) +
            " slots or more for the checkpoints of a loop that has fewer, its results are wrong: ";
        if (least_trips < trips && shrinks())
            return needed + "set trips to " + std::to_string(trips) + " or more (" +
                   std::to_string(least_trips) + " were given)";
        return needed + "set [MaxIters(" + std::to_string(trips) + ")] or more on the loop";
    }
};

/// A module that is loaded, and the words that its kernels report overflow in.
template <class Api> class CheckpointModule {
  public:
    using Handle = typename Api::Module;

    explicit CheckpointModule(Handle handle) : handle_(handle) {}

    std::uint64_t descriptor() const {
        return descriptor_;
    } ///< address of slimgrad_checkpoint_heap
    std::uint64_t overflow_word(const CheckpointKernel& kernel) const {
        return overflow_ + kernel.index * sizeof(std::uint32_t);
    }

    /// Finds its variables and allocates the words, which `stream` sets to 0.
    CheckpointStatus load(Api& api, typename Api::Stream stream) {
        std::uint64_t count = 0;
        std::vector<unsigned char> content;
        if (CheckpointStatus status =
                find(api, "slimgrad_checkpoint_heap", descriptor_, sizeof(CheckpointDescriptor));
            !status)
            return status;
        if (CheckpointStatus status =
                find(api, "slimgrad_checkpoint_kernels", count, sizeof kernels_);
            !status)
            return status;
        if (!api.read(&kernels_, count, sizeof kernels_))
            return {"slimgrad_checkpoint_kernels cannot be read: " + api.problem};
        kernels_ = std::max(kernels_, 1u);
        if (!api.allocate(kernels_ * sizeof(std::uint32_t), overflow_))
            return {"no memory for the overflow words of a module: " + api.problem};
        if (api.zero(overflow_, kernels_, stream))
            return {};
        const std::string problem = api.problem;
        release(api);
        return {"the overflow words of a module cannot be set: " + problem};
    }

    bool knows(const std::string& kernel) const { return known_.count(kernel) != 0; }
    /// `kernel`: stays valid as long as the module.
    CheckpointStatus find_kernel(Api& api, const std::string& name, CheckpointKernel*& kernel) {
        if (const auto known = known_.find(name); known != known_.end()) {
            kernel = &known->second;
            return {};
        }
        const std::string symbol = "slimgrad_checkpoint_of_" + name;
        std::uint64_t address = 0, bytes = 0;
        if (!api.find(handle_, symbol, address, bytes))
            return {"kernel " + name +
                    " keeps nothing in the heap, or has another name in the CUDA text: no " +
                    symbol + " in the module (" + api.problem + ")"};
        std::vector<unsigned char> content(bytes);
        if (!api.read(content.data(), address, bytes))
            return {symbol + " cannot be read: " + api.problem};
        CheckpointKernel described;
        if (!described.read(content) || described.index >= kernels_)
            return unknown_version(symbol);
        kernel = &known_.emplace(name, std::move(described)).first->second;
        return {};
    }

    /// Adds a line for every kernel with an overflow. `stream` sets the words to 0 then, and
    /// `cleared` is true.
    CheckpointStatus read_overflow(Api& api, typename Api::Stream stream, std::string& lines,
                                   bool& cleared) {
        std::vector<std::uint32_t> words(kernels_);
        if (!api.read(words.data(), overflow_, words.size() * sizeof words[0]))
            return {"the overflow words of a module cannot be read: " + api.problem};
        for (auto& [name, kernel] : known_) {
            if (words[kernel.index] != 0)
                lines += (lines.empty() ? "" : "\n") + kernel.overflow(name, words[kernel.index]);
            kernel.least_trips = unknown_trips;
        }
        cleared =
            std::any_of(words.begin(), words.end(), [](std::uint32_t slots) { return slots != 0; });
        if (cleared && !api.zero(overflow_, kernels_, stream))
            return {"the overflow words of a module cannot be set: " + api.problem};
        return {};
    }

    void release(Api& api) {
        if (overflow_)
            api.release(overflow_);
        overflow_ = 0;
    }

  private:
    CheckpointStatus find(Api& api, const std::string& symbol, std::uint64_t& address,
                          std::uint64_t expected) {
        std::uint64_t bytes = 0;
        if (!api.find(handle_, symbol, address, bytes))
            return {"the module was not rewritten with --passes heap: no " + symbol + " (" +
                    api.problem + ")"};
        return bytes == expected ? CheckpointStatus{} : unknown_version(symbol);
    }
    static CheckpointStatus unknown_version(const std::string& symbol) {
        return {symbol +
                " is not what this header knows: both have to come from one version of slimgrad"};
    }

    Handle handle_;
    std::uint64_t descriptor_ = 0, overflow_ = 0;
    std::uint32_t kernels_ = 0;
    std::map<std::string, CheckpointKernel> known_;
};

} // namespace slimgrad
