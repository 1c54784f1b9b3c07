#include "plugin/clang/parse_cuda.h"

#include "plugin/clang/embedded_files.h"

#include <clang/Basic/Diagnostic.h>
#include <clang/Basic/FileManager.h>
#include <clang/Frontend/CompilerInstance.h>
#include <clang/Tooling/Tooling.h>
#include <llvm/Support/VirtualFileSystem.h>
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
            error = Error{"line " + std::to_string(error->place.line) +
                          " of the text: " + error->message};
    }
};

/// Parses and keeps the tree.
class KeepTree : public clang::tooling::ToolAction {
  public:
    std::unique_ptr<clang::ASTUnit> unit;

    bool runInvocation(std::shared_ptr<clang::CompilerInvocation> invocation,
                       clang::FileManager* files,
                       std::shared_ptr<clang::PCHContainerOperations> containers,
                       clang::DiagnosticConsumer* consumer) override {
        const auto diagnostics = clang::CompilerInstance::createDiagnostics(
            &invocation->getDiagnosticOpts(), consumer, false);
        unit = clang::ASTUnit::LoadFromCompilerInvocation(
            std::move(invocation), std::move(containers), diagnostics, files);
        return unit != nullptr;
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
    std::vector<std::string> arguments = {"-x",
                                          "cuda",
                                          "--cuda-device-only",
                                          "--cuda-gpu-arch=sm_89",
                                          "-nocudainc",
                                          "-nocudalib",
                                          "-nostdinc",
                                          "-nostdinc++",
                                          "-std=c++17",
                                          "-w",
                                          "-isystem",
                                          headers,
                                          "-include",
                                          "cuda_runtime.h",
                                          "--target=x86_64-linux-gnu"};
    for (const std::string& macro : macros)
        arguments.push_back("-D" + macro);
    arguments.insert(arguments.begin(), {"slimgrad-clang", "-fsyntax-only"});
    arguments.push_back(main_file);

    // Texts are not trusted: there is no file but these, whatever they include.
    auto files = llvm::makeIntrusiveRefCnt<llvm::vfs::InMemoryFileSystem>();
    files->addFile(main_file, 0,
                   llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text.data(), text.size())));
    for (const EmbeddedFile& file : embedded_files)
        files->addFile(std::string(headers) + "/" + std::string(file.name), 0,
                       llvm::MemoryBuffer::getMemBuffer(file.text, "", false));
    const auto manager =
        llvm::makeIntrusiveRefCnt<clang::FileManager>(clang::FileSystemOptions(), files);
    FirstError diagnostics;
    KeepTree tree;
    clang::tooling::ToolInvocation invocation(std::move(arguments), &tree, manager.get(),
                                              std::make_shared<clang::PCHContainerOperations>());
    invocation.setDiagnosticConsumer(&diagnostics);
    invocation.run();
    if (diagnostics.error)
        return tl::unexpected<Error>(*diagnostics.error);
    if (!tree.unit)
        return fail("the text could not be parsed as CUDA");
    return std::move(tree.unit);
}

} // namespace slimgrad
