#include "plugin/cuda/measurement.h"

#include "environment_variable.h"
#include "plugin/cache/result_cache.h"
#include "temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

constexpr const char* kernel = "#include <cuda_fp16.h>\n"
                               "#line 3 \"k.slang\"\n"
                               "extern \"C\" __global__ void k(float* x) {\n"
                               "#line 9\n"
                               "    x[threadIdx.x] *= 2;\n}\n";
constexpr const char* moved = "#include <cuda_fp16.h>\n"
                              "#line 4 \"k.slang\"\n"
                              "extern \"C\" __global__ void k(float* x) {\n"
                              "#line 12\n"
                              "    x[threadIdx.x] *= 2;\n}\n";

/// A cache, and an nvcc that notes every call.
struct Laboratory {
    TemporaryFolder folder;
    CudaToolkit toolkit;
    NvccOptions options;

    Laboratory() {
        const Result<CudaToolkit> found = CudaToolkit::find();
        REQUIRE(found);
        toolkit = *found;
        const std::string launcher =
            folder.write("nvcc", "#!/bin/sh\necho called >>" + (folder / "log") + "\nexec \"" +
                                     toolkit.nvcc + "\" \"$@\"\n");
        fs::permissions(launcher, fs::perms::owner_exec, fs::perm_options::add);
        toolkit.nvcc = launcher;
        folder.write("log", "");
        options.cache = std::make_shared<ResultCache>(folder / "cache");
    }
    NvccResult measure(const std::string& text) const {
        Result<NvccResult> result = slimgrad::measure(toolkit, text, options);
        REQUIRE(result);
        return std::move(*result);
    }
    std::size_t calls() const {
        const std::string log = folder.read("log");
        return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
    }
};

std::string key(const NvccOptions& options, const std::string& text = kernel) {
    const auto keys =
        measurement_keys({"/nonexistent/nvcc", "/nonexistent/nvdisasm"}, text, options);
    return keys ? keys->figures : "";
}

} // namespace

TEST_SUITE_BEGIN("measurement");

TEST_CASE("measurement: all of a result comes back") {
    NvccResult result;
    result.status = NvccStatus::rejected;
    result.detail = "detail";
    result.place = {"k.slang", 3, 4};
    result.duration = std::chrono::milliseconds(5);
    result.command = "nvcc -cubin";
    result.remembered = true;
    result.kernels.push_back({.name = "one",
                              .direction = Direction::backward,
                              .device_function = true,
                              .registers = 1,
                              .stack_bytes = 2,
                              .spill_store_bytes = 3,
                              .spill_load_bytes = 4,
                              .code_bytes = 5,
                              .local_loads = 6,
                              .local_stores = 7,
                              .warps_per_sm = 8,
                              .block_size = 9});
    result.kernels.emplace_back().name = "two\xff";
    const std::string bytes = encode(result);
    const auto back = decode_nvcc_result(bytes);
    REQUIRE(back);
    CHECK(encode(*back) == bytes);
    CHECK(back->status == NvccStatus::rejected);
    CHECK(back->place == result.place);
    REQUIRE(back->kernels.size() == 2);
    CHECK(back->kernels[0].local_stores == 7);
    CHECK(back->kernels[1].name == "two\xff");
    CHECK_FALSE(decode_nvcc_result(bytes.substr(1)));
    CHECK_FALSE(decode_nvcc_result(""));
}

TEST_CASE("measurement: #line directives go where the text cannot see them") {
    CHECK(without_line_directives("a\n#line 3 \"f\"\n#line 4\nb\n#line 5") == "a\nb");
    CHECK(without_line_directives("#line 3\nb") == "#line 3\nb"); // as slangc never begins
    for (const char* seen : {"__LINE__", "assert(x)", "__FILE__"}) {
        const std::string text = std::string("a\n#line 3\nb ") + seen;
        CHECK(without_line_directives(text) == text);
    }
    CHECK(without_line_directives("assert\n#line 3\nb") == "assert\nb"); // Slang's prelude
}

