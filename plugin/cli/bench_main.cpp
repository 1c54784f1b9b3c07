// For scripts/bench and scripts/bench-growth.
//
// slimgrad-bench FILE REPEAT [SLANGC-ARGUMENT...]: times the Slang worker and nvcc on one shader.
// Prints one line: cold ms, warm ms (median), nvcc ms, peak memory of the largest process in MiB.
//
// slimgrad-bench --host-text: generated CUDA from standard input as C++ for the host, to standard
// output; plugin/verify/cuda_text.h says what is in it.
#include "plugin/cli/project_root.h"
#include "plugin/cuda/nvcc.h"
#include "plugin/slang/compiler.h"
#include "plugin/verify/cuda_text.h"

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <iostream>
#include <iterator>
#include <string>
#include <string_view>
#include <sys/resource.h>
#include <vector>

namespace slimgrad {
namespace {

using Clock = std::chrono::steady_clock;

double milliseconds_since(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// The largest of the children that have been waited for.
double peak_of_children_mib() {
    rusage usage{};
    getrusage(RUSAGE_CHILDREN, &usage);
    return static_cast<double>(usage.ru_maxrss) / 1024;
}

Result<std::string> bench(const std::string& file, int repeat, std::vector<std::string> arguments) {
    CompileRequest request;
    request.file = canonical_path(file);
    request.project_root = project_root(file);
    request.arguments = std::move(arguments);
    request.arguments.insert(request.arguments.begin(), "-O3");

    double cold = 0;
    std::vector<double> warm;
    std::string code;
    {
        SlangCompiler compiler({});
        for (int i = 0; i <= repeat; ++i) {
            const Clock::time_point start = Clock::now();
            Result<CompileResult> compiled = compiler.compile(request);
            const double duration = milliseconds_since(start);
            if (!compiled)
                return tl::unexpected(compiled.error());
            if (!compiled->succeeded())
                return fail("does not compile", {file});
            if (i == 0)
                cold = duration;
            else
                warm.push_back(duration);
            code = std::move(compiled->code);
        }
    }
    std::nth_element(warm.begin(), warm.begin() + warm.size() / 2, warm.end());

    const Result<CudaToolkit> toolkit = CudaToolkit::find();
    if (!toolkit)
        return tl::unexpected(toolkit.error());
    const Clock::time_point start = Clock::now();
    const Result<NvccResult> measured = measure(*toolkit, code, {});
    if (!measured)
        return tl::unexpected(measured.error());
    const double nvcc = milliseconds_since(start);
    return fmt::format("{:.1f} {:.1f} {:.0f} {:.0f}\n", cold, warm[warm.size() / 2], nvcc,
                       peak_of_children_mib());
}

} // namespace
} // namespace slimgrad

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--host-text") {
        const std::string cuda(std::istreambuf_iterator<char>(std::cin), {});
        std::cout << slimgrad::verify::host_text(cuda, false).whole() << std::flush;
        return std::cout ? 0 : 3;
    }
    const int repeat = argc > 2 ? std::atoi(argv[2]) : 0;
    if (repeat < 1) {
        std::fputs("usage: slimgrad-bench FILE REPEAT [SLANGC-ARGUMENT...]\n"
                   "       slimgrad-bench --host-text <IN.cu\n",
                   stderr);
        return 2;
    }
    const auto line = slimgrad::bench(argv[1], repeat, {argv + 3, argv + argc});
    if (!line) {
        fmt::print(stderr, "slimgrad-bench: {}\n", slimgrad::to_string(line.error()));
        return 3;
    }
    fmt::print("{}", *line);
    return 0;
}
