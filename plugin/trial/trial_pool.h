#pragma once

#include "plugin/cuda/cuda_toolkit.h"
#include "plugin/slang/compiler.h"
#include "plugin/verify/verify.h"
#include "rewriter/result.h"

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace slimgrad {

/// What a trial needs of other programs. One thread at a time.
struct TrialTools {
    SlangCompiler compiler;
    Verifier verifier;
};

/// The workers of all trials of a run: threads that last, each with a Slang compiler and a verifier
/// of its own (children end with the thread that started them). Thread-safe.
class TrialPool {
  public:
    struct Options {
        unsigned workers = 1;
        CudaToolkit toolkit;
        SlangCompiler::Options compiler;
        Verifier::Options verifier;
    };

    /// Error: a verifier cannot be made.
    static Result<std::unique_ptr<TrialPool>> start(const Options& options);
    ~TrialPool();

    /// Calls task(i) for each i < count, as many at a time as there are workers, and returns when
    /// all are done. Not to be called from a task.
    void run(std::size_t count, const std::function<void(std::size_t, TrialTools&)>& task);

    /// Calls the task on this worker, always the same for a number, and waits for it.
    void run_on(std::size_t worker, const std::function<void(TrialTools&)>& task);

    /// Has every worker start its Slang as soon as it is free; the first call counts. Does not
    /// wait.
    void prepare_compilers();

    /// Another worker each time, in turn.
    std::size_t next_worker() { return next_worker_++ % tools_.size(); }
    /// Tasks so far, of all callers.
    std::size_t submitted() const { return submitted_; }
    std::size_t done() const { return done_; }
    unsigned workers() const { return unsigned(tools_.size()); }
    const CudaToolkit& toolkit() const { return toolkit_; }
    /// A worker's tools, for what is to live as long as the pool. Only to be used in run_on.
    TrialTools& tools(std::size_t worker) { return *tools_[worker % tools_.size()]; }

  private:
    using Job = std::function<void(TrialTools&)>;

    explicit TrialPool(CudaToolkit toolkit) : toolkit_(std::move(toolkit)) {}
    void work(std::size_t worker);
    void submit(std::deque<Job>& queue, std::vector<Job> jobs);

    CudaToolkit toolkit_;
    std::atomic<std::size_t> next_worker_ = 0, submitted_ = 0, done_ = 0;
    std::vector<std::unique_ptr<TrialTools>> tools_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> shared_;           ///< for whoever is free
    std::vector<std::deque<Job>> own_; ///< by worker
    bool stopping_ = false, prepared_ = false;
    std::vector<std::jthread> threads_;
};

} // namespace slimgrad
