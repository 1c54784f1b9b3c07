#include "rewriter/condition.h"

#include "plugin/process/process.h"
#include "temporary_folder.h"

#include <array>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>
#include <set>
#include <sstream>

using namespace slimgrad;

namespace {

std::set<std::string> words_of(const std::string& text) {
    std::istringstream stream(text);
    std::set<std::string> words;
    for (std::string word; stream >> word;)
        words.insert(word);
    return words;
}

/// What `slangc -E` leaves of a file. Lines with errors are left out by it, too.
std::set<std::string> left_by_slangc(const TemporaryFolder& folder, const std::string& text) {
    ProcessOptions options;
    options.arguments = {SLIMGRAD_SOURCE_DIR "/.deps/bin/slangc", "-E",
                         folder.write("conditions.slang", text)};
    const Result<ProcessResult> done = run_process(options);
    REQUIRE(done);
    return words_of(done->out);
}

std::set<std::string> left_by_slimgrad(const std::string& text, std::size_t& undecided) {
    const ActiveText active = preprocess({SourceFile("/p/a.slang", text)}, {});
    undecided = active.undecided.size();
    return words_of(active.texts[0]);
}

const std::string macros = "#define TWO 2\n"
                           "#define FIVE (TWO + 3)\n"
                           "#define EMPTY\n"
                           "#define ABOVE(a, b) ((a) > (b))\n"
                           "#define JOINED(a, b) a##b\n"
                           "#define FIRST(a, ...) a\n"
                           "#define REST(a, ...) ABOVE(__VA_ARGS__)\n"
                           "#define HAS defined(TWO)\n"
                           "#define SELF SELF + 1\n";

/// A condition that slangc can read; not all have a value.
std::string expression(std::mt19937& random, int depth) {
    const auto pick = [&](const auto& words) { return words[random() % words.size()]; };
    if (depth == 0 || random() % 4 == 0) {
        constexpr std::array<const char*, 22> leaves{"0",
                                                     "1",
                                                     "2",
                                                     "7u",
                                                     "010",
                                                     "0x1F",
                                                     "2147483647",
                                                     "TWO",
                                                     "FIVE",
                                                     "SELF",
                                                     "UNKNOWN",
                                                     "__SLANG__",
                                                     "true",
                                                     "__cplusplus",
                                                     "JOINED(T, WO)",
                                                     "defined(TWO)",
                                                     "defined NOT",
                                                     "HAS",
                                                     "100L",
                                                     "FIRST(3, 4)",
                                                     "REST(0, 2, 1)",
                                                     "__UNHEARD_OF"};
        return pick(leaves);
    }
    constexpr std::array<const char*, 18> operators{"+",  "-", "*",  "/", "%",  "<<",
                                                    ">>", "<", "<=", ">", ">=", "==",
                                                    "!=", "&", "^",  "|", "&&", "||"};
    switch (random() % 6) {
    case 0:
        return fmt::format("({})", expression(random, depth - 1));
    case 1:
        return fmt::format("{} {}", pick(std::array<const char*, 3>{"!", "-", "~"}),
                           expression(random, 0));
    case 2:
        return fmt::format("ABOVE({}, {})", expression(random, depth - 1),
                           expression(random, depth - 1));
    default:
        return fmt::format("{} {} {}", expression(random, depth - 1), pick(operators),
                           expression(random, depth - 1));
    }
}

} // namespace

TEST_SUITE("rewriter/condition") {
    TEST_CASE("random conditions have the value that slangc gives them, or none") {
        std::mt19937 random(5);
        std::string text = macros;
        std::vector<std::string> conditions;
        for (int i = 0; i < 1500; ++i) {
            conditions.push_back(expression(random, 3));
            text += fmt::format("#if {}\nyes{}\n#else\nno{}\n#endif\n", conditions.back(), i, i);
        }
        const TemporaryFolder folder;
        std::size_t undecided = 0;
        const auto theirs = left_by_slangc(folder, text);
        const auto ours = left_by_slimgrad(text, undecided);
        int decided = 0;
        for (std::size_t i = 0; i < conditions.size(); ++i) {
            CAPTURE(conditions[i]);
            const std::string yes = fmt::format("yes{}", i), no = fmt::format("no{}", i);
            if (ours.contains(yes) && ours.contains(no))
                continue; // not known: both stay
            ++decided;
            CHECK(theirs.contains(yes) == ours.contains(yes));
            CHECK(theirs.contains(no) == ours.contains(no));
        }
        CHECK(decided > 1000);
        CHECK(undecided == conditions.size() - decided);
    }

    TEST_CASE("forms of conditionals leave what slangc leaves") {
        const std::string text =
            macros + "#if TWO == 1\na1\n#elif TWO == 2\na2\n#elif 1\na3\n#else\na4\n#endif\n"
                     "#ifdef EMPTY\nb1\n#else\nb2\n#endif\n#ifndef EMPTY\nb3\n#endif\n"
                     "#if 1 \\\n  && 0\nc1\n#else\nc2\n#endif\n"
                     "#if /* a\ncomment */ 1 // and another\nd1\n#endif /* that */\n"
                     "#\n# if 1\ne1\n# else\ne2\n# endif\n"
                     "#if 0\n#if garbage ((\n#elif @\n#endif\nf1\n#else\nf2\n#endif\n"
                     "#ifdef __SLANG__\ng1\n#endif\n#ifdef __HLSL_VERSION\ng2\n#endif\n"
                     "#ifdef __CUDACC__\ng3\n#endif\n#ifdef __UNHEARD_OF\ng4\n#endif\n"
                     "#if ABOVE (3, \\\n 2)\nh1\n#endif\n"
                     "#undef TWO\n#if defined(TWO)\ni1\n#endif\n#if FIVE == 3\ni2\n#endif\n"
                     "#if __SLANG__ && __HLSL_VERSION >= 2018 && __SLANG_COMPILER__\nj1\n#endif\n"
                     "#if 0\n#elifdef EMPTY\nk1\n#endif\nk2\n";
        const TemporaryFolder folder;
        std::size_t undecided = 0;
        CHECK(left_by_slimgrad(text, undecided) == left_by_slangc(folder, text));
        CHECK(undecided == 0);
    }

    TEST_CASE("files that are included by a macro's name define what they define") {
        const ActiveText active =
            preprocess({SourceFile("/p/a.slang", "#define HEADER \"b.slangh\"\n#include HEADER\n"
                                                 "#if FROM_B\nin\n#else\nout\n#endif\n"),
                        SourceFile("/p/b.slangh", "#define FROM_B 1\n")},
                       {});
        CHECK(words_of(active.texts[0]) == std::set<std::string>{"in"});
    }

    TEST_CASE("what slangc refuses has no value") {
        for (const char* text :
             {"1 ? 2 : 0", "'a'", "1.5 > 1", "7 / 0", "0b11", "__LINE__", "(1", "",
              "2147483647 + 1", "0xFFFFFFFF", "ABOVE", "1 << 40", "1 | 0 ^ 1"}) {
            CAPTURE(text);
            MacroDefinition above;
            above.name = "ABOVE";
            above.function_like = true;
            CHECK_FALSE(evaluate_condition({}, text, {{"ABOVE", above}}));
        }
    }
}
