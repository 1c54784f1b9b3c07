#include "plugin/trial/fix_places.h"

#include "plugin/trial/stored_rows.h"

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

using namespace slimgrad;

namespace {

constexpr const char* text = R"(float leaf(float x) { return x; }
float left(float x) { return leaf(x); }
float right(float x) { return 2 * x; }
float top(float x) { return left(x) + right(x); }
)";

Fix fix(std::uint32_t offset, const std::string& inserted) {
    Fix made;
    made.edits.push_back({"/p/a.slang", {offset, offset}, inserted});
    return made;
}

struct Module {
    Variant variant;
    Trial trial;
    explicit Module(std::vector<CheckpointContext> contexts = {}) {
        std::vector<SourceFile> files;
        files.emplace_back("/p/a.slang", text);
        variant.model = build_module_model(std::move(files), {});
        variant.cuda.contexts = std::move(contexts);
        trial.variants = {&variant};
    }
    FixPlaces at(const std::string& words) const {
        const auto offset = std::uint32_t(std::string(text).find(words));
        return places_of(trial, fix(offset, "[X] "));
    }
};

CheckpointContext context(const std::string& function,
                          std::vector<std::pair<std::string, std::uint64_t>> values) {
    CheckpointContext made;
    made.function = function;
    for (auto& [type, bytes] : values) {
        CheckpointValue value;
        value.type = type;
        value.bytes = bytes;
        made.bytes += bytes;
        made.values.push_back(std::move(value));
    }
    return made;
}

} // namespace

TEST_SUITE("plugin/trial/fix_places") {
    TEST_CASE("near: the same function, or one that calls the other") {
        const Module module;
        const FixPlaces leaf = module.at("float leaf"), left = module.at("float left"),
                        right = module.at("float right"), top = module.at("float top");
        CHECK(leaf.functions == std::set<std::string>{"leaf"});
        CHECK(are_near(leaf, leaf));
        CHECK(are_near(leaf, left));
        CHECK(are_near(left, leaf));
        CHECK(are_near(top, right));
        CHECK_FALSE(are_near(left, right));
        CHECK_FALSE(are_near(leaf, top));
    }

    TEST_CASE("what stands in no function is near everything") {
        const Module module;
        const auto end = std::uint32_t(std::string(text).size());
        const FixPlaces outside = places_of(module.trial, fix(end, "\n"));
        CHECK(outside.everywhere);
        CHECK(are_near(outside, module.at("float leaf")));
    }
}

TEST_SUITE("plugin/trial/stored_rows") {
    TEST_CASE("who saves the same rows leaves nothing") {
        const std::string callee = "FixedArray<s_minCtx_s_bwdCallableCtx_f_0, 22>";
        const Module before({context("march", {{"FixedArray<float, 22>", 88}, {callee, 88}})}),
            less({context("march", {{"FixedArray<float, 22>", 88}})}),
            other({context("march", {{callee, 88}})}), none;
        CHECK(leaves_nothing_to(less.trial, less.trial, before.trial));
        CHECK(leaves_nothing_to(none.trial, less.trial, before.trial));
        CHECK_FALSE(leaves_nothing_to(less.trial, none.trial, before.trial));
        CHECK_FALSE(leaves_nothing_to(less.trial, other.trial, before.trial));
        // What saves nothing may do something else.
        CHECK_FALSE(leaves_nothing_to(less.trial, before.trial, before.trial));
    }

    TEST_CASE("of two variables of one type each may save the other") {
        const Module before({context("f", {{"float", 8}})}), half({context("f", {{"float", 4}})}),
            new_row({context("f", {{"float", 4}}), context("g", {{"int", 4}})});
        CHECK_FALSE(leaves_nothing_to(half.trial, half.trial, before.trial));
        const Module none;
        CHECK(leaves_nothing_to(none.trial, half.trial, before.trial));
        CHECK_FALSE(leaves_nothing_to(none.trial, new_row.trial, before.trial));
    }
}