TEST_CASE("measurement: every option and variable that counts makes another key") {
    std::vector<std::string> keys{key({})};
    NvccOptions options;
    options.arch = "sm_90";
    keys.push_back(key(options));
    options = {};
    options.fast_math = false;
    keys.push_back(key(options));
    options = {};
    options.extra_arguments = {"-O1", "-DA"};
    keys.push_back(key(options));
    options.extra_arguments = {"-DA", "-O1"};
    keys.push_back(key(options));
    options = {};
    options.block_sizes = {{"k", 64}};
    keys.push_back(key(options));
    options = {};
    options.limits.wall_clock = std::chrono::seconds(1);
    keys.push_back(key(options));
    keys.push_back(key({}, std::string(kernel) + "\n"));
    for (const char* name : {"NVCC_APPEND_FLAGS", "NVCC_PREPEND_FLAGS", "PTXAS_FLAGS", "CPATH"}) {
        const EnvironmentVariable variable(name, "-O1");
        keys.push_back(key({}));
    }
    CHECK(std::count(keys.begin(), keys.end(), "") == 0);
    std::sort(keys.begin(), keys.end());
    CHECK(std::adjacent_find(keys.begin(), keys.end()) == keys.end());
    CHECK(key({}) == key({}));

    CHECK(key({}, kernel) == key({}, moved));
    options = {};
    options.extra_arguments = {"-lineinfo"};
    CHECK(key(options, kernel) != key(options, moved));
}

TEST_CASE("measurement: what may name a file is not kept") {
    for (const char* argument :
         {"-Ifolder", "-I", "-include", "/some/file", "@response", "--options-file", "-ccbin"}) {
        NvccOptions options;
        options.extra_arguments = {argument};
        CHECK(key(options) == "");
        const EnvironmentVariable variable("NVCC_APPEND_FLAGS", std::string("-O1 ") + argument);
        CHECK(key({}) == "");
    }
}

TEST_CASE("measurement: a text is compiled once, wherever its lines come from") {
    Laboratory lab;
    const NvccResult first = lab.measure(kernel);
    REQUIRE(first.succeeded());
    CHECK_FALSE(first.remembered);
    CHECK(lab.calls() == 1);
    lab.options.cache = std::make_shared<ResultCache>(lab.folder / "cache");
    for (const char* text : {kernel, moved}) {
        NvccResult again = lab.measure(text);
        CHECK(again.remembered);
        again.remembered = false;
        CHECK(encode(again) == encode(first));
    }
    CHECK(lab.calls() == 1);
    lab.options.cache = nullptr;
    CHECK_FALSE(lab.measure(kernel).remembered);
    CHECK(lab.calls() == 2);
}

TEST_CASE("measurement: a rejection names the lines of its own text") {
    Laboratory lab;
    const std::string first = "//\n#line 3 \"k.slang\"\n__global__ void k() { none(); }\n",
                      second = "//\n#line 8 \"k.slang\"\n__global__ void k() { none(); }\n";
    CHECK(lab.measure(first).place.line == 3);
    CHECK(lab.measure(second).place.line == 8);
    CHECK(lab.calls() == 2);
    const NvccResult again = lab.measure(first);
    CHECK(again.status == NvccStatus::rejected);
    CHECK(again.place.line == 3);
    CHECK(lab.calls() == 2);
}

TEST_CASE("measurement: what a limit ended is not kept") {
    Laboratory lab;
    lab.options.limits.wall_clock = std::chrono::milliseconds(50);
    CHECK(lab.measure(kernel).status == NvccStatus::timed_out);
    CHECK(lab.measure(kernel).status == NvccStatus::timed_out);
    CHECK(lab.calls() == 2);
}

TEST_CASE("measurement: an nvcc that somebody kills each time says nothing of the text, and is not "
          "kept") {
    for (const char* kill :
         {"kill -KILL $$",
          "echo \"nvcc error   : 'cicc' died due to signal 9 (Kill signal)\" >&2; exit 9"}) {
        CAPTURE(kill);
        Laboratory lab;
        const std::string nvcc = lab.toolkit.nvcc;
        lab.toolkit.nvcc = lab.folder.write("killed", std::string("#!/bin/sh\n") + kill + "\n");
        fs::permissions(lab.toolkit.nvcc, fs::perms::owner_exec, fs::perm_options::add);
        const NvccResult result = lab.measure(kernel);
        CHECK(result.status == NvccStatus::killed);
        CHECK(result.detail.starts_with("nvcc was killed from outside"));
        CHECK(result.detail.find("limit") == std::string::npos);
        // The same text, the same key but for the toolkit's: what is not lasting is kept for
        // nobody.
        CHECK_FALSE(is_lasting(result));
        fs::copy_file(nvcc, lab.toolkit.nvcc, fs::copy_options::overwrite_existing);
        CHECK(lab.measure(kernel).succeeded());
    }
}

TEST_CASE("measurement: threads that ask at once wait for one compilation") {
    Laboratory lab;
    std::vector<NvccResult> results(3);
    std::vector<std::thread> threads;
    for (NvccResult& result : results)
        threads.emplace_back([&] {
            if (Result<NvccResult> measured = measure(lab.toolkit, kernel, lab.options))
                result = std::move(*measured);
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK(lab.calls() == 1);
    for (const NvccResult& result : results)
        CHECK(result.kernels.size() == 1);
}

TEST_SUITE_END();

} // namespace slimgrad
