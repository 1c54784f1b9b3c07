#include "rewriter/unified_diff.h"

#include "temporary_folder.h"

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <doctest/doctest.h>
#include <random>
#include <utility>
#include <vector>

using slimgrad::TemporaryFolder;
using slimgrad::unified_diff;

namespace {

/// Runs a shell command of this test's own in the folder; true if it exits with 0.
bool runs(const TemporaryFolder& folder, const std::string& command) {
    const std::string line =
        "cd '" + folder.path().string() + "' && (" + command + ") >log 2>&1 </dev/null";
    return std::system(line.c_str()) == 0;
}

/// Checks that git and patch both accept the diff and make `after` out of `before` with it.
void check_tools_accept(const std::string& before, const std::string& after,
                        const std::string& name = "shader.slang") {
    const std::string diff = unified_diff(name, before, after);
    CAPTURE(before.substr(0, 200));
    CAPTURE(after.substr(0, 200));
    CAPTURE(diff.substr(0, 1000));
    const TemporaryFolder folder;
    folder.write("change.diff", diff);
    for (const std::string tool : {"git", "patch"}) {
        folder.write(tool + "/" + name, before);
        const std::string command = tool == "git"
                                        ? "GIT_CEILING_DIRECTORIES=$(dirname $PWD) git apply"
                                        : "patch -p1 -s -F0 -i ../change.diff";
        const std::string input = tool == "git" ? " ../change.diff" : "";
        const std::string check = tool == "git" ? " --check" : " --dry-run";
        CAPTURE(tool);
        CHECK(runs(folder, "cd " + tool + " && " + command + check + input));
        CHECK(folder.read(tool + "/" + name) == before);
        const bool applied = runs(folder, "cd " + tool + " && " + command + input);
        CAPTURE(folder.read("log"));
        CHECK(applied);
        // patch removes a file that became empty; git keeps it.
        if (tool == "git" || !after.empty())
            CHECK(folder.read(tool + "/" + name) == after);
    }
}

std::string numbered_lines(int count) {
    std::string text;
    for (int i = 1; i <= count; ++i)
        text += "line " + std::to_string(i) + "\n";
    return text;
}

std::string replaced(std::string text, const std::string& what, const std::string& by) {
    const std::size_t position = text.find(what);
    REQUIRE(position != std::string::npos);
    return text.replace(position, what.size(), by);
}

} // namespace

TEST_CASE("unified_diff: equal texts have no diff") {
    CHECK(unified_diff("a", "", "").empty());
    CHECK(unified_diff("a", "x\n", "x\n").empty());
}

TEST_CASE("unified_diff: format") {
    CHECK(unified_diff("a/b.slang", numbered_lines(9),
                       replaced(numbered_lines(9), "line 5", "line five")) == "--- a/a/b.slang\n"
                                                                              "+++ b/a/b.slang\n"
                                                                              "@@ -2,7 +2,7 @@\n"
                                                                              " line 2\n"
                                                                              " line 3\n"
                                                                              " line 4\n"
                                                                              "-line 5\n"
                                                                              "+line five\n"
                                                                              " line 6\n"
                                                                              " line 7\n"
                                                                              " line 8\n");
}

TEST_CASE("unified_diff: a range without lines names the line before it") {
    CHECK(unified_diff("a", "", "x\n") == "--- a/a\n+++ b/a\n@@ -0,0 +1 @@\n+x\n");
    CHECK(unified_diff("a", "x\ny\n", "") == "--- a/a\n+++ b/a\n@@ -1,2 +0,0 @@\n-x\n-y\n");
}

TEST_CASE("unified_diff: near changes share a hunk, far ones do not") {
    const std::string text = numbered_lines(20);
    const std::string near = replaced(replaced(text, "line 5\n", "x\n"), "line 12\n", "y\n");
    const std::string far = replaced(replaced(text, "line 5\n", "x\n"), "line 13\n", "y\n");
    const auto hunks = [&](const std::string& after) {
        const std::string diff = unified_diff("a", text, after);
        std::size_t count = 0;
        for (std::size_t at = 0; (at = diff.find("\n@@ ", at)) != std::string::npos; ++at)
            ++count;
        return count;
    };
    CHECK(hunks(near) == 1);
    CHECK(hunks(far) == 2);
    check_tools_accept(text, near);
    check_tools_accept(text, far);
}

