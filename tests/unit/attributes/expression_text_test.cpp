#include "attributes/expression_text.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("the last name of a qualified one, without generic arguments") {
    CHECK(last_name("g") == "g");
    CHECK(last_name("N::S.g<T>") == "g");
    CHECK(last_name("N::S<A.B, C<D>>::g<T>") == "g");
    CHECK(last_name(" a . b ") == "b");
    CHECK(last_name("") == "");
}
