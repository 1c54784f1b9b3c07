#include "tests/unit/attributes/trip_words.h"

#include <doctest/doctest.h>
#include <string>

using namespace slimgrad;

TEST_SUITE("attributes/hidden_values") {
    const std::string body = "{ for (int i = 0; i < N; i++) {} }";

    TEST_CASE("a variable hides a generic value, a constant and a type of its name") {
        CHECK(trips("void f<let N : int>() " + body) == "= N");
        CHECK(trips("void f<let N : int>(int N) " + body).starts_with("?"));
        CHECK(trips("void f<let N : int>(int m) { int N = m; for (int i = 0; i < N; i++) {} }")
                  .starts_with("?"));
        CHECK(trips("struct W<let N : int> { int N; void f() " + body + " }").starts_with("?"));
        CHECK(trips("static const int N = 5; void f() { let g = (int N) => { for (int i = 0; i < "
                    "N; i++) {} return N; }; }")
                  .starts_with("?"));
        CHECK(trips("struct P { static const int v = 3; } struct Q { int v; } "
                    "void f(Q P) { for (int i = 0; i < P.v; i++) {} }")
                  .starts_with("?"));
    }

    TEST_CASE("a variable called min, max or clamp may do anything") {
        CHECK(trips("void f(int n) { for (int i = 0; i < max(2, 4); i++) {} }") == "= 4");
        for (const std::string name : {"min", "max", "clamp"}) {
            CHECK(trips("void f(int n) { let " + name + " = (int a, int b) => a + b; " +
                        "for (int i = 0; i < " + name + "(2, 4); i++) {} }")
                      .starts_with("?"));
            CHECK(trips("void f(functype (int, int) -> int " + name + ") { for (int i = 0; i < " +
                        name + "(2, 4); i++) {} }")
                      .starts_with("?"));
        }
    }

    TEST_CASE("a macro may declare a generic value") {
        const std::string constant = "static const int N = 3;\n";
        CHECK(trips("#define GEN let N : int\n" + constant + "void f<GEN>() " + body)
                  .starts_with("?"));
        CHECK(trips("#define GENERIC __generic<let N : int>\n" + constant + "GENERIC void f() " +
                    body)
                  .starts_with("?"));
        CHECK(trips("#define GEN let N : int\n" + constant + "struct W<GEN> { void f() " + body +
                    " }")
                  .starts_with("?"));
    }

    TEST_CASE("a constant that a macro goes on with has no value") {
        CHECK(trips("#define PLUS + 5\nstatic const int N = 6 PLUS;\nvoid f() " + body)
                  .starts_with("?"));
        CHECK(trips("#define OR | 16\nstatic const int N = 6 OR;\nvoid f() " + body)
                  .starts_with("?"));
    }

    TEST_CASE("a macro that pastes may write any static") {
        const std::string rest = "static int N = 3; void f() " + body;
        CHECK(trips(rest) == "= 3");
        CHECK(trips("#define CAT(a, b) a##b\n" + rest).starts_with("?"));
    }

    TEST_CASE("a number of trips is an integer") {
        const auto loop = [](const std::string& end) {
            return trips("static const int M = 2; void f<let K : int>() { for (int i = 0; i < " +
                         end + "; i++) {} }");
        };
        CHECK(loop("K + 1") == "= K + 1");
        for (const std::string end : {"6.5", "1e1", "K + 0.5", "(M, 2)", "max(4.5, 2)"})
            CHECK(loop(end).starts_with("?"));
    }
}
