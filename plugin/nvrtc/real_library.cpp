#include "plugin/nvrtc/real_library.h"

#include "plugin/nvrtc/library_search.h"
#include "plugin/nvrtc/no_library.h"
#include "rewriter/result.h"

#include <array>
#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <fmt/format.h>
#include <link.h>
#include <string>
#include <system_error>
#include <vector>

/// Tells the shim from the real library.
extern "C" [[gnu::visibility("default")]] const char slimgrad_nvrtc_shim[] = "slimgrad's libnvrtc";

namespace slimgrad::nvrtc {
namespace {

namespace fs = std::filesystem;

std::string path_of(const void* address) {
    Dl_info info{};
    return dladdr(address, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "";
}

/// Loads one library; nullptr if it is none, not NVRTC, or the shim. By a path with a slash: a bare
/// name would be answered with the shim, whose soname is the same.
void* load(const std::string& path) {
    std::error_code error;
    void* const library = dlopen(fs::absolute(path, error).c_str(), RTLD_LAZY | RTLD_LOCAL);
    if (library == nullptr)
        return nullptr;
    if (dlsym(library, "slimgrad_nvrtc_shim") == nullptr &&
        dlsym(library, "nvrtcCreateProgram") != nullptr)
        return library;
    dlclose(library);
    return nullptr;
}

/// Where the loader looks for libraries that the shim asks for: LD_LIBRARY_PATH as it was when the
/// program started, and the system's folders.
std::vector<std::string> loader_folders() {
    std::vector<std::string> folders;
    void* const self = dlopen(own_path().c_str(), RTLD_LAZY | RTLD_NOLOAD);
    if (self == nullptr)
        return folders;
    Dl_serinfo size{};
    if (dlinfo(self, RTLD_DI_SERINFOSIZE, &size) == 0) {
        std::vector<std::max_align_t> storage(size.dls_size / sizeof(std::max_align_t) + 1);
        auto* const info = reinterpret_cast<Dl_serinfo*>(storage.data());
        if (dlinfo(self, RTLD_DI_SERINFOSIZE, info) == 0 &&
            dlinfo(self, RTLD_DI_SERINFO, info) == 0)
            for (unsigned i = 0; i < info->dls_cnt; ++i)
                folders.emplace_back(info->dls_serpath[i].dls_name);
    }
    dlclose(self);
    return folders;
}

std::vector<std::string> search_folders() {
    std::vector<std::string> folders = loader_folders();
    for (std::string& folder : folders_of_ld_so_conf("/etc/ld.so.conf"))
        folders.push_back(std::move(folder));
    std::vector<std::string> toolkits;
    for (const char* variable : {"CUDA_PATH", "CUDA_HOME"})
        if (const char* value = std::getenv(variable); value != nullptr && *value != '\0')
            toolkits.emplace_back(value);
    toolkits.emplace_back("/usr/local/cuda");
    for (const std::string& toolkit : toolkits)
        for (const char* folder : {"/lib64", "/lib", "/targets/x86_64-linux/lib"})
            folders.push_back(toolkit + folder);
    return folders;
}

/// One that this process has loaded by itself, as PyTorch does from its wheels.
void* loaded_already() {
    void* found = nullptr;
    std::vector<std::string> paths;
    dl_iterate_phdr(
        [](dl_phdr_info* info, std::size_t, void* all) {
            const fs::path path(info->dlpi_name);
            if (path.filename().string().starts_with("libnvrtc.so"))
                static_cast<std::vector<std::string>*>(all)->push_back(path.string());
            return 0;
        },
        &paths);
    for (const std::string& path : paths)
        if (found == nullptr && path != own_path())
            found = load(path);
    return found;
}

Result<void*> find() {
    if (const char* path = std::getenv("SLIMGRAD_NVRTC"); path != nullptr && *path != '\0') {
        if (void* const library = load(path))
            return library;
        return fail(fmt::format("SLIMGRAD_NVRTC={} is not a libnvrtc", path));
    }
    // A program that is linked against NVRTC, and the shim by LD_PRELOAD.
    if (const void* const next = dlsym(RTLD_NEXT, "nvrtcCreateProgram"); next != nullptr)
        if (void* const library = load(path_of(next)))
            return library;
    for (const std::string& path : candidates(own_path(), search_folders()))
        if (void* const library = load(path))
            return library;
    if (void* const library = loaded_already())
        return library;
    return fail("found no libnvrtc beside slimgrad's own; set SLIMGRAD_NVRTC to its path");
}

/// Some versions find their builtins only on the loader's search path, which need not name the
/// folder that we found the library in. Once loaded they are found by their name.
void load_builtins(void* library) {
    using Version = int (*)(int*, int*);
    const auto version = reinterpret_cast<Version>(dlsym(library, "nvrtcVersion"));
    int major = 0, minor = 0;
    if (version == nullptr || version(&major, &minor) != 0)
        return;
    std::error_code error;
    const fs::path path = path_of(dlsym(library, "nvrtcVersion"));
    const std::string name = fmt::format("libnvrtc-builtins.so.{}.{}", major, minor);
    for (const fs::path& folder : {path.parent_path(), fs::canonical(path, error).parent_path()})
        if (fs::exists(folder / name, error) &&
            dlopen((folder / name).c_str(), RTLD_LAZY | RTLD_LOCAL) != nullptr)
            return;
}

/// What is known of it, for as long as the process.
struct Library {
    std::array<void*, function_count> functions{};
    std::string problem; ///< why there is none; "" if there is
    std::string message; ///< the same as a program reads it, by NVRTC's log
};

const Library& library() {
    static const Library* const known = [] {
        auto* const made = new Library;
        const Result<void*> found = find();
        if (found) {
            load_builtins(*found);
        } else {
            made->problem = found.error().message;
            made->message = fmt::format("slimgrad: error: {}\n", made->problem);
            std::fputs(made->message.c_str(), stderr);
        }
        for (std::size_t i = 0; i < made->functions.size(); ++i) {
            const auto function = static_cast<Function>(i);
            made->functions[i] = found ? dlsym(*found, function_names[i])
                                       : without_library(function, made->message.c_str());
            if (made->functions[i] == nullptr)
                made->functions[i] = without_function(function);
        }
        return made;
    }();
    return *known;
}

} // namespace

void* real_function(Function function) {
    return library().functions[static_cast<unsigned>(function)];
}

const std::string& library_problem() {
    return library().problem;
}

std::string own_path() {
    return path_of(slimgrad_nvrtc_shim);
}

} // namespace slimgrad::nvrtc
