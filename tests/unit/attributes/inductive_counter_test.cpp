#include "attributes/inductive_counter.h"

#include "module_text.h"

using namespace slimgrad;

namespace {

std::string function(const std::string& body) {
    return "[Differentiable]\nfloat f(float x, no_diff int n, no_diff int s, no_diff uint u)\n{\n  "
           "  "
           "float v = x;\n" +
           body +
           "    return v;\n}\n[shader(\"compute\")] void main(uint3 t : SV_DispatchThreadID) { var "
           "p "
           "= diffPair(outb[0], 0.f); bwd_diff(f)(p, int(outb[2]), int(outb[3]), 1, 1.f); outb[1] "
           "= "
           "p.d; }\n";
}

/// The module after the only fix, or why there is none. Of the counter `i` this is stored.
std::string offered(const std::string& body, const std::string& type = "FixedArray<int32_t, 18>") {
    const std::string head = "RWStructuredBuffer<float> outb;\n";
    ModuleText module(head + function(body));
    module.store("f", " i = ", 1, type, 72);
    const auto found = inductive_counter(module.input());
    if (found.empty())
        return "silent";
    REQUIRE(found.size() == 1);
    CHECK((found[0].severity == Severity::note) == found[0].fixes.empty());
    if (found[0].fixes.empty())
        return found[0].why_not.at(0);
    CHECK(found[0].fixes.size() == 1);
    return module.after(found[0].fixes[0]).substr(head.size());
}

std::string loop(const std::string& head, const std::string& body = "v += i;") {
    return offered("    [MaxIters(16)] for (" + head + ") { " + body + " }\n");
}

std::string counted(const std::string& head, const std::string& value,
                    const std::string& type = "int") {
    return function("    [MaxIters(16)] for (" + head + ") { " + type + " i = " + value +
                    "; v += i; }\n");
}

} // namespace

