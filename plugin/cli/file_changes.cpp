#include "plugin/cli/file_changes.h"

#include "plugin/cli/console.h"
#include "rewriter/atomic_write.h"
#include "rewriter/unified_diff.h"

#include <fmt/format.h>

namespace slimgrad {

std::size_t print_diff(const CommandLine& line, const std::vector<FileChange>& changes) {
    for (const FileChange& change : changes)
        if (line.format == OutputFormat::text)
            fmt::print("{}", unified_diff(display_path(change.path, current_directory()),
                                          change.original, change.text));
    return changes.size();
}

ExitCode write_changes(const std::vector<FileChange>& changes, std::set<std::string>& written) {
    ExitCode code = ExitCode::clean;
    for (const FileChange& change : changes) {
        if (const Result<void> done = replace_file(change.path, change.original, change.text)) {
            written.insert(change.path);
        } else {
            Error error = done.error();
            if (error.place.file.empty())
                error.place.file = change.path;
            print_error(error);
            code = ExitCode::failed;
        }
    }
    return code;
}

} // namespace slimgrad
