#include "plugin/trial/trial_pool.h"

#include <algorithm>
#include <exception>
#include <iterator>
#include <utility>

namespace slimgrad {

Result<std::unique_ptr<TrialPool>> TrialPool::start(const Options& options) {
    std::unique_ptr<TrialPool> pool(new TrialPool(options.toolkit));
    const unsigned workers = std::max(1u, options.workers);
    for (unsigned i = 0; i < workers; ++i) {
        Result<Verifier> verifier = Verifier::create(options.verifier);
        if (!verifier)
            return tl::unexpected(verifier.error());
        pool->tools_.push_back(std::make_unique<TrialTools>(
            TrialTools{SlangCompiler(options.compiler), std::move(*verifier)}));
    }
    pool->own_.resize(workers);
    for (unsigned i = 0; i < workers; ++i)
        pool->threads_.emplace_back([pool = pool.get(), i] { pool->work(i); });
    return pool;
}

TrialPool::~TrialPool() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    threads_.clear(); // joins, before what they use goes
}

void TrialPool::work(std::size_t worker) {
    std::unique_lock lock(mutex_);
    for (;;) {
        std::deque<Job>& queue = own_[worker].empty() ? shared_ : own_[worker];
        if (!queue.empty()) {
            const Job job = std::move(queue.front());
            queue.pop_front();
            lock.unlock();
            job(*tools_[worker]);
            lock.lock();
        } else if (stopping_) {
            return;
        } else {
            changed_.wait(lock);
        }
    }
}

void TrialPool::submit(std::deque<Job>& queue, std::vector<Job> jobs) {
    std::mutex mutex;
    std::condition_variable done;
    std::size_t left = jobs.size();
    submitted_ += jobs.size();
    std::exception_ptr failure; // of the first job that threw
    {
        const std::lock_guard lock(mutex_);
        for (Job& job : jobs)
            queue.push_back([&, job = std::move(job)](TrialTools& tools) {
                std::exception_ptr thrown;
                try {
                    job(tools);
                } catch (...) {
                    thrown = std::current_exception();
                }
                ++done_;
                const std::lock_guard done_lock(mutex);
                if (thrown && !failure)
                    failure = thrown;
                if (--left == 0)
                    done.notify_one();
            });
    }
    changed_.notify_all();
    std::unique_lock lock(mutex);
    done.wait(lock, [&] { return left == 0; });
    if (failure)
        std::rethrow_exception(failure);
}

void TrialPool::run(std::size_t count, const std::function<void(std::size_t, TrialTools&)>& task) {
    std::vector<Job> jobs;
    for (std::size_t i = 0; i < count; ++i)
        jobs.push_back([&task, i](TrialTools& tools) { task(i, tools); });
    submit(shared_, std::move(jobs));
}

void TrialPool::prepare_compilers() {
    {
        const std::lock_guard lock(mutex_);
        if (prepared_)
            return;
        prepared_ = true;
        for (std::deque<Job>& queue : own_)
            queue.push_back([](TrialTools& tools) { tools.compiler.prepare(); });
    }
    changed_.notify_all();
}

void TrialPool::run_on(std::size_t worker, const std::function<void(TrialTools&)>& task) {
    std::vector<Job> jobs{task};
    submit(own_[worker % own_.size()], std::move(jobs));
}

} // namespace slimgrad
