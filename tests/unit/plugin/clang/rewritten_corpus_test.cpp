// Every kernel of the corpus, rewritten by every pass and with the heap in every layout: what it
// computes is the same to the bit, every index stays inside, AddressSanitizer has nothing to say,
// and of the heap no thread reads what it did not write.

#include "plugin/verify/cpu_kernels.h"
#include "rewritten.h"

#include <cmath>
#include <filesystem>
#include <fmt/format.h>
#include <set>

using namespace slimgrad;

namespace {

/// What the passes have to find in a kernel.
struct Expected {
    std::string name;
    bool single_copy, heap;
    bool repaired = false; ///< slangc's own text writes outside its arrays
};

const std::vector<Expected> corpus = {
    {"cloth_step", true, true},
    {"component_visitor", false, true},
    {"gaussian_splat", true, true},
    {"hash_grid", false, true},
    {"lens_fit", false, false},
    {"mlp", true, true, true},
    {"ode", true, true},
    {"online_update", false, true},
    {"path_bounce", true, true},
    {"pendulum", true, true, true},
    {"pixel_filter", true, true},
    {"polynomial", false, false},
    {"resonator", true, true},
    {"sdf_trace", true, true},
    {"spherical_harmonics", false, false},
    {"tensor_recurrence", true, true},
    {"tensor_windows", false, false},
    {"tonemap", false, false},
    {"volume_march", true, true},
};

/// Rays that hit the shape: others run away, and their gradients are not finite.
InputRanges rays() {
    const InputRange one_ray[] = {{-0.1, 0.1},   {-0.1, 0.1}, {-3, -2},    {-0.05, 0.05},
                                  {-0.05, 0.05}, {1, 1},      {-0.1, 0.1}, {-0.1, 0.1},
                                  {-0.1, 0.1},   {0.8, 1},    {0.2, 0.4},  {0, 0.05}};
    InputRanges ranges;
    for (std::size_t ray = 0, i = 0; ray < 3; ++ray)
        for (const InputRange& range : one_ray)
            ranges[fmt::format("gIn[{}]", i++)] = range;
    return ranges;
}

void compare(const LoadedModule& module, const std::string& original,
             const std::string& rewritten) {
    VerifyOptions options;
    options.sanitize = true;
    if (module.source.file.ends_with("sdf_trace.slang"))
        options.ranges = rays();
    const ModuleView view = module.view();
    const auto results =
        compare_rewritten(shared_verifier(), {&view, original, rewritten}, options, {});
    REQUIRE_MESSAGE(results, to_string(results.error()));
    REQUIRE(!results->empty());
    for (const VerifyResult& result : *results) {
        CAPTURE(result.entry_point);
        CAPTURE(result.reason);
        CHECK(result.verdict == Verdict::equal);
        CHECK(result.bit_equal);
    }
}

void check_kernel(const std::string& name) {
    const auto expected = std::find_if(corpus.begin(), corpus.end(),
                                       [&](const Expected& each) { return each.name == name; });
    REQUIRE(expected != corpus.end());
    const LoadedModule module = loaded_shader("corpus/" + name + ".slang");
    const ByClang repaired = rewritten_by(module.cuda.code, {"--passes", "repair-extents"});
    CHECK(repaired.changed_by("repair-extents") == expected->repaired);
    if (!expected->repaired)
        CHECK(repaired.text == module.cuda.code);
    // What slangc emits computes nothing that others could be compared with where it is wrong.
    const std::string& original = repaired.text;

    std::set<std::string> compared{original};
    const ByClang single_copy = rewritten_by(original, {"--passes", "single-copy"});
    CHECK(single_copy.changed_by("single-copy") == expected->single_copy);
    const ByClang both = rewritten_by(module.cuda.code, {});
    if (compared.insert(single_copy.text).second)
        compare(module, original, single_copy.text);
    if (compared.insert(both.text).second)
        compare(module, original, both.text);
    for (const std::string threshold : {"0", "64"})
        for (const std::string layout : {"thread", "warp", "grid"}) {
            CAPTURE(threshold);
            CAPTURE(layout);
            const ByClang heap = rewritten_by(
                module.cuda.code, {"--passes", "single-copy,repair-extents,heap",
                                   "--heap-threshold", threshold, "--heap-layout", layout});
            if (threshold == "0")
                CHECK(heap.changed_by("heap") == expected->heap);
            if (compared.insert(heap.text).second)
                compare(module, original, heap.text);
        }
}

/// The largest error of the gradient of `values`, relative to the largest derivative by central
/// differences.
double largest_error(const CpuVariant& kernel, const EntryInputs& at,
                     const std::vector<double>& values) {
    const double step = 1e-2;
    std::vector<EntryInputs> moved;
    for (std::size_t i = 0; i < values.size(); ++i)
        for (const double sign : {1.0, -1.0}) {
            moved.push_back(at);
            moved.back()["gIn"] = values;
            moved.back()["gIn"][i] += sign * step;
        }
    EntryInputs here = at;
    here["gIn"] = values;
    const auto gradient = shared_verifier().run_entry(kernel, "gradMain", {here}, {});
    const auto primal = shared_verifier().run_entry(kernel, "primalMain", moved, {});
    REQUIRE_MESSAGE(gradient, gradient.error().message);
    REQUIRE_MESSAGE(primal, primal.error().message);
    double scale = 0, error = 0;
    for (std::size_t i = 0; i < values.size(); ++i) {
        const double slope =
            ((*primal)[2 * i].at("gOut")[0] - (*primal)[2 * i + 1].at("gOut")[0]) / (2 * step);
        scale = std::max(scale, std::fabs(slope));
        error = std::max(error, std::fabs(slope - gradient->front().at("gGrad")[i]));
    }
    REQUIRE(scale > 0);
    return error / scale;
}

/// As slangc emits it, and by repair-extents.
std::pair<CpuVariant, CpuVariant> with_repair(const std::string& name) {
    const LoadedModule module = loaded_shader("corpus/" + name + ".slang");
    CpuVariant wrong = kernel_of(module.view(), module.cuda, verify::Machine::cuda);
    CpuVariant right = wrong;
    right.code = rewritten_by(wrong.code, {"--passes", "repair-extents"}).text;
    return {wrong, right};
}

} // namespace

