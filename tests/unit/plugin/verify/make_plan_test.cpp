#include "plugin/verify/make_plan.h"
#include "plugin/verify/tensor_layout.h"

#include <algorithm>
#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

TypeLayout scalar(ScalarType type, std::uint64_t size) {
    TypeLayout layout;
    layout.kind = TypeKind::scalar;
    layout.scalar = type;
    layout.size = size;
    return layout;
}

TypeLayout vector_of(ScalarType type, std::uint64_t size, std::uint32_t columns) {
    TypeLayout layout = scalar(type, size * columns);
    layout.kind = TypeKind::vector;
    layout.columns = columns;
    return layout;
}

TypeLayout with_element(TypeKind kind, const TypeLayout& element, std::uint64_t size) {
    TypeLayout layout;
    layout.kind = kind;
    layout.element = std::make_shared<const TypeLayout>(element);
    layout.stride = element.size;
    layout.size = size;
    return layout;
}

/// globals: RWStructuredBuffer<Particle> particles; cbuffer Settings { int count; float scale; };
/// entry parameter: bool flag.
Reflection example() {
    TypeLayout particle;
    particle.kind = TypeKind::structure;
    particle.size = 16;
    particle.fields.push_back(
        {"position", 0, std::make_shared<const TypeLayout>(vector_of(ScalarType::float32, 4, 3))});
    particle.fields.push_back(
        {"kind", 12, std::make_shared<const TypeLayout>(scalar(ScalarType::int32, 4))});
    TypeLayout settings;
    settings.kind = TypeKind::structure;
    settings.size = 8;
    settings.fields.push_back(
        {"count", 0, std::make_shared<const TypeLayout>(scalar(ScalarType::int32, 4))});
    settings.fields.push_back(
        {"scale", 4, std::make_shared<const TypeLayout>(scalar(ScalarType::float32, 4))});
    Reflection reflection;
    reflection.globals.push_back(
        {"particles", 0, with_element(TypeKind::structured_buffer, particle, 16), ""});
    reflection.globals[0].type.writable = true;
    reflection.globals.push_back(
        {"Settings", 16, with_element(TypeKind::constant_buffer, settings, 8), ""});
    EntryPoint entry;
    entry.name = "gradMain";
    entry.stage = "compute";
    entry.uniforms.push_back({"flag", 0, scalar(ScalarType::boolean, 1), ""});
    entry.uniforms.push_back(
        {"tid", 0, vector_of(ScalarType::uint32, 4, 3), "SV_DISPATCHTHREADID"});
    reflection.entry_points.push_back(entry);
    return reflection;
}

InputPlan plan(const VerifyOptions& options) {
    const Reflection reflection = example();
    const Result<InputPlan> made = make_plan({&reflection, "gradMain", &options, 64, {}, nullptr});
    REQUIRE_MESSAGE(made, made.error().message);
    return *made;
}

} // namespace

TEST_CASE("what lies where") {
    const InputPlan made = plan({});
    REQUIRE(made.blocks.size() == 3);
    CHECK(made.blocks[0].bytes == 24);
    CHECK(made.blocks[0].blocks[0].offset == 16);
    CHECK(made.blocks[0].blocks[0].block == 2);
    REQUIRE(made.blocks[1].slots.size() == 1);
    CHECK(made.blocks[1].slots[0].kind == ScalarKind::boolean);
    REQUIRE(made.blocks[2].slots.size() == 2);
    CHECK(made.blocks[2].slots[0].name == "Settings.count");
    CHECK(made.blocks[2].slots[1].offset == 4);
    REQUIRE(made.buffers.size() == 1);
    const BufferPlan& particles = made.buffers[0];
    CHECK(particles.writable);
    CHECK(particles.elements == 64);
    CHECK(particles.stride == 16);
    REQUIRE(particles.slots.size() == 4);
    CHECK(particles.slots[1].name == ".position.y");
    CHECK(particles.slots[1].offset == 4);
    CHECK(particles.slots[1].values.normal());
    CHECK(particles.slots[3].name == ".kind");
    CHECK(particles.slots[3].values.minimum == 0);
    CHECK(particles.slots[3].values.maximum == 16);
}

TEST_CASE("a plan goes through JSON unchanged") {
    VerifyOptions options;
    options.ranges["particles[3].kind"] = {0, 4};
    const nlohmann::json json = plan(options);
    CHECK(nlohmann::json(json.get<InputPlan>()) == json);
}

