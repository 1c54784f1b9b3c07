#include "plugin/verify/free_inputs.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

TEST_CASE("inputs without a range: floats first, what is only read first") {
    InputPlan plan;
    plan.blocks.emplace_back();
    plan.blocks[0].slots = {{"params.count", 0, ScalarKind::uint32, {}},
                            {"params.near", 4, ScalarKind::float32, {}}};
    plan.buffers.push_back({"gOut", 8, 4, true, {{"", 0, ScalarKind::float32, {}}}, {}});
    plan.buffers.push_back({"gIn", 8, 4, false, {{"", 0, ScalarKind::float32, {}}}, {}});
    CHECK(free_inputs(plan, {}) == "params.near, gIn and gOut");
    CHECK(free_inputs(plan, {{"params", {0, 1}}}) == "gIn and gOut");
    CHECK(free_inputs(plan, {{"gIn[3]", {0, 1}}, {"params.near", {0, 1}}}) ==
          "gOut and params.count");
    CHECK(free_inputs(plan, {{"gIn", {0, 1}}, {"gOut", {0, 1}}, {"params", {0, 1}}}) == "");
}

TEST_CASE("integers without a range") {
    InputPlan plan;
    plan.blocks.emplace_back();
    plan.blocks[0].slots = {{"params.near", 4, ScalarKind::float32, {}}};
    plan.buffers.push_back({"gIn", 8, 4, false, {{"", 0, ScalarKind::float32, {}}}, {}});
    CHECK_FALSE(has_free_integers(plan, {}));
    plan.blocks[0].slots.push_back({"params.width", 0, ScalarKind::uint32, {}});
    CHECK(has_free_integers(plan, {}));
    CHECK_FALSE(has_free_integers(plan, {{"params.width", {64, 64}}}));
    plan.buffers.push_back({"gIndex", 8, 4, false, {{"", 0, ScalarKind::uint32, {}}}, {}});
    CHECK(has_free_integers(plan, {{"params.width", {64, 64}}}));
}

TEST_CASE("names under [inputs]") {
    CHECK(input_key("count") == "count");
    CHECK(input_key("params.verts.size(1)") == "params.verts.size[1]");
    CHECK(input_key("size(0)") == "size(0)");
    CHECK(input_key("verts.size(n)") == "verts.size(n)");
    CHECK(unknown_names({}) == "");
    CHECK(unknown_names({"gain"}) == "; 'gain' under [inputs] names no input of this kernel");
    CHECK(unknown_names({"gain", "verts.size(0)"}) ==
          "; 'gain' and 'verts.size(0)' under [inputs] name no input of this kernel");
}
