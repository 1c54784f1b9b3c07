#include "plugin/cli/html_text.h"

#include <doctest/doctest.h>
#include <string>

using slimgrad::html_escaped;

TEST_CASE("html_escaped: nothing that ends an element, an attribute or a script") {
    CHECK(html_escaped("</script><img src=x onerror=\"a('b')\">&amp;") ==
          "&lt;/script&gt;&lt;img src=x onerror=&quot;a(&#39;b&#39;)&quot;&gt;&amp;amp;");
    CHECK(html_escaped("a\tb\nc") == "a\tb\nc");
    CHECK(html_escaped("") == "");
}

TEST_CASE("html_escaped: what cannot be seen is shown") {
    CHECK(html_escaped(std::string("a\0b\x1b[31m\r\x7f", 10)) ==
          "a\\u{0}b\\u{1b}[31m\\u{d}\\u{7f}");
    CHECK(html_escaped("x\xe2\x80\xaey\xe2\x81\xa6z\xef\xbb\xbf") ==
          "x\\u{202e}y\\u{2066}z\\u{feff}");
    CHECK(html_escaped("\xc2\x85") == "\\u{85}");
}

TEST_CASE("html_escaped: UTF-8 stays, other bytes are replaced one by one") {
    CHECK(html_escaped("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80") ==
          "\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80");
    const std::string replaced = "\xef\xbf\xbd";
    CHECK(html_escaped("\xff<") == replaced + "&lt;");
    CHECK(html_escaped("\xc0\xbc") == replaced + replaced);                // '<' in two bytes
    CHECK(html_escaped("\xe0\x80\xbc") == replaced + replaced + replaced); // and in three
    CHECK(html_escaped("\xed\xa0\x80") == replaced + replaced + replaced); // half of a pair
    CHECK(html_escaped("\xf4\x90\x80\x80") == replaced + replaced + replaced + replaced);
    CHECK(html_escaped("\xe2\x82") == replaced + replaced); // cut off
}