TEST_CASE("rewritten corpus: repaired extents, the gradients are those of central differences") {
    std::vector<double> weights(433);
    for (std::size_t i = 0; i < weights.size(); ++i)
        weights[i] = 0.7 * std::sin(1.7 * static_cast<double>(i * i % 97));
    const std::vector<double> inputs{0.3, -0.2, 0.5, 0.1, -0.4, 0.25, -0.6, 0.45};
    const auto [network, repaired_network] = with_repair("mlp");
    CHECK(largest_error(network, {{"gW", weights}}, inputs) > 0.05);
    CHECK(largest_error(repaired_network, {{"gW", weights}}, inputs) < 5e-3);

    const std::vector<double> start{0.6, 0.2, 1.3, 0.4};
    const auto [pendulum, repaired_pendulum] = with_repair("pendulum");
    CHECK(largest_error(pendulum, {}, start) > 0.05);
    CHECK(largest_error(repaired_pendulum, {}, start) < 5e-3);
}

TEST_CASE("rewritten corpus: all kernels are here") {
    std::set<std::string> here, there;
    for (const Expected& each : corpus)
        here.insert(each.name);
    for (const auto& file : std::filesystem::directory_iterator(SLIMGRAD_SOURCE_DIR "/corpus"))
        if (file.path().extension() == ".slang")
            there.insert(file.path().stem().string());
    CHECK(here == there);
}

// A case each: they run side by side.
TEST_CASE("rewritten corpus: cloth_step") {
    check_kernel("cloth_step");
}
TEST_CASE("rewritten corpus: component_visitor") {
    check_kernel("component_visitor");
}
TEST_CASE("rewritten corpus: gaussian_splat") {
    check_kernel("gaussian_splat");
}
TEST_CASE("rewritten corpus: hash_grid") {
    check_kernel("hash_grid");
}
TEST_CASE("rewritten corpus: lens_fit") {
    check_kernel("lens_fit");
}
TEST_CASE("rewritten corpus: mlp") {
    check_kernel("mlp");
}
TEST_CASE("rewritten corpus: ode") {
    check_kernel("ode");
}
TEST_CASE("rewritten corpus: online_update") {
    check_kernel("online_update");
}
TEST_CASE("rewritten corpus: path_bounce") {
    check_kernel("path_bounce");
}
TEST_CASE("rewritten corpus: pendulum") {
    check_kernel("pendulum");
}
TEST_CASE("rewritten corpus: pixel_filter") {
    check_kernel("pixel_filter");
}
TEST_CASE("rewritten corpus: polynomial") {
    check_kernel("polynomial");
}
TEST_CASE("rewritten corpus: resonator") {
    check_kernel("resonator");
}
TEST_CASE("rewritten corpus: sdf_trace") {
    check_kernel("sdf_trace");
}
TEST_CASE("rewritten corpus: spherical_harmonics") {
    check_kernel("spherical_harmonics");
}
TEST_CASE("rewritten corpus: tensor_recurrence") {
    check_kernel("tensor_recurrence");
}
TEST_CASE("rewritten corpus: tensor_windows") {
    check_kernel("tensor_windows");
}
TEST_CASE("rewritten corpus: tonemap") {
    check_kernel("tonemap");
}
TEST_CASE("rewritten corpus: volume_march") {
    check_kernel("volume_march");
}
