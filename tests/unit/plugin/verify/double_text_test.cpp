#include "plugin/verify/double_text.h"

#include "plugin/slang/compiler.h"
#include "plugin/verify/verify.h"

#include <algorithm>
#include <cmath>
#include <doctest/doctest.h>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

ModuleModel model_of(const std::string& text, const std::vector<std::string>& defines = {}) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files), defines);
}

std::string retyped(const std::string& text) {
    const Result<FileTexts> result = retype_to_double(model_of(text), {});
    REQUIRE_MESSAGE(result, to_string(result.error()));
    return result->empty() ? text : result->at("/p/a.slang");
}

std::string refusal(const std::string& text) {
    const Result<FileTexts> result = retype_to_double(model_of(text), {});
    REQUIRE_FALSE(result);
    return to_string(result.error());
}

} // namespace

TEST_CASE("double: types and literals") {
    CHECK(retyped("float3 f(half x) { return float3(x * 0.1f, 1.0, 2.5h); }") ==
          "double3 f(double x) { return double3(x * 0.1l, 1.0l, 2.5l); }");
    CHECK(retyped("RWStructuredBuffer<float4x4> b; vector<float, 3> v; matrix<half,2,2> m;") ==
          "RWStructuredBuffer<double4x4> b; vector<double, 3> v; matrix<double,2,2> m;");
    CHECK(retyped("float16_t2 a; min16float3 b; float64_t c; float32_t d; float5 e;") ==
          "double2 a; double3 b; float64_t c; double d; float5 e;");
    CHECK(retyped("int i = 1; uint u = 0xe1u; float y = 1e-3 + .5 + 1. + x.float.half;") ==
          "int i = 1; uint u = 0xe1u; double y = 1e-3l + .5l + 1.l + x.float.half;");
    CHECK(retyped("double x = 1.0l;") == "double x = 1.0l;");
    CHECK(retyped("float r = float.getPi() * float2(1.0.xx).x;") ==
          "double r = double.getPi() * double2(1.0l.xx).x;");
    CHECK(retyped("void k(DiffTensorView a, DiffTensorView<float> b, TensorView<half> c) {}") ==
          "void k(DiffTensorView<double> a, DiffTensorView<double> b, TensorView<double> c) {}");
}

TEST_CASE("double: only what is code, with its bytes around it") {
    CHECK(retyped("\xEF\xBB\xBF// float 1.0f\r\n/* half */\tfloat x; // 2.0\r\n") ==
          "\xEF\xBB\xBF// float 1.0f\r\n/* half */\tdouble x; // 2.0\r\n");
    CHECK(retyped("[Hint(\"float 1.0\")] float f();") == "[Hint(\"float 1.0\")] double f();");
    CHECK(retyped("#if 0\nfloat x; // asuint\nuint y = asuint(1.0);\n#else\nfloat z;\n#endif\n") ==
          "#if 0\nfloat x; // asuint\nuint y = asuint(1.0);\n#else\ndouble z;\n#endif\n");
    CHECK(retyped("Texture2D<float4> t; float4 f(int3 p) { return t.Load(p); }") ==
          "Texture2D<float4> t; double4 f(int3 p) { return t.Load(p); }");
}

TEST_CASE("double: bodies of macros, and their arguments") {
    CHECK(retyped("#define REAL float\n#define PI 3.14159f\n#define VEC(n) float##n\n"
                  "#define SQ(x) \\\n    ((x) * (x) * 1.0)\nREAL f(VEC(3) v) { return SQ(0.5) * "
                  "PI; }\n") ==
          "#define REAL double\n#define PI 3.14159l\n#define VEC(n) double##n\n"
          "#define SQ(x) \\\n    ((x) * (x) * 1.0l)\nREAL f(VEC(3) v) { return SQ(0.5l) * PI; }\n");
    CHECK(refusal("#define F(x) x##f\n") == "/p/a.slang:1:17: 'f' is pasted with '##'");
    CHECK(refusal("#define F(x) 1.0##x\n") == "/p/a.slang:1:14: '1.0' is pasted with '##'");
}

