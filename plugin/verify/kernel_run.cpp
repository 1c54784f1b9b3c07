#include "plugin/verify/kernel_run.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <fstream>
#include <unistd.h>

namespace slimgrad::verify {
namespace {

/// A file that goes away with its owner.
class ScratchFile {
  public:
    explicit ScratchFile(std::string path) : path_(std::move(path)) {}
    ~ScratchFile() { unlink(path_.c_str()); }
    ScratchFile(const ScratchFile&) = delete;
    ScratchFile& operator=(const ScratchFile&) = delete;
    const std::string& path() const { return path_; }

  private:
    std::string path_;
};

template <class T> bool read(std::ifstream& file, T* data, std::size_t count = 1) {
    return static_cast<bool>(
        file.read(reinterpret_cast<char*>(data), static_cast<std::streamsize>(count * sizeof(T))));
}

/// The results may come from a kernel that wrote over the runner's memory: nothing in them is
/// trusted.
bool read_results(const std::string& path, const InputPlan& plan, KernelRun& run) {
    std::ifstream file(path, std::ios::binary | std::ios::ate);
    const auto bytes = static_cast<std::uint64_t>(std::max<std::streamoff>(file.tellg(), 0));
    file.seekg(0);
    ResultsHead head;
    if (!read(file, &head) || head.magic != ResultsHead::expected_magic)
        return false;
    run.sample = static_cast<std::uint32_t>(head.sample);
    if (run.end != KernelRun::End::done)
        return true;
    RecordHead record;
    while (read(file, &record)) {
        if (record.buffer >= plan.buffers.size() || record.count > bytes / sizeof(Change))
            return false;
        const BufferPlan& buffer = plan.buffers[record.buffer];
        BufferChanges& changes =
            run.changes.emplace_back(BufferChanges{record.sample, record.buffer, {}});
        changes.changes.resize(record.count);
        if (!read(file, changes.changes.data(), record.count))
            return false;
        for (const Change& change : changes.changes)
            if (change.index >= buffer.elements * buffer.slots.size())
                return false;
    }
    return file.eof() && file.gcount() == 0;
}

void read_status(const nlohmann::json& line, KernelRun& run) {
    const std::string status = line.at("status");
    const nlohmann::json loops = line.value("loops", nlohmann::json::object());
    for (const auto& [loop, heads] : loops.items())
        run.heads[static_cast<std::uint32_t>(std::stoul(loop))] =
            heads.get<std::set<std::uint64_t>>();
    if (status == "out_of_range") {
        run.end = KernelRun::End::out_of_range;
        run.subscript = line.at("subscript");
        run.buffer = line.at("buffer");
        run.index = line.at("index");
        run.count = line.at("count");
    } else if (status == "out_of_memory") {
        run.end = KernelRun::End::failed;
        run.failure = "ran out of memory";
    }
}

} // namespace

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
    const std::string scratch = fmt::format("{}/run-{}", folder_, runs_++);
    const ScratchFile plan_file(scratch + ".plan.json"), results_file(scratch + ".results");
    std::ofstream file(plan_file.path());
    if (!(file << nlohmann::json(plan).dump()).flush())
        return fail(fmt::format("cannot write {}", plan_file.path()));
    file.close();

    ProcessOptions process;
    process.arguments = {program_,
                         "--library",
                         call.library,
                         "--entry",
                         call.entry_point,
                         "--plan",
                         plan_file.path(),
                         "--out",
                         results_file.path(),
                         "--first",
                         std::to_string(call.first),
                         "--samples",
                         std::to_string(call.samples)};
    process.limits = limits;
    const Result<ProcessResult> result = run_process(process);
    if (!result)
        return tl::unexpected(result.error());

    KernelRun run;
    if (!result->succeeded()) {
        if (result->end == ProcessEnd::exited && !result->err.empty())
            return fail(result->err.substr(0, result->err.find('\n')));
        run.end = KernelRun::End::failed;
        run.timed_out = result->end == ProcessEnd::timed_out;
        run.failure = describe_end(*result, limits);
        read_results(results_file.path(), plan, run);
        return run;
    }
    try {
        read_status(nlohmann::json::parse(result->out), run);
    } catch (const std::exception&) { // json's own, and numbers that are none
        run.end = KernelRun::End::failed;
        run.failure = "wrote over the memory of the program that runs it";
        return run;
    }
    if (!read_results(results_file.path(), plan, run)) {
        run.end = KernelRun::End::failed;
        run.failure = "wrote over the memory of the program that runs it";
    }
    return run;
}

Result<KernelRun> KernelRunner::run_again(const Call& call, const InputPlan& plan,
                                          const ProcessLimits& limits) {
    constexpr std::size_t most_kept = 16;
    const std::string key = fmt::format("{}\n{}\n{} {}\n{}", call.library, call.entry_point,
                                        call.first, call.samples, nlohmann::json(plan).dump());
    if (const auto found = kept_.find(key); found != kept_.end())
        return found->second;
    Result<KernelRun> result = run(call, plan, limits);
    if (!result)
        return result;
    if (kept_.size() >= most_kept)
        kept_.clear();
    return kept_[key] = std::move(*result);
}

} // namespace slimgrad::verify
