#include "plugin/slang/compile_cache.h"

#include "plugin/slang/compiler.h"
#include "tests/unit/environment_variable.h"
#include "tests/unit/plugin/slang/compile_input.h"
#include "tests/unit/temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

constexpr const char* shader = R"(
#include "value.slangh"
[Differentiable] float f(float x) { float y = x; for (int i = 0; i < 4; ++i) y = y * y + VALUE; return y; }
RWStructuredBuffer<float> gX;
[shader("compute")] [numthreads(32, 1, 1)]
void gradMain(uint3 id : SV_DispatchThreadID) {
    var x = diffPair(gX[id.x], 0.0);
    bwd_diff(f)(x, 1.0);
    gX[id.x] = x.d;
}
)";

/// A shader with an include, a cache, and a worker that notes every start.
struct Laboratory {
    TemporaryFolder folder;
    std::string file = folder.write("shader.slang", shader);
    std::string worker =
        folder.write("worker", "#!/bin/sh\necho started >>" + (folder / "log") +
                                   "\nexec " SLIMGRAD_BUILD_DIR "/slimgrad-slang\n");
    CompileRequest request = request_for(file, {"-I" + folder / "a", "-I" + folder / "b"});
    ProcessLimits limits;

    Laboratory() {
        fs::permissions(worker, fs::perms::owner_exec, fs::perm_options::add);
        folder.write("b/value.slangh", "#define VALUE 1.0\n");
        folder.write("log", "");
    }

    CompileResult compile(bool cached = true) {
        SlangCompiler compiler(
            {worker, limits, cached ? std::make_shared<ResultCache>(folder / "cache") : nullptr});
        return slimgrad::compile(request, compiler);
    }
    std::size_t starts() const {
        const std::string log = folder.read("log");
        return static_cast<std::size_t>(std::count(log.begin(), log.end(), '\n'));
    }
    /// What a compilation without a cache gives, and whether the one with it needed the worker.
    bool compiled_anew() {
        const std::size_t before = starts();
        CompileResult cached = compile();
        const bool anew = starts() != before;
        CompileResult fresh = compile(false);
        cached.duration = fresh.duration = {};
        CHECK(slang_plugin::encode(cached) == slang_plugin::encode(fresh));
        return anew;
    }
};

} // namespace

TEST_SUITE_BEGIN("compile cache");

TEST_CASE("compile cache: the same request needs no worker, nor does the version") {
    Laboratory lab;
    CHECK(lab.compiled_anew());
    CHECK_FALSE(lab.compiled_anew());
    SlangCompiler compiler({lab.worker, {}, std::make_shared<ResultCache>(lab.folder / "cache")});
    const std::size_t before = lab.starts();
    CHECK(compiler.version().value_or("") == shared_compiler().version().value_or("none"));
    CHECK(lab.starts() == before);
}

TEST_CASE("compile cache: every part of the request counts") {
    Laboratory lab;
    REQUIRE(lab.compiled_anew());
    SUBCASE("arguments") {
        lab.request.arguments.emplace_back("-DOTHER");
    }
    SUBCASE("their order") {
        std::swap(lab.request.arguments[0], lab.request.arguments[1]);
    }
    SUBCASE("target") {
        lab.request.target = SlangTarget::cpp;
    }
    SUBCASE("overlay") {
        lab.request.overlay[lab.file] = shader + std::string("\n");
    }
    SUBCASE("report") {
        lab.request.checkpoint_report = false;
    }
    SUBCASE("reflection") {
        lab.request.reflection = false;
    }
    SUBCASE("shapes") {
        lab.request.shapes = {"f"};
    }
    SUBCASE("root") {
        lab.request.project_root = lab.folder.path().string();
    }
    SUBCASE("limits") {
        lab.limits.wall_clock = std::chrono::seconds(29);
    }
    CHECK(lab.compiled_anew());
    CHECK_FALSE(lab.compiled_anew());
}

