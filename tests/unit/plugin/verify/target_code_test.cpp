#include "plugin/verify/verify.h"

#include <doctest/doctest.h>

using namespace slimgrad;

TEST_CASE("holds_target_code: words that pass text through") {
    for (const char* word :
         {"__intrinsic_asm", "__requirePrelude", "__target_intrinsic", "spirv_asm", "__extern_cpp"})
        CHECK(holds_target_code("void f() { " + std::string(word) + " }"));
    CHECK_FALSE(holds_target_code("void f() { __target_switch { default: return; } }"));
}

TEST_CASE("holds_target_code: words that are joined or pasted together") {
    CHECK(holds_target_code("void f() { __intrin\\\nsic_asm \"\"; }"));
    CHECK(holds_target_code("void f() { __intrin\\\r\nsic_asm \"\"; }"));
    CHECK(holds_target_code("#define CAT(a, b) a##b\nvoid f() { CAT(__intrinsic, _asm) \"\"; }"));
    CHECK(holds_target_code("#define CAT(a, b, c) a ## b ## c\nCAT(spi, rv_, asm) {}"));
    // Without ## nothing is pasted; with it, only what is there.
    CHECK_FALSE(holds_target_code("#define PAIR(a, b) a b\nvoid f() { PAIR(__intrinsic, _asm); }"));
    CHECK_FALSE(
        holds_target_code("#define FIELD(n) float value##n;\nstruct S { FIELD(1) FIELD(2) };"));
}

TEST_CASE("holds_target_code: a compiled module cannot be looked into") {
    CHECK(holds_target_code(std::string_view("RIFF\x10\0\0\0", 8)));
}

TEST_CASE("holds_target_code: lines that are joined in any of the compiler's ways") {
    for (const char* end : {"\\\n", "\\\r", "\\\r\n", "\\\n\r"})
        CHECK(holds_target_code(std::string("__intrinsic") + end + "_asm"));
}

TEST_CASE("holds_target_code: #line may only give a number and a plain name") {
    for (const char* line : {"#line 7", "#line 7 \"a/b.slang\"", "  # line 7 \"x\" // as included"})
        CHECK_FALSE(holds_target_code(line));
    for (const char* line :
         {"#line 7 \"a\\n#include\"", "#line 7 \"a\\\"b\"", "#line N", "#line 7 \"a"})
        CHECK(holds_target_code(line));
    CHECK(may_include_files("#line 7 \"a\\n#include\""));
    CHECK(may_include_files("__requirePre\\\rlude(\"x\")"));
    CHECK_FALSE(may_include_files("float f(float x) { return x; }"));
}
