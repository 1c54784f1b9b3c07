#include "plugin/rewrite/content_hash.h"

#include <doctest/doctest.h>
#include <string>

using slimgrad::ContentHash;

TEST_CASE("raw bytes hash as the published examples of SHA-256 say") {
    CHECK(ContentHash().hex() ==
          "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    CHECK(ContentHash().add_raw("abc").hex() ==
          "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    CHECK(ContentHash().add_raw("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq").hex() ==
          "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    CHECK(ContentHash().add_raw(std::string(1'000'000, 'a')).hex() ==
          "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
}

TEST_CASE("how bytes are handed over does not matter, at any border of a block") {
    for (std::size_t length = 50; length < 140; ++length) {
        const std::string text(length, 'x');
        const std::string whole = ContentHash().add_raw(text).hex();
        ContentHash by_parts;
        for (const char c : text)
            by_parts.add_raw(std::string_view(&c, 1));
        CHECK(by_parts.hex() == whole);
    }
}

TEST_CASE("parts are told apart") {
    CHECK(ContentHash().add("ab").add("c").hex() != ContentHash().add("a").add("bc").hex());
    CHECK(ContentHash().add("").add("a").hex() != ContentHash().add("a").add("").hex());
}
