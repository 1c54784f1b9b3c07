#include "plugin/cli/nearest_name.h"

#include <doctest/doctest.h>

using slimgrad::did_you_mean;
using slimgrad::nearest_name;

TEST_CASE("nearest_name finds what was mistyped") {
    CHECK(nearest_name("prefer-recompte", {"loop-bound", "prefer-recompute"}) ==
          "prefer-recompute");
    CHECK(nearest_name("noalais", {"arch", "noalias"}) == "noalias");
    CHECK(nearest_name("ab", {"b", "a"}) == "b"); // a tie goes to the earlier one
}

TEST_CASE("nearest_name stays silent where nothing is near") {
    CHECK(nearest_name("entirely-different", {"arch", "noalias"}).empty());
    CHECK(nearest_name("x", {}).empty());
    CHECK(did_you_mean("entirely-different", {"arch"}).empty());
    CHECK(did_you_mean("arhc", {"arch"}) == "; did you mean 'arch'?");
}
