#include "plugin/process/process.h"
#include "tests/unit/plugin/slang/compile_input.h"
#include "tests/unit/temporary_folder.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {
namespace {

CompileResult layout(SlangTarget target) {
    CompileRequest request = request_for(input_path("layout.slang"));
    request.target = target;
    CompileResult result = compile(request);
    REQUIRE_MESSAGE(result.succeeded(), result.detail);
    return result;
}

const ParameterLayout& global(const Reflection& reflection, const std::string& name) {
    auto found = std::find_if(reflection.globals.begin(), reflection.globals.end(),
                              [&](const auto& parameter) { return parameter.name == name; });
    REQUIRE(found != reflection.globals.end());
    return *found;
}

} // namespace

TEST_CASE("globals in declaration order, unused ones included") {
    for (SlangTarget target : {SlangTarget::cpp, SlangTarget::cuda}) {
        const Reflection reflection = layout(target).reflection;
        std::vector<std::string> names;
        for (const ParameterLayout& parameter : reflection.globals)
            names.push_back(parameter.name);
        CHECK(names == std::vector<std::string>{"unused", "Constants", "block", "scale", "direct",
                                                "inners", "bytes", "writableBytes", "image",
                                                "writableImage", "filtering", "parameters",
                                                "pointer", "several"});
        CHECK(global(reflection, "unused").type.name == "RWStructuredBuffer<float>");
    }
}

TEST_CASE("kinds of parameters") {
    const Reflection reflection = layout(SlangTarget::cpp).reflection;
    auto kind = [&](const char* name) { return global(reflection, name).type.kind; };
    auto writable = [&](const char* name) { return global(reflection, name).type.writable; };
    CHECK(kind("unused") == TypeKind::structured_buffer);
    CHECK(kind("Constants") == TypeKind::constant_buffer);
    CHECK(kind("block") == TypeKind::constant_buffer);
    CHECK(kind("parameters") == TypeKind::constant_buffer);
    CHECK(kind("scale") == TypeKind::scalar);
    CHECK(kind("direct") == TypeKind::structure);
    CHECK(kind("bytes") == TypeKind::byte_address_buffer);
    CHECK(kind("image") == TypeKind::texture);
    CHECK(kind("filtering") == TypeKind::sampler);
    CHECK(kind("pointer") == TypeKind::pointer);
    CHECK(kind("several") == TypeKind::array);
    CHECK(writable("unused"));
    CHECK_FALSE(writable("inners"));
    CHECK_FALSE(writable("bytes"));
    CHECK(writable("writableBytes"));
    CHECK_FALSE(writable("image"));
    CHECK(writable("writableImage"));
}

TEST_CASE("elements and fields") {
    const Reflection reflection = layout(SlangTarget::cpp).reflection;
    const TypeLayout& direct = global(reflection, "direct").type;
    CHECK(direct.size == 88);
    CHECK(direct.alignment == 8);
    REQUIRE(direct.fields.size() == 5);
    const TypeLayout& inner = *direct.fields[2].type;
    REQUIRE(inner.fields.size() == 5);
    CHECK(inner.fields[1].type->scalar == ScalarType::boolean);
    CHECK(inner.fields[2].type->scalar == ScalarType::half);
    CHECK(inner.fields[3].type->scalar == ScalarType::float64);
    CHECK(inner.fields[4].type->scalar == ScalarType::uint8);
    const TypeLayout& weights = *direct.fields[3].type;
    CHECK(weights.element_count == 3);
    CHECK(weights.stride == 4);
    const TypeLayout& matrix = *direct.fields[4].type;
    CHECK(matrix.rows == 2);
    CHECK(matrix.columns == 3);
    CHECK(global(reflection, "inners").type.stride == 32);
    CHECK(global(reflection, "inners").type.element->size == 32);
    CHECK(global(reflection, "Constants").type.element->fields.at(1).name == "v");
    CHECK(global(reflection, "several").type.element->kind == TypeKind::structured_buffer);
}

TEST_CASE("entry points, their groups and uniforms") {
    const Reflection reflection = layout(SlangTarget::cpp).reflection;
    REQUIRE(reflection.entry_points.size() == 2);
    const EntryPoint& first = reflection.entry_points[0];
    CHECK(first.name == "first");
    CHECK(first.stage == "compute");
    CHECK(first.thread_group[0] == 8);
    CHECK(first.thread_group[1] == 4);
    CHECK(first.thread_group[2] == 2);
    CHECK(reflection.entry_points[1].thread_group[0] == 64);
    REQUIRE(first.uniforms.size() == 5);
    CHECK(first.uniforms[0].semantic == "SV_DISPATCHTHREADID");
    CHECK(first.uniforms[4].semantic == "SV_GROUPID");
    CHECK(first.uniforms[1].semantic == "");
}

TEST_CASE("offsets and sizes are those that a C++ compiler gives the same text") {
    const CompileResult result = layout(SlangTarget::cpp);
    std::string text = result.code + "\n#include <cstddef>\n";
    auto same = [&](const std::string& expression, std::uint64_t value) {
        text += fmt::format("static_assert({} == {});\n", expression, value);
    };
    // Slang numbers names: "scale" becomes "scale_0".
    for (const ParameterLayout& parameter : result.reflection.globals)
        same(fmt::format("offsetof(GlobalParams_0, {}_0)", parameter.name), parameter.offset);
    same("sizeof(GlobalParams_0)", result.reflection.global_bytes);
    for (const FieldLayout& field : global(result.reflection, "direct").type.fields)
        same(fmt::format("offsetof(Outer_0, {}_0)", field.name), field.offset);
    for (const FieldLayout& field : global(result.reflection, "inners").type.element->fields)
        same(fmt::format("offsetof(Inner_0, {}_0)", field.name), field.offset);
    const EntryPoint& first = result.reflection.entry_points.at(0);
    for (const ParameterLayout& uniform : first.uniforms)
        if (uniform.semantic.empty())
            same(fmt::format("offsetof(EntryPointParams_0, {}_0)", uniform.name), uniform.offset);
    same("sizeof(EntryPointParams_0)", first.uniform_bytes);

    TemporaryFolder folder;
    ProcessOptions options;
    options.arguments = {"g++", "-std=c++17", "-w", "-fsyntax-only", folder.write("k.cpp", text)};
    const Result<ProcessResult> compiled = run_process(options);
    REQUIRE(compiled.has_value());
    CHECK_MESSAGE(compiled->succeeded(), compiled->err);
}

} // namespace slimgrad
