#include "plugin/clang/parse_cuda.h"

#include "plugin/clang/embedded_files.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Tooling/Tooling.h>
#include <optional>
#include <utility>

namespace slimgrad {
namespace {

constexpr const char* main_file = "generated.cu";
constexpr const char* headers = "/slimgrad/cuda";

/// Keeps the first error.
class FirstError : public clang::DiagnosticConsumer {
public:
    std::optional<Error> error;

    void HandleDiagnostic(clang::DiagnosticsEngine::Level level,
                          const clang::Diagnostic& diagnostic) override {
        clang::DiagnosticConsumer::HandleDiagnostic(level, diagnostic);
        if (level < clang::DiagnosticsEngine::Error || error)
            return;
        llvm::SmallString<128> message;
        diagnostic.FormatDiagnostic(message);
        error = Error{std::string(message)};
        if (!diagnostic.hasSourceManager())
            return;
        error->place = place_of(diagnostic.getSourceManager(), diagnostic.getLocation());
        if (error->place.file.empty()) // in the text itself: of a text that slangc has not finished
            error = Error{"line " + std::to_string(error->place.line) + " of the text: " +
                          error->message};
    }
};

} // namespace

Place place_of(const clang::SourceManager& sources, clang::SourceLocation location) {
    const clang::PresumedLoc presumed = sources.getPresumedLoc(sources.getExpansionLoc(location));
    if (presumed.isInvalid())
        return {};
    std::string file = presumed.getFilename();
    if (file == main_file)
        file.clear();
    return {std::move(file), presumed.getLine(), presumed.getColumn()};
}

Result<std::unique_ptr<clang::ASTUnit>> parse_cuda(std::string_view text,
                                                   const std::vector<std::string>& macros) {
    std::vector<std::string> arguments = {
        "-x",          "cuda",        "--cuda-device-only", "--cuda-gpu-arch=sm_89",
        "-nocudainc",  "-nocudalib",  "-nostdinc",          "-nostdinc++",
        "-std=c++17",  "-w",          "-isystem",           headers,
        "-include",    "cuda_runtime.h", "--target=x86_64-linux-gnu"};
    for (const std::string& macro : macros)
        arguments.push_back("-D" + macro);
    clang::tooling::FileContentMappings files;
    for (const EmbeddedFile& file : embedded_files)
        files.emplace_back(std::string(headers) + "/" + std::string(file.name), file.text);
    FirstError diagnostics;
    std::unique_ptr<clang::ASTUnit> unit = clang::tooling::buildASTFromCodeWithArgs(
        llvm::StringRef(text.data(), text.size()), arguments, main_file, "slimgrad-clang",
        std::make_shared<clang::PCHContainerOperations>(),
        clang::tooling::getClangStripDependencyFileAdjuster(), files, &diagnostics);
    if (diagnostics.error)
        return tl::unexpected<Error>(*diagnostics.error);
    if (!unit)
        return fail("the text could not be parsed as CUDA");
    return unit;
}

} // namespace slimgrad