TEST_SUITE("attributes/inductive_counter") {
    TEST_CASE("products and shifts are shifts by the trip") {
        CHECK(loop("int i = 1; i < n; i *= 2") ==
              counted("int trip = 0; (1 << trip) < n; trip++", "1 << trip"));
        CHECK(loop("int i = 3; n > i; i <<= 2") ==
              "its bound allows more trips than it has bits to be shifted by");
        CHECK(loop("int i = n; i > 0; i >>= 1") ==
              counted("int trip = 0; (n >> trip) > 0; trip++", "n >> trip"));
        CHECK(loop("uint i = u; i > 0; i /= 2") ==
              counted("uint trip = 0; (u >> trip) > 0; trip++", "u >> trip", "uint"));
        CHECK(loop("int i = 128; i > n; i /= 2") ==
              counted("int trip = 0; (128 >> trip) > n; trip++", "128 >> trip"));
    }

    TEST_CASE("steps by a variable are products with the trip") {
        CHECK(loop("int i = 0; i < n; i += s") ==
              counted("int trip = 0; trip * s < n; trip++", "trip * s"));
        CHECK(loop("int i = 40; i > n; i -= s") ==
              counted("int trip = 0; 40 - trip * s > n; trip++", "40 - trip * s"));
    }

    TEST_CASE("numbers in the head say how often it runs") {
        CHECK(offered("    for (int i = 64; i > 0; i /= 4)\n        v += i;\n")
                  .find("for (int trip = 0; trip < 4; trip++)") != std::string::npos);
        CHECK(
            offered("    [MaxIters(4)]\n    for (int i = 64; i > 0; i /= 4)\n        v += i;\n") ==
            function("    [MaxIters(4)]\n    for (int trip = 0; trip < 4; trip++)\n    {\n        "
                     "int i = 64 >> (trip * 2);\n        v += i;\n    }\n"));
        CHECK(offered("    [MaxIters(5)]\n    for (int i = 64; i > 0; i /= 4)\n        v += i;\n")
                  .find("for (int trip = 0; (64 >> (trip * 2)) > 0; trip++)") != std::string::npos);
    }

    TEST_CASE("a step at the end of the body moves to the head") {
        CHECK(
            offered(
                "    [MaxIters(16)]\n    for (int i = 0; i < n;)\n    {\n        v += i;\n      "
                "  i += 2;\n    }\n") ==
            function("    [MaxIters(16)]\n    for (int i = 0; i < n; i += 2)\n    {\n        v += "
                     "i;\n    }\n"));
        CHECK(loop("int i = 0; i < n; ", "v += i; i++; // next\n") ==
              function("    [MaxIters(16)] for (int i = 0; i < n; i++) { v += i;  // next\n }\n"));
    }

    TEST_CASE("a while that starts at a variable becomes a for from 0") {
        CHECK(offered(
                  "    int i = n; // first\n    v += s;\n    [MaxIters(16)]\n    while (i <= 9)\n  "
                  "  {\n        v += i;\n        i++; // next\n    }\n") ==
              function("    int first = n; // first\n    v += s;\n    [MaxIters(16)]\n    for (int "
                       "trip = 0; first + trip <= 9; trip++)\n    {\n        int i = first + "
                       "trip;\n        v += i;\n         // next\n    }\n"));
        CHECK(offered(
                  "    int i = 1;\n    [MaxIters(16)]\n    while (i < n)\n    {\n        v += i;\n "
                  "       i *= 2;\n    }\n") ==
              function("    int first = 1;\n    [MaxIters(16)]\n    for (int trip = 0; (first << "
                       "trip) < n; trip++)\n    {\n        int i = first << trip;\n        v += "
                       "i;\n    }\n"));
    }

    TEST_CASE("a while stays where others see its counter") {
        const std::string kept =
            "its counter is not declared before it for it alone and stepped by "
            "its last statement";
        const std::string loop =
            "    while (i <= 9)\n    {\n        v += i;\n        i++;\n    }\n";
        CHECK(offered("    int i = n;\n    [MaxIters(16)]\n" + loop + "    v += i;\n") == kept);
        CHECK(offered("    int i = n;\n    i = s;\n    [MaxIters(16)]\n" + loop) == kept);
        CHECK(
            offered("    int i = n;\n    for (int k = 0; k < 3; k++)\n    {\n    [MaxIters(16)]\n" +
                    loop + "    }\n") == kept);
        CHECK(offered(
                  "    int i = n;\n    [MaxIters(16)]\n    while (i <= 9)\n    {\n        i++;\n  "
                  "      v += i;\n    }\n") == kept);
        CHECK(offered(
                  "    int i = n;\n    [MaxIters(16)]\n    while (i <= 9) // all\n    {\n        v "
                  "+= i;\n        i++;\n    }\n") == kept);
    }

    TEST_CASE("not where the counter would be another one") {
        CHECK(loop("int i = 1; i < n; i *= 3") == "its steps by '3' are no shifts by a number");
        CHECK(loop("int i = n; i < 0; i /= 2") == "it may be negative, and is divided");
        CHECK(loop("int i = 0; i < n; i += s", "v += i; s = 2;") ==
              "its step 's' may change, or has another type");
        CHECK(loop("int i = 0; i < n; i += u") == "its step 'u' may change, or has another type");
        CHECK(loop("int i = n; i < 9; i += s") == "it starts and steps by variables");
        CHECK(loop("int i = 1; i < n; i *= 2", "v += i; if (v > 2) i = 3;") ==
              "the body changes 'i'");
        CHECK(loop("int i = 0; i < n;", "if (v > 3) continue; v += i; i++;") ==
              "it is no `for` that declares one counter and steps it");
        CHECK(loop("int i = 0; i < n;", "i++; v += i;") ==
              "its counter is not stepped by the last statement");
    }

    TEST_CASE("silent where the counter is not stored for each trip") {
        CHECK(offered("    for (int i = 1; i < n; i *= 2) v += i;\n", "int32_t") == "silent");
        ModuleText module("RWStructuredBuffer<float> outb;\n" +
                          function("    for (int i = 1; i < n; i *= 2) v += i;\n"));
        CHECK(inductive_counter(module.input()).empty());
        module.store("f", "float v", 6, "FixedArray<float, 18>", 72);
        CHECK(inductive_counter(module.input()).empty());
    }
}
