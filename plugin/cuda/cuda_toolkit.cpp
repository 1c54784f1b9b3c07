#include "plugin/cuda/cuda_toolkit.h"
#include "plugin/process/process.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <optional>
#include <string_view>
#include <system_error>
#include <unistd.h>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

bool is_program(const fs::path& path) {
    std::error_code error;
    return fs::is_regular_file(path, error) && access(path.c_str(), X_OK) == 0;
}

std::optional<fs::path> on_path(std::string_view program) {
    const char* variable = std::getenv("PATH");
    std::string_view folders = variable != nullptr ? variable : "";
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        const fs::path candidate = fs::path(folders.substr(0, end)) / program;
        if (candidate.is_absolute() && is_program(candidate))
            return candidate;
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return std::nullopt;
}

Result<CudaToolkit> with_disassembler(const fs::path& nvcc) {
    const fs::path beside = nvcc.parent_path() / "nvdisasm";
    const fs::path of_setup = fs::path(SLIMGRAD_DEPS_BIN) / "nvdisasm";
    for (const fs::path& nvdisasm : {beside, of_setup})
        if (is_program(nvdisasm))
            return CudaToolkit{nvcc.string(), nvdisasm.string()};
    return fail(fmt::format("no nvdisasm beside {}; run scripts/setup, or install it there",
                            nvcc.string()));
}

/// The toolkit a variable names. It must run: a broken one that the user has set must not be found
/// out later.
Result<CudaToolkit> named_by(const char* variable, const char* root) {
    const std::string advice = fmt::format("unset {} or point it to a CUDA toolkit", variable);
    const fs::path nvcc = fs::absolute(fs::path(root) / "bin" / "nvcc");
    if (!is_program(nvcc))
        return fail(fmt::format("{}={} has no bin/nvcc; {}", variable, root, advice));
    ProcessOptions options;
    options.arguments = {nvcc.string(), "--version"};
    auto result = run_process(options);
    if (!result)
        return fail(fmt::format("{}={}: {}; {}", variable, root, result.error().message, advice));
    if (!result->succeeded())
        return fail(fmt::format("{}={}: bin/nvcc does not run: {}; {}", variable, root,
                                describe_end(*result, options.limits), advice));
    return with_disassembler(nvcc);
}

} // namespace

Result<CudaToolkit> CudaToolkit::find() {
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (const char* root = std::getenv(variable); root != nullptr && *root != '\0')
            return named_by(variable, root);
    if (const fs::path nvcc = fs::path(SLIMGRAD_DEPS_BIN) / "nvcc"; is_program(nvcc))
        return with_disassembler(nvcc);
    if (auto nvcc = on_path("nvcc"))
        return with_disassembler(*nvcc);
    return fail("no nvcc; run scripts/setup, or set CUDA_HOME to a CUDA toolkit");
}

std::string nvcc_version(const CudaToolkit& toolkit) {
    ProcessOptions options;
    options.arguments = {toolkit.nvcc, "--version"};
    const auto result = run_process(options);
    if (!result || !result->succeeded())
        return "";
    constexpr std::string_view mark = ", V"; // "Cuda compilation tools, release 13.0, V13.0.88"
    const std::size_t begin = result->out.find(mark);
    if (begin == std::string::npos)
        return "";
    const std::string version = result->out.substr(begin + mark.size());
    return version.substr(0, version.find_first_not_of("0123456789."));
}

} // namespace slimgrad
