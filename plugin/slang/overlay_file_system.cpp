#include "plugin/slang/overlay_file_system.h"
#include "plugin/slang/paths.h"

#include <algorithm>
#include <atomic>
#include <cstring>

namespace slimgrad::slang_plugin {
namespace {

template <class Interface> bool names(const SlangUUID& uuid) {
    const SlangUUID wanted = Interface::getTypeGuid();
    return std::memcmp(&uuid, &wanted, sizeof wanted) == 0;
}

/// Slang's own slang_createBlob refuses empty text, and an empty file is a file.
class TextBlob final : public ISlangBlob {
  public:
    explicit TextBlob(std::string_view text) : text_(text) {}

    SlangResult SLANG_MCALL queryInterface(const SlangUUID& uuid, void** object) override {
        if (!names<ISlangUnknown>(uuid) && !names<ISlangBlob>(uuid))
            return SLANG_E_NO_INTERFACE;
        addRef();
        *object = static_cast<ISlangBlob*>(this);
        return SLANG_OK;
    }
    uint32_t SLANG_MCALL addRef() override { return ++references_; }
    uint32_t SLANG_MCALL release() override {
        const uint32_t left = --references_;
        if (left == 0)
            delete this;
        return left;
    }
    const void* SLANG_MCALL getBufferPointer() override { return text_.c_str(); }
    size_t SLANG_MCALL getBufferSize() override { return text_.size(); }

  private:
    ~TextBlob() = default;

    std::string text_;
    std::atomic<uint32_t> references_{1};
};

bool is_delimiter(char c) {
    return c == '/' || c == '\\';
}

std::string_view parent_of(std::string_view path) {
    auto last = path.find_last_of("/\\");
    return last == std::string_view::npos ? std::string_view() : path.substr(0, last);
}

} // namespace

ISlangBlob* make_blob(std::string_view text) {
    return new TextBlob(text);
}

bool OverlayFileSystem::was_refused(const std::string& name) const {
    return std::any_of(files_.refused().begin(), files_.refused().end(), [&](const auto& path) {
        auto written = names_.find(path);
        return path == name || (written != names_.end() && written->second == name);
    });
}

void* OverlayFileSystem::castAs(const SlangUUID& uuid) {
    const bool known = names<ISlangUnknown>(uuid) || names<ISlangCastable>(uuid) ||
                       names<ISlangFileSystem>(uuid) || names<ISlangFileSystemExt>(uuid);
    return known ? static_cast<ISlangFileSystemExt*>(this) : nullptr;
}

SlangResult OverlayFileSystem::queryInterface(const SlangUUID& uuid, void** object) {
    *object = castAs(uuid);
    return *object ? SLANG_OK : SLANG_E_NO_INTERFACE;
}

SlangResult OverlayFileSystem::loadFile(const char* path, ISlangBlob** blob) {
    const ReadResult file = files_.read(path);
    switch (file.status) {
    case ReadStatus::read:
        *blob = make_blob(file.text);
        return SLANG_OK;
    case ReadStatus::missing:
    case ReadStatus::refused:
        return SLANG_E_NOT_FOUND;
    case ReadStatus::not_a_file:
    case ReadStatus::too_large:
    case ReadStatus::unreadable:
        break;
    }
    return SLANG_E_CANNOT_OPEN;
}

SlangResult OverlayFileSystem::getFileUniqueIdentity(const char* path, ISlangBlob** identity) {
    return getPath(PathKind::Canonical, path, identity);
}

SlangResult OverlayFileSystem::calcCombinedPath(SlangPathType from_type, const char* from,
                                                const char* path, ISlangBlob** combined) {
    std::string result(from_type == SLANG_PATH_TYPE_FILE ? parent_of(from) : from);
    if (!result.empty() && !is_delimiter(result.back()))
        result += '/';
    result += path;
    names_.insert_or_assign(result, path);
    *combined = make_blob(result);
    return SLANG_OK;
}

SlangResult OverlayFileSystem::getPathType(const char* path, SlangPathType* type) {
    switch (files_.kind(path)) {
    case FileAccess::Kind::file:
        *type = SLANG_PATH_TYPE_FILE;
        return SLANG_OK;
    case FileAccess::Kind::folder:
        *type = SLANG_PATH_TYPE_DIRECTORY;
        return SLANG_OK;
    case FileAccess::Kind::missing:
    case FileAccess::Kind::refused:
        break;
    }
    return SLANG_E_NOT_FOUND;
}

SlangResult OverlayFileSystem::getPath(PathKind kind, const char* path, ISlangBlob** result) {
    *result =
        make_blob(kind == PathKind::Simplified ? simplified_path(path) : files_.canonical(path));
    return SLANG_OK;
}

SlangResult OverlayFileSystem::enumeratePathContents(const char*, FileSystemContentsCallBack,
                                                     void*) {
    return SLANG_E_NOT_IMPLEMENTED;
}

} // namespace slimgrad::slang_plugin
