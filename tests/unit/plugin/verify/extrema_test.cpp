#include "plugin/verify/extrema.h"

#include <doctest/doctest.h>

using namespace slimgrad;
using namespace slimgrad::verify;

namespace {

ModuleModel model(const std::string& text) {
    std::vector<SourceFile> files;
    files.emplace_back("/p/a.slang", text);
    return build_module_model(std::move(files));
}

/// "clamp < hi" for a value of a minimum that only one of the two has.
std::set<std::string> changed(const std::string& one, const std::string& other) {
    const ModuleModel models[] = {model(one), model(other)};
    const std::set<std::string> arms = changed_arms(models[0], models[1]);
    std::set<std::string> result;
    for (const ModuleModel& of : models)
        for (const Extremum& extremum : extrema_in(of))
            for (const std::size_t value : {0, 1})
                if (arms.contains(arm_of(extremum, value)))
                    result.insert(extremum.callee + (extremum.maximum ? " > " : " < ") +
                                  extremum.values[value]);
    return result;
}

std::string function(const std::string& body) {
    return "float f(float x, float t) { " + body + " }";
}

using Names = std::set<std::string>;

} // namespace

TEST_CASE("changed_arms: a guard that stays is in common, whatever it guards") {
    CHECK(changed(function("return max(x, 1e-6f);"), function("return max(x, 1e-6f) * 2;")) ==
          Names{});
    CHECK(changed(function("return max(x, 1e-6f);"),
                  function("float y = x * x; return max(y, 1e-6f);")) ==
          Names{"max > x", "max > y"});
    CHECK(changed(function("return clamp(x, 0.0f, 1.0f);"), function("return saturate(x);")) ==
          Names{});
}

TEST_CASE("changed_arms: another bound, a new one, one that went") {
    CHECK(changed(function("return max(x, 1.0f);"), function("return max(x, 2.0f);")) ==
          Names{"max > 1.0f", "max > 2.0f"});
    CHECK(changed(function("return x;"), function("return abs(x);")) ==
          Names{"abs > x", "abs > -(x)"});
    CHECK(changed(function("return max(x, 1) + max(t, 2);"),
                  function("return max(x, 2) + max(t, 1);")) ==
          Names{"max > 1", "max > 2", "max > x", "max > t"});
}

TEST_CASE("changed_arms: what a bound is made of") {
    const auto with = [](const std::string& bound) {
        return function("float lo = " + bound + "; return clamp(x, lo, 9.0f);");
    };
    CHECK(changed(with("t"), with("t * t")) == Names{"clamp > lo"});
    const auto global = [](const std::string& bound) {
        return "static const float lo = " + bound + "; " + function("return max(x, lo);");
    };
    CHECK(changed(global("1"), global("2")) == Names{"max > lo"});
    const auto called = [](const std::string& body) {
        return "float lo(float t) { return " + body + "; } " + function("return max(x, lo(t));");
    };
    CHECK(changed(called("t"), called("t + 1")) == Names{"max > lo(t)"});
    CHECK(changed(called("t"), "[PreferRecompute] " + called("t")) == Names{});
    const auto argument = [](const std::string& bound) {
        return "float low(float x, float lo) { return max(x, lo); } " +
               function("return low(x, " + bound + ");");
    };
    CHECK(changed(argument("1"), argument("2")) == Names{"max > lo"});
    const auto loop = [](const std::string& step) {
        return function("float m = 0; for (int i = 0; i < 4; ++i) m += " + step +
                        "; return min(x, m);");
    };
    CHECK(changed(loop("t"), loop("x")) == Names{"min < m"});
}

TEST_CASE("extrema_in: a module's own function of the name is none") {
    CHECK(extrema_in(
              model("float max(float a, float b) { return a; } " + function("return max(x, t);")))
              .empty());
    CHECK(extrema_in(model(function("return saturate(x);"))).size() == 2);
}
