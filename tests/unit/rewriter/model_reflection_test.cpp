// The module model is read from the text alone. Here it is held against what the compiler says of
// the same modules: every function and parameter by reflection, and loops, calls and accesses,
// which reflection does not show, by the places in the checkpoint report, in diagnostics and in the
// emitted code.

#include "tests/unit/rewriter/model_comparison.h"
#include "tests/unit/temporary_folder.h"

#include <algorithm>
#include <doctest/doctest.h>
#include <filesystem>
#include <fmt/format.h>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>
#include <string_view>

namespace slimgrad {
namespace {

std::string read_text(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    REQUIRE_MESSAGE(file.good(), path);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// The module once for every value of V that its conditions name, and once for another one.
void add_variants(const std::string& file, std::vector<Shader>& shaders) {
    static const std::regex condition(R"(\bV\s*==\s*(\d+))");
    const std::string text = read_text(file);
    int last = -1;
    for (std::sregex_iterator match(text.begin(), text.end(), condition), end; match != end;
         ++match)
        last = std::max(last, std::stoi((*match)[1]));
    if (last < 0)
        shaders.push_back({file, {}});
    for (int value = 0; last >= 0 && value <= last + 1; ++value)
        shaders.push_back({file, {fmt::format("V={}", value)}});
}

std::vector<Shader> shaders_in(const std::string& folder) {
    std::vector<std::string> files;
    for (const auto& entry :
         std::filesystem::directory_iterator(std::string(SLIMGRAD_SOURCE_DIR) + "/" + folder))
        if (entry.path().extension() == ".slang")
            files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    std::vector<Shader> shaders;
    for (const std::string& file : files)
        add_variants(file, shaders);
    return shaders;
}

/// Modules that are not as the others.
struct Exceptions {
    std::set<std::string> rejected; ///< by the compiler, which may crash on them
    std::set<std::string> endless;  ///< it does not end on them: left out
};

/// Compares all modules of a folder, each compiled as `common` says.
Compared compare_folder(const std::string& folder, const Exceptions& exceptions = {},
                        const CompileRequest& common = {}) {
    SlangCompiler compiler{SlangCompiler::Options{}};
    Compared compared;
    for (const Shader& shader : shaders_in(folder)) {
        if (exceptions.endless.count(shader.name()))
            continue;
        CompileRequest request = common;
        request.file = shader.file;
        for (const std::string& define : shader.defines)
            request.arguments.push_back("-D" + define);
        const Result<CompileResult> compiled = compiler.compile(request);
        REQUIRE_MESSAGE(compiled.has_value(), (compiled ? "" : to_string(compiled.error())));
        CAPTURE(compiled->detail);
        CAPTURE(shader.name());
        CHECK(compiled->succeeded() != bool(exceptions.rejected.count(shader.name())));
        const Recompile recompile = [&](const FileTexts& overlay) {
            request.overlay = overlay;
            return compiler.compile(request);
        };
        for (const Error& mismatch : compare_model(shader, *compiled, compared, recompile))
            FAIL_CHECK(to_string(mismatch));
    }
    // All that stores something for the backward pass is known by name.
    for (const Error& open : compared.open_calls)
        FAIL_CHECK(to_string(open));
    MESSAGE(fmt::format("{}: {} modules, {} functions, {} parameters, {} attributes; stored values "
                        "at {} calls ({} named), {} subscripts, {} loops, "
                        "{} names, {} operators, {} macros, {} elsewhere; {} diagnostics of loops, "
                        "{} emitted loops",
                        folder, compared.modules, compared.functions, compared.parameters,
                        compared.attributes, compared.calls, compared.callees, compared.subscripts,
                        compared.loops, compared.names, compared.operators, compared.macros,
                        compared.elsewhere, compared.loop_diagnostics, compared.emitted_loops));
    return compared;
}

} // namespace

TEST_SUITE("rewriter/model_reflection") {
    TEST_CASE("the corpus") {
        const Compared compared = compare_folder("corpus");
        CHECK(compared.modules >= 19);
        CHECK(compared.functions >= 110);
        CHECK(compared.parameters >= 190);
        CHECK(compared.attributes >= 70);
        CHECK(compared.calls >= 45);
        CHECK(compared.callees >= 11);
        CHECK(compared.subscripts >= 8);
        CHECK(compared.loops >= 5);
        CHECK(compared.names >= 20);
        CHECK(compared.emitted_loops >= 65);
    }
    TEST_CASE("modules that the corpus imports") {
        const Compared compared = compare_folder("corpus/shared");
        CHECK(compared.modules >= 1);
        CHECK(compared.functions >= 2);
    }
    TEST_CASE("kernels with known answers") {
        const Compared compared = compare_folder("tests/inputs/kernels");
        CHECK(compared.modules >= 6);
        CHECK(compared.functions >= 50);
        CHECK(compared.parameters >= 80);
        CHECK(compared.calls >= 24);
        CHECK(compared.callees >= 5);
        CHECK(compared.emitted_loops >= 25);
    }
    TEST_CASE("variants of small cases") {
        const Compared compared = compare_folder(
            "tests/inputs/cases",
            {.rejected = {"case-01.slang -DV=0", "case-01.slang -DV=2", "case-05.slang -DV=0",
                          "case-08.slang -DV=2", "case-19.slang -DV=4", "case-29.slang -DV=0",
                          "case-29.slang -DV=1", "case-32.slang -DV=4", "case-42.slang -DV=1",
                          "case-44.slang -DV=2"},
             .endless = {"case-18.slang -DV=1", "case-32.slang -DV=0"}});
        CHECK(compared.modules >= 79);
        CHECK(compared.functions >= 210);
        CHECK(compared.parameters >= 290);
        CHECK(compared.attributes >= 160);
        CHECK(compared.calls >= 35);
        CHECK(compared.callees >= 14);
        CHECK(compared.loops >= 20);
        CHECK(compared.names >= 60);
        CHECK(compared.loop_diagnostics >= 4);
        CHECK(compared.emitted_loops >= 200);
        CHECK(compared.elsewhere <= 2);
    }
    TEST_CASE("declarations of every kind") {
        const Compared compared = compare_folder("tests/inputs/declarations");
        CHECK(compared.functions >= 60);
        CHECK(compared.parameters >= 65);
        std::set<std::string> reasons;
        for (const Error& part : compared.not_compared)
            reasons.insert(part.message);
        CHECK(reasons == std::set<std::string>{"initialisers and extensions of functions: "
                                               "reflection shows no parameters of theirs"});
    }
    TEST_CASE("declarations of every kind in the IR and the syntax tree") {
        CompileRequest request;
        request.target = SlangTarget::ir;
        request.arguments = {"-dump-ir", "-g3", "-dump-ast"};
        const Compared compared = compare_folder("tests/inputs/declarations", {}, request);
        CHECK(compared.functions >= 65);
        CHECK(compared.lowered_loops >= 16);
    }
    TEST_CASE("loops of the IR") {
        CompileRequest request;
        request.target = SlangTarget::ir;
        request.arguments = {"-dump-ir", "-g3"};
        const Compared compared = compare_folder("corpus", {}, request);
        CHECK(compared.lowered_loops >= 20);
        CHECK(compared.attributes >= 20);
        CHECK(compared.macros == 0);
    }
    TEST_CASE("what differs is seen") {
        const std::string file =
            std::string(SLIMGRAD_SOURCE_DIR) + "/tests/inputs/declarations/loops.slang";
        SlangCompiler compiler{SlangCompiler::Options{}};
        CompileRequest request;
        request.file = file;
        request.target = SlangTarget::ir;
        request.arguments = {"-dump-ir", "-g3", "-dump-ast"};
        const Result<CompileResult> compiled = compiler.compile(request);
        REQUIRE(compiled.has_value());
        REQUIRE(compiled->succeeded());
        const auto differences = [&](auto change) {
            CompileResult result = *compiled;
            change(result);
            std::string text;
            Compared compared;
            for (const Error& mismatch : compare_model({file, {}}, result, compared))
                text += mismatch.message + '\n';
            return text;
        };
        const auto functions = [](CompileResult& result) -> auto& {
            return result.reflection.functions;
        };
        const auto replace = [](const std::string& from, const std::string& to) {
            return [=](CompileResult& result) {
                auto at = result.code.find(from);
                REQUIRE(at != std::string::npos);
                for (; at != std::string::npos; at = result.code.find(from, at + to.size()))
                    result.code.replace(at, from.size(), to);
            };
        };
        CHECK(differences([](CompileResult&) {}) == "");
        CHECK(differences([&](CompileResult& result) {
                  functions(result).pop_back();
              }).starts_with("reflection has no function "));
        CHECK(differences([&](CompileResult& result) {
                  functions(result)[0].place.line += 1;
              }).find("the model has no function ") != std::string::npos);
        CHECK(differences([&](CompileResult& result) {
                  functions(result)[0].name = "other";
              }).starts_with("name of other: "));
        CHECK(differences([&](CompileResult& result) {
                  functions(result)[0].parameters[0].type = "double";
              }).starts_with("parameter of "));
        CHECK(differences([&](CompileResult& result) {
                  functions(result)[0].parameters[0].is_out = true;
              }).starts_with("parameter of "));
        CHECK(differences([&](CompileResult& result) {
                  functions(result)[0].parameters[0].no_diff = true;
              }).starts_with("parameter of "));
        CHECK(differences([&](CompileResult& result) {
                  functions(result)[0].differentiable ^= true;
              }).starts_with("differentiability of "));
        CHECK(differences(replace("[ForceUnroll(", "[Other(")).starts_with("[ForceUnroll] of "));
        CHECK(differences(replace("[loopControl(0", "[loopControl(1")) ==
              "[unroll] of a loop: read true, in the IR false\n"
              "[loop] of a loop: read false, in the IR true\n");
        CHECK(differences(replace("[loopMaxIters(9 ", "[loopMaxIters(8 ")) ==
              "number of a loop's [MaxIters]: read 9, in the IR loopMaxIters(8)\n");
        CHECK(differences([&](CompileResult& result) {
                  const std::string kind = "ConstructorDecl:";
                  for (auto at = result.syntax_tree.find(kind); at != std::string::npos;
                       at = result.syntax_tree.find(kind, at))
                      result.syntax_tree.replace(at, kind.size(), "OtherDecl:");
              }) == "the syntax tree has no Series.__init\n");
        // The first loop's keyword.
        CHECK(
            differences(replace("9 : UInt, 9 : UInt, 5 : UInt", "9 : UInt, 9 : UInt, 6 : UInt")) ==
            "the compiler has a loop here, the model has none\n"
            "the model has a loop here, the compiler has none\n");
    }
    TEST_CASE("another type than the written one is seen") {
        const std::string file =
            std::string(SLIMGRAD_SOURCE_DIR) + "/tests/inputs/declarations/written_types.slang";
        SlangCompiler compiler{SlangCompiler::Options{}};
        CompileRequest request;
        request.file = file;
        request.target = SlangTarget::ir;
        const Result<CompileResult> compiled = compiler.compile(request);
        REQUIRE(compiled.has_value());
        REQUIRE(compiled->succeeded());
        int questions = 0;
        const Recompile recompile = [&](const FileTexts& overlay) {
            ++questions;
            request.overlay = overlay;
            return compiler.compile(request);
        };
        const auto differences = [&](const CompileResult& result, const Recompile& ask) {
            std::vector<std::string> messages;
            Compared compared;
            for (const Error& mismatch : compare_model({file, {}}, result, compared, ask))
                messages.push_back(mismatch.message);
            return messages;
        };
        CHECK(differences(*compiled, recompile).empty());
        CHECK(questions > 0);
        const std::size_t unanswered = differences(*compiled, {}).size();
        CHECK(unanswered >= 7);
        for (const char* function : {"masked", "solve", "Part.first", "same"}) {
            CAPTURE(function);
            CompileResult result = *compiled;
            const auto found = std::find_if(
                result.reflection.functions.begin(), result.reflection.functions.end(),
                [&](const FunctionSignature& signature) { return signature.name == function; });
            REQUIRE(found != result.reflection.functions.end());
            found->parameters.at(0).type = "int";
            const std::vector<std::string> messages = differences(result, recompile);
            REQUIRE(messages.size() == 1);
            CHECK(messages[0].starts_with(fmt::format("parameter of {}: read ", function)));
        }
    }
    TEST_CASE("what cannot be compared is counted") {
        const TemporaryFolder folder;
        const std::string file = folder.write("a.slang", "#define HEAD(type, name) type name\n"
                                                         "HEAD(float, f)(float x) { return x; }\n"
                                                         "float g(float x) { return f(x); }\n");
        SlangCompiler compiler{SlangCompiler::Options{}};
        CompileRequest request;
        request.file = file;
        const auto compare = [&] {
            const Result<CompileResult> compiled = compiler.compile(request);
            REQUIRE(compiled.has_value());
            REQUIRE_MESSAGE(compiled->succeeded(), compiled->detail);
            Compared compared;
            CHECK(compare_model({file, {}}, *compiled, compared).empty());
            return compared;
        };
        const Compared macro = compare();
        CHECK(macro.functions == 1);
        REQUIRE(macro.not_compared.size() == 2);
        CHECK(macro.not_compared[0].message == "texts of functions whose head a macro writes");
        CHECK(macro.not_compared[1].message ==
              "functions that a macro declares: the compiler's place is in its text");
        std::string wide = "\xff\xfe";
        for (const char c : std::string_view("float f() { return 1; }"))
            wide += {c, '\0'};
        folder.write("a.slang", wide);
        const Compared utf16 = compare();
        CHECK(utf16.modules == 0);
        REQUIRE(utf16.not_compared.size() == 1);
        CHECK(utf16.not_compared[0].message == "modules with a file in UTF-16");
    }
    TEST_CASE("a context of another function than the one that is called is seen") {
        const std::string file = std::string(SLIMGRAD_SOURCE_DIR) + "/corpus/mlp.slang";
        SlangCompiler compiler{SlangCompiler::Options{}};
        CompileRequest request;
        request.file = file;
        Result<CompileResult> compiled = compiler.compile(request);
        REQUIRE(compiled.has_value());
        Compared compared;
        CHECK(compare_model({file, {}}, *compiled, compared).empty());
        CHECK(compared.callees >= 3);
        for (CheckpointContext& context : compiled->contexts) {
            for (CheckpointValue& value : context.values) {
                if (value.type.find("bwdCallableCtx") != std::string::npos)
                    value.type = "s_minCtx_s_bwdCallableCtx_other_0";
            }
        }
        const std::vector<Error> mismatches = compare_model({file, {}}, *compiled, compared);
        REQUIRE(mismatches.size() >= 3);
        CHECK(mismatches[0].message ==
              "what 'layer' calls stores s_minCtx_s_bwdCallableCtx_other_0");
    }
    TEST_CASE("inputs of the Slang plugin's tests") {
        const Compared compared =
            compare_folder("tests/unit/plugin/slang/inputs",
                           {.rejected = {"crash.slang"}, .endless = {"hang.slang"}});
        CHECK(compared.modules >= 6);
        CHECK(compared.functions >= 35);
        CHECK(compared.parameters >= 50);
    }
}

} // namespace slimgrad
