#include "rewriter/core_writes.h"

#include <doctest/doctest.h>
#include <fmt/format.h>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

/// "0 2": the arguments that the first call of a builtin function in the text may write.
std::string written(const std::string& parameters, const std::string& call) {
    std::vector<SourceFile> files;
    files.emplace_back("f.slang", fmt::format("void f({}) {{ {}; }}", parameters, call));
    const ModuleModel model = build_module_model(std::move(files));
    REQUIRE(model.calls.size() == 1);
    std::vector<std::string> arguments;
    for (std::uint32_t i = 0; i < model.calls[0].arguments.size(); ++i)
        if (model.may_write_argument(model.calls[0], i))
            arguments.push_back(std::to_string(i));
    return fmt::format("{}", fmt::join(arguments, " "));
}

} // namespace

TEST_CASE("core functions write their out and reference parameters alone") {
    const std::string locals = "inout uint x, uint v, inout uint old, float y, double d";
    CHECK(written(locals, "InterlockedAdd(x, v)") == "0");
    CHECK(written(locals, "InterlockedAdd(x, v, old)") == "0 2");
    CHECK(written(locals, "InterlockedCompareExchange(x, v, v, old)") == "0 3");
    CHECK(written(locals, "InterlockedCompareStore(x, v, v)") == "0");
    CHECK(written(locals, "sincos(y, y, y)") == "1 2");
    CHECK(written(locals, "asuint(d, x, old)") == "1 2");
    CHECK(written(locals, "asuint(y)") == "");
    CHECK(written("inout DifferentialPair<float> p, float v", "updateDiff(p, v)") == "0");
}

TEST_CASE("core methods write what they give back, not where they write") {
    const std::string tensor = "TensorView<float> t, TensorView<float> u, uint i, float v, float o";
    CHECK(written(tensor, "t.InterlockedAdd(i, v, o)") == "2");
    CHECK(written(tensor, "t.InterlockedCompareExchange(i, v, v)") == "");
    CHECK(written(tensor, "t.store(i, v)") == "");
    CHECK(written(tensor, "t.load(i, i)") == "");
    const std::string buffer = "RWByteAddressBuffer b, uint a, uint v, uint o";
    CHECK(written(buffer, "b.InterlockedAdd(a, v, o)") == "2");
    CHECK(written(buffer, "b.InterlockedCompareExchange(a, v, v, o)") == "3");
    CHECK(written(buffer, "b.Store(a, v)") == "");
    CHECK(written(buffer, "b.Load(a, o)") == "1");
    CHECK(written("Texture2DMS<float4> t, uint s", "t.Load(0, s)") == "");
    CHECK(written("CoopVec<float, 4> c, RWByteAddressBuffer b", "c.store(b, 0)") == "0");
}

TEST_CASE("core methods that leave their object as it is") {
    for (const char* name : {"size", "dims", "stride", "Load", "load", "loadOnce", "SampleLevel",
                             "GetDimensions", "getCount"})
        CHECK(core_reads_only(name));
    for (const char* name : {"Store", "store", "InterlockedAdd", "Append", "Proceed", "fillZero",
                             "storeOnce", "IncrementCounter", "sizes"})
        CHECK_FALSE(core_reads_only(name));
}

TEST_CASE("a backward derivative writes pairs, and no other objects of the module's types") {
    const auto of = [](const std::string& parameters, const std::string& call) {
        std::vector<SourceFile> files;
        files.emplace_back("f.slang",
                           "interface ILight { float power(); }\n"
                           "struct Lamp : ILight { float p; float power() { return p; } }\n"
                           "[Differentiable] float g<L : ILight>(L l, float x) "
                           "{ return x; }\n"
                           "[Differentiable] float h<T>(T l, float x) { return x; }\n"
                           "void f<T : ILight>(" +
                               parameters + ") { " + call + "; }");
        const ModuleModel model = build_module_model(std::move(files));
        REQUIRE(model.calls.size() == 1);
        std::string written;
        for (std::uint32_t i = 0; i < model.calls[0].arguments.size(); ++i)
            written += model.may_write_argument(model.calls[0], i) ? "w" : "-";
        return written;
    };
    CHECK(of("Lamp l, DifferentialPair<float> p", "bwd_diff(g)(l, p, 1)") == "-w-");
    CHECK(of("T l, DifferentialPair<float> p", "bwd_diff(g)(l, p, 1)") == "ww-");
    CHECK(of("DifferentialPair<Lamp> l, DifferentialPair<float> p", "bwd_diff(h)(l, p, 1)") ==
          "ww-");
}
