#include "plugin/verify/module_variant.h"

#include <doctest/doctest.h>

TEST_CASE("definitions in both forms") {
    CHECK(slimgrad::macro_definitions({"-O3", "-DN=4", "-D", "M", "-I", "lib", "-D"}) ==
          std::vector<std::string>{"N=4", "M", ""});
}
