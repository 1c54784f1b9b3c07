#include "attributes/memory_types.h"

#include "attributes/effects.h"
#include "module_text.h"

using namespace slimgrad;

namespace {

constexpr const char* text = R"(
#define vec3 float3
#define BUF RWStructuredBuffer<float>
typealias Alias = RWStructuredBuffer<float>;
struct Box<T> { T value; }
__generic<T> struct Old { T value; }
struct Net<A, let W : int = 4> where A : IActivation { float w[W * W]; vector<float, W> v; }
struct Pair<A, B> { Box<A> a; B b[3]; }
enum Op { Add, Mul }
struct Holder { RWStructuredBuffer<float> b; float x; }
)";

} // namespace

TEST_SUITE("attributes/memory_types") {
    TEST_CASE("generic types are memory if what they hold is") {
        const ModuleText module(text);
        for (const char* type : {"float[W * W]", "Net<ReLU>", "Net<ReLU, 6>", "Box<float>",
                                 "Box<float3[2]>", "Pair<float, int>", "vec3", "Box<vec3>",
                                 "Box<Net<Tanh>>", "Box<float>[4]", "Op", "Op[4]", "Box<Op>"}) {
            CAPTURE(type);
            CHECK_FALSE(is_memory_type(module.model, type));
        }
        for (const char* type :
             {"float*[4]", "Box<float*>", "Box<Alias>", "Box<T>", "Box", "Box<BUF>", "BUF",
              "Pair<float>", "Pair<float, Holder>", "Pair<Holder, float>", "Box<Box<Holder>>",
              "Old<Alias>", "Alias", "Box<Holder>[2]", "Box<RWStructuredBuffer<int>>"}) {
            CAPTURE(type);
            CHECK(is_memory_type(module.model, type));
        }
    }

    TEST_CASE("generic parameters that are numbers are none") {
        const std::vector<GenericParameter> generics{{"T", "__BuiltinFloatingPointType", false, {}},
                                                     {"D", "IDifferentiable", false, {}},
                                                     {"F", "IFoo", false, {}},
                                                     {"U", "", false, {}}};
        const ModuleText values("struct S : IDifferentiable { float x; }\n");
        for (const char* type : {"T", "D", "T[4]"})
            CHECK_FALSE(is_memory_type(values.model, type, generics));
        for (const char* type : {"F", "U", "V", "T*"})
            CHECK(is_memory_type(values.model, type, generics));
        // What holds a buffer may implement IDifferentiable.
        const ModuleText memory("struct S { RWStructuredBuffer<float> b; }\n"
                                "extension S : IDifferentiable { }\n");
        CHECK(is_memory_type(memory.model, "D", generics));
    }

    TEST_CASE("local structures and returned values of generic types are no memory") {
        const auto unknown = [](const std::string& function) {
            const ModuleText module(std::string(text) +
                                    "T ident<T : IDifferentiable>(T x) { return x; }\n"
                                    "T pick<T>(T x) { return x; }\n"
                                    "struct Get<T> { T inner; T get() { return inner; } }\n"
                                    "extension Net { float run() { return w[0]; } }\n"
                                    "RWStructuredBuffer<float> gB;\n" +
                                    function);
            const EffectAnalysis effects(module.model);
            return !effects.of_function(module.function("f")).unknown.empty();
        };
        CHECK_FALSE(unknown("float f(float x) { Get<float> g = { x }; return g.get(); }"));
        CHECK_FALSE(unknown("float f(float x) { return pick(x); }"));
        CHECK_FALSE(unknown("vec3 g(float x) { return float3(x); } "
                            "float f(float x) { return g(x).x; }"));
        CHECK(unknown("float f() { return pick(gB)[0]; }"));
        CHECK(unknown("float f() { return ident(gB)[0]; }"));
        CHECK(unknown("float f() { Get<Alias> g = { gB }; return g.get()[0]; }"));
    }
}
