#pragma once

#include "plugin/verify/input_plan.h"
#include "plugin/verify/input_values.h"
#include "plugin/verify/texture.h"
#include "plugin/verify/write_watch.h"

#include <cstdint>
#include <cstdio>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace slimgrad::verify {

/// The memory of one kernel call, laid out and filled as a plan says. Used inside slimgrad-run and
/// slimgrad-run-gpu only.
class KernelMemory {
  public:
    explicit KernelMemory(const InputPlan& plan);

    /// Fills everything for one sample and keeps a copy of what the kernel may change. Rounds of
    /// one sample come in order.
    void fill(std::uint32_t sample, std::uint32_t round = 0);
    /// Writes a record (run_results.h) of the scalars that changed since `fill` for each writable
    /// buffer. False: nobody reads any more.
    bool write_changes(std::uint32_t sample, std::FILE* file) const;

    void* globals() { return blocks_[0].data(); }
    void* parameters() { return blocks_[1].data(); }
    /// All bytes, as they were laid out for the host: to be copied to a device and back. Buffers
    /// that share memory have the same.
    std::vector<unsigned char>& block(std::size_t index) { return blocks_[index]; }
    std::vector<unsigned char>& buffer(std::size_t index) { return bytes_of(index); }
    /// The buffer that starts at this address; null: none does.
    const BufferPlan* buffer_at(const void* data) const;
    /// What the kernel may change, by buffer; no bytes for one that it may not, or that has
    /// another's.
    std::vector<WriteWatch::Region> watched() const;

  private:
    using Bytes = std::vector<unsigned char>;
    void draw(std::uint32_t sample);
    void write_handles(Bytes& bytes, const BlockPlan& block);
    void fill_slots(Bytes& bytes, const BlockPlan& block, std::uint32_t sample,
                    std::uint32_t& input);
    void fill_buffer(std::size_t index, std::uint32_t sample, std::uint32_t& input);
    using Values = std::map<std::string, std::vector<double>>;
    /// Values by name instead of what is there.
    void give(const Values& values);
    void move(const InputStep& step, std::uint32_t sample);
    /// Buffers that share memory use that of the first of them.
    Bytes& bytes_of(std::size_t buffer) { return buffers_[memory_of_[buffer]]; }
    const Bytes& bytes_of(std::size_t buffer) const { return buffers_[memory_of_[buffer]]; }

    const InputPlan& plan_;
    InputValues values_;
    std::vector<std::size_t> memory_of_; ///< by buffer: itself, or the one whose memory it shares
    std::vector<Bytes> blocks_, buffers_, before_;
    std::vector<Bytes> drawn_blocks_, drawn_buffers_; ///< what every round of a sample starts from
    std::deque<HostTexture> textures_;                ///< in the order of the plan's blocks
};

} // namespace slimgrad::verify
