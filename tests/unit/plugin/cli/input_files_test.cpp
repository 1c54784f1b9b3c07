#include "plugin/cli/input_files.h"

#include "plugin/cli/project_root.h"
#include "tests/unit/temporary_folder.h"

#include <doctest/doctest.h>
#include <filesystem>
#include <string>

using slimgrad::canonical_path;
using slimgrad::collect_inputs;
using slimgrad::ExitCode;
using slimgrad::InputFiles;
using slimgrad::not_shader_text;
using slimgrad::Place;
using slimgrad::TemporaryFolder;

namespace {

namespace fs = std::filesystem;

/// Names of the files, relative to the folder.
std::string names(const TemporaryFolder& folder, const InputFiles& inputs) {
    std::string text;
    for (const auto& file : inputs.files)
        text += fs::path(file.path)
                    .lexically_relative(canonical_path(folder.path().string()))
                    .string() +
                ' ';
    return text;
}

} // namespace

TEST_CASE("a folder is searched for shaders, sorted, build trees left out") {
    const TemporaryFolder folder;
    for (const char* name : {"b.slang", "a/z.slang", "a/y.slang", "a/readme.md", ".git/x.slang",
                             ".deps/x.slang", "build/x.slang"})
        folder.write(name, "f");
    folder.write("build/CMakeCache.txt", "");
    const InputFiles inputs = collect_inputs({folder.path().string()});
    CHECK(names(folder, inputs) == "a/y.slang a/z.slang b.slang ");
    CHECK(inputs.left_out.empty());
    CHECK(inputs.files.front().from_directory);
}

TEST_CASE("a file is taken once, in the order of the arguments") {
    const TemporaryFolder folder;
    const std::string a = folder.write("a.slang", "f");
    const std::string b = folder.write("b.slang", "f");
    fs::create_symlink(a, folder / "link.slang");
    const InputFiles inputs =
        collect_inputs({b, folder / "link.slang", a, b, folder.path().string()});
    CHECK(names(folder, inputs) == "b.slang a.slang ");
    CHECK(!inputs.files.front().from_directory);
}

TEST_CASE("links neither loop nor lead out of the folder") {
    const TemporaryFolder folder;
    const std::string outside = folder.write("outside.slang", "f");
    folder.write("in/a.slang", "f");
    fs::create_directory_symlink(folder / "in", folder / "in/loop");
    fs::create_symlink(outside, folder / "in/out.slang");
    const InputFiles inputs = collect_inputs({folder / "in"});
    CHECK(names(folder, inputs) == "in/a.slang ");
    REQUIRE(inputs.left_out.size() == 1);
    CHECK(inputs.left_out[0].reason == "a link to a file outside the folder");
    CHECK(inputs.left_out[0].code == ExitCode::clean);
}

TEST_CASE("what is no shader is left out with its reason") {
    const TemporaryFolder folder;
    const auto reason = [&](const std::string& path) {
        const InputFiles inputs = collect_inputs({path});
        REQUIRE(inputs.files.empty());
        REQUIRE(inputs.left_out.size() == 1);
        return inputs.left_out[0].reason +
               (inputs.left_out[0].code == ExitCode::clean ? "" : " (usage)");
    };
    CHECK(reason(folder / "missing.slang") == "no such file or folder (usage)");
    fs::create_directory(folder / "nothing");
    CHECK(reason(folder / "nothing") == "no .slang files in this folder (usage)");
    CHECK(reason("/dev/null") == "not a regular file (usage)");
    CHECK(reason(folder.write("empty.slang", "")) == "the file is empty");
    CHECK(reason(folder.write("blank.slang", "\xef\xbb\xbf" + std::string(20 << 20, ' '))) ==
          "the file holds white space only");
    CHECK(reason(folder.write("nul.slang", std::string("a\nb\0", 4))) ==
          "not a text file: a NUL byte (usage)");
    CHECK(reason(folder.write("latin.slang", "// caf\xe9\n")) == "not UTF-8: byte 0xe9 (usage)");
    for (const std::string& text :
         {std::string("\xff\xfe/\0/\0", 6), std::string("\xfe\xff\0/\0/", 6)})
        CHECK(reason(folder.write("wide.slang", text)) ==
              "UTF-16, which slangc reads and slimgrad does not: save it as UTF-8 (usage)");
    const std::string part = "a part of the module m, examined with the file that includes it";
    CHECK(reason(folder.write("p.slang", "// note\n#define A\n/* ; */ implementing m;\n")) == part);
    CHECK(reason(folder.write("q.slang", "\xef\xbb\xbfimplementing \"m\";\n")) == part);
    CHECK(collect_inputs({folder.write("r.slang", "int implementing;\n")}).files.size() == 1);
    CHECK(collect_inputs({folder.write("s.slang", "implementings m;\n")}).files.size() == 1);
    fs::create_symlink(folder / "dangling", folder / "d.slang");
    CHECK(reason(folder / "d.slang") == "no such file or folder (usage)");
}

TEST_CASE("not_shader_text accepts UTF-8 and nothing else") {
    CHECK(!not_shader_text("plain"));
    CHECK(!not_shader_text("\xc3\xa9 \xe2\x82\xac \xf0\x9f\x98\x80"));
    CHECK(not_shader_text("\xc0\x80"));         // overlong
    CHECK(not_shader_text("\xe0\x80\x80"));     // overlong
    CHECK(not_shader_text("\xed\xa0\x80"));     // surrogate
    CHECK(not_shader_text("\xf4\x90\x80\x80")); // beyond U+10FFFF
    CHECK(not_shader_text("\xe2\x82"));         // cut off
    CHECK(not_shader_text("\x80"));
    const auto problem = not_shader_text("\xef\xbb\xbf"
                                         "a\nb \xff");
    REQUIRE(problem);
    CHECK(problem->place == Place{"", 2, 3});
}

TEST_CASE("a path that no #line directive can hold is left out, with the reason") {
    const TemporaryFolder folder;
    for (const char* name : {"a\"b.slang", "a\nb.slang", "a\\b.slang", "f\"/c.slang"}) {
        CAPTURE(name);
        const InputFiles inputs = collect_inputs({folder.write(name, "float f;")});
        CHECK(inputs.files.empty());
        REQUIRE(inputs.left_out.size() == 1);
        CHECK(inputs.left_out[0].path == folder / name);
        CHECK(inputs.left_out[0].code == ExitCode::usage);
        CHECK(inputs.left_out[0].reason.ends_with("rename it"));
    }
    CHECK(collect_inputs({folder.write("a 'b'.slang", "float f;")}).files.size() == 1);
}
