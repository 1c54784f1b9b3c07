// Edits of the text, seen in what slimgrad-clang writes.

#include "generated_text.h"

using namespace slimgrad;

namespace {

ByClang single_copy(const std::string& text) {
    return rewritten_by(text, {"--passes", "single-copy"});
}

} // namespace

TEST_SUITE("clang/text_edits") {
    TEST_CASE("bytes outside of the edits stay") {
        // No line gains or loses its end; tabs, trailing spaces and comments are kept.
        std::string text = with_all(array_prelude + march("march", 34), "\n", "\r\n");
        text = with(text, {{"    return _S4;", "\treturn _S4; \t// \xc3\xa9 \xff"}});
        text.erase(text.size() - 2);
        const ByClang made = single_copy(text);
        REQUIRE(made.changed_by("single-copy"));
        CHECK(contains(made.text, "\r\n\treturn _S4; \t// \xc3\xa9 \xff\r\n"));
        CHECK(count_of(made.text, "\r\n") == count_of(text, "\r\n"));
        CHECK(count_of(made.text, "\n") == count_of(text, "\n"));
        CHECK(made.text.ends_with("\r\n}"));
        CHECK(with_all(made.text, "\r\n", "\n") + "\n" ==
              with_all(single_copy(with_all(text, "\r\n", "\n") + "\n").text, "\r\n", "\n"));
    }

    TEST_CASE("insertions at one place stand in the order they were made") {
        const std::string text =
            array_prelude + march("march", 98,
                                  {{"    int value1_0;\n",
                                    "    int value1_0;\n    FixedArray<float, SLOTS>  value2_0;\n"},
                                   {"[_pc_0] = _S3;\n",
                                    "[_pc_0] = _S3;\n        (&_S2)->value2_0[_pc_0] = _S3;\n"}});
        const ByClang made = single_copy(text);
        CHECK(contains(made.text,
                       "    s_minCtx_march _S2; (&_S2)->value0_0 = &slimgrad_arrays->value0_0; "
                       "(&_S2)->value2_0 = &slimgrad_arrays->value2_0;\n"));
    }

    TEST_CASE("a statement goes with its semicolon, wherever that stands") {
        const std::string text =
            array_prelude +
            march("march", 34,
                  {{"    (&_S2)->value0_0 = _S1;\n", "    (&_S2)->value0_0 = _S1 \n  ;\n"}});
        const ByClang made = single_copy(text);
        CHECK(contains(made.text,
                       "&slimgrad_arrays->value0_0;\n    \n    (&_S2)->value1_0 = int(0);\n"));
        CHECK(run_on_cpu(made.text, {"kernel_march"}) == run_on_cpu(text, {"kernel_march"}));
    }

    TEST_CASE("macros stay as they are written") {
        const std::string text =
            "#define NOTHING 0.0f\n#define AT(array, i) (array)[i]\n" + array_prelude +
            with_all(
                march("march", 98, {{"    int _pc_0 = int(0);\n", "    int _pc_0 = int(1);\n"}}),
                "0.0f,", "NOTHING,");
        const ByClang made = single_copy(with_all(text, "NOTHING, 0.0f }", "NOTHING, NOTHING }"));
        CHECK(contains(made.text, "slimgrad_arrays->value0_0[slimgrad_i0] = NOTHING;"));
        CHECK(contains(made.text, "#define NOTHING 0.0f\n"));
    }

    TEST_CASE("an edit inside of another one's text is that one's") {
        // The index of a place is copied into a new argument; it is not edited there a second time.
        const std::string text =
            array_prelude +
            march("march", 34,
                  {{"(&_S2)->value0_0[_pc_0] = _S3;",
                    "(&_S2)->value0_0[_pc_0] = _S3 + (&_S2)->value0_0[int(0)] * 0.0f;"}});
        const ByClang made = rewritten_by(text, {"--passes", "heap"});
        CHECK(
            contains(made.text,
                     "(&_S2)->value0_0.store(_pc_0, _S3 + (&_S2)->value0_0.load(int(0)) * 0.0f);"));
    }

    TEST_CASE("what goes to the end of the text stands on a line of its own") {
        std::string text = array_prelude + march("march", 34);
        text.erase(text.size() - 1);
        const ByClang made = rewritten_by(text, {"--passes", "heap"});
        CHECK(contains(made.text,
                       "    return;\n}\nextern \"C\" { __constant__ SlimgradCheckpointKernel<1> "));
    }
}