TEST_CASE("unified_diff: added functions show as a whole") {
    const auto functions = [](std::string_view names) {
        std::string text;
        for (const char name : names)
            text += std::string("void ") + name + "()\n{\n    x;\n}\n\n";
        return text;
    };
    const std::string diff = unified_diff("a", functions("bde"), functions("abcdef"));
    for (const char* name : {"a", "c", "f"})
        CHECK(diff.find(std::string("+void ") + name + "()\n+{\n+    x;\n+}\n+\n") !=
              std::string::npos);
    CHECK(diff.find("+void b") == std::string::npos);
}

TEST_CASE("unified_diff: an addition to lines that repeat keeps its context") {
    std::string lines;
    for (int i = 0; i < 8; ++i)
        lines += "same\n";
    check_tools_accept("1\nx\n" + lines, "2\nx\nsame\n" + lines);
    check_tools_accept("1\nx\n" + lines + "end\n", "2\nx\nsame\n" + lines + "end\n");
}

TEST_CASE("unified_diff: what rewriting a shader meets") {
    const std::string text = numbered_lines(9);
    SUBCASE("first line") {
        check_tools_accept(text, "new\n" + text);
    }
    SUBCASE("first line replaced") {
        check_tools_accept(text, replaced(text, "line 1\n", "x\n"));
    }
    SUBCASE("last line") {
        check_tools_accept(text, text + "new\n");
    }
    SUBCASE("last line removed") {
        check_tools_accept(text, numbered_lines(8));
    }
    SUBCASE("empty before") {
        check_tools_accept("", text);
    }
    SUBCASE("empty after") {
        check_tools_accept(text, "");
    }
    SUBCASE("one line") {
        check_tools_accept("a\n", "b\n");
    }
    SUBCASE("only a line break") {
        check_tools_accept("\n", "\n\n");
    }
}

TEST_CASE("unified_diff: no newline at the end of the file") {
    check_tools_accept("a\nb", "a\nc");
    check_tools_accept("a\nb", "a\nb\n");
    check_tools_accept("a\nb\n", "a\nb");
    check_tools_accept("a\nb", "x\na\nb");
    check_tools_accept("a", "a\na");
    check_tools_accept("", "a");
    check_tools_accept("a", "");
    check_tools_accept(numbered_lines(9) + "end", "x\n" + numbered_lines(9) + "end");
}

TEST_CASE("unified_diff: bytes are kept") {
    SUBCASE("CRLF") {
        check_tools_accept("a\r\nb\r\nc\r\n", "a\r\nx\r\nb\r\nc\r\n");
    }
    SUBCASE("CRLF becomes LF") {
        check_tools_accept("a\r\nb\r\n", "a\nb\r\n");
    }
    SUBCASE("CRLF without a last newline") {
        check_tools_accept("a\r\nb", "a\r\nc\r");
    }
    SUBCASE("lone CR") {
        check_tools_accept("a\rb\rc\n", "a\rx\rc\n");
    }
    SUBCASE("byte order mark") {
        check_tools_accept("\xEF\xBB\xBF"
                           "a\nb\n",
                           "\xEF\xBB\xBF"
                           "x\nb\n");
    }
    SUBCASE("tabs and trailing spaces") {
        check_tools_accept("\ta  \n\n", "\ta\t\n\n");
    }
    SUBCASE("UTF-8 and invalid bytes") {
        check_tools_accept("\xC3\xA9\n\xFF\n", "\xC3\n\xFF\n");
    }
    SUBCASE("lines that look like a diff") {
        check_tools_accept("-- a\n++ b\n@@ -1 +1 @@\n", "-- a\n@@ -1 +1 @@\ndiff --git a/x b/x\n");
    }
}

