#include "plugin/trial/new_warning.h"

#include <doctest/doctest.h>
#include <list>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

constexpr const char* path = "/p/a.slang";

/// Trials of one module each, with a warning at each `/*!*/` of the text.
class Trials {
  public:
    const Trial& of(const std::string& text, const std::string& code = "E30081") {
        Variant& variant = variants_.emplace_back();
        variant.model = build_module_model({SourceFile(path, text)});
        const std::string mark = "/*!*/";
        for (std::size_t at = text.find(mark); at != std::string::npos;
             at = text.find(mark, at + 1))
            variant.cuda.diagnostics.push_back({DiagnosticSeverity::warning, code, "message",
                                                variant.model.place(0, std::uint32_t(at))});
        Trial& trial = trials_.emplace_back();
        trial.variants = {&variant};
        return trial;
    }

  private:
    std::list<Variant> variants_;
    std::list<Trial> trials_;
};

std::string function(const std::string& body) {
    return "float f(float x, int n)\n{\n" + body + "    return x;\n}\n";
}

const std::string warned =
    "    [MaxIters(4)]\n    for (int i = 0; i < n; ++i)\n    {\n        int j = "
    "/*!*/x;\n        x += j;\n    }\n";
/// The same in an `if`, unrolled.
const std::string copied =
    "    if (n < 9)\n    {\n        [ForceUnroll]\n        for (int i = 0; i < n; "
    "++i)\n        {\n            int j = /*!*/x;\n            x += j;\n        }\n    }\n";
const std::string silent =
    "    for (int i = 0; i < n; ++i)\n    {\n        int j = x;\n        x += j;\n    }\n";

bool warns(const std::string& before, const std::string& after) {
    Trials trials;
    return new_warning(trials.of(before), trials.of(after)) != nullptr;
}

} // namespace

TEST_SUITE("plugin/trial/new_warning") {
    TEST_CASE("what was there is not new, wherever edits have moved it") {
        CHECK_FALSE(warns(function(warned), function("    x += 1;\n" + warned)));
        CHECK_FALSE(warns(function(warned), function(silent)));
        CHECK(warns(function(silent), function(warned)));
        Trials trials;
        const Diagnostic* other =
            new_warning(trials.of(function(warned)), trials.of(function(warned), "E30519"));
        REQUIRE(other);
        CHECK(other->code == "E30519");
    }

    TEST_CASE("a loop that is there twice warns twice") {
        CHECK_FALSE(warns(function(warned), function(warned + copied)));
        CHECK_FALSE(warns(function(warned), function(warned + copied + copied)));
        // An outer loop goes with it.
        CHECK_FALSE(warns(
            function("    for (int k = 0; k < 3; ++k)\n    {\n" + warned + "    }\n"),
            function("    for (int k = 0; k < 3; ++k)\n    {\n" + warned + copied + "    }\n")));
    }

    TEST_CASE("a warning beside the copies is new") {
        CHECK(warns(function(warned), function(warned + "    int q = /*!*/x;\n")));
        CHECK(warns(function(warned), function(warned + copied + "    int q = /*!*/x;\n")));
        // In a loop with another text.
        CHECK(warns(function(warned),
                    function(warned + "    for (int i = 0; i < n; ++i) { int q = /*!*/x; }\n")));
        // Twice in a loop that did so once, without a copy.
        CHECK(warns(function(warned),
                    function("    for (int i = 0; i < n; ++i)\n    {\n        int j = "
                             "/*!*/x;\n        x += /*!*/j;\n    }\n")));
    }

    TEST_CASE("an attribute that is written twice is no copy of a loop") {
        const std::string marked = "/*!*/[PreferRecompute]\nfloat g(float x) { return x; }\n";
        CHECK(warns(marked, marked + "/*!*/[PreferRecompute]\nfloat h(float x) { return x; }\n"));
    }
}