TEST_CASE("double: what knows the bits or bytes of a float is refused") {
    CHECK(refusal("uint f(float x) {\n    return asuint(x);\n}\n") ==
          "/p/a.slang:2:12: 'asuint' converts bits");
    CHECK(refusal("RWByteAddressBuffer b;") ==
          "/p/a.slang:1:1: 'RWByteAddressBuffer' is addressed in bytes");
    for (const char* text :
         {"uint a = asuint16(h);", "float a = f16tof32(u);", "uint s = sizeof(float);",
          "void f() { __intrinsic_asm \"x\"; }", "uint p = packHalf2x16(v);",
          "let a = bit_cast<uint>(x);", "float4 c = t.SampleLevel(s, uv, 0.0);",
          "CoopVec<float, 4> v;", "bfloat16_t x;", "float4 g = t.GatherRed(s, uv);"})
        refusal(text);
    // Functions of the user's own that only look alike.
    CHECK(retyped("int resample(int x); int SampleGrid(int x); int assign(int x);") ==
          "int resample(int x); int SampleGrid(int x); int assign(int x);");
    CHECK(retyped("struct S { float Sample(float u) { return u; } } float f(S s) { return "
                  "s.Sample(1.0); }") == "struct S { double Sample(double u) { return u; } } "
                                         "double f(S s) { return s.Sample(1.0l); }");
    CHECK(retyped("uint packUnormOfMine(float x); uint f() { return packUnormOfMine(1.0); }") ==
          "uint packUnormOfMine(double x); uint f() { return packUnormOfMine(1.0l); }");
}

TEST_CASE("double: imports are retyped, too, or known to be missing") {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", "import lib.some_helpers;\nfloat f();");
    files.emplace_back("/p/lib/some-helpers.slang", "float g();");
    const Result<FileTexts> both = retype_to_double(build_module_model(files), {});
    REQUIRE_MESSAGE(both, to_string(both.error()));
    CHECK(both->at("/p/lib/some-helpers.slang") == "double g();");
    CHECK(refusal("float x;\nimport lib.other;") ==
          "/p/a.slang:2:1: 'lib/other' is imported and not among the files that are retyped");
    CHECK(refusal("import \"lib/other.slang\";").ends_with("among the files that are retyped"));
}

TEST_CASE("double: a variant's options") {
    ModuleVariant variant;
    variant.file = "/p/a.slang";
    variant.slang_arguments = {"-DREAL=float3", "-D", "SCALE=0.5f", "-DN=4", "-O2"};
    const ModuleModel model =
        model_of("REAL f() { return SCALE * N; }", macro_definitions(variant.slang_arguments));
    const Result<ModuleVariant> result = in_double(variant, model);
    REQUIRE(result);
    CHECK(result->slang_arguments ==
          std::vector<std::string>{"-DREAL=double3", "-D", "SCALE=0.5l", "-DN=4", "-O2"});
    CHECK(result->overlay.empty());
    variant.slang_arguments = {"-DHASH=asuint(x)"};
    const Result<ModuleVariant> refused = in_double(variant, model);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().message == "'asuint' converts bits in the option '-DHASH=asuint(x)'");
}

