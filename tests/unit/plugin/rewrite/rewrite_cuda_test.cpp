#include "plugin/rewrite/rewrite_cuda.h"

#include "environment_variable.h"
#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <string>
#include <string_view>

using slimgrad::CudaRewriteOptions;
using slimgrad::EnvironmentVariable;
using slimgrad::find_rewriter;
using slimgrad::is_slang_cuda;
using slimgrad::Result;
using slimgrad::rewrite_cuda;
using slimgrad::RewrittenCuda;
using slimgrad::TemporaryFolder;
namespace fs = std::filesystem;

namespace {

/// What slangc writes for one of the test inputs.
std::string cuda_of(const std::string& shader) {
    const TemporaryFolder folder;
    slimgrad::ProcessOptions options;
    options.arguments = {SLIMGRAD_SOURCE_DIR "/.deps/bin/slangc",
                         SLIMGRAD_SOURCE_DIR "/" + shader,
                         "-target",
                         "cuda",
                         "-O3",
                         "-o",
                         folder / "out.cu"};
    const auto result = slimgrad::run_process(options);
    REQUIRE(result);
    REQUIRE_MESSAGE(result->succeeded(), result->err);
    return folder.read("out.cu");
}

const std::string& looped() {
    static const std::string text = cuda_of("tests/inputs/kernels/k10_ode.slang");
    return text;
}

CudaRewriteOptions real() {
    CudaRewriteOptions options;
    options.beside = SLIMGRAD_BUILD_DIR;
    return options;
}

/// A program in slimgrad-clang's place that goes wrong: a shell script of this text. OUT is the
/// file that follows -o.
CudaRewriteOptions broken(const TemporaryFolder& folder, std::string_view script) {
    CudaRewriteOptions options;
    options.program = folder.write(
        "broken",
        fmt::format("#!/bin/sh\nfor a; do [ \"$p\" = -o ] && OUT=$a; p=$a; done\n{}\n", script));
    fs::permissions(options.program, fs::perms::owner_all);
    return options;
}

std::string error_of(const Result<RewrittenCuda>& result) {
    return result ? "no error" : result.error().message;
}

} // namespace

TEST_CASE("rewriting: a looped kernel changes, and the second time the cache answers") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string()),
        other("SLIMGRAD_CLANG");
    const Result<RewrittenCuda> first = rewrite_cuda(looped(), real());
    REQUIRE_MESSAGE(first, first.error().message);
    CHECK(first->changed);
    CHECK(first->text != looped());
    CHECK(is_slang_cuda(first->text));
    CHECK(first->passes == std::vector<std::string>{"single-copy"});
    CHECK_FALSE(first->from_cache);

    const Result<RewrittenCuda> second = rewrite_cuda(looped(), real());
    REQUIRE(second);
    CHECK(second->from_cache);
    CHECK(second->text == first->text);
    CHECK(second->report == first->report);
    CHECK(second->notes == first->notes);
    CHECK(second->passes == first->passes);

    CudaRewriteOptions none = real();
    none.passes.clear();
    const Result<RewrittenCuda> report = rewrite_cuda(looped(), none);
    REQUIRE(report);
    CHECK_FALSE(report->from_cache); // another option is another question
    CHECK_FALSE(report->changed);
    CHECK(report->text == looped());
    CHECK(rewrite_cuda(looped(), none)->from_cache);
    CHECK(rewrite_cuda(looped(), none)->text == looped());
}

TEST_CASE("rewriting: a broken entry of the cache is made again, never believed") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string()),
        other("SLIMGRAD_CLANG");
    const Result<RewrittenCuda> first = rewrite_cuda(looped(), real());
    REQUIRE(first);
    for (const fs::directory_entry& entry : fs::directory_iterator(folder.path() / "cuda")) {
        const std::string name = "cuda/" + entry.path().filename().string();
        std::string bytes = folder.read(name);
        bytes[bytes.size() / 2] ^= 1;
        folder.write(name, bytes);
    }
    const Result<RewrittenCuda> again = rewrite_cuda(looped(), real());
    REQUIRE(again);
    CHECK_FALSE(again->from_cache);
    CHECK(again->text == first->text);
}

TEST_CASE("rewriting: kernels that need a heap are listed, from the cache too") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string()),
        other("SLIMGRAD_CLANG");
    CudaRewriteOptions options = real();
    options.passes = {"heap"};
    options.heap_threshold = 0;
    for (const bool cached : {false, true}) {
        const Result<RewrittenCuda> made = rewrite_cuda(looped(), options);
        REQUIRE_MESSAGE(made, made.error().message);
        CHECK(made->from_cache == cached);
        REQUIRE(made->heap_kernels.size() == 1);
        CHECK(made->heap_kernels[0].name == "gradMain");
        CHECK(made->heap_kernels[0].thread_bytes > 500);
    }
    const Result<RewrittenCuda> usual = rewrite_cuda(looped(), real());
    REQUIRE(usual);
    CHECK(usual->heap_kernels.empty());
    CHECK(slimgrad::heap_demand(usual->heap_kernels).empty());
}

