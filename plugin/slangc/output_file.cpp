#include "plugin/slangc/output_file.h"

#include "rewriter/atomic_write.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <utility>

namespace slimgrad::slangc {

OutputFile::OutputFile(std::string path) : path_(std::move(path)) {
    struct stat status{};
    if (stat(path_.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return;
    if (Result<std::string> text = read_file(path_)) {
        before_ = std::move(*text);
        time_before_ = status.st_mtim;
    }
}

bool OutputFile::is_there() const {
    struct stat status{};
    return stat(path_.c_str(), &status) == 0 && S_ISREG(status.st_mode);
}

Result<void> OutputFile::replace(std::string_view expected, std::string_view text) const {
    Result<void> replaced = replace_file(path_, expected, text);
    if (replaced && !before_.empty() && text == before_) {
        const timespec times[2] = {{0, UTIME_OMIT}, time_before_};
        utimensat(AT_FDCWD, path_.c_str(), times, 0);
    }
    return replaced;
}

void OutputFile::touch() const {
    if (is_there())
        utimensat(AT_FDCWD, path_.c_str(), nullptr, 0);
}

} // namespace slimgrad::slangc
