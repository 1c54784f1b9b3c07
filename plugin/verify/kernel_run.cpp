#include "plugin/verify/kernel_run.h"

#include "plugin/process/child_process.h"
#include "plugin/verify/sanitizer_report.h"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string_view>
#include <utility>

namespace slimgrad::verify {
namespace {

/// Reads records from the front of what the runner wrote.
class Records {
  public:
    explicit Records(std::string_view bytes) : bytes_(bytes) {}

    /// The next one; nothing: the rest is none, or not all of one.
    std::optional<RecordHead> next() {
        RecordHead head;
        if (bytes_.size() < sizeof head)
            return std::nullopt;
        std::memcpy(&head, bytes_.data(), sizeof head);
        if (head.magic != RecordHead::expected_magic || head.bytes > bytes_.size() - sizeof head)
            return std::nullopt;
        content_ = bytes_.substr(sizeof head, head.bytes);
        bytes_.remove_prefix(sizeof head + head.bytes);
        return head;
    }
    std::string_view content() const { return content_; } ///< of the last one
    bool at_end() const { return bytes_.empty(); }

  private:
    std::string_view bytes_, content_;
};

bool read_changes(const RecordHead& head, std::uint32_t round, std::string_view content,
                  const InputPlan& plan, KernelRun& run) {
    if (head.buffer >= plan.buffers.size() || content.size() % sizeof(Change) != 0)
        return false;
    const BufferPlan& buffer = plan.buffers[head.buffer];
    BufferChanges& changes =
        run.changes.emplace_back(BufferChanges{head.sample, head.buffer, {}, round});
    changes.changes.resize(content.size() / sizeof(Change));
    if (!content.empty())
        std::memcpy(changes.changes.data(), content.data(), content.size());
    return std::all_of(changes.changes.begin(), changes.changes.end(), [&](const Change& change) {
        return change.index < buffer.elements * buffer.slots.size();
    });
}

void read_status(const nlohmann::json& line, KernelRun& run) {
    const std::string status = line.at("status");
    const nlohmann::json loops = line.value("loops", nlohmann::json::object());
    for (const auto& [loop, heads] : loops.items())
        run.heads[static_cast<std::uint32_t>(std::stoul(loop))] =
            heads.get<std::set<std::uint64_t>>();
    run.all_watched = line.value("all_watched", false);
    for (const nlohmann::json& conflict : line.value("conflicts", nlohmann::json::array())) {
        ScalarConflict& added = run.conflicts.emplace_back();
        added.sample = conflict.at("sample");
        added.buffer = conflict.at("buffer");
        added.scalar = conflict.at("scalar");
        for (std::size_t i = 0; i < added.threads.size(); ++i)
            added.threads[i] = {conflict.at("groups").at(i), conflict.at("threads").at(i)};
    }
    run.ways = line.value("ways", std::set<std::uint32_t>{});
    if (status == "out_of_range") {
        run.end = KernelRun::End::out_of_range;
        run.subscript = line.at("subscript");
        run.buffer = line.at("buffer");
        run.index = line.at("index");
        run.count = line.at("count");
        if (line.contains("dimension"))
            run.dimension = line.at("dimension").get<std::uint32_t>();
    } else if (status == "divergent") {
        run.end = KernelRun::End::failed;
        run.subscript = line.at("subscript");
        run.failure = line.at("what");
    } else if (status == "unsupported") {
        run.end = KernelRun::End::failed;
        run.unsupported = true;
        run.failure = "cannot be run here: " + line.at("what").get<std::string>();
    } else if (status == "failed") {
        run.end = KernelRun::End::failed;
        run.failure = line.at("what");
    } else if (status == "out_of_memory") {
        run.end = KernelRun::End::failed;
        run.failure = "ran out of memory";
        run.accident = true;
    }
}

/// The results may come from a kernel that wrote over the runner's memory: nothing in them is
/// trusted. False: they are not what the runner writes, from some point on.
bool read_results(std::string_view bytes, const InputPlan& plan, KernelRun& run) {
    Records records(bytes);
    std::uint32_t begun = 0; // rounds of all samples
    const auto rounds = static_cast<std::uint32_t>(std::max<std::size_t>(plan.rounds.size(), 1));
    while (const std::optional<RecordHead> head = records.next())
        switch (head->kind) {
        case RecordKind::sample:
            run.sample = head->sample;
            ++begun;
            break;
        case RecordKind::changes:
            if (!read_changes(*head, (begun - 1) % rounds, records.content(), plan, run))
                return false;
            break;
        case RecordKind::status:
            try {
                read_status(nlohmann::json::parse(records.content()), run);
            } catch (const std::exception&) { // json's own, and numbers that are none
                return false;
            }
            return records.at_end();
        default:
            return false;
        }
    return false;
}

/// What the runner writes at most: every scalar changed in every sample.
std::uint64_t most_output(const InputPlan& plan, std::uint32_t samples) {
    constexpr std::uint64_t status = 16u << 20; // counts of loops
    constexpr std::uint64_t most = 4ull << 30;  // it is kept in memory
    std::uint64_t scalars = 0;
    for (const BufferPlan& buffer : plan.buffers)
        if (buffer.writable)
            scalars += buffer.elements * buffer.slots.size();
    const std::uint64_t heads = (plan.buffers.size() + 1) * sizeof(RecordHead);
    const std::uint64_t runs = samples * std::max<std::uint64_t>(plan.rounds.size(), 1);
    return std::min(most, status + runs * (heads + scalars * sizeof(Change)));
}

/// What makes two runs the same.
std::string key_of(const KernelRunner::Call& call, const InputPlan& plan) {
    return fmt::format("{}\n{}\n{} {} {}\n{}", call.library, call.entry_point, call.first,
                       call.samples, call.watched, nlohmann::json(plan).dump());
}

/// Whether the folders of a file are open to the user that the runner runs as.
bool everybody_may_enter(const std::string& file) {
    namespace fs = std::filesystem;
    std::error_code error;
    for (fs::path folder = fs::absolute(file, error).parent_path();
         !error && folder.has_relative_path(); folder = folder.parent_path())
        if ((fs::status(folder, error).permissions() & fs::perms::others_exec) == fs::perms::none)
            return false;
    return !error;
}

/// The driver of a device opens files, maps memory without end and starts threads.
void outside_the_sandbox(ProcessOptions& process) {
    process.sandboxed = false;
    process.limits.file_bytes.reset();
    process.limits.stack_bytes = 0;
    process.environment = {"CUDA_CACHE_DISABLE=1"}; // nothing is left in the user's folder
}

} // namespace

namespace {

template <class Same> bool same(const KernelRun& a, const KernelRun& b, Same same_change) {
    return std::equal(a.changes.begin(), a.changes.end(), b.changes.begin(), b.changes.end(),
                      [&](const BufferChanges& left, const BufferChanges& right) {
                          return left.sample == right.sample && left.buffer == right.buffer &&
                                 left.round == right.round &&
                                 std::equal(left.changes.begin(), left.changes.end(),
                                            right.changes.begin(), right.changes.end(),
                                            same_change);
                      });
}

} // namespace

bool same_changes(const KernelRun& a, const KernelRun& b) {
    return same(a, b, std::equal_to<Change>());
}

bool same_places(const KernelRun& a, const KernelRun& b) {
    return same(a, b,
                [](const Change& left, const Change& right) { return left.index == right.index; });
}

bool all_finite(const KernelRun& run, const InputPlan& plan) {
    for (const BufferChanges& buffer : run.changes)
        for (const Change& change : buffer.changes) {
            const std::vector<ScalarSlot>& slots = plan.buffers[buffer.buffer].slots;
            const ScalarKind kind = slots[change.index % slots.size()].kind;
            if (holds_float(change.after, kind) &&
                !std::isfinite(value_of_bits(change.after, kind)))
                return false;
        }
    return true;
}

Result<KernelRun> KernelRunner::run(const Call& call, const InputPlan& plan,
                                    const ProcessLimits& limits) {
    ProcessOptions process;
    // Open, since the folder that it lies in may be closed to the user that the runner runs as.
    const UniqueFd library =
        above_standard(UniqueFd(open(call.library.c_str(), O_RDONLY | O_CLOEXEC)));
    if (!library)
        return fail(fmt::format("cannot open {}: {}", call.library, std::strerror(errno)));
    process.inherited = {library.get()};
    const bool sanitized = call.build == CpuBuild::sanitized;
    process.arguments = {program_ + (sanitized        ? "-sanitized"
                                     : call.on_device ? "-gpu"
                                                      : ""),
                         "--library",
                         sanitized && everybody_may_enter(call.library)
                             ? call.library // sanitizers find lines by a name only
                             : fmt::format("/proc/self/fd/{}", library.get()),
                         "--entry",
                         call.entry_point,
                         "--first",
                         std::to_string(call.first),
                         "--samples",
                         std::to_string(call.samples)};
    if (call.watched)
        process.arguments.insert(process.arguments.end(), {"--watched", "1"});
    process.standard_input = nlohmann::json(plan).dump();
    process.limits = limits;
    process.limits.output_bytes = most_output(plan, call.samples);
    if (sanitized || call.on_device) // its address space is terabytes
        process.limits.resident_bytes = std::exchange(process.limits.memory_bytes, 0);
    // Contexts are values on the stack, several copies of each: the usual 8 MiB are too few for a
    // large kernel.
    process.limits.stack_bytes = 256u << 20;
    process.limits.file_bytes = 0;
    process.sandboxed = true;
    if (call.on_device)
        outside_the_sandbox(process);
    const Result<ProcessResult> result = run_process(process);
    if (!result)
        return tl::unexpected(result.error());

    KernelRun run;
    if (!result->succeeded()) {
        std::optional<SanitizerReport> report;
        if (sanitized && result->end == ProcessEnd::exited)
            report = read_sanitizer_report(result->err, call.library);
        if (!report && result->end == ProcessEnd::exited && !result->err.empty())
            return fail(result->err.substr(0, result->err.find('\n')));
        read_results(result->out, plan, run);
        run.changes.clear(); // not all of them
        run.end = KernelRun::End::failed;
        run.timed_out = result->end == ProcessEnd::timed_out || result->end == ProcessEnd::killed;
        run.accident = result->end != ProcessEnd::exited;
        accidents_ += run.accident ? 1 : 0;
        run.failure = describe_end(*result, process.limits);
        if (report) {
            run.failure = "was stopped by " + report->kind;
            run.place = report->place;
        }
        return run;
    }
    if (!read_results(result->out, plan, run)) {
        run.end = KernelRun::End::failed;
        run.failure = "wrote over the memory of the program that runs it";
        run.accident = true;
    }
    accidents_ += run.accident ? 1 : 0;
    return run;
}

Result<KernelRunner::Device> KernelRunner::device(const ProcessLimits& limits) const {
    ProcessOptions process;
    process.arguments = {program_ + "-gpu", "--device"};
    process.limits = limits;
    process.limits.resident_bytes = std::exchange(process.limits.memory_bytes, 0);
    outside_the_sandbox(process);
    const Result<ProcessResult> result = run_process(process);
    if (!result)
        return tl::unexpected(result.error());
    const std::string line = result->out.substr(0, result->out.find('\n'));
    Device device;
    const auto [end, error] =
        std::from_chars(line.data(), line.data() + line.size(), device.capability);
    if (!result->succeeded() || error != std::errc{})
        return fail(line.empty() ? "no CUDA device: slimgrad-run-gpu " +
                                       describe_end(*result, process.limits)
                                 : line);
    device.name = line.substr(std::min<std::size_t>(line.size(), end - line.data() + 1));
    return device;
}

Result<KernelRun> KernelRunner::run_again(const Call& call, const InputPlan& plan,
                                          const ProcessLimits& limits) {
    const auto found = kept_.find(key_of(call, plan));
    if (found == kept_.end())
        return run_anew(call, plan, limits);
    accidents_ += found->second.accident ? 1 : 0;
    return found->second;
}

Result<KernelRun> KernelRunner::run_anew(const Call& call, const InputPlan& plan,
                                         const ProcessLimits& limits) {
    constexpr std::size_t most_kept = 16;
    Result<KernelRun> result = run(call, plan, limits);
    if (!result)
        return result;
    if (kept_.size() >= most_kept)
        kept_.clear();
    return kept_[key_of(call, plan)] = std::move(*result);
}

} // namespace slimgrad::verify
