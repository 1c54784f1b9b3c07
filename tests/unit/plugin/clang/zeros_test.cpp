// What counts as zeros, and how one of them is written.

#include "generated_text.h"

using namespace slimgrad;

namespace {

const std::string zeros = "    FixedArray<float, SLOTS>  _S1 = { ZEROS };\n";

/// march() whose array is filled before the loop and read as a whole, with other elements and other
/// zeros; `from_float`: makes an element, `to_float`: takes one back.
struct Elements {
    std::string name, type, zeros, from_float, to_float, fill;
};

const std::vector<Elements> all = {
    {"numbers", "float", "    FixedArray<float, SLOTS>  _S1 = { 0.0f };\n", "", "", "0.0f"},
    {"variables", "float",
     "    float _S12 = 0.0f;\n    FixedArray<float, SLOTS>  _S1 = { _S12 };\n", "", "", "_S12"},
    {"empty", "float", "    FixedArray<float, SLOTS>  _S1 = {};\n", "", "", "0"},
    {"integers", "int", "    FixedArray<int, SLOTS>  _S1 = { int(0) };\n", "int", "float",
     "int(0)"},
    {"truths", "bool", "    FixedArray<bool, SLOTS>  _S1 = { false };\n", "3.0f < ", "2.5f + ",
     "false"},
    {"doubles", "double", "    FixedArray<double, SLOTS>  _S1 = { 0.0 };\n", "double", "float",
     "0.0"},
    {"pairs", "float2", "    FixedArray<float2, SLOTS>  _S1 = { make_float2 (0.0f) };\n",
     "make_float2", "second", "make_float2 (0.0f)"},
    {"empty_pairs", "float2", "    FixedArray<float2, SLOTS>  _S1 = {};\n", "make_float2", "second",
     "float2{}"},
};

/// The element between the braces as often as there are slots.
std::string text_of(const Elements& each) {
    std::string text = march(
        each.name, 400,
        {{zeros, each.zeros},
         {"{\n    FixedArray<float, SLOTS>  value0_0;",
          "{\n    FixedArray<" + each.type + ", SLOTS>  value0_0;"},
         {"    int _pc_0 = int(0);\n", "    int _pc_0 = int(1);\n"},
         {"    int _dc_0 = (&_S5->value1_2)->value1_0 - int(1);\n", "    int _dc_0 = int(399);\n"},
         {"[_pc_0] = _S3;", "[_pc_0] = " + each.from_float + "(_S3);"},
         {"+ (&_S5->value1_2)->value0_0[_dc_0];",
          "+ " + each.to_float + "((&_S5->value1_2)->value0_0[_dc_0]);"}});
    const std::size_t at = text.find("_S1 = { ");
    if (at != std::string::npos) {
        const std::size_t begin = at + 8, end = text.find(" };", begin);
        text.replace(begin, end - begin, listed(text.substr(begin, end - begin), 400));
    }
    return text;
}

} // namespace

TEST_SUITE("clang/zeros") {
    TEST_CASE("fills write zeros as slangc writes them") {
        std::string text =
            array_prelude + "__device__ inline float second(float2 x) { return x.y; }\n";
        std::vector<std::string> kernels;
        for (const Elements& each : all) {
            text += text_of(each);
            kernels.push_back("kernel_" + each.name);
        }
        const std::string expected = run_on_cpu(text, kernels);
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        const ByClang heap = rewritten_by(text, {"--passes", "heap", "--heap-threshold", "0"});
        for (const Elements& each : all) {
            CAPTURE(each.name);
            const std::string head = "s_apply_" + each.name + "(float";
            CHECK(contains(function_in(made.text, head),
                           "value0_0[slimgrad_i0] = " + each.fill + ";"));
            CHECK(contains(function_in(heap.text, head),
                           "value0_0.store(slimgrad_i0, " + each.fill + ");"));
        }
        CHECK(run_on_cpu(made.text, kernels) == expected);
        CHECK(run_on_cpu(heap.text, kernels) == expected);
    }

    TEST_CASE("what is no zero is copied as it was") {
        std::string text = array_prelude;
        const std::vector<std::string> values = {"1.0f", "-0.0f", "_S0", "0.0f, 1.0f"};
        std::vector<std::string> kernels;
        for (std::size_t i = 0; i < values.size(); ++i) {
            const std::string name = "march" + std::to_string(i);
            text += with_all(march(name, 98, {{"ZEROS", "VALUES"}}), "VALUES",
                             listed(values[i], i == 3 ? 49 : 98));
            kernels.push_back("kernel_" + name);
        }
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        for (std::size_t i = 0; i < values.size(); ++i) {
            CAPTURE(values[i]);
            const std::string function =
                function_in(made.text, "s_apply_march" + std::to_string(i) + "(float");
            CHECK(contains(function, "    FixedArray<float, 98>  _S1 = { " + values[i] + ", "));
            CHECK(contains(function, "    (*(&_S2)->value0_0) = _S1;\n"));
            CHECK_FALSE(contains(function, "slimgrad_i0"));
        }
        CHECK(run_on_cpu(made.text, kernels) == run_on_cpu(text, kernels));

        const ByClang heap = rewritten_by(text, {"--passes", "heap"});
        CHECK(heap.text == text);
        CHECK(notes_of(heap, "heap") == [&] {
            std::vector<std::string> notes;
            for (std::size_t i = 0; i < values.size(); ++i)
                notes.push_back("note: the array value0_0 of s_minCtx_march" + std::to_string(i) +
                                " stays in its context: not whole elements are written");
            return notes;
        }());
    }

    TEST_CASE("a variable that changes is no zero") {
        // Before the list, and between it and the place where a fill would be written.
        const std::string list = "    float _S12 = 0.0f;\n" + zeros, change = "    _S12 = 5.0f;\n";
        const Change whole{"    int _dc_0 = (&_S5->value1_2)->value1_0 - int(1);\n",
                           "    int _dc_0 = int(97);\n"};
        std::string text =
            array_prelude +
            march("before", 98,
                  {{zeros, "    float _S12 = 0.0f;\n" + change + zeros},
                   {"ZEROS", "NOUGHTS"},
                   whole}) +
            march("behind", 98, {{zeros, list + change}, {"ZEROS", "NOUGHTS"}, whole});
        text = with_all(text, "NOUGHTS", listed("_S12", 98));
        const ByClang made = rewritten_by(text, {"--passes", "single-copy"});
        const std::vector<std::string> kernels = {"kernel_before", "kernel_behind"};
        CHECK(run_on_cpu(made.text, kernels) == run_on_cpu(text, kernels));
    }
}
