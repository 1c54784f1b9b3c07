// Starts the language server that Slang's compiler library holds, on stdin and stdout. It is no
// part of the library's interface: exit status 77 where the library does not export it.

#include <cstdio>
#include <dlfcn.h>
#include <slang.h>

namespace {

// As Slang::LanguageServerStartupOptions.
struct StartupOptions {
    bool is_visual_studio = false;
    bool periodic_diagnostic_update = false;
};

constexpr const char* symbol = "_ZN5Slang17runLanguageServerENS_28LanguageServerStartupOptionsE";

} // namespace

int main() {
    // Loads the library, too.
    const char* version = spGetBuildTagString();
    void* const found = dlsym(RTLD_DEFAULT, symbol);
    if (!found) {
        std::fprintf(stderr, "Slang %s exports no language server\n", version);
        return 77;
    }
    return reinterpret_cast<SlangResult (*)(StartupOptions)>(found)(StartupOptions());
}
