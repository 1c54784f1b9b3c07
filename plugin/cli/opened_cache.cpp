#include "plugin/cli/opened_cache.h"

#include "plugin/rewrite/cache.h"

#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>

namespace slimgrad {

std::string folder_of_cache(const CommandLine& line) {
    if (!line.cached)
        return "";
    return line.cache_folder ? *line.cache_folder : cache_folder();
}

std::shared_ptr<ResultCache> open_cache(const CommandLine& line) {
    auto cache = std::make_shared<ResultCache>(folder_of_cache(line));
    const bool named = line.cache_folder || std::getenv("SLIMGRAD_CACHE_DIR") != nullptr;
    // A home that is read-only, as in a build's sandbox, is no news.
    if (named && line.cached && !cache->problem().empty())
        fmt::print(stderr, "slimgrad: warning: no results are kept: {}\n", cache->problem());
    return cache;
}

} // namespace slimgrad