TEST_CASE("compile cache: files that were read count, and those that were looked for") {
    Laboratory lab;
    REQUIRE(lab.compiled_anew());
    SUBCASE("the module's own") {
        lab.folder.write("shader.slang", shader + std::string("// more\n"));
    }
    SUBCASE("an include") {
        lab.folder.write("b/value.slangh", "#define VALUE 2.0\n");
    }
    SUBCASE("an include that comes before it") {
        lab.folder.write("a/value.slangh", "#define VALUE 2.0\n");
    }
    SUBCASE("one beside the shader") {
        lab.folder.write("value.slangh", "#define VALUE 2.0\n");
    }
    SUBCASE("an include that is gone") {
        fs::remove(lab.folder / "b/value.slangh");
    }
    SUBCASE("a folder where a file was") {
        fs::remove(lab.folder / "b/value.slangh");
        fs::create_directories(lab.folder / "b/value.slangh");
    }
    SUBCASE("a link to another place") {
        lab.folder.write("elsewhere", "#define VALUE 1.0\n");
        fs::remove(lab.folder / "b/value.slangh");
        fs::create_symlink("../elsewhere", lab.folder / "b/value.slangh");
    }
    CHECK(lab.compiled_anew());
    CHECK_FALSE(lab.compiled_anew());
}

TEST_CASE("compile cache: an include in the overlay, which hides a file") {
    Laboratory lab;
    REQUIRE(lab.compiled_anew());
    lab.request.overlay[lab.folder / "b/value.slangh"] = "#define VALUE 3.0\n";
    CHECK(lab.compiled_anew());
    lab.folder.write("b/value.slangh", "#define VALUE 4.0\n");
    CHECK_FALSE(lab.compiled_anew());
}

TEST_CASE("compile cache: a state of the files that was there before is known") {
    Laboratory lab;
    REQUIRE(lab.compiled_anew());
    lab.folder.write("b/value.slangh", "#define VALUE 2.0\n");
    REQUIRE(lab.compiled_anew());
    lab.folder.write("b/value.slangh", "#define VALUE 1.0\n");
    CHECK_FALSE(lab.compiled_anew());
    lab.folder.write("b/other.slangh", "");
    CHECK_FALSE(lab.compiled_anew());
}

TEST_CASE("compile cache: what is rejected or refused is known as well, until a file appears") {
    Laboratory lab;
    lab.request.arguments.clear();
    REQUIRE(lab.compiled_anew());
    CHECK(lab.compile().status != CompileStatus::succeeded);
    CHECK_FALSE(lab.compiled_anew());
    lab.folder.write("value.slangh", "#define VALUE 1.0\n");
    CHECK(lab.compiled_anew());
    CHECK(lab.compile().succeeded());
}

TEST_CASE("compile cache: a hang, and options that may do anything, are not kept") {
    Laboratory lab;
    SUBCASE("hang") {
        lab.request.file = input_path("hang.slang");
        lab.limits.wall_clock = std::chrono::milliseconds(500);
        CHECK(lab.compile().status == CompileStatus::timed_out);
    }
    SUBCASE("option") {
        lab.request.arguments.emplace_back("-report-perf-benchmark");
        lab.compile();
    }
    const std::size_t before = lab.starts();
    lab.compile();
    CHECK(lab.starts() > before);
}

TEST_CASE("compile cache: another Slang library, and another worker, count") {
    Laboratory lab;
    REQUIRE(lab.compiled_anew());
    SUBCASE("worker") {
        lab.folder.write("worker", lab.folder.read("worker") + "#\n");
    }
    SUBCASE("variable") {
        const EnvironmentVariable variable("SLANG_SOMETHING", "1");
        CHECK(lab.compiled_anew());
        return;
    }
    SUBCASE("library") {
        lab.folder.write("lib/libslang-other.so", "");
        const EnvironmentVariable path("LD_LIBRARY_PATH", lab.folder / "lib");
        CHECK(lab.compiled_anew());
        CHECK_FALSE(lab.compiled_anew());
        lab.folder.write("lib/libslang-other.so", "1");
        CHECK(lab.compiled_anew());
        return;
    }
    CHECK(lab.compiled_anew());
}

TEST_SUITE_END();

} // namespace slimgrad
