#include "rewriter/brace_kind.h"

#include "rewriter/macro_expansion.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

namespace {

/// What the braces around the end of the text are of.
BraceKind around(std::string_view text) {
    BraceReader braces;
    for (std::size_t at = 0; at < text.size(); at = token_end(text, at))
        braces.read(text.substr(at, token_end(text, at) - at));
    return braces.around();
}

} // namespace

TEST_SUITE("rewriter/brace_kind") {
    TEST_CASE("what braces are of") {
        CHECK(around("") == BraceKind::declarations);
        CHECK(around("namespace N { float f(float x) { return x; } ") == BraceKind::declarations);
        CHECK(around("cbuffer C : register(b0) {") == BraceKind::declarations);
        CHECK(around("[A(struct)] struct S<let N : int> : I {") == BraceKind::members);
        CHECK(around("struct S { float f() {") == BraceKind::code);
        CHECK(around("struct S { float f() { if (x) { } }") == BraceKind::members);
        CHECK(around("struct S { }; float a[2] = {") == BraceKind::code);
        CHECK(around("struct S; void f(int x) {") == BraceKind::code);
        CHECK(around("enum class E {") == BraceKind::other);
        CHECK(around("struct S { property int p {") == BraceKind::other);
        CHECK(around("void f() { g((int x) => { return x; }") == BraceKind::code);
        CHECK(around("} struct S {") == BraceKind::members);
    }
}
