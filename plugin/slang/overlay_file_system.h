#pragma once

#include "plugin/slang/file_access.h"

#include <map>
#include <slang.h>
#include <string>

namespace slimgrad::slang_plugin {

/// What Slang sees of the disk during one compilation: the files that `FileAccess` gives it. A
/// refused path looks like a missing one. Lives on the stack: Slang's reference counts are not
/// kept, it has to outlive the session.
class OverlayFileSystem final : public ISlangFileSystemExt {
  public:
    explicit OverlayFileSystem(FileAccess& files) : files_(files) {}

    /// Whether a name in an include directive or import was looked up at a place that is refused.
    bool was_refused(const std::string& name) const;

    SlangResult SLANG_MCALL queryInterface(const SlangUUID& uuid, void** object) override;
    uint32_t SLANG_MCALL addRef() override { return 1; }
    uint32_t SLANG_MCALL release() override { return 1; }
    void* SLANG_MCALL castAs(const SlangUUID& uuid) override;
    SlangResult SLANG_MCALL loadFile(const char* path, ISlangBlob** blob) override;
    SlangResult SLANG_MCALL getFileUniqueIdentity(const char* path, ISlangBlob** identity) override;
    SlangResult SLANG_MCALL calcCombinedPath(SlangPathType from_type, const char* from,
                                             const char* path, ISlangBlob** combined) override;
    SlangResult SLANG_MCALL getPathType(const char* path, SlangPathType* type) override;
    SlangResult SLANG_MCALL getPath(PathKind kind, const char* path, ISlangBlob** result) override;
    void SLANG_MCALL clearCache() override {}
    SlangResult SLANG_MCALL enumeratePathContents(const char*, FileSystemContentsCallBack,
                                                  void*) override;
    OSPathKind SLANG_MCALL getOSPathKind() override { return OSPathKind::Direct; }

  private:
    FileAccess& files_;
    std::map<std::string, std::string>
        names_; ///< combined path -> the name as the shader writes it
};

/// A blob that holds its own copy of the text.
ISlangBlob* make_blob(std::string_view text);

} // namespace slimgrad::slang_plugin