namespace {

/// A kernel of the corpus as it is and in 64 bits, both for the CPU.
struct Pair {
    CpuVariant single, twice;
};

CpuVariant compile(const ModuleVariant& variant, std::vector<std::string>& dependencies) {
    static SlangCompiler compiler({SLIMGRAD_BUILD_DIR "/slimgrad-slang", {}});
    CompileRequest request;
    request.file = variant.file;
    request.project_root = variant.root;
    request.overlay = variant.overlay;
    request.arguments = variant.slang_arguments;
    request.target = SlangTarget::cpp;
    request.checkpoint_report = false;
    const Result<CompileResult> compiled = compiler.compile(request);
    REQUIRE_MESSAGE(compiled, compiled.error().message);
    std::string messages = compiled->detail;
    for (const Diagnostic& diagnostic : compiled->diagnostics)
        messages += "\n" + to_string(diagnostic.place) + ": " + diagnostic.message;
    REQUIRE_MESSAGE(compiled->succeeded(), messages);
    dependencies = compiled->dependencies;
    return {.code = compiled->code, .reflection = compiled->reflection};
}

Pair compile_pair(const std::string& file) {
    ModuleVariant variant;
    variant.root = SLIMGRAD_SOURCE_DIR "/corpus";
    variant.file = variant.root + "/" + file;
    Pair pair;
    std::vector<std::string> dependencies;
    pair.single = compile(variant, dependencies);
    std::vector<SourceFile> files;
    for (const std::string& path : dependencies) {
        std::ifstream stream(path);
        std::ostringstream text;
        text << stream.rdbuf();
        files.emplace_back(path, text.str());
    }
    const Result<ModuleVariant> wide = in_double(variant, build_module_model(std::move(files)));
    REQUIRE_MESSAGE(wide, to_string(wide.error()));
    pair.twice = compile(*wide, dependencies);
    return pair;
}

Verifier& verifier() {
    static Result<Verifier> result = Verifier::create({"g++", SLIMGRAD_BUILD_DIR "/slimgrad-run"});
    REQUIRE(result);
    return *result;
}

/// Values for the buffers that reflection shows: small integers where elements are, else normal.
EntryInputs inputs_for(const Reflection& reflection) {
    std::mt19937 random(5);
    std::normal_distribution<float> normal;
    EntryInputs inputs;
    for (const ParameterLayout& global : reflection.globals) {
        if (global.type.kind != TypeKind::structured_buffer || !global.type.element)
            continue;
        const bool integers = global.type.element->kind == TypeKind::scalar &&
                              global.type.element->scalar != ScalarType::float32;
        std::vector<double>& values = inputs[global.name];
        for (int i = 0; i < 512; ++i)
            values.push_back(integers ? 3 : 0.25 * std::fabs(normal(random)) + 0.1);
    }
    return inputs;
}

/// The largest difference between the two forms of a kernel, relative to the largest value that the
/// one in 64 bits wrote.
double largest_error(const Pair& pair, const EntryInputs& inputs) {
    const auto narrow = verifier().run_entry(pair.single, "gradMain", {inputs}, {});
    REQUIRE_MESSAGE(narrow, to_string(narrow.error()));
    const auto wide = verifier().run_entry(pair.twice, "gradMain", {inputs}, {});
    REQUIRE_MESSAGE(wide, to_string(wide.error()));
    double largest = 0, error = 0;
    for (const auto& [name, values] : narrow->front()) {
        const std::vector<double>& others = wide->front().at(name);
        REQUIRE(others.size() == values.size());
        const auto given = inputs.find(name);
        for (std::size_t i = 0; i < values.size(); ++i) {
            const double before =
                given != inputs.end() && i < given->second.size() ? given->second[i] : 0;
            if (float(values[i]) == float(before) && float(others[i]) == float(before))
                continue; // not written
            largest = std::max(largest, std::fabs(others[i]));
            error = std::max(error, std::fabs(values[i] - others[i]));
        }
    }
    REQUIRE(largest > 0);
    return error / largest;
}

} // namespace

TEST_CASE("double: kernels of the corpus compute the same in 64 bits") {
    struct Kernel {
        std::string file;
        double tolerance = 1e-4;
        std::vector<double> values = {}; ///< of gIn, where the usual ones make no sense
    };
    const Kernel kernels[] = {
        {"ode.slang"},
        {"sdf_trace.slang", 1e-4, {0.1, 0.2, -3, 0, 0, 1, 0, 0, 0, 1, 0.3, 0.05}},
        {"volume_march.slang"},
        {"polynomial.slang"},
        {"spherical_harmonics.slang"},
        {"resonator.slang"},
        {"pendulum.slang"},
        {"lens_fit.slang"},
        {"tonemap.slang", 5e-3}, // computes in half
    };
    for (const Kernel& kernel : kernels) {
        INFO(kernel.file);
        const Pair pair = compile_pair(kernel.file);
        EntryInputs inputs = inputs_for(pair.single.reflection);
        if (!kernel.values.empty())
            inputs["gIn"] = kernel.values;
        const double error = largest_error(pair, inputs);
        CHECK(error <= kernel.tolerance);
        CHECK(error > 0); // 64 bits were used
    }
}

TEST_CASE("double: the other kernels of the corpus compile, too") {
    for (const char* file :
         {"cloth_step.slang", "component_visitor.slang", "gaussian_splat.slang", "hash_grid.slang",
          "mlp.slang", "online_update.slang", "path_bounce.slang", "pixel_filter.slang"}) {
        INFO(std::string(file));
        CHECK(compile_pair(file).twice.code.find("double") != std::string::npos);
    }
}

TEST_CASE("double: two variants") {
    ModuleVariant variant;
    variant.file = "/p/a.slang";
    const ModuleModel plain = model_of("float f();"), bits = model_of("uint g = asuint(1.0);");
    const Result<DoubleVariants> both = both_in_double(variant, plain, variant, plain);
    REQUIRE(both);
    CHECK(both->original.overlay.at("/p/a.slang") == "double f();");
    CHECK(both->rewritten.overlay.at("/p/a.slang") == "double f();");
    CHECK_FALSE(both_in_double(variant, plain, variant, bits));
    CHECK_FALSE(both_in_double(variant, bits, variant, plain));
}
