#include "plugin/cli/file_changes.h"

#include "plugin/cli/console.h"
#include "rewriter/atomic_write.h"
#include "rewriter/unified_diff.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

std::size_t print_diff(const CommandLine& line, const std::vector<FileChange>& changes) {
    for (const FileChange& change : changes)
        if (line.format == OutputFormat::text)
            fmt::print("{}", unified_diff(display_path(change.path, current_directory()),
                                          change.original, change.text));
    return changes.size();
}

namespace {

/// The paths that change with this one, itself included.
std::set<std::string> companions(const std::string& path,
                                 const std::vector<std::set<std::string>>& together) {
    std::set<std::string> all{path};
    for (bool grown = true; grown;) {
        grown = false;
        for (const std::set<std::string>& group : together)
            if (std::any_of(group.begin(), group.end(),
                            [&](const std::string& p) { return all.contains(p); }))
                for (const std::string& p : group)
                    grown = all.insert(p).second || grown;
    }
    return all;
}

} // namespace

ExitCode write_changes(const std::vector<FileChange>& changes,
                       const std::vector<std::set<std::string>>& together,
                       std::set<std::string>& written) {
    ExitCode code = ExitCode::clean;
    std::set<std::string> given_up;
    for (const FileChange& change : changes) {
        if (given_up.contains(change.path))
            continue;
        if (const Result<void> done = replace_file(change.path, change.original, change.text)) {
            written.insert(change.path);
        } else {
            Error error = done.error();
            if (error.place.file.empty())
                error.place.file = change.path;
            print_error(error);
            code = ExitCode::failed;
            given_up.merge(companions(change.path, together));
        }
    }
    for (const FileChange& change : changes) {
        if (!given_up.contains(change.path) || written.erase(change.path) == 0)
            continue;
        if (const Result<void> back = replace_file(change.path, change.text, change.original);
            !back)
            print_error({fmt::format("cannot take the change back: {}", back.error().message),
                         {change.path}});
    }
    return code;
}

} // namespace slimgrad
