#include "rewritten.h"

using namespace slimgrad;

namespace {

const std::string& large_state() {
    static const std::string text =
        loaded_shader("tests/inputs/contexts/large_state.slang").cuda.code;
    return text;
}

nlohmann::json frame_notes(const nlohmann::json& report) {
    nlohmann::json notes = nlohmann::json::array();
    for (const nlohmann::json& note : report.at("notes"))
        if (note.at("pass") == "frame-limit")
            notes.push_back(note);
    return notes;
}

bool contains(const nlohmann::json& text, const std::string& part) {
    return text.get<std::string>().find(part) != std::string::npos;
}

} // namespace

TEST_SUITE("clang/frame_limit") {
    TEST_CASE("contexts are counted along the calls, as often as they are copied") {
        const ByClang given = rewritten_by(large_state(), {"--passes", "none"});
        const nlohmann::json& kernel = given.report.at("kernels").at(0);
        CHECK(kernel.at("name") == "train");
        // ptxas: 198144 bytes of stack.
        CHECK(kernel.at("stack_bytes_of_contexts") >= 3 * 66048);
        CHECK(kernel.at("stack_bytes_of_contexts") < 3 * 66048 + 100);

        const nlohmann::json notes = frame_notes(given.report);
        REQUIRE(notes.size() == 1);
        CHECK(notes[0].at("severity") == "warning");
        CHECK(notes[0].at("file").get<std::string>().ends_with("large_state.slang"));
        CHECK(contains(notes[0].at("message"), "GiB on an RTX 4090"));
        CHECK(contains(notes[0].at("message"), "the pass single-copy keeps one copy of them"));
    }

    TEST_CASE("what a pass has cured is a note with both figures") {
        const ByClang written = rewritten_by(large_state(), {"--passes", "single-copy"});
        const nlohmann::json notes = frame_notes(written.report);
        REQUIRE(notes.size() == 1);
        CHECK(notes[0].at("severity") == "note");
        CHECK(contains(notes[0].at("message"), "'train' had 1981"));
        CHECK(contains(notes[0].at("message"), ", 660"));
        CHECK(frame_notes(rewritten_by(written.text, {"--passes", "none"}).report).empty());
    }

    TEST_CASE("small contexts are counted and not spoken of") {
        const ByClang small =
            rewritten_by(loaded_shader("corpus/ode.slang").cuda.code, {"--passes", "none"});
        CHECK(frame_notes(small.report).empty());
        CHECK(small.report.at("kernels").size() == 2);
    }
}
