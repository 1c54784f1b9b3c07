#pragma once

#include "plugin/process/process.h"
#include "rewriter/result.h"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What slimgrad-clang is asked for, and how.
struct CudaRewriteOptions {
    /// Of single-copy, repair-extents and heap; empty: only the report.
    std::vector<std::string> passes{"single-copy", "repair-extents"};
    std::optional<std::uint64_t> heap_threshold; ///< bytes; else the program's own
    std::string heap_layout;                     ///< thread, warp or grid; "" for the program's own
    std::vector<std::string> defines;            ///< "NAME" or "NAME=VALUE", as for nvcc

    /// The program. "": SLIMGRAD_CLANG, else slimgrad-clang in the folder `beside`.
    std::string program;
    std::string beside; ///< a folder; "" for that of the running program
    ProcessLimits limits{std::chrono::milliseconds{60'000}, 4ull << 30, 64ull << 20};
    bool cached = true; ///< take the answer from the cache (cache.h), and put it there
};

struct CudaRewriteNote {
    std::string severity; ///< error, warning or note
    std::string pass;     ///< "single-copy", ...; the part of slimgrad-clang that says it
    Place place;          ///< of the shader, by the text's #line
    std::string message;
    bool repaired = false; ///< an error of the text as given that the rewritten one does not have

    friend bool operator==(const CudaRewriteNote&, const CudaRewriteNote&) = default;
};

/// A kernel of the rewritten text that keeps checkpoints in a heap: it traps unless its host has
/// prepared that heap for each launch.
struct HeapKernel {
    std::string name;
    std::uint64_t thread_bytes = 0;

    friend bool operator==(const HeapKernel&, const HeapKernel&) = default;
};

/// What became of a text.
struct RewrittenCuda {
    std::string text; ///< where nothing is to change: the bytes that went in
    bool changed = false;
    std::vector<std::string> passes; ///< those that changed something
    std::vector<CudaRewriteNote> notes;
    std::vector<HeapKernel> heap_kernels;
    std::string report;      ///< the whole JSON object, as slimgrad-clang printed it
    bool from_cache = false; ///< the program was not started
};

/// What a kernel's host has to do: "'bwd' keeps 6528 B for each thread in the checkpoint heap;
/// ...".
std::string heap_demand(const HeapKernel& kernel);

/// The same of all kernels of a text, said by a form that is in no place to do it. "": none.
std::string heap_demand(const std::vector<HeapKernel>& kernels);

/// Whether a text is CUDA that slangc wrote: it begins as Slang's prelude does. Cheap; says nothing
/// about whether there is something to gain.
bool is_slang_cuda(std::string_view text);

/// Rewrites generated CUDA in a process of its own, within limits. Thread-safe, keeps no state,
/// writes nowhere but into the cache and, for as long as it runs, a temporary folder. What the text
/// is, is not looked at: for text that is not Slang's ask `is_slang_cuda` first.
/// Error, in one line: the program is missing, failed, broke a limit, did not understand the text,
/// or answered what it should not. A failure is not cached.
Result<RewrittenCuda> rewrite_cuda(std::string_view text, const CudaRewriteOptions& options);

/// slimgrad-clang as `rewrite_cuda` would start it, an absolute path. Error: it is not there; the
/// message says where it was looked for.
Result<std::string> find_rewriter(const CudaRewriteOptions& options);

} // namespace slimgrad