TEST_CASE("ranges by parameter, member and element; the narrower one wins") {
    VerifyOptions options;
    options.ranges = {{"particles", {-2, 2}},         {"particles.position.x", {0, 1}},
                      {"particles[70].kind", {0, 5}}, {"count", {1, 8}},
                      {"Settings.scale", {3, 3}},     {"nobody", {0, 1}}};
    const InputPlan made = plan(options);
    const BufferPlan& particles = made.buffers[0];
    CHECK(particles.slots[0].values.maximum == 1);
    CHECK(particles.slots[1].values.maximum == 2);
    CHECK(particles.slots[3].values.minimum == -2);
    CHECK(particles.elements == 71);
    REQUIRE(particles.exceptions.size() == 1);
    CHECK(particles.exceptions[0].element == 70);
    CHECK(particles.exceptions[0].slot == 3);
    CHECK(particles.exceptions[0].values.first == std::vector<double>{0, 1, 4, 5});
    CHECK(made.blocks[2].slots[0].values.first == std::vector<double>{1, 2, 7, 8});
    CHECK(made.blocks[2].slots[1].values.minimum == 3);
    CHECK(made.blocks[2].slots[1].values.first.empty());
    CHECK(made.unused_ranges == std::vector<std::string>{"nobody"});
}

TEST_CASE("trip counts: by input where it is known, else for every integer") {
    VerifyOptions options;
    options.loops.resize(2);
    options.loops[0].bound = 8;
    options.loops[0].trip_count_is_input = true;
    options.loops[1].bound = 5;
    const std::vector<double> first{0, 1, 7, 8};
    CHECK(plan(options).blocks[2].slots[0].values.first == first);
    CHECK(plan(options).buffers[0].slots[3].values.first == first);
    options.loops[0].input = "Settings.count";
    CHECK(plan(options).blocks[2].slots[0].values.first == first);
    CHECK(plan(options).buffers[0].slots[3].values.first.empty());
    options.ranges["Settings.count"] = {2, 2};
    CHECK(plan(options).blocks[2].slots[0].values.maximum == 2);
}

TEST_CASE("what cannot be given") {
    Reflection reflection = example();
    const VerifyOptions options;
    TypeLayout texture;
    texture.kind = TypeKind::texture;
    texture.name = "Texture2D<float>";
    reflection.globals.push_back({"albedo", 24, texture, ""});
    const std::set<std::string> used{"albedo_0", "albedo_map_0"}, unused{"albedo_map_0", "albedo"};
    const Result<InputPlan> read = make_plan({&reflection, "gradMain", &options, 64, {}, &used});
    REQUIRE_FALSE(read);
    CHECK(read.error().message ==
          "albedo is a Texture2D<float>, which a kernel on the CPU cannot be given");
    CHECK(make_plan({&reflection, "gradMain", &options, 64, {}, &unused}));
    reflection.entry_points[0].stage = "";
    CHECK(make_plan({&reflection, "gradMain", &options, 64, {}, &unused}).error().message ==
          "gradMain is a CUDA kernel, which slangc does not emit for the CPU");
}

namespace {

TypeLayout tensor_view(const std::string& name) {
    TypeLayout layout;
    layout.kind = TypeKind::tensor_view;
    layout.name = name;
    layout.size = 56;
    layout.writable = true;
    return layout;
}

/// A [CUDAKernel]: DiffTensorView<float> x, Texture2D<float2> t, float k.
Reflection tensor_kernel() {
    TypeLayout gradient;
    gradient.kind = TypeKind::structure;
    gradient.size = 56;
    gradient.fields.push_back(
        {"diff", 0, std::make_shared<const TypeLayout>(tensor_view("TensorView<float>"))});
    TypeLayout pair = tensor_view("DiffTensorView<float, AtomicAdd>");
    pair.size = 112;
    pair.fields.push_back(
        {"primal", 0, std::make_shared<const TypeLayout>(tensor_view("TensorView<float>"))});
    pair.fields.push_back({"diff", 56, std::make_shared<const TypeLayout>(gradient)});
    TypeLayout texture;
    texture.kind = TypeKind::texture;
    texture.name = "Texture2D<vector<float,2>>";
    texture.size = 8;
    EntryPoint entry;
    entry.name = entry.code_name = "f";
    const auto add = [&](const std::string& name, std::uint64_t offset, const TypeLayout& type) {
        ParameterLayout parameter;
        parameter.name = name;
        parameter.offset = offset;
        parameter.type = type;
        entry.uniforms.push_back(parameter);
    };
    add("x", 0, pair);
    add("t", 112, texture);
    add("k", 120, scalar(ScalarType::float32, 4));
    entry.uniform_bytes = 128;
    Reflection reflection;
    reflection.entry_points.push_back(entry);
    return reflection;
}

Result<InputPlan> tensor_plan(const Reflection& reflection, const VerifyOptions& options,
                              const CudaUse& use, Machine machine = Machine::cuda) {
    PlanRequest request;
    request.reflection = &reflection;
    request.entry_point = "f";
    request.options = &options;
    request.elements = 64;
    request.machine = machine;
    request.use = use;
    return make_plan(request);
}

} // namespace

