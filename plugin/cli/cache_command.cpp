#include "plugin/cli/commands.h"

#include "plugin/cli/console.h"
#include "plugin/cli/opened_cache.h"

#include <fmt/format.h>

namespace slimgrad {
namespace {

/// "12.3 MiB".
std::string size_text(std::uint64_t bytes) {
    return bytes < 1024 * 1024 ? fmt::format("{:.1f} KiB", static_cast<double>(bytes) / 1024)
                               : fmt::format("{:.1f} MiB", static_cast<double>(bytes) / (1 << 20));
}

void print_info(ResultCache& cache) {
    const std::vector<ResultCache::Kind> kinds = cache.kinds();
    fmt::print("{}, at most {}\n", cache.path(), size_text(ResultCache::usual_bytes));
    for (const ResultCache::Kind& kind : kinds)
        fmt::print("  {:<16} {:>6} {:>7}  {:>10}\n", kind.name, kind.entries,
                   kind.entries == 1 ? "entry" : "entries", size_text(kind.bytes));
    if (kinds.empty())
        fmt::print("  empty\n");
}

} // namespace

ExitCode run_cache(const CommandLine& line) {
    ResultCache& cache = *line.cache;
    if (cache.path().empty()) {
        print_error({cache.problem().empty() ? "no folder for results: neither SLIMGRAD_CACHE_DIR, "
                                               "XDG_CACHE_HOME nor HOME is set"
                                             : cache.problem()});
        return ExitCode::usage;
    }
    if (line.cache_action == "info") {
        print_info(cache);
    } else if (!cache.clear()) {
        print_error({cache.path() + " cannot be emptied now: another process holds it"});
        return ExitCode::failed;
    }
    return ExitCode::clean;
}

} // namespace slimgrad
