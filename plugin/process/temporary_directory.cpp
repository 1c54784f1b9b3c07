#include "plugin/process/temporary_directory.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fmt/format.h>
#include <system_error>

namespace slimgrad {

Result<TemporaryDirectory> TemporaryDirectory::create() {
    std::error_code error;
    std::filesystem::path parent = std::filesystem::temp_directory_path(error);
    if (error)
        return fail(fmt::format("no temporary directory: {}; set TMPDIR to a folder that can be "
                                "written",
                                error.message()));
    std::string path = (parent / "slimgrad-XXXXXX").string();
    if (mkdtemp(path.data()) == nullptr)
        return fail(
            fmt::format("cannot create a folder in {}: {}", parent.string(), std::strerror(errno)));
    return TemporaryDirectory(std::move(path));
}

TemporaryDirectory::TemporaryDirectory(TemporaryDirectory&& other) noexcept
    : path_(std::exchange(other.path_, {})) {}

TemporaryDirectory& TemporaryDirectory::operator=(TemporaryDirectory&& other) noexcept {
    if (this != &other) {
        remove();
        path_ = std::exchange(other.path_, {});
    }
    return *this;
}

TemporaryDirectory::~TemporaryDirectory() {
    remove();
}

void TemporaryDirectory::remove() noexcept {
    std::error_code ignored; // what cannot be removed is left to the system's cleaning of /tmp
    if (!path_.empty())
        std::filesystem::remove_all(path_, ignored);
}

} // namespace slimgrad
