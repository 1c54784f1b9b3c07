#include "plugin/rewrite/drop_in.h"

#include "environment_variable.h"
#include "temporary_folder.h"

#include <doctest/doctest.h>
#include <string>
#include <vector>

using slimgrad::append_to_log;
using slimgrad::drop_in_settings;
using slimgrad::EnvironmentVariable;
using slimgrad::TemporaryFolder;
using Passes = std::vector<std::string>;

TEST_CASE("without variables everything is on, without the heap") {
    const EnvironmentVariable a("SLIMGRAD"), b("SLIMGRAD_LOG"), c("SLIMGRAD_CUDA_PASSES");
    const auto settings = drop_in_settings();
    REQUIRE(settings);
    CHECK(settings->on);
    CHECK(settings->log.empty());
    CHECK(settings->rewrite.passes == Passes{"single-copy", "repair-extents"});
}

TEST_CASE("SLIMGRAD turns everything off, and takes no word for another") {
    for (const char* word : {"off", "0", "no", "false"}) {
        const EnvironmentVariable variable("SLIMGRAD", word);
        CHECK_FALSE(drop_in_settings().value().on);
    }
    for (const char* word : {"on", "1", "yes", "true", ""}) {
        const EnvironmentVariable variable("SLIMGRAD", word);
        CHECK(drop_in_settings().value().on);
    }
    const EnvironmentVariable variable("SLIMGRAD", "of");
    CHECK(drop_in_settings().error().message == "SLIMGRAD=of is neither on nor off");
}

TEST_CASE("passes and the heap's options come from variables") {
    const EnvironmentVariable off("SLIMGRAD"), layout("SLIMGRAD_HEAP_LAYOUT", "grid"),
        threshold("SLIMGRAD_HEAP_THRESHOLD", "256"),
        list("SLIMGRAD_CUDA_PASSES", "heap,single-copy");
    const auto settings = drop_in_settings();
    REQUIRE(settings);
    CHECK(settings->rewrite.passes == Passes{"heap", "single-copy"});
    CHECK(settings->rewrite.heap_threshold == 256);
    CHECK(settings->rewrite.heap_layout == "grid");
    const EnvironmentVariable none("SLIMGRAD_CUDA_PASSES", "none");
    CHECK(drop_in_settings().value().rewrite.passes.empty());
}

TEST_CASE("what means nothing is an error that names the variable") {
    const EnvironmentVariable on("SLIMGRAD");
    const auto error_with = [](const char* name, const char* value) {
        const EnvironmentVariable variable(name, value);
        const auto settings = drop_in_settings();
        return settings ? "no error" : settings.error().message;
    };
    for (const char* list : {"heep", "single-copy,", ",heap", "single-copy heap", "none,heap"})
        CHECK(error_with("SLIMGRAD_CUDA_PASSES", list).starts_with("SLIMGRAD_CUDA_PASSES: '"));
    for (const char* bytes : {"many", "-1", "64k", "99999999999999999999"})
        CHECK(error_with("SLIMGRAD_HEAP_THRESHOLD", bytes).ends_with("is no number of bytes"));
    CHECK(error_with("SLIMGRAD_HEAP_LAYOUT", "wrap").starts_with("SLIMGRAD_HEAP_LAYOUT=wrap is"));
}

TEST_CASE("the log gets one line per call, whatever is in it") {
    const TemporaryFolder folder;
    const std::string log = folder / "log";
    CHECK(append_to_log(log, "first"));
    CHECK(append_to_log(log, "second\nforged \033[31m"));
    CHECK(folder.read("log") == "first\nsecond?forged ?[31m\n");
    CHECK(append_to_log("", "nowhere"));
    CHECK_FALSE(append_to_log(folder / "no/such/folder", "nowhere"));
    CHECK_FALSE(append_to_log(folder.path().string(), "nowhere"));
}
