#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <vector>

namespace slimgrad {

/// A test double of a CUDA device, for tests of the host helper on machines that have none: memory,
/// modules, streams, events and captures, as far as the helper calls them. It keeps the order that
/// streams and events promise and nothing more: two launches are in order only if a wait, or their
/// stream, says so. It does not run kernels.
class FakeCuda {
  public:
    std::vector<std::string> calls;    ///< in order, one line each
    std::vector<std::string> mistakes; ///< what a device would have been harmed by
    std::uint64_t free_bytes = ~std::uint64_t{0};
    std::string failing;                        ///< the next call of this name fails
    std::map<int, unsigned long long> captures; ///< of streams that are captured

    /// A variable of a module.
    std::uint64_t add_symbol(int module, const std::string& name, const void* content,
                             std::uint64_t bytes) {
        const std::uint64_t address = add_memory(bytes);
        std::memcpy(memory_.at(address).data(), content, bytes);
        symbols_[{module, name}] = address;
        return address;
    }
    /// The bytes of a variable or allocation.
    std::vector<unsigned char>& memory(std::uint64_t address) { return memory_.at(address); }
    std::uint64_t symbol(int module, const std::string& name) const {
        return symbols_.at({module, name});
    }
    /// A 32-bit word of the memory around `address`.
    std::uint32_t& word(std::uint64_t address) {
        auto around = std::prev(memory_.upper_bound(address));
        return *reinterpret_cast<std::uint32_t*>(around->second.data() + (address - around->first));
    }

    /// A kernel of that module uses the heap, as its descriptor says.
    void launch(int stream, int module) {
        const std::lock_guard<std::mutex> lock(mutex_);
        calls.push_back("launch on " + std::to_string(stream));
        std::uint64_t base = 0;
        std::memcpy(&base, memory_.at(symbols_.at({module, "slimgrad_checkpoint_heap"})).data(),
                    sizeof base);
        use(stream, "a launch");
        if (base && !memory_.count(base))
            mistakes.push_back("a kernel uses memory that was given back");
    }

    friend class FakeApi;

  private:
    std::uint64_t add_memory(std::uint64_t bytes) {
        const std::uint64_t address = next_address_;
        next_address_ += (bytes + 0x1000) / 0x1000 * 0x1000;
        memory_[address].resize(bytes);
        return address;
    }
    /// Everything before on that stream, and what it waited for, comes first; nothing else does.
    void use(int stream, const std::string& what) {
        if (captures.count(stream))
            return;
        const auto comes_before = [&](int earlier) {
            return before_[stream].count(earlier) || seen_by_host_.count(earlier);
        };
        if (!std::all_of(uses_.begin(), uses_.end(), comes_before))
            mistakes.push_back(what + " may run at the same time as an earlier use");
        uses_.insert(++last_use_);
        before_[stream].insert(last_use_);
    }

    std::mutex mutex_;
    std::map<std::uint64_t, std::vector<unsigned char>> memory_;
    std::map<std::pair<int, std::string>, std::uint64_t> symbols_;
    std::uint64_t next_address_ = 0x10000;
    int last_use_ = 0, last_event_ = 0;
    std::set<int> uses_;                    ///< of the heap and of descriptors
    std::map<int, std::set<int>> before_;   ///< by stream: uses that are done when it goes on
    std::map<int, std::set<int>> of_event_; ///< the same, by event
    std::map<int, unsigned long long> capture_of_event_; ///< 0: recorded outside one
    std::set<int> seen_by_host_;
};

/// As CheckpointApi, on a FakeCuda that outlives it.
class FakeApi {
  public:
    using Module = int;
    using Stream = int;
    using Event = int;

    explicit FakeApi(FakeCuda& cuda) : cuda_(&cuda) {}

    bool allocate(std::uint64_t bytes, std::uint64_t& address) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("allocate", std::to_string(bytes)))
            return false;
        if (bytes > cuda_->free_bytes) {
            problem = "out of memory";
            return false;
        }
        cuda_->free_bytes -= bytes;
        address = cuda_->add_memory(bytes);
        return true;
    }
    bool release(std::uint64_t address) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("release", ""))
            return false;
        if (!std::includes(cuda_->seen_by_host_.begin(), cuda_->seen_by_host_.end(),
                           cuda_->uses_.begin(), cuda_->uses_.end()))
            cuda_->mistakes.push_back("memory is given back while it may be in use");
        cuda_->free_bytes += cuda_->memory_.at(address).size();
        cuda_->memory_.erase(address);
        return true;
    }
    bool find(Module module, const std::string& name, std::uint64_t& address,
              std::uint64_t& bytes) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        const auto symbol = cuda_->symbols_.find({module, name});
        if (symbol == cuda_->symbols_.end()) {
            problem = "named symbol not found";
            return false;
        }
        address = symbol->second;
        bytes = cuda_->memory_.at(address).size();
        return true;
    }
    bool read(void* to, std::uint64_t from, std::uint64_t bytes) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("read", ""))
            return false;
        std::memcpy(to, cuda_->memory_.at(from).data(), bytes);
        return true;
    }
    bool write(std::uint64_t to, const void* from, std::uint64_t bytes, Stream stream) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("write", "on " + std::to_string(stream)))
            return false;
        cuda_->use(stream, "a descriptor's write");
        std::memcpy(cuda_->memory_.at(to).data(), from, bytes);
        return true;
    }
    bool zero(std::uint64_t address, std::uint64_t words, Stream stream) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("zero", "on " + std::to_string(stream)))
            return false;
        cuda_->use(stream, "setting overflow words");
        std::memset(cuda_->memory_.at(address).data(), 0, words * 4);
        return true;
    }
    bool capture_of(Stream stream, unsigned long long& capture) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        const auto known = cuda_->captures.find(stream);
        capture = known == cuda_->captures.end() ? 0 : known->second;
        return called("capture_of", "");
    }
    bool create_event(Event& event) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        event = ++cuda_->last_event_;
        return called("create_event", "");
    }
    void destroy_event(Event) {}
    bool record(Event event, Stream stream) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("record", "on " + std::to_string(stream)))
            return false;
        const auto capture = cuda_->captures.find(stream);
        cuda_->capture_of_event_[event] = capture == cuda_->captures.end() ? 0 : capture->second;
        cuda_->of_event_[event] = cuda_->before_[stream];
        return true;
    }
    bool wait(Stream stream, Event event) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("wait", "on " + std::to_string(stream)))
            return false;
        const auto capture = cuda_->captures.find(stream);
        if (cuda_->capture_of_event_[event] !=
            (capture == cuda_->captures.end() ? 0 : capture->second))
            cuda_->mistakes.push_back("a wait crosses the border of a capture");
        cuda_->before_[stream].insert(cuda_->of_event_[event].begin(),
                                      cuda_->of_event_[event].end());
        return true;
    }
    bool wait_on_host(Event event) {
        const std::lock_guard<std::mutex> lock(cuda_->mutex_);
        if (!called("wait_on_host", ""))
            return false;
        if (cuda_->capture_of_event_[event])
            cuda_->mistakes.push_back("the host waits for an event of a capture");
        cuda_->seen_by_host_.insert(cuda_->of_event_[event].begin(), cuda_->of_event_[event].end());
        return true;
    }

    std::string problem;

  private:
    bool called(const std::string& name, const std::string& detail) {
        cuda_->calls.push_back(detail.empty() ? name : name + " " + detail);
        if (cuda_->failing != name)
            return true;
        cuda_->failing.clear();
        problem = name + " was told to fail";
        return false;
    }

    FakeCuda* cuda_;
};

} // namespace slimgrad
