#include "tests/unit/plugin/slang/compile_input.h"
#include "tests/unit/plugin/slang/slangc.h"
#include "tests/unit/temporary_folder.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sys/stat.h>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

const CheckpointContext& context_of(const CompileResult& result, const std::string& function) {
    auto found = std::find_if(result.contexts.begin(), result.contexts.end(),
                              [&](const auto& context) { return context.function == function; });
    REQUIRE(found != result.contexts.end());
    return *found;
}

bool has_value(const CheckpointContext& context, std::uint32_t line, std::uint32_t column,
               const std::string& type, std::uint64_t bytes) {
    return std::any_of(context.values.begin(), context.values.end(), [&](const auto& value) {
        return value.place.line == line && value.place.column == column && value.type == type &&
               value.bytes == bytes;
    });
}

std::string read_file(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE(file.good());
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("the GLSL module is there where a file asks for it, as slangc has it") {
    const TemporaryFolder folder;
    const std::string kernel =
        "RWStructuredBuffer<float> o;\n[shader(\"compute\")] "
        "[numthreads(1, 1, 1)] void main() { o[0] = mix(vec2(1).x, 2.0, 0.5); }\n";
    CHECK(compile(request_for(folder.write("a.slang", "import glsl;\n" + kernel))).succeeded());
    CHECK_FALSE(compile(request_for(folder.write("b.slang", kernel))).succeeded());
    const std::string glsl = "#version 450\nlayout(binding = 0) buffer B { float o[]; } b;\n"
                             "void f() { b.o[0] = mix(vec2(1).x, 2.0, 0.5); }\n";
    CHECK(compile(request_for(folder.write("c.slang", glsl))).succeeded());
}

TEST_CASE("a header by itself is Slang") {
    const TemporaryFolder folder;
    const std::string header =
        folder.write("a.slangh", "[Differentiable] float f(float x) { return x * x; }\n");
    CHECK(compile(request_for(header)).succeeded());
}

TEST_CASE("the checkpoint report of a volume march") {
    const CompileResult result = compile(request_for(input_path("volume.slang")));
    REQUIRE(result.succeeded());
    CHECK(result.checkpoint_bytes() == 5048);
    CHECK(result.diagnostics.empty());
    CHECK(result.dependencies == std::vector<std::string>{input_path("volume.slang")});

    const CheckpointContext& march = context_of(result, "march");
    CHECK(march.bytes == 5048);
    CHECK(march.outermost);
    CHECK(march.place == Place{input_path("volume.slang"), 44, 7});
    CHECK(march.values.size() == 5);
    CHECK(has_value(march, 46, 11, "FixedArray<float, 34>", 136));
    CHECK(has_value(march, 47, 12, "Vector<float, 3>", 12));
    CHECK(has_value(march, 50, 5, "int32_t", 4));
    CHECK(has_value(march, 53, 30, "FixedArray<Vector<float, 4>, 34>", 544));
    CHECK(has_value(march, 53, 30, "FixedArray<s_minCtx_s_bwdCallableCtx_sampleGrid_0, 34>", 4352));

    const CheckpointContext& sample = context_of(result, "sampleGrid");
    CHECK(sample.bytes == 128);
    CHECK_FALSE(sample.outermost);
    CHECK(sample.values.size() == 8);
}

TEST_CASE("a recomputed callee's context is not added") {
    CompileRequest request = request_for(input_path("volume.slang"));
    request.overlay[request.file] =
        replaced(read_file(request.file), "float4 sampleGrid",
                 "[PreferRecompute(SideEffectBehavior.Allow)] float4 sampleGrid");
    const CompileResult result = compile(request);
    CHECK(context_of(result, "march").bytes == 152);
    CHECK(context_of(result, "sampleGrid").bytes == 128);
    CHECK(result.checkpoint_bytes() == 152);

    CHECK(compile(request_for(input_path("segments.slang"))).checkpoint_bytes() == 40);
}

TEST_CASE("code is what slangc prints") {
    const std::string file = input_path("volume.slang");
    for (std::vector<std::string> arguments :
         {std::vector<std::string>{}, {"-entry", "gradMain", "-stage", "compute"}, {"-O1"}}) {
        std::vector<std::string> command = {file, "-target", "cuda"};
        if (arguments.empty() || arguments[0] != "-O1")
            command.emplace_back("-O3");
        command.insert(command.end(), arguments.begin(), arguments.end());
        const ProcessResult printed = run_slangc(command);
        REQUIRE(printed.succeeded());
        CHECK(compile(request_for(file, arguments)).code == printed.out);
    }
}

TEST_CASE("paths in #line directives are those that slangc writes") {
    TemporaryFolder folder;
    folder.write("lib/deep/../helper.slangh", "float halved(float x) { return x * 0.5f; }\n");
    folder.write("shaders/k.slang", "#include \"./../lib/helper.slangh\"\n"
                                    "RWStructuredBuffer<float> b;\n"
                                    "[shader(\"compute\")][numthreads(1,1,1)]\n"
                                    "void main(uint3 t : SV_DispatchThreadID)\n"
                                    "{ b[0] = halved(b[1]); }\n");
    const fs::path before = fs::current_path();
    fs::current_path(folder.path());
    CompileRequest request = request_for("shaders/k.slang");
    request.project_root = folder.path().string();
    const CompileResult result = compile(request);
    const ProcessResult printed = run_slangc({"shaders/k.slang", "-target", "cuda", "-O3"});
    fs::current_path(before);
    REQUIRE(printed.succeeded());
    CHECK(printed.out.find("\"lib/helper.slangh\"") != std::string::npos);
    CHECK(result.code == printed.out);
}

TEST_CASE("all entry points go into one text, or those that -entry names") {
    auto names = [](const CompileResult& result) {
        std::vector<std::string> entries;
        for (const EntryPoint& entry : result.reflection.entry_points)
            entries.push_back(entry.name);
        return entries;
    };
    using Names = std::vector<std::string>;
    CompileRequest request = request_for(input_path("volume.slang"));
    for (SlangTarget target : {SlangTarget::cuda, SlangTarget::cpp}) {
        const bool cuda = target == SlangTarget::cuda;
        const std::string declaration = cuda ? "__global__ void " : "void ";
        auto defines = [&](const CompileResult& result, const std::string& name) {
            return result.code.find(declaration + name + "(") != std::string::npos;
        };
        request.target = target;
        request.arguments = {};
        CompileResult result = compile(request);
        CHECK(names(result) == Names{"primalMain", "gradMain"});
        CHECK(defines(result, "primalMain"));
        CHECK(defines(result, "gradMain"));

        request.arguments = {"-entry", "gradMain"};
        result = compile(request);
        CHECK(names(result) == Names{"gradMain"});
        CHECK(defines(result, "gradMain"));
        CHECK_FALSE(defines(result, "primalMain"));

        request.arguments = {"-entry", "gradMain", "-entry", "primalMain"};
        CHECK(names(compile(request)) == Names{"gradMain", "primalMain"});
    }
}

TEST_CASE("a function without [shader] is an entry point where -entry and -stage say so") {
    TemporaryFolder folder;
    const std::string file =
        folder.write("k.slang", "RWStructuredBuffer<float> b;\n"
                                "[numthreads(32,1,1)] void plain(uint3 t : SV_DispatchThreadID)"
                                " { b[t.x] = 1.0f; }\n");
    const CompileResult result =
        compile(request_for(file, {"-entry", "plain", "-stage", "compute"}));
    REQUIRE(result.succeeded());
    REQUIRE(result.reflection.entry_points.size() == 1);
    CHECK(result.reflection.entry_points[0].stage == "compute");
    CHECK(result.reflection.entry_points[0].thread_group[0] == 32);
}

TEST_CASE("an entry point that the generated text renames") {
    TemporaryFolder folder;
    CompileRequest request = request_for(
        folder.write("k.slang", "RWStructuredBuffer<float> b;\n"
                                "[shader(\"compute\")][numthreads(1,1,1)]\n"
                                "void main(uint3 t : SV_DispatchThreadID) { b[0] = 1.0f; }\n"));
    for (SlangTarget target : {SlangTarget::cuda, SlangTarget::cpp}) {
        request.target = target;
        const CompileResult result = compile(request);
        REQUIRE(result.reflection.entry_points.size() == 1);
        CHECK(result.reflection.entry_points[0].name == "main");
        CHECK(result.reflection.entry_points[0].code_name == "main_0");
        CHECK(result.code.find("void main_0(") != std::string::npos);
    }
    const CompileResult kept = compile(request_for(input_path("volume.slang")));
    CHECK(kept.reflection.entry_points.at(1).code_name == "gradMain");
}

TEST_CASE("a module of [CUDAKernel] functions") {
    const CompileResult result = compile(request_for(input_path("generic_instances.slang")));
    REQUIRE(result.succeeded());
    CHECK(result.contexts.size() == 3);
    CHECK(result.checkpoint_bytes() == 4);
    REQUIRE(result.reflection.entry_points.size() == 3);
    const EntryPoint& backward = result.reflection.entry_points[0];
    CHECK(backward.name == "__kernel__kern_bwd_diff");
    CHECK(backward.stage.empty());
    REQUIRE(backward.uniforms.size() == 2);
    CHECK(backward.uniforms[0].name == "a");
    CHECK(backward.uniforms[0].type.kind == TypeKind::tensor_view);
    CHECK(backward.uniforms[1].offset == 112);
    for (const EntryPoint& entry : result.reflection.entry_points)
        CHECK(result.code.find("void " + entry.name + "(") != std::string::npos);
}

TEST_CASE("instances of a generic share a name and are told apart by size") {
    const CompileResult result = compile(request_for(input_path("generic_instances.slang")));
    std::vector<std::uint64_t> sizes;
    for (const CheckpointContext& context : result.contexts)
        if (context.function == "wave")
            sizes.push_back(context.bytes);
    std::sort(sizes.begin(), sizes.end());
    CHECK(sizes == std::vector<std::uint64_t>{24, 56});
}

TEST_CASE("an overlay stands in for the module and for what it includes") {
    TemporaryFolder folder;
    const std::string file = folder.write("k.slang", "#include \"n.slangh\"\nthis is no shader");
    const std::string header = folder.write("n.slangh", "neither is this");
    const std::string added = folder / "only_in_memory.slangh";
    CompileRequest request = request_for(file);
    request.overlay = {{file, "#include \"n.slangh\"\n"
                              "RWStructuredBuffer<float> b;\n"
                              "[shader(\"compute\")][numthreads(1,1,1)]\n"
                              "void main(uint3 t : SV_DispatchThreadID) { b[0] = value(); }\n"},
                       {header, "#include \"only_in_memory.slangh\"\n"},
                       {added, "int value() { return 1234567; }\n"}};
    const CompileResult result = compile(request);
    REQUIRE_MESSAGE(result.succeeded(), result.detail);
    CHECK(result.code.find("1234567") != std::string::npos);
    CHECK(result.dependencies == std::vector<std::string>{file, header, added});
    CHECK(folder.read("k.slang") == "#include \"n.slangh\"\nthis is no shader");

    request.overlay.clear();
    CHECK(compile(request).status == CompileStatus::rejected);
}

TEST_CASE("modules that are imported are dependencies") {
    TemporaryFolder folder;
    const std::string library =
        folder.write("lib/tools.slang", "module tools;\npublic float tool() { return 2.0f; }\n");
    const std::string file = folder.write(
        "app/k.slang", "import tools;\n"
                       "RWStructuredBuffer<float> b;\n"
                       "[shader(\"compute\")][numthreads(1,1,1)]\n"
                       "void main(uint3 t : SV_DispatchThreadID) { b[0] = tool(); }\n");
    const CompileResult result = compile(request_for(file, {"-I", folder / "lib"}));
    REQUIRE_MESSAGE(result.succeeded(), result.detail);
    CHECK(result.dependencies == std::vector<std::string>{file, library});
}

TEST_CASE("files outside the project are refused, whether they are there or not") {
    TemporaryFolder folder;
    folder.write("secret.h", "float confidential;\n");
    folder.write("project/inside.h", "");
    fs::create_symlink("../secret.h", folder / "project/link.h");
    fs::create_symlink("../nothing.h", folder / "project/dangling.h");
    const std::string file = folder / "project/k.slang";
    for (const std::string name :
         {"../../../../../../../etc/passwd", "/etc/passwd", "/etc/no_such_file", "../secret.h",
          "../nothing.h", "link.h", "dangling.h", "..\\\\secret.h", "/dev/zero"}) {
        CAPTURE(name);
        folder.write("project/k.slang", "float before;\n#include \"" + name + "\"\n");
        CompileRequest request = request_for(file);
        request.project_root = folder / "project";
        const CompileResult result = compile(request);
        CHECK(result.status == CompileStatus::refused);
        CHECK(result.detail == file + ":2:10: '" + name +
                                   "' is outside the project and the -I folders, or not there"
                                   " [E15300]");
        CHECK(result.dependencies == std::vector<std::string>{file});
        for (const Diagnostic& diagnostic : result.diagnostics)
            CHECK(diagnostic.message.find("confidential") == std::string::npos);
    }
    folder.write("project/k.slang", "float before;\n#include \"../secret.h\"\n");
    CompileRequest request = request_for(file, {"-I", folder.path().string()});
    CHECK(compile(request).succeeded());

    folder.write("project/k.slang", "import \"../secret\";\n");
    CHECK(compile(request_for(file)).status == CompileStatus::refused);
}

TEST_CASE("a module behind a link that leads out of the project is refused") {
    TemporaryFolder folder;
    folder.write("elsewhere/k.slang", "float f() { return 1.0f; }\n");
    folder.write("project/inside.h", "");
    fs::create_symlink("../elsewhere/k.slang", folder / "project/k.slang");
    CompileRequest request = request_for(folder / "project/k.slang");
    request.project_root = folder / "project";
    CHECK(compile(request).status == CompileStatus::refused);
    request.project_root = folder.path().string();
    CHECK(compile(request).succeeded());
}

TEST_CASE("errors in the module have a place") {
    TemporaryFolder folder;
    const std::string file =
        folder.write("k.slang", "float good() { return 1.0f; }\n"
                                "/* \xC3\xA9 */ float bad() { return unknownName; }\n");
    const CompileResult result = compile(request_for(file));
    CHECK(result.status == CompileStatus::rejected);
    CHECK(result.detail == file + ":2:31: undefined identifier 'unknownName' [E30015]");
    REQUIRE_FALSE(result.diagnostics.empty());
    const Diagnostic& diagnostic = result.diagnostics[0];
    CHECK(diagnostic.severity == DiagnosticSeverity::error);
    CHECK(diagnostic.code == "E30015");
    CHECK(diagnostic.place == Place{file, 2, 31}); // bytes, not characters
    CHECK(result.code.empty());
}

TEST_CASE("warnings do not keep a module from being compiled") {
    TemporaryFolder folder;
    const std::string file = folder.write("k.slang", "int f(float x) { int i = x; return i; }\n");
    const CompileResult result = compile(request_for(file));
    CHECK(result.succeeded());
    REQUIRE(result.diagnostics.size() == 1);
    CHECK(result.diagnostics[0].severity == DiagnosticSeverity::warning);
}

TEST_CASE("options that slangc does not know") {
    CompileResult result = compile(request_for(input_path("volume.slang"), {"-no-such-option"}));
    CHECK(result.status == CompileStatus::rejected);
    CHECK(result.detail == "unknown command-line option '-no-such-option' [E00017]");

    for (const char* ours : {"-target", "-o"}) {
        result = compile(request_for(input_path("volume.slang"), {ours, "cuda"}));
        CHECK(result.status == CompileStatus::rejected);
        CHECK(result.detail == std::string("option ") + ours + " cannot be given here");
    }
    result = compile(request_for(input_path("volume.slang"), {"-I"}));
    CHECK(result.status == CompileStatus::rejected);
    CHECK(result.detail == "the last option needs an argument");
    result = compile(request_for(input_path("volume.slang"), {"-no-codegen"}));
    CHECK(result.status == CompileStatus::rejected);
    CHECK(result.detail == "these options give no code");
    result = compile(request_for(input_path("volume.slang"), {"-entry", "nothing"}));
    CHECK(result.status == CompileStatus::rejected);
    CHECK(result.detail.find("nothing") != std::string::npos);
}

TEST_CASE("macros and include folders reach the compiler") {
    TemporaryFolder folder;
    folder.write("include/n.slangh", "static const int n = VALUE;\n");
    const std::string file =
        folder.write("app/k.slang", "#include \"n.slangh\"\n"
                                    "RWStructuredBuffer<int> b;\n"
                                    "[shader(\"compute\")][numthreads(1,1,1)]\n"
                                    "void main(uint3 t : SV_DispatchThreadID) { b[0] = n; }\n");
    for (bool joined : {false, true}) {
        const std::string include = folder / "include";
        const CompileResult result =
            compile(joined ? request_for(file, {"-I" + include, "-DVALUE=98765"})
                           : request_for(file, {"-I", include, "-D", "VALUE=98765"}));
        REQUIRE_MESSAGE(result.succeeded(), result.detail);
        CHECK(result.code.find("98765") != std::string::npos);
    }
}

TEST_CASE("files that are no modules") {
    TemporaryFolder folder;
    auto detail = [&](const std::string& file) {
        const CompileResult result = compile(request_for(file));
        CHECK(result.status == CompileStatus::rejected);
        return result.detail;
    };
    const std::string pipe = folder / "pipe.slang";
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    const std::string large = folder.write("large.slang", "");
    fs::resize_file(large, (64u << 20) + 1);
    CHECK(detail(folder / "missing.slang") == folder / "missing.slang: no such file");
    CHECK(detail(folder.path().string()) == folder.path().string() + ": is a directory");
    CHECK(detail(pipe) == pipe + ": is not a regular file");
    CHECK(detail("/dev/zero") == "/dev/zero: is not a regular file");
    CHECK(detail(large) == large + ": is larger than 64 MiB");
}

TEST_CASE("an empty module and one of blanks have no entry points") {
    TemporaryFolder folder;
    for (const std::string& text : {std::string(), std::string(20'000'000, ' ')}) {
        const CompileResult result = compile(request_for(folder.write("k.slang", text)));
        CHECK(result.succeeded());
        CHECK(result.contexts.empty());
        CHECK(result.reflection.entry_points.empty());
        CHECK(result.reflection.functions.empty());
    }
}

TEST_CASE("byte order mark, CRLF, tabs and characters of several bytes") {
    TemporaryFolder folder;
    const std::string file = folder.write(
        "k.slang", "\xEF\xBB\xBF// BOM, CRLF, tabs: \xC3\xA9\xE2\x82\xAC\r\n"
                   "RWStructuredBuffer<float> b;\r\n"
                   "[Differentiable]\r\n"
                   "float f(float x, no_diff int n)\r\n"
                   "{\r\n"
                   "\tfloat v = x; /* \xCE\xB1\xCE\xB2 */ float w = 1.f;\r\n"
                   "\t[MaxIters(8)]\r\n"
                   "\tfor (int k = 0; k < n; ++k)\r\n"
                   "\t{\r\n"
                   "\t\tv = v + 0.1f * sin(v); w = w * cos(v);\r\n"
                   "\t}\r\n"
                   "\treturn v * w;\r\n"
                   "}\r\n"
                   "[shader(\"compute\")] [numthreads(1,1,1)]\r\n"
                   "void gradMain(uint3 t : SV_DispatchThreadID)\r\n"
                   "{ var p = diffPair(b[0], 0.f); bwd_diff(f)(p, 4, 1.f); b[1] = p.d; }");
    const CompileResult result = compile(request_for(file));
    REQUIRE_MESSAGE(result.succeeded(), result.detail);
    const CheckpointContext& f = context_of(result, "f");
    CHECK(f.place == Place{file, 4, 7});
    CHECK(has_value(f, 6, 8, "FixedArray<float, 10>", 40));  // v
    CHECK(has_value(f, 6, 32, "FixedArray<float, 10>", 40)); // w: character 30
    CHECK(has_value(f, 8, 2, "int32_t", 4));
}

TEST_CASE("bytes that are no UTF-8 are the compiler's error, not the protocol's") {
    TemporaryFolder folder;
    const std::string file = folder.write("k.slang", "// caf\xE9\nfloat f() { return 1.0f; }\n");
    const CompileResult result = compile(request_for(file));
    CHECK(result.detail == file + ":1:7: invalid UTF-8 byte sequence: 0xE9 [E10006]");
    CompileRequest request = request_for(file);
    request.overlay[file] = "float f() { return 1.0f; } // \xFF";
    CHECK(compile(request).detail == file + ":1:31: invalid UTF-8 byte sequence: 0xFF [E10006]");
}

TEST_CASE("the front end alone: functions, IR and syntax tree, no code") {
    TemporaryFolder folder;
    const std::string file = folder.write(
        "k.slang",
        "[ForceInline] float f(int n)\n{\n    float s = 0;\n    for (int i = 0; i < n; i++)\n"
        "        s += i;\n    return s;\n}\n");
    const fs::path before = fs::current_path();
    CompileRequest request = request_for(file, {"-dump-ir", "-g3", "-dump-ast"});
    request.target = SlangTarget::ir;
    const CompileResult result = compile(request);
    REQUIRE_MESSAGE(result.succeeded(), result.detail);
    CHECK(result.code.starts_with("### LOWER-TO-IR:\n"));
    CHECK(result.code.find("loop(") != std::string::npos);
    CHECK(result.code.ends_with("\n###\n"));
    CHECK(result.syntax_tree.find("keywordName : \"ForceInline\"") != std::string::npos);
    CHECK(result.diagnostics.empty());
    REQUIRE(result.reflection.functions.size() == 1);
    CHECK(result.reflection.functions[0].name == "f");
    CHECK(fs::current_path() == before);
    // Of imported modules the compiler prints the IR before.
    const std::string importing =
        folder.write("importing.slang", "import k;\nfloat g(int n) { return f(n); }\n");
    request.file = importing;
    const CompileResult own = compile(request);
    REQUIRE_MESSAGE(own.succeeded(), own.detail);
    CHECK(own.code.starts_with("### LOWER-TO-IR:\n"));
    CHECK(own.code.rfind("### LOWER-TO-IR:") == 0);
    CHECK(own.code.find("func %g\t") != std::string::npos);
    CHECK(own.syntax_tree.find("importing.slang:2") != std::string::npos);
    CHECK(own.syntax_tree.find("/k.slang") == std::string::npos);
    CHECK(own.diagnostics.empty());
    request.file = file;
    // Without the options there is nothing but what reflection knows.
    request.arguments.clear();
    const CompileResult bare = compile(request);
    CHECK(bare.succeeded());
    CHECK(bare.code == "");
    CHECK(bare.syntax_tree == "");
    // A syntax error is the front end's.
    request.overlay[file] = "float f( { }\n";
    const CompileResult broken = compile(request);
    CHECK(broken.status == CompileStatus::rejected);
    REQUIRE(!broken.diagnostics.empty());
    CHECK(broken.diagnostics[0].code.starts_with("E2"));
}

} // namespace slimgrad