TEST_CASE("rewriting: text that is not understood is an error, and is not remembered") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string()),
        other("SLIMGRAD_CLANG");
    const std::string text = looped() + "\nthis is no C++\n";
    const std::string error = error_of(rewrite_cuda(text, real()));
    CAPTURE(error);
    CHECK(error.find("k10_ode.slang:") != std::string::npos);
    CHECK_FALSE(error.starts_with("slimgrad-clang")); // its caller says who speaks
    CHECK(fs::is_empty(folder.path() / "cuda"));
}

TEST_CASE("rewriting: a program that fails, or lies, gives an error") {
    const TemporaryFolder folder;
    const EnvironmentVariable cache("SLIMGRAD_CACHE_DIR", folder.path().string());
    const auto run = [&](std::string_view script) {
        return error_of(rewrite_cuda("text", broken(folder, script)));
    };
    CHECK(run("echo 'slimgrad-clang: error: no' >&2; exit 3") == "no");
    CHECK(run("exit 3") == "slimgrad-clang exit code 3");
    CHECK(run("kill -SEGV $$").starts_with("slimgrad-clang crashed (signal 11"));
    const std::string not_understood = "slimgrad-clang's answer is not understood";
    CHECK(run("cat >\"$OUT\"") == not_understood);
    CHECK(run("cat >\"$OUT\"; echo '{'") == not_understood);
    CHECK(run("cat >\"$OUT\"; echo '{\"changed\":1,\"passes\":[],\"notes\":[]}'") ==
          not_understood);
    const std::string lie = "slimgrad-clang wrote a text that is not the one it reports";
    const char* changed = "; echo '{\"changed\":true,\"passes\":[],\"notes\":[]}'";
    const char* unchanged = "; echo '{\"changed\":false,\"passes\":[],\"notes\":[]}'";
    CHECK(run(std::string("cat >\"$OUT\"") + changed) == lie);
    CHECK(run(std::string("echo other >\"$OUT\"") + unchanged) == lie);
    CHECK(run(std::string("true") + changed) == lie);
    CHECK(run(std::string(": >\"$OUT\"") + changed) == lie);
    // None of these was remembered; and with the same means an honest one is taken.
    CHECK(fs::is_empty(folder.path() / "cuda"));
    CHECK(run(std::string("echo other >\"$OUT\"") + changed) == "no error");
    CHECK(run(std::string("cat >\"$OUT\"") + unchanged) == "no error");
}

TEST_CASE("rewriting: a program that takes too long is stopped") {
    const TemporaryFolder folder;
    CudaRewriteOptions options = broken(folder, "sleep 60");
    options.cached = false;
    options.limits.wall_clock = std::chrono::milliseconds(100);
    CHECK(error_of(rewrite_cuda("text", options)) == "slimgrad-clang took more than 0.1 s");
}

TEST_CASE("the program is the named one, else SLIMGRAD_CLANG, else the one in the folder") {
    const TemporaryFolder folder;
    const std::string named = broken(folder, "").program;
    CudaRewriteOptions options;
    options.program = named;
    {
        const EnvironmentVariable none("SLIMGRAD_CLANG");
        CHECK(find_rewriter(real()) == std::string(SLIMGRAD_BUILD_DIR "/slimgrad-clang"));
        CHECK(find_rewriter(options) == named);
        options.program = folder / "missing";
        CHECK(find_rewriter(options).error().message == options.program + " is not a program");
    }
    const EnvironmentVariable variable("SLIMGRAD_CLANG", named);
    CHECK(find_rewriter(real()) == named);
    const EnvironmentVariable missing("SLIMGRAD_CLANG", folder / "missing");
    CHECK(find_rewriter(real()).error().message ==
          "SLIMGRAD_CLANG=" + (folder / "missing") + " is not a program");
}

TEST_CASE("Slang's CUDA is known by its prelude") {
    CHECK(is_slang_cuda(looped()));
    CHECK_FALSE(is_slang_cuda(""));
    CHECK_FALSE(is_slang_cuda("__global__ void kernel(float* p) { p[0] = 1; }\n"));
    CHECK_FALSE(is_slang_cuda("#ifndef SLANG_CPP_PRELUDE_H\n#define SLANG_CPP_PRELUDE_H\n"));
}
