#define SLIMGRAD_CHECKPOINT_NO_API
#include "plugin/heap/checkpoint_module.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

CheckpointKernel kernel(std::vector<CheckpointKernel::Term> terms) {
    CheckpointKernel result;
    result.terms = std::move(terms);
    return result;
}

std::uint64_t stride(const CheckpointKernel& kernel, std::uint64_t trips = unknown_trips) {
    std::uint64_t bytes = 0;
    REQUIRE(kernel.stride(trips, bytes));
    return bytes;
}

} // namespace

TEST_CASE("a stride is the sum of the terms, in whole 8 bytes") {
    CHECK(stride(kernel({})) == 0);
    CHECK(stride(kernel({{4, {}}})) == 8);
    CHECK(stride(kernel({{4, {1026}}, {8, {}}})) == 4112);
    CHECK(stride(kernel({{12, {34, 14}}, {4, {3, 4, 5, 6}}})) == 12 * 34 * 14 + 4 * 360);
}

TEST_CASE("known trips shrink every dimension that is longer") {
    const CheckpointKernel k = kernel({{8, {1026, 12}}, {16, {}}});
    CHECK(stride(k, 1024) == 8 * 1026 * 12 + 16);
    CHECK(stride(k, 1023) == 8 * 1025 * 12 + 16);
    CHECK(stride(k, 10) == 8 * 12 * 12 + 16);
    CHECK(stride(k, 0) == 8 * 2 * 2 + 16);
    CHECK(stride(k, unknown_trips - 1) == stride(k));
}

TEST_CASE("a product beyond 64 bits is told") {
    std::uint64_t product = 0;
    const std::uint64_t most = ~std::uint64_t{0};
    CHECK(checkpoint_product(0, most, product));
    CHECK(product == 0);
    CHECK(checkpoint_product(most, 0, product));
    CHECK(checkpoint_product(most, 1, product));
    CHECK(product == most);
    CHECK(checkpoint_product(1ull << 32, (1ull << 32) - 1, product));
    CHECK_FALSE(checkpoint_product(1ull << 32, 1ull << 32, product));
    CHECK_FALSE(checkpoint_product(3, most / 2, product));
}

TEST_CASE("a stride beyond 64 bits is told") {
    std::uint64_t bytes = 0;
    const std::uint32_t most = ~std::uint32_t{0};
    CHECK_FALSE(kernel({{8, {most, most}}}).stride(unknown_trips, bytes));
    CHECK_FALSE(kernel({{1ull << 63, {}}, {1ull << 63, {}}}).stride(unknown_trips, bytes));
    CHECK_FALSE(kernel({{~0ull - 3, {}}}).stride(unknown_trips, bytes));
    CHECK(kernel({{8, {most, most}}}).stride(1000, bytes));
}

TEST_CASE("an overflow says what to set") {
    CheckpointKernel k = kernel({{4, {1026}}});
    CHECK(k.overflow("bwd", 1202) ==
          "kernel bwd needed 1202 slots or more for the checkpoints of a loop that has "
          "fewer, its results are wrong: set [MaxIters(1200)] or more on the loop");
    k.least_trips = 500;
    CHECK(k.overflow("bwd", 702).ends_with("wrong: set trips to 700 or more (500 were given)"));
    CHECK(k.overflow("bwd", 502).ends_with("set [MaxIters(500)] or more on the loop"));
    k.terms = {{4 * 1026, {}}}; // compiled without SLIMGRAD_CHECKPOINT_TRIPS: trips change nothing
    CHECK(k.overflow("bwd", 702).ends_with("set [MaxIters(700)] or more on the loop"));
    CHECK(k.overflow("bwd", ~std::uint32_t{0}).find("negative index") != std::string::npos);
}

TEST_CASE("a table of another version, or cut off, is not read") {
    CheckpointKernel k;
    const CheckpointKernel::Head head{CheckpointKernel::version, 1, 1, 5};
    const CheckpointKernel::Term term{4, {1026}};
    std::vector<unsigned char> content(sizeof head + sizeof term);
    std::memcpy(content.data(), &head, sizeof head);
    std::memcpy(content.data() + sizeof head, &term, sizeof term);
    REQUIRE(k.read(content));
    CHECK(k.index == 5);
    CHECK(stride(k) == 4104);
    content.pop_back();
    CHECK_FALSE(k.read(content));
    content[0] = 2;
    content.push_back(0);
    CHECK_FALSE(k.read(content));
    CHECK_FALSE(k.read({}));
}
