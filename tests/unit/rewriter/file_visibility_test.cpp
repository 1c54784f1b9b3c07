#include "rewriter/file_visibility.h"

#include <doctest/doctest.h>

using namespace slimgrad;

namespace {

struct Text {
    std::string path, text;
};

/// "file sees files" of the given ones, by their letters.
std::string visibility(const std::vector<Text>& texts) {
    std::vector<SourceFile> files;
    std::vector<std::string> parsed;
    for (const auto& [path, text] : texts) {
        files.emplace_back(path, text);
        parsed.push_back(text);
    }
    const ModuleModel model = build_module_model(std::move(files));
    const FileVisibility visible(model, parsed);
    std::string result;
    for (std::uint32_t file = 0; file < texts.size(); ++file) {
        result += std::string(file ? " " : "") + char('a' + int(file)) + ":";
        for (std::uint32_t other = 0; other < texts.size(); ++other)
            result += visible.sees(file, other) ? std::string(1, char('a' + int(other))) : "";
    }
    return result;
}

/// The path and line of what the last call of the first file calls.
std::string last_callee(const std::vector<Text>& texts) {
    std::vector<SourceFile> files;
    for (const auto& [path, text] : texts)
        files.emplace_back(path, text);
    const ModuleModel model = build_module_model(std::move(files));
    for (auto call = model.calls.rbegin(); call != model.calls.rend(); ++call) {
        if (call->site.file == 0 && call->target != none) {
            const Place place = model.place(model.functions[call->target].name_site);
            return place.file + ":" + std::to_string(place.line);
        }
    }
    return "";
}

} // namespace

TEST_SUITE("rewriter/file_visibility") {
    TEST_CASE("an import is seen by the importing module alone, unless it is exported") {
        CHECK(visibility({{"/p/a.slang", "import b;\n"},
                          {"/p/b.slang", "import c;\n__exported import d;\n"},
                          {"/p/c.slang", "\n"},
                          {"/p/d.slang", "\n"}}) == "a:abd b:bcd c:c d:d");
    }

    TEST_CASE("files of one module see each other's imports") {
        CHECK(visibility({{"/p/a.slang", "module a;\n__include b;\nimport sub.c;\n"},
                          {"/p/b.slang", "implementing a;\nimport \"other/d.slang\";\n"},
                          {"/p/sub/c.slang", "#include \"e.slangh\"\n"},
                          {"/q/other/d.slang", "\n"},
                          {"/p/sub/e.slangh", "\n"}}) == "a:abcde b:abcde c:ce d:d e:ce");
    }

    TEST_CASE("names with underscores are files with hyphens, too") {
        CHECK(visibility({{"/p/a.slang", "import b_c;\n"}, {"/p/b-c.slang", "\n"}}) == "a:ab b:b");
    }

    TEST_CASE("where the way to a file is not known everything is seen") {
        CHECK(visibility(
                  {{"/p/a.slang", "import b;\n"}, {"/p/b.slang", "\n"}, {"/p/c.slang", "\n"}}) ==
              "a:abc b:abc c:abc");
        CHECK(visibility(
                  {{"/p/a.slang", "import b;\n"}, {"/q/b.slang", "\n"}, {"/r/b.slang", "\n"}}) ==
              "a:abc b:abc c:abc");
    }

    TEST_CASE("what is not seen is not called") {
        const std::string own = "int f(int x) { return 1; }\nvoid g() { f(1.0); }\n";
        const std::string exact = "public int f(float x) { return 2; }\n";
        CHECK(last_callee({{"/p/a.slang", "import b;\n" + own},
                           {"/p/b.slang", "import c;\n"},
                           {"/p/c.slang", exact}}) == "/p/a.slang:2");
        CHECK(last_callee({{"/p/a.slang", "import b;\n" + own},
                           {"/p/b.slang", "__exported import c;\n"},
                           {"/p/c.slang", exact}}) == "/p/c.slang:1");
    }

    TEST_CASE("a module shows what it says to be public") {
        const std::string own = "import b;\nint f(int x) { return 1; }\nvoid g() { f(1.0); }\n";
        const std::string exact = "int f(float x) { return 2; }\n";
        CHECK(last_callee({{"/p/a.slang", own}, {"/p/b.slang", "module b;\n" + exact}}) ==
              "/p/a.slang:2");
        CHECK(last_callee({{"/p/a.slang", own}, {"/p/b.slang", "module b;\npublic " + exact}}) ==
              "/p/b.slang:2");
        CHECK(last_callee({{"/p/a.slang", own}, {"/p/b.slang", exact}}) == "/p/b.slang:1");
    }
}