TEST_CASE("unified_diff: names") {
    CHECK(unified_diff("/x.slang", "", "a\n").starts_with("--- a/x.slang\n+++ b/x.slang\n"));
    for (const char* name : {"folder/with space.slang", "\xC3\xA9.slang", "quote\".slang",
                             "back\\slash.slang", "tab\t.slang"}) {
        CAPTURE(name);
        check_tools_accept("a\nb\n", "a\nc\n", name);
    }
}

TEST_CASE("unified_diff: random texts") {
    // Many files in one diff, so that each tool starts once. Few different lines make ambiguous
    // places likely.
    std::mt19937 random(3);
    const TemporaryFolder folder;
    std::vector<std::pair<std::string, std::string>> files;
    std::string diff;
    for (int round = 0; round < 500; ++round) {
        std::string before, after;
        const unsigned alphabet = 1 + random() % 5;
        for (unsigned lines = random() % 60; lines > 0; --lines)
            before += std::string(1, static_cast<char>('a' + random() % alphabet)) +
                      (random() % 9 == 0 ? "\r\n" : "\n");
        after = before + "x";
        for (unsigned edits = random() % 4; edits > 0; --edits) {
            const std::size_t at = random() % after.size();
            if (random() % 2 == 0)
                after.insert(at, std::string(1, "a\nb\r"[random() % 4]) + "\n");
            else
                after.erase(at, random() % 6);
            after += "\n";
        }
        if (random() % 5 == 0 && !before.empty())
            before.pop_back();
        const std::string name = "file" + std::to_string(round);
        for (const char* tool : {"git/", "patch/"})
            folder.write(tool + name, before);
        diff += unified_diff(name, before, after);
        files.emplace_back(name, after);
    }
    folder.write("change.diff", diff);
    CHECK(
        runs(folder, "cd git && GIT_CEILING_DIRECTORIES=$(dirname $PWD) git apply ../change.diff"));
    CHECK(runs(folder, "cd patch && patch -p1 -s -F0 -i ../change.diff"));
    for (const auto& [name, after] : files)
        for (const char* tool : {"git/", "patch/"}) {
            CAPTURE(tool + name);
            CHECK(folder.read(tool + name) == after);
        }
}

TEST_CASE("unified_diff: fast on large texts") {
    // Each takes well under a second; the limit only tells a near linear time from a quadratic one
    // on a busy machine.
    const auto within_limit = [](const std::string& before, const std::string& after) {
        const auto start = std::chrono::steady_clock::now();
        CHECK_FALSE(unified_diff("a", before, after).empty());
        return std::chrono::steady_clock::now() - start < std::chrono::seconds(10);
    };
    SUBCASE("20 MB of spaces on one line") {
        const std::string text(20'000'000, ' ');
        CHECK(within_limit(text, text + "x"));
        CHECK(within_limit(text, "x" + text));
    }
    SUBCASE("20 MB of empty lines") {
        const std::string text(20'000'000, '\n');
        CHECK(within_limit(text, "x\n" + text));
    }
    SUBCASE("a million empty lines between two changes") {
        const std::string text(1'000'000, '\n');
        CHECK(within_limit(text + "x", "x" + text));
    }
    SUBCASE("50,000 lines, a change in each tenth") {
        std::string before, after;
        for (int i = 0; i < 50'000; ++i) {
            before += "    x[" + std::to_string(i) + "] = y;\n";
            after += (i % 10 == 0 ? "    z[" : "    x[") + std::to_string(i) + "] = y;\n";
        }
        CHECK(within_limit(before, after));
    }
    SUBCASE("50,000 shuffled lines") {
        std::mt19937 random(4);
        std::vector<std::string> lines(50'000);
        for (std::string& line : lines)
            line = std::to_string(random() % 5'000) + "\n";
        const auto joined = [&] {
            std::string text;
            for (const std::string& line : lines)
                text += line;
            return text;
        };
        const std::string before = joined();
        std::shuffle(lines.begin(), lines.end(), random);
        CHECK(within_limit(before, joined()));
    }
}
