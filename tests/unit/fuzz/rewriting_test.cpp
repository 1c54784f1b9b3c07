#include "tests/fuzz/rewriting.h"

#include "temporary_folder.h"
#include "tests/fuzz/generator.h"
#include "tests/fuzz/known.h"

#include <doctest/doctest.h>
#include <filesystem>

using namespace slimgrad;
using namespace slimgrad::hunt;

namespace {

RewritingLaboratory::Options tools(const std::string& rewriter = "") {
    RewritingLaboratory::Options options;
    options.worker = SLIMGRAD_BUILD_DIR "/slimgrad-slang";
    options.runner = SLIMGRAD_BUILD_DIR "/slimgrad-run";
    options.rewriter = rewriter.empty() ? SLIMGRAD_BUILD_DIR "/slimgrad-clang" : rewriter;
    return options;
}

/// Programs that store something in loops.
std::vector<Variant> variants(std::size_t count) {
    std::vector<Variant> result;
    for (std::uint64_t seed = 1'000'000; result.size() < count; ++seed) {
        const Program program = variant_of(generate(seed), "max-iters");
        if (known_shapes(program).empty())
            result.push_back({"max-iters", program});
    }
    return result;
}

/// slimgrad-clang with a fault: what `sed` makes of the text that it writes.
std::string with_fault(const TemporaryFolder& folder, const std::string& script) {
    const std::string path = folder.write("faulty", "#!/bin/sh\n" SLIMGRAD_BUILD_DIR
                                                    "/slimgrad-clang \"$@\" && sed -i '" +
                                                        script + "' \"$3\"\n");
    std::filesystem::permissions(path, std::filesystem::perms::owner_all);
    return path;
}

std::vector<Rewritten> run(const std::string& rewriter, const std::vector<Variant>& variants) {
    const auto results =
        RewritingLaboratory(tools(rewriter)).run(variants, {all_rewritings()[2]});
    REQUIRE_MESSAGE(results, results.error().message);
    std::vector<Rewritten> outcome;
    for (const std::vector<RewrittenResult>& each : *results) {
        REQUIRE(each.size() == 1);
        outcome.push_back(each.front().what);
    }
    return outcome;
}

} // namespace

TEST_CASE("rewriting: random programs compute the same after slimgrad-clang") {
    CHECK(run("", variants(4)) == std::vector<Rewritten>(4, Rewritten::same));
}

TEST_CASE("rewriting: faults are found, in the variant that has them") {
    const TemporaryFolder folder;
    const std::vector<Variant> three = variants(3);
    using enum Rewritten;
    // The names of the second variant's functions begin with p1_.
    CHECK(run(with_fault(folder, "/p1_run.*int base/,/^}/s/gOut_0)\\[\\(.*\\)\\]) = /&2.0f * /"),
              three) == std::vector{same, different, same});
}

TEST_CASE("rewriting: what fails as a whole") {
    const TemporaryFolder folder;
    const std::vector<Variant> one = variants(1);
    using enum Rewritten;
    CHECK(run(with_fault(folder, "s/_pc_0 = int(0)/_pc_0 = int(1000)/"), one) ==
          std::vector{failed});
    CHECK(run(with_fault(folder, "s/_pc_0 = int(0)/_pc_0 = nonsense/"), one) ==
          std::vector{rejected});
    CHECK(run("/bin/false", one) == std::vector{refused});
}
