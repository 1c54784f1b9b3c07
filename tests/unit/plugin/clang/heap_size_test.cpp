#include "plugin/clang/heap_size.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_SUITE("clang/heap_size") {
    TEST_CASE("nothing is nothing") {
        CHECK(HeapSize().zero());
        CHECK(HeapSize(0, {34}).zero());
        CHECK(HeapSize().most() == 0);
        CHECK(HeapSize().expression() == "0ull");
        CHECK(HeapSize().times(9).zero());
    }

    TEST_CASE("a sum has one term for each set of slots, whatever their order") {
        HeapSize sum(4, {34});
        sum += HeapSize(16, {18, 10});
        sum += HeapSize(8, {10, 18});
        sum += HeapSize(12, {34});
        sum += HeapSize(20, {});
        CHECK(sum.terms().size() == 3);
        CHECK(sum.terms().at({34}) == 16);
        CHECK(sum.terms().at({10, 18}) == 24);
        CHECK(sum.terms().at({}) == 20);
        CHECK(sum.most() == 16 * 34 + 24 * 180 + 20);
    }

    TEST_CASE("an array of contexts has as many of each of their parts") {
        HeapSize context(4, {34});
        context += HeapSize(20, {});
        const HeapSize array = context.times(6);
        CHECK(array.terms().at({6, 34}) == 4);
        CHECK(array.terms().at({6}) == 20);
        CHECK(array.most() == 6 * context.most());
    }

    TEST_CASE("either: enough for both, term by term") {
        HeapSize a(4, {34}), b(8, {34});
        a += HeapSize(100, {2});
        b += HeapSize(12, {5});
        const HeapSize both = HeapSize::either(a, b);
        CHECK(both.terms().at({34}) == 8);
        CHECK(both.terms().at({2}) == 100);
        CHECK(both.terms().at({5}) == 12);
        CHECK(HeapSize::either(a, HeapSize()).terms() == a.terms());
        CHECK(HeapSize::either(b, a).terms() == both.terms());
    }

    TEST_CASE("sizes are of 64 bits") {
        CHECK(HeapSize(1ull << 20, {1u << 10, 1u << 10}).most() == 1ull << 40);
    }

    TEST_CASE("an array in more than four loops has no row in the host's table") {
        const HeapSize four(4, {2, 3, 4, 5});
        CHECK_FALSE(four.too_deep());
        CHECK(four.times(6).too_deep());
        CHECK_FALSE(HeapSize().too_deep());
    }

    TEST_CASE("as device code") {
        HeapSize sum(16, {34});
        CHECK(sum.expression() == "16ull * slimgrad_checkpoint_slots(34)");
        sum += HeapSize(8, {});
        CHECK(sum.expression() == "8ull + 16ull * slimgrad_checkpoint_slots(34)");
        CHECK(HeapSize(4, {18, 10}).expression() ==
              "4ull * slimgrad_checkpoint_slots(10) * slimgrad_checkpoint_slots(18)");
    }
}
