#include "plugin/slang/generated_code.h"

#include <doctest/doctest.h>

namespace slimgrad::slang_plugin {

TEST_CASE("functions, what they call, and kernels") {
    const GeneratedCode code = scan_generated_code("#define NOT(x) \\\n  f() { g(); }\n"
                                                   "#line 3 \"k.slang\"\n"
                                                   "__device__ float add_0(float a, float b)\n"
                                                   "{\n"
                                                   "#line 4\n"
                                                   "    // mul_0(a)\n"
                                                   "    return helper_0(a, \"no_0(\") + b;\n"
                                                   "}\n"
                                                   "__device__ float declared_0(float a);\n"
                                                   "extern \"C\" {\n"
                                                   "__global__ void main(float x)\n"
                                                   "{\n"
                                                   "    for(;;) { add_0(x, x); }\n"
                                                   "}\n"
                                                   "}\n");
    CHECK(code.calls.size() == 2);
    CHECK(code.calls.at("add_0") == std::set<std::string>{"helper_0"});
    CHECK(code.calls.at("main").contains("add_0"));
    CHECK(code.kernels == std::vector<std::string>{"main"});
}

TEST_CASE("structures and their sizes") {
    const GeneratedCode code =
        scan_generated_code("struct Inner_0\n{\n    float3  a_0;\n    bool b_0;\n};\n"
                            "struct Outer_0\n{\n"
                            "    FixedArray<Inner_0, 3>  values_0;\n"
                            "    Vector<float, 4>  v_0;\n"
                            "    Matrix<float, 2, 3>  m_0;\n"
                            "    float * pointer_0;\n"
                            "    FixedArray<FixedArray<int, 2>, 5>  nest_0;\n"
                            "    float get() { return m_0; }\n};\n");
    CHECK(code.fields.at("Outer_0") ==
          std::vector<std::string>{"FixedArray<Inner_0,3>", "Vector<float,4>", "Matrix<float,2,3>",
                                   "float*", "FixedArray<FixedArray<int,2>,5>"});
    CHECK(code.size_of("Inner_0") == 13);
    CHECK(code.size_of("Outer_0") == 39 + 16 + 24 + 8 + 40);
    CHECK(code.size_of("unknown_0") == 0);
}

TEST_CASE("text that ends early") {
    CHECK(scan_generated_code("struct X { float a").fields.empty());
    CHECK(scan_generated_code("} } \"open").calls.empty());
    CHECK(scan_generated_code("").calls.empty());
}

} // namespace slimgrad::slang_plugin
