#include "plugin/verify/write_watch.h"

#include <algorithm>
#include <cstring>
#include <utility>

namespace slimgrad::verify {
namespace {

/// More is not looked at: bytes compared in all launches together, and places of one.
constexpr std::uint64_t most_compared = 8ull << 30;
constexpr std::size_t most_places = 1u << 20;

constexpr std::size_t chunk = 4096;

bool same_thread(const ThreadMoment& a, const ThreadMoment& b) {
    return a.block == b.block && a.thread == b.thread;
}

} // namespace

WriteWatch::WriteWatch(std::vector<Region> regions) : regions_(std::move(regions)) {
    seen_.resize(regions_.size());
    renewed_.resize(regions_.size());
}

void WriteWatch::start() {
    for (std::size_t i = 0; i < regions_.size(); ++i)
        seen_[i].assign(regions_[i].bytes, regions_[i].bytes + regions_[i].size);
    writes_.clear();
    signals_.clear();
    conflicts_.clear();
    time_ = 0;
}

void WriteWatch::renew(const unsigned char* bytes) {
    for (std::size_t i = 0; i < regions_.size(); ++i)
        if (regions_[i].bytes == bytes) {
            seen_[i].assign(bytes, bytes + regions_[i].size);
            ++renewed_[i];
        }
}

void WriteWatch::ran(const ThreadMoment& moment) {
    for (std::size_t i = 0; i < regions_.size() && complete_; ++i) {
        const Region& region = regions_[i];
        unsigned char* const seen = seen_[i].data();
        for (std::size_t begin = 0; begin < region.size; begin += chunk) {
            const std::size_t end = std::min(begin + chunk, region.size);
            if (std::memcmp(seen + begin, region.bytes + begin, end - begin) == 0)
                continue;
            for (std::size_t at = begin; at < end; ++at)
                if (seen[at] != region.bytes[at])
                    note(i, at, moment, false);
            std::memcpy(seen + begin, region.bytes + begin, end - begin);
        }
        compared_ += region.size;
    }
    complete_ = complete_ && compared_ <= most_compared;
}

void WriteWatch::atomic(const ThreadMoment& moment, const void* address, std::size_t bytes,
                        const void* old, bool orders) {
    if (!complete_)
        return;
    const auto* const place = static_cast<const unsigned char*>(address);
    const auto* const before = static_cast<const unsigned char*>(old);
    for (std::size_t i = 0; i < regions_.size(); ++i) {
        const Region& region = regions_[i];
        if (place < region.bytes || place + bytes > region.bytes + region.size)
            continue;
        const auto offset = static_cast<std::size_t>(place - region.bytes);
        for (std::size_t k = 0; k < bytes; ++k) {
            if (seen_[i][offset + k] != before[k])
                note(i, offset + k, moment, false);
            if (place[k] != before[k])
                note(i, offset + k, moment, true);
            seen_[i][offset + k] = place[k];
        }
    }
    if (!orders)
        return;
    ran(moment); // before the others may go on
    signals_[address].push_back({++time_, moment});
}

void WriteWatch::note(std::size_t region, std::size_t offset, const ThreadMoment& moment,
                      bool atomic) {
    const std::vector<std::uint32_t>& places = regions_[region].places;
    const std::size_t within = offset % places.size();
    if (places[within] == padding)
        return;
    offset = offset - within + places[within];
    if (writes_.size() >= most_places) {
        complete_ = false;
        return;
    }
    Writes& writes = writes_[static_cast<std::uint64_t>(region) << 40 | offset];
    if (writes.owner != renewed_[region])
        writes = {};
    writes.owner = renewed_[region];
    for (const Write* earlier : {&writes.plain, atomic ? nullptr : &writes.atomic}) {
        if (!earlier || !earlier->known || same_thread(earlier->moment, moment) ||
            ordered(*earlier, moment))
            continue;
        const bool first =
            std::none_of(conflicts_.begin(), conflicts_.end(),
                         [&](const WriteConflict& known) { return known.region == region; });
        if (first)
            conflicts_.push_back({region, offset, {earlier->moment, moment}});
    }
    (atomic ? writes.atomic : writes.plain) = {moment, time_, true};
}

bool WriteWatch::ordered(const Write& earlier, const ThreadMoment& later) const {
    const ThreadMoment& from = earlier.moment;
    if (from.block == later.block &&
        (from.barriers != later.barriers ||
         (from.warp == later.warp && from.warp_rounds != later.warp_rounds)))
        return true;
    for (const auto& [address, signals] : signals_) {
        const auto sent = std::find_if(signals.begin(), signals.end(), [&](const Signal& signal) {
            return signal.time > earlier.time && same_thread(signal.moment, from);
        });
        if (std::any_of(sent, signals.end(),
                        [&](const Signal& signal) { return same_thread(signal.moment, later); }))
            return true;
    }
    return false;
}

} // namespace slimgrad::verify
