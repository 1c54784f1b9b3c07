#include "plugin/slang/compile_module.h"
#include "plugin/slang/generated_code.h"
#include "plugin/slang/outermost_contexts.h"
#include "plugin/slang/overlay_file_system.h"
#include "plugin/slang/readable_folders.h"
#include "plugin/slang/reflect_functions.h"
#include "plugin/slang/reflect_kernels.h"
#include "plugin/slang/reflect_layout.h"
#include "plugin/slang/reflect_shapes.h"
#include "plugin/slang/report_rows.h"
#include "plugin/slang/slang_ptr.h"
#include "plugin/slang/syntax_dump.h"

#include <algorithm>
#include <array>
#include <cstring>
#include <fmt/format.h>
#include <functional>
#include <optional>
#include <string_view>

namespace slimgrad::slang_plugin {
namespace {

CompileResult without_code(CompileStatus status, std::string detail) {
    CompileResult result;
    result.status = status;
    result.detail = std::move(detail);
    return result;
}

/// What the module's own file cannot be compiled for, before the compiler is asked.
std::optional<CompileResult> check_main_file(FileAccess& files, const std::string& path) {
    const ReadResult main = files.read(path);
    std::string problem;
    switch (main.status) {
    case ReadStatus::read:
        return std::nullopt;
    case ReadStatus::refused:
        return without_code(CompileStatus::refused,
                            fmt::format("{}: outside the project's folder", path));
    case ReadStatus::missing:
        problem = "no such file";
        break;
    case ReadStatus::not_a_file:
        problem = files.kind(path) == FileAccess::Kind::folder ? "is a directory"
                                                               : "is not a regular file";
        break;
    case ReadStatus::too_large:
        problem = fmt::format("is larger than {} MiB", FileAccess::largest_file >> 20);
        break;
    case ReadStatus::unreadable:
        problem = fmt::format("cannot be read: {}", std::strerror(main.error));
        break;
    }
    CompileResult result =
        without_code(CompileStatus::rejected, fmt::format("{}: {}", path, problem));
    result.diagnostics.push_back({DiagnosticSeverity::error, "", problem, {path, 0, 0}});
    return result;
}

/// Options that would take over what this request decides.
std::optional<CompileResult> check_arguments(const std::vector<std::string>& arguments) {
    static constexpr std::array<std::string_view, 2> ours = {"-target", "-o"};
    for (const std::string& argument : arguments)
        if (std::find(ours.begin(), ours.end(), argument) != ours.end()) {
            std::string message = fmt::format("option {} cannot be given here", argument);
            CompileResult result = without_code(CompileStatus::rejected, message);
            result.diagnostics.push_back({DiagnosticSeverity::error, "", std::move(message), {}});
            return result;
        }
    return std::nullopt;
}

bool is_optimization(const std::string& argument) {
    static constexpr std::array<std::string_view, 6> levels = {
        "-O", "-O0", "-O1", "-O2", "-O3", "-minimum-slang-optimization"};
    return std::find(levels.begin(), levels.end() - 1, argument) != levels.end() - 1;
}

std::vector<std::string> slangc_arguments(const CompileRequest& request) {
    std::vector<std::string> arguments = {"-enable-machine-readable-diagnostics"};
    if (request.target == SlangTarget::ir) {
        arguments.emplace_back("-no-codegen");
    } else {
        // -whole-program: one text with all entry points, with and without -entry, for both
        // targets.
        for (const char* argument :
             {"-target", request.target == SlangTarget::cuda ? "cuda" : "cpp", "-whole-program"})
            arguments.emplace_back(argument);
    }
    if (request.checkpoint_report)
        arguments.emplace_back("-report-checkpoint-intermediates");
    if (std::none_of(request.arguments.begin(), request.arguments.end(), is_optimization))
        arguments.emplace_back("-O3");
    arguments.insert(arguments.end(), request.arguments.begin(), request.arguments.end());
    // Of other names the compiler cannot tell the language: a header that is looked at by itself.
    const auto names_language = [](const std::string& argument) {
        return argument == "-lang" || argument == "-x";
    };
    if (request.file.ends_with(".slangh") &&
        std::none_of(request.arguments.begin(), request.arguments.end(), names_language))
        arguments.insert(arguments.end(), {"-lang", "slang"});
    arguments.push_back(request.file.starts_with('-') ? "./" + request.file : request.file);
    return arguments;
}

/// The name in "failed to find include file 'x'" and the like.
std::string quoted_name(const std::string& message) {
    const auto begin = message.find('\'');
    const auto end = message.find('\'', begin + 1);
    return begin == std::string::npos || end == std::string::npos
               ? std::string()
               : message.substr(begin + 1, end - begin - 1);
}

std::string first_line(const std::string& text) {
    return text.substr(0, text.find('\n'));
}

/// Takes the IR that -dump-ir prints out of the diagnostics: from a line that opens it to the `###`
/// that closes it. Modules that are imported have theirs before the module's own, which is the
/// result.
std::string take_ir(std::string& output) {
    constexpr std::string_view heading = "### LOWER-TO-IR:\n", end = "\n###\n";
    std::string ir;
    for (auto begin = output.find(heading); begin != std::string::npos;
         begin = output.find(heading)) {
        const auto close = output.find(end, begin);
        const auto length =
            close == std::string::npos ? output.size() - begin : close + end.size() - begin;
        ir = output.substr(begin, length);
        output.erase(begin, length);
    }
    return ir;
}

/// The functions of the module, and what they were read from, or null.
slang::DeclReflection* reflect_declarations(slang::ISession& session,
                                            slang::ICompileRequest& compilation,
                                            const std::function<Place(Place)>& locate,
                                            Reflection& reflection) {
    const auto module =
        take<slang::IModule>([&](slang::IModule** to) { compilation.getModule(0, to); });
    slang::DeclReflection* const declarations = module ? module->getModuleReflection() : nullptr;
    if (declarations)
        reflection.functions = reflect_functions(session, *declarations, locate);
    return declarations;
}

/// The module was not compiled: says whether the reason is a file that it may not read, and names
/// the first error.
void explain_failure(const OverlayFileSystem& file_system, CompileResult& result) {
    result.status = CompileStatus::rejected;
    const Diagnostic* first = nullptr;
    for (Diagnostic& diagnostic : result.diagnostics) {
        if (diagnostic.severity != DiagnosticSeverity::error)
            continue;
        if (std::string name = quoted_name(diagnostic.message);
            !name.empty() && file_system.was_refused(name)) {
            result.status = CompileStatus::refused;
            diagnostic.message =
                fmt::format("'{}' is outside the project and the -I folders, or not there", name);
            first = &diagnostic;
            break;
        }
        if (!first)
            first = &diagnostic;
    }
    if (!first) {
        result.detail = "the compiler failed without saying why";
        return;
    }
    const std::string place = to_string(first->place);
    result.detail = place.empty() ? "" : place + ": ";
    result.detail += first_line(first->message);
    if (!first->code.empty())
        result.detail += fmt::format(" [{}]", first->code);
}

} // namespace

bool needs_glsl(const CompileRequest& request) {
    const std::vector<std::string>& arguments = request.arguments;
    auto has = [&](std::string_view option) {
        return std::find(arguments.begin(), arguments.end(), option) != arguments.end();
    };
    return has("-allow-glsl") || (has("-lang") && has("glsl")) || request.file.ends_with(".glsl");
}

namespace {

CompileResult compile_files(slang::IGlobalSession& global_session, const CompileRequest& request,
                            FileAccess& files) {
    if (std::optional<CompileResult> wrong = check_arguments(request.arguments))
        return *wrong;
    if (std::optional<CompileResult> wrong = check_main_file(files, request.file))
        return *wrong;

    OverlayFileSystem file_system(files);
    slang::SessionDesc description;
    description.fileSystem = &file_system;
    auto session = take<slang::ISession>(
        [&](slang::ISession** to) { global_session.createSession(description, to); });
    auto compilation = take<slang::ICompileRequest>(
        [&](slang::ICompileRequest** to) { session->createCompileRequest(to); });

    const std::vector<std::string> arguments = slangc_arguments(request);
    std::optional<SyntaxDump> syntax_dump;
    if (std::find(arguments.begin(), arguments.end(), "-dump-ast") != arguments.end())
        syntax_dump.emplace();
    std::vector<const char*> argv;
    for (const std::string& argument : arguments)
        argv.push_back(argument.c_str());
    bool compiled = SLANG_SUCCEEDED(
        compilation->processCommandLineArguments(argv.data(), static_cast<int>(argv.size())));
    if (compiled) {
        if (compilation->getTranslationUnitCount() == 0) // an option took the file as its argument
            return without_code(CompileStatus::rejected, "the last option needs an argument");
        compilation->setFileSystem(&file_system); // -file-system would have replaced it
        compiled = SLANG_SUCCEEDED(compilation->compile());
    }

    auto locate = [&](Place place) {
        return place.file == "command line" ? Place{} : files.locate(std::move(place));
    };
    CompileResult result;
    if (syntax_dump)
        result.syntax_tree = syntax_dump->text(request.file);
    std::string output = compilation->getDiagnosticOutput();
    if (request.target == SlangTarget::ir)
        result.code = take_ir(output);
    ReportRows rows = parse_rows(output, locate);
    result.contexts = std::move(rows.contexts);
    result.diagnostics = std::move(rows.diagnostics);
    result.dependencies = files.files_read();
    if (!compiled) {
        explain_failure(file_system, result);
        return result;
    }

    if (request.target == SlangTarget::ir) {
        if (request.reflection)
            reflect_declarations(*session, *compilation, locate, result.reflection);
        return result;
    }
    if (auto code =
            take<ISlangBlob>([&](ISlangBlob** to) { compilation->getTargetCodeBlob(0, to); }))
        result.code.assign(static_cast<const char*>(code->getBufferPointer()),
                           code->getBufferSize());
    if (result.code.empty()) {
        result.status = CompileStatus::rejected;
        result.detail = "these options give no code";
        return result;
    }
    const GeneratedCode generated = scan_generated_code(result.code);
    mark_outermost(generated, result.contexts);
    if (request.reflection) {
        auto* layout = reinterpret_cast<slang::ProgramLayout*>(compilation->getReflection());
        if (layout)
            result.reflection = reflect_layout(*layout);
        if (slang::DeclReflection* declarations =
                reflect_declarations(*session, *compilation, locate, result.reflection))
            reflect_kernels(*session, *declarations, generated, result.reflection);
        if (layout)
            result.reflection.shapes = reflect_shapes(*layout, request.shapes);
    }
    return result;
}

} // namespace

CompileResult compile_module(slang::IGlobalSession& global_session, const CompileRequest& request,
                             FileLookups& lookups) {
    FileAccess files(request.overlay, readable_folders(request));
    CompileResult result = compile_files(global_session, request, files);
    lookups.insert(files.lookups().begin(), files.lookups().end());
    return result;
}

} // namespace slimgrad::slang_plugin
