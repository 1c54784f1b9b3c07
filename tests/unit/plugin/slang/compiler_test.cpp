#include "plugin/slang/compiler.h"

#include "plugin/process/worker_process.h"
#include "plugin/slang/worker_exit.h"
#include "tests/unit/plugin/slang/compile_input.h"
#include "tests/unit/plugin/slang/slangc.h"
#include "tests/unit/temporary_folder.h"

#include <chrono>
#include <filesystem>
#include <thread>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

void check_still_works(SlangCompiler& compiler) {
    CHECK(compile(request_for(input_path("volume.slang")), compiler).checkpoint_bytes() == 5048);
}

} // namespace

TEST_CASE("a crash, a hang and a lack of memory are results, and the next request works") {
    SlangCompiler::Options options;
    options.limits.wall_clock = std::chrono::seconds(8);
    options.limits.memory_bytes = 600ull << 20;
    SlangCompiler compiler(options);
    check_still_works(compiler);

    SUBCASE("crash") {
        const CompileResult result = compile(request_for(input_path("crash.slang")), compiler);
        CHECK(result.status == CompileStatus::crashed);
        CHECK(result.detail == "the Slang compiler crashed (signal 11, Segmentation fault)");
        CHECK(result.code.empty());
    }
    SUBCASE("hang") {
        const auto begin = std::chrono::steady_clock::now();
        const CompileResult result = compile(request_for(input_path("hang.slang")), compiler);
        CHECK(result.status == CompileStatus::timed_out);
        CHECK(result.detail == "the Slang compiler took more than 8 s");
        CHECK(std::chrono::steady_clock::now() - begin < std::chrono::seconds(60));
    }
    SUBCASE("out of memory") {
        TemporaryFolder folder;
        std::string text = "#define A0 a, a, a, a, a, a, a, a, a, a\n";
        for (int level = 1; level < 8; ++level) {
            text += "#define A" + std::to_string(level) + " ";
            for (int i = 0; i < 10; ++i)
                text += (i ? ", A" : "A") + std::to_string(level - 1);
            text += "\n";
        }
        text += "static const int a = 1;\nstatic const int values[] = { A7 };\n";
        const CompileResult result =
            compile(request_for(folder.write("bomb.slang", text)), compiler);
        CHECK(result.status == CompileStatus::out_of_memory);
        CHECK(result.detail == "the Slang compiler needs more than 600 MiB of memory");
    }
    check_still_works(compiler);
}

TEST_CASE("a result that is too long is cut off with its worker") {
    SlangCompiler::Options options;
    options.limits.output_bytes = 10'000;
    SlangCompiler compiler(options);
    const CompileResult result = compile(request_for(input_path("volume.slang")), compiler);
    CHECK(result.status == CompileStatus::out_of_memory);
    CHECK(compile(request_for(input_path("missing.slang")), compiler).status ==
          CompileStatus::rejected);
}

TEST_CASE("a worker that cannot read a request says so and ends") {
    const fs::path worker = fs::read_symlink("/proc/self/exe").parent_path() / "slimgrad-slang";
    Result<WorkerProcess> started = WorkerProcess::start({worker.string()}, 0);
    REQUIRE(started.has_value());
    REQUIRE(started->receive(std::chrono::seconds(60), 4096).message);
    const WorkerAnswer answer =
        started->exchange("of another build", std::chrono::seconds(60), 1 << 20);
    CHECK_FALSE(answer.message);
    CHECK(answer.exit_code == slang_plugin::exit_unreadable_request);
    CHECK(answer.err.find("not a message of the Slang worker") != std::string::npos);
}

TEST_CASE("a worker that cannot be started is an error") {
    SlangCompiler::Options options;
    options.worker = "/no/such/program";
    SlangCompiler missing(options);
    Result<CompileResult> result = missing.compile(request_for(input_path("volume.slang")));
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().message.find("/no/such/program") != std::string::npos);

    options.worker = "/bin/false";
    SlangCompiler silent(options);
    CHECK_FALSE(silent.version().has_value());

    const TemporaryFolder folder;
    options.worker = folder.write("worker", "#!/bin/sh\nkill -KILL $$\n");
    fs::permissions(options.worker, fs::perms::owner_all);
    result = SlangCompiler(options).compile(request_for(input_path("volume.slang")));
    REQUIRE_FALSE(result.has_value());
    CHECK(result.error().message.ends_with("killed from outside each time (signal 9)"));
}

TEST_CASE("a worker that is killed over each request says nothing of the module") {
    const fs::path worker = fs::read_symlink("/proc/self/exe").parent_path() / "slimgrad-slang";
    const TemporaryFolder folder;
    SlangCompiler::Options options;
    // It greets, and is killed over a request that takes longer than that.
    options.worker =
        folder.write("worker", "#!/bin/sh\n(sleep 2; kill -KILL $$) <&- >&- 2>&- &\nexec '" +
                                   worker.string() + "'\n");
    fs::permissions(options.worker, fs::perms::owner_all);
    SlangCompiler compiler(options);
    REQUIRE(compiler.version().has_value());
    const Result<CompileResult> result = compiler.compile(request_for(input_path("hang.slang")));
    REQUIRE(result.has_value());
    CHECK(result->status == CompileStatus::killed);
    CHECK(result->detail.find("killed from outside") != std::string::npos);
}

TEST_CASE("relative paths start from the caller's working directory at the time") {
    TemporaryFolder first, second;
    first.write("k.slang", "float f() { return 1.0f; }\n");
    second.write("k.slang", "float g() { return 1.0f; }\n");
    const fs::path before = fs::current_path();
    fs::current_path(first.path());
    const CompileResult a = compile(request_for("k.slang"));
    fs::current_path(second.path());
    const CompileResult b = compile(request_for("k.slang"));
    fs::current_path(before);
    CHECK(a.dependencies == std::vector<std::string>{first / "k.slang"});
    CHECK(b.dependencies == std::vector<std::string>{second / "k.slang"});
    CHECK(b.reflection.functions.at(0).name == "g");
}

TEST_CASE("compilers in several threads do not disturb each other") {
    std::vector<std::thread> threads;
    std::vector<std::string> codes(3);
    for (std::string& code : codes)
        threads.emplace_back([&code] {
            SlangCompiler compiler{SlangCompiler::Options{}};
            for (int i = 0; i < 2; ++i)
                if (auto result = compiler.compile(request_for(input_path("volume.slang"))))
                    code = result->code;
        });
    for (std::thread& thread : threads)
        thread.join();
    CHECK_FALSE(codes[0].empty());
    CHECK(codes[0] == codes[1]);
    CHECK(codes[0] == codes[2]);
}

TEST_CASE("a compiler whose worker went with the thread that started it gets a new one") {
    SlangCompiler compiler{SlangCompiler::Options{}};
    std::thread([&] { CHECK(compiler.version().has_value()); }).join();
    check_still_works(compiler);
}

TEST_CASE("the release's version") {
    const Result<std::string> version = shared_compiler().version();
    REQUIRE(version.has_value());
    const ProcessResult printed = run_slangc({"-v"});
    CHECK((printed.out + printed.err).find(*version) != std::string::npos);
}

} // namespace slimgrad
