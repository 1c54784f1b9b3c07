#pragma once

#include <cstdint>
#include <cstdio>
#include <string_view>
#include <vector>

namespace slimgrad::verify {

/// slimgrad-run writes records to its standard output: each a RecordHead, followed by `bytes` bytes
/// in native order. Of a run that went well:
///
///     sample 0   changes, buffer 0   changes, buffer 2   sample 1   ...   status
///
/// Without a status the run ended within the last sample that began.
enum class RecordKind : std::uint32_t {
    sample,  ///< begins; nothing follows
    changes, ///< of one writable buffer, in the sample that began last: an array of Change
    status,  ///< how the run ended, as JSON; the last record
};

struct RecordHead {
    static constexpr std::uint32_t expected_magic = 0x72676d73; // "smgr"
    std::uint32_t magic = expected_magic;
    RecordKind kind = RecordKind::sample;
    std::uint32_t sample = 0;
    std::uint32_t buffer = 0; ///< of `changes`: index into the plan's buffers
    std::uint64_t bytes = 0;
};

/// A scalar whose bits the kernel changed. `index` counts the scalars of the buffer.
struct Change {
    std::uint64_t index = 0, before = 0, after = 0; ///< bits, zero-extended

    bool operator==(const Change&) const = default;
};

/// The runner's side. False: nobody reads any more.
bool write_sample(std::uint32_t sample, std::FILE* file);
bool write_changes(std::uint32_t sample, std::uint32_t buffer, const std::vector<Change>& changes,
                   std::FILE* file);
bool write_status(std::string_view json, std::FILE* file);

} // namespace slimgrad::verify
