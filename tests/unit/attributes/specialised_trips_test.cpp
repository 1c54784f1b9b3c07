#include "attributes/specialised_trips.h"

#include "module_text.h"

#include <string>

using namespace slimgrad;

namespace {

/// Of the module's only loop: "4 with N = 4; 6 with N = 6", in the order of the calls.
std::string specialised(const std::string& text) {
    const ModuleText module(text);
    REQUIRE(module.model.loops.size() == 1);
    std::string words;
    for (const SpecialisedTrips& special :
         specialised_trips(module.model, 0, trip_count(module.model, 0, {})))
        words += (words.empty() ? "" : "; ") + std::to_string(special.trips) + " with " +
                 special.arguments;
    return words;
}

const std::string generic = "void f<let N : int>(float x) { for (int i = 0; i < N; ++i) { } }\n";
const std::string layer =
    "struct Layer<let I : int, let O : int = 3> { void run() { for (int i = 0; "
    "i < I * 2 + O; ++i) { } } }\n";

} // namespace

TEST_SUITE("attributes/specialised_trips") {
    TEST_CASE("of a function, by the generic arguments of its calls") {
        CHECK(specialised(generic + "void g() { f<4>(1); f<6>(2); }") ==
              "4 with N = 4; 6 with N = 6");
        CHECK(specialised(generic +
                          "static const int K = 5;\n#define M (K + 1)\nvoid g() { f<K>(1); "
                          "f<M>(2); }") == "5 with N = 5; 6 with N = 6");
        CHECK(specialised(generic + "void g() { f<-2>(1); }") == "0 with N = -2");
        CHECK(specialised("void f<let N : int>() { for (int i = N; i > 0; --i) { } }\nvoid g() { "
                          "f<7>(); }") == "7 with N = 7");
        CHECK(
            specialised("static const int K = 2;\nvoid f<let N : int>() { for (int i = 0; i <= N + "
                        "K; ++i) { } }\nvoid g() { f<7>(); }") == "10 with N = 7");
    }

    TEST_CASE("values that the parameter's type does not hold are converted: they are not known") {
        const auto of_type = [](const std::string& type, const std::string& value) {
            return specialised("void f<let N : " + type +
                               ">() { for (uint i = 0; i < N; ++i) { } }\nvoid g() { f<" + value +
                               ">(); }");
        };
        CHECK(of_type("uint8_t", "200") == "200 with N = 200");
        CHECK(of_type("uint8_t", "260") == "");
        CHECK(of_type("uint", "-1") == "");
        CHECK(of_type("bool", "5") == "");
    }

    TEST_CASE("a method's own value hides that of its type") {
        CHECK(specialised("struct W<let N : int> { int q; void f<let N : int>() { for (int i = 0; "
                          "i < N; ++i) { } } }\nvoid g() { W<3> w = {}; w.f<8>(); }") ==
              "8 with N = 8");
    }

    TEST_CASE("default values, where nothing else gives one") {
        CHECK(specialised("void f<let N : int = 9>(float x) { for (int i = 0; i < N; ++i) { } }\n"
                          "void g() { f(1); f<2>(1); }") == "9 with N = 9; 2 with N = 2");
        // The argument decides.
        CHECK(
            specialised("void f<let N : int = 9>(float x[N]) { for (int i = 0; i < N; ++i) { } }\n"
                        "void g(float y[4]) { f(y); }") == "");
    }

    TEST_CASE("of a type in a type nothing is known: its name does not say what is around it") {
        CHECK(specialised("struct Outer<let A : int = 3> { struct Inner { int q; void run() { for "
                          "(int i = 0; i < A; ++i) { } } }; int z; }\nvoid g() { Outer<5>.Inner i; "
                          "i.q = 1; i.run(); }") == "");
    }

    TEST_CASE("of a type, by the type of the receiver") {
        CHECK(specialised(layer + "void g() { Layer<2, 5> l; l.run(); }") == "9 with I = 2, O = 5");
        CHECK(specialised(layer + "void g() { Layer<2> l; l.run(); }") == "7 with I = 2, O = 3");
        CHECK(specialised("#define IN 4\n" + layer + "void g() { Layer<IN, 1> l; l.run(); }") ==
              "9 with I = 4, O = 1");
        CHECK(specialised(layer + "typealias Small = Layer<1, 1>;\nvoid g(Small l) { l.run(); }") ==
              "3 with I = 1, O = 1");
        CHECK(specialised(
                  "struct W<let N : int> { static void run() { for (int i = 0; i < N; ++i) { "
                  "} } }\nvoid g() { W<5>.run(); W<6>::run(); }") == "5 with N = 5; 6 with N = 6");
        CHECK(
            specialised("struct W<let N : int> { __init(float x) { for (int i = 0; i < N; ++i) { } "
                        "} }\nvoid g() { let w = W<5>(1.f); }") == "5 with N = 5");
    }

    TEST_CASE("what is not known, or another function, says nothing") {
        CHECK(specialised(generic + "void g<let M : int>() { f<M>(1); }") == "");
        CHECK(specialised(generic + "void g(int n) { f<n>(1); }") == "");
        CHECK(specialised(layer + "void g<T>(T l) { l.run(); }") == "");
        CHECK(specialised(layer +
                          "struct Other { void run() { } }\nvoid g() { Other o; o.run(); }") == "");
        CHECK(specialised("void f<let N : int>() { for (uint i = 0; i < N; ++i) { } }\nvoid g() { "
                          "f<-1>(); }") == "");
        CHECK(specialised("void f() { for (int i = 0; i < 4; ++i) { } }\nvoid g() { f(); }") == "");
    }
}
