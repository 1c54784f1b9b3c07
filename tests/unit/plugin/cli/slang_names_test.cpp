#include "plugin/cli/slang_names.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

CompileResult example() {
    CompileResult compiled;
    const auto declare = [&](const char* name, std::uint32_t line) {
        compiled.reflection.functions.emplace_back().name = name;
        compiled.reflection.functions.back().place = {"/p/a.slang", line, 1};
    };
    declare("Ray.advance", 3);
    declare("f", 4);
    declare("twice", 5);
    declare("twice", 6);
    compiled.contexts.emplace_back().function = "N.g";
    return compiled;
}

} // namespace

TEST_SUITE("cli/slang_names") {
    TEST_CASE("functions are named as in the shader") {
        const SlangNames names(example());
        CHECK(names.function("Ray_advance") == "Ray.advance");
        CHECK(names.function("N_g") == "N.g");
        CHECK(names.function("s_fwd_Ray.advance") == "fwd_diff(Ray.advance)");
        CHECK(names.function("s_fwd_s_fwd_f") == "fwd_diff(fwd_diff(f))");
        CHECK(names.function("d_sin") == "d_sin");
    }

    TEST_CASE("types are named as in the shader") {
        const SlangNames names(example());
        CHECK(names.type("s_bwdCallableCtx_N_g_0") == "what N.g stores");
        CHECK(names.type("FixedArray<FixedArray<s_minCtx_s_bwdCallableCtx_f_0, 3>, 22>") ==
              "FixedArray<FixedArray<what f stores, 3>, 22>");
        CHECK(names.type("FixedArray<Ray_0, 3>*") == "FixedArray<Ray, 3>*");
        CHECK(names.type("DiffPair_float_0") == "DifferentialPair<float>");
        CHECK(names.type("DiffPair_vectorx3Cfloatx2C3x3E_0") ==
              "DifferentialPair<vector<float,3>>");
        CHECK(names.type("uint32_t") == "uint32_t");
    }

    TEST_CASE("a context is what its function stores, other types stay") {
        const SlangNames names(example());
        CHECK(names.type("s_minCtx_s_bwdCallableCtx_Ray_advance_0") == "what Ray.advance stores");
        CHECK(names.type("FixedArray<float, 8>") == "FixedArray<float, 8>");
        CHECK(function_of_record("s_paramCtx_s_bwdCallableCtx_march_12") == "march");
    }

    TEST_CASE("a name that several functions have has no place") {
        const SlangNames names(example());
        CHECK(names.place("Ray_advance") == Place{"/p/a.slang", 3, 1});
        CHECK(names.place("s_fwd_f") == Place{"/p/a.slang", 4, 1});
        for (const char* name : {"twice", "N_g", "unknown"})
            CHECK_FALSE(names.place(name));
    }
}