TEST_CASE("tensors and textures of the cuda machine") {
    const Reflection reflection = tensor_kernel();
    const VerifyOptions options;
    const Result<InputPlan> plan = tensor_plan(reflection, options, {false, 2});
    REQUIRE(plan);
    CHECK(plan->threads == std::array<std::uint32_t, 3>{32, 1, 1});
    CHECK(plan->blocks[1].offsets == std::vector<std::uint64_t>{0, 112, 120});
    const std::vector<TensorHandle>& tensors = plan->blocks[1].tensors;
    REQUIRE(tensors.size() == 2);
    CHECK(plan->buffers[tensors[0].buffer].name == "x");
    CHECK(plan->buffers[tensors[1].buffer].name == "x.diff");
    CHECK(tensors[1].offset == 56);
    REQUIRE(tensors[0].sizes.size() == 2);
    CHECK(tensors[0].sizes[0] < 3 * 32); // threads beyond the last row
    CHECK(tensors[0].strides == std::vector<std::uint32_t>{4 * tensors[0].sizes[1], 4});
    REQUIRE(plan->blocks[1].textures.size() == 1);
    const BufferPlan& texels = plan->buffers[plan->blocks[1].textures[0].buffer];
    CHECK(texels.elements == 256);
    CHECK(texels.stride == 8);
    CHECK(!texels.writable);
    CHECK(tensor_plan(reflection, options, {true, 2})->threads ==
          std::array<std::uint32_t, 3>{8, 4, 1});
    CHECK(!tensor_plan(reflection, options, {}, Machine::cpp));
}

TEST_CASE("of a very large tensor only the dimensions that have to be are large") {
    const Reflection reflection = tensor_kernel();
    VerifyOptions options;
    const TensorSizes needed{{{"x.diff", 1}, 1 << 14}};
    const auto sizes = [&] {
        Result<InputPlan> plan = tensor_plan(reflection, options, {false, 3});
        REQUIRE(plan);
        resize_tensors(*plan, needed, options.ranges);
        CHECK(plan->blocks[1].tensors[1].sizes == plan->blocks[1].tensors[0].sizes);
        return plan->blocks[1].tensors[0].sizes;
    };
    CHECK(sizes() == std::vector<std::uint32_t>{4, 1 << 14, 4});
    options.ranges["x.size[0]"] = {16, 16};
    CHECK(sizes() == std::vector<std::uint32_t>{16, 1 << 14, 4});
    Result<InputPlan> plan = tensor_plan(reflection, {}, {false, 3});
    REQUIRE(plan);
    const std::vector<std::uint32_t> usual = plan->blocks[1].tensors[0].sizes;
    resize_tensors(*plan, {{{"x", 0}, 100}}, {});
    CHECK(plan->blocks[1].tensors[0].sizes == std::vector<std::uint32_t>{100, usual[1], usual[2]});
}

TEST_CASE("sizes of tensors from ranges, and larger when they have to be") {
    const Reflection reflection = tensor_kernel();
    VerifyOptions options;
    options.ranges = {{"x.size[0]", {3, 3}}, {"x.size[1]", {5, 5}}, {"t.size[0]", {32, 32}}};
    Result<InputPlan> plan = tensor_plan(reflection, options, {false, 1});
    REQUIRE(plan);
    CHECK(plan->unused_ranges.empty());
    CHECK(plan->blocks[1].tensors[0].sizes == std::vector<std::uint32_t>{3, 5});
    CHECK(plan->blocks[1].textures[0].sizes == std::vector<std::uint32_t>{32, 16});
    CHECK(resize_tensor(*plan, "x", 1, 7));
    CHECK(plan->blocks[1].tensors[0].strides == std::vector<std::uint32_t>{28, 4});
    CHECK(plan->buffers[plan->blocks[1].tensors[0].buffer].elements == 21);
    CHECK(resize_tensor(*plan, "x", 2, 2));
    CHECK(plan->blocks[1].tensors[0].sizes == std::vector<std::uint32_t>{3, 7, 2});
    CHECK(!resize_tensor(*plan, "x", 0, 1u << 31));
    CHECK(!resize_tensor(*plan, "y", 0, 4));
    CHECK(resize_tensor(*plan, "x.diff", 1, 9));
    for (const TensorHandle& half : plan->blocks[1].tensors) { // of the DiffTensorView x
        CHECK(half.sizes == std::vector<std::uint32_t>{3, 9, 2});
        CHECK(half.strides == std::vector<std::uint32_t>{72, 8, 4});
        CHECK(plan->buffers[half.buffer].elements == 54);
    }
}
