// slimgrad-slang: the Slang compiler as a worker. Answers on standard input, a socket, and ends
// when the other side goes. Not to be run by hand.
#include "plugin/process/message_frame.h"
#include "plugin/slang/compile_module.h"
#include "plugin/slang/message.h"
#include "plugin/slang/slang_ptr.h"
#include "plugin/slang/worker_exit.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <malloc.h>
#include <optional>
#include <string>
#include <unistd.h>

namespace slimgrad::slang_plugin {
namespace {

using Clock = std::chrono::steady_clock;

/// Global sessions take a fifth of a second and 165 MB, the one with GLSL more: each is made when
/// it is first needed.
class GlobalSessions {
  public:
    slang::IGlobalSession* get(bool glsl) {
        SlangPtr<slang::IGlobalSession>& session = sessions_[glsl ? 1 : 0];
        if (!session) {
            SlangGlobalSessionDesc description;
            description.enableGLSL = glsl;
            session = take<slang::IGlobalSession>(
                [&](slang::IGlobalSession** to) { slang_createGlobalSession2(&description, to); });
        }
        return session.get();
    }

  private:
    std::array<SlangPtr<slang::IGlobalSession>, 2> sessions_;
};

/// What Slang says where a file asks for the GLSL module, by `import glsl` or `#version`, and the
/// session has none. slangc always has one; for all others it only takes time to load.
bool asks_for_glsl(const CompileResult& result) {
    return std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                       [](const Diagnostic& diagnostic) { return diagnostic.code == "E38201"; });
}

WorkerReply answer(GlobalSessions& sessions, const WorkerRequest& request) {
    const auto begin = Clock::now();
    WorkerReply reply;
    CompileResult& result = reply.result;
    if (chdir(request.working_directory.c_str()) != 0) {
        result.status = CompileStatus::rejected;
        result.detail = "cannot enter " + request.working_directory;
        return reply;
    }
    slang::IGlobalSession* session = sessions.get(needs_glsl(request.compile));
    if (!session) {
        result.status = CompileStatus::rejected;
        result.detail = "this Slang release has no GLSL module";
        return reply;
    }
    result = compile_module(*session, request.compile, reply.lookups);
    if (asks_for_glsl(result)) {
        if (slang::IGlobalSession* const with_glsl = sessions.get(true))
            result = compile_module(*with_glsl, request.compile, reply.lookups);
    }
    result.duration = std::chrono::duration_cast<std::chrono::milliseconds>(Clock::now() - begin);
    return reply;
}

int run(int socket) {
    GlobalSessions sessions;
    slang::IGlobalSession* session = sessions.get(false);
    if (!session) {
        std::fputs("the Slang library gives no session\n", stderr);
        return 1;
    }
    if (!write_frame(socket, session->getBuildTagString()))
        return 0;
    while (std::optional<std::string> message = read_frame(socket)) {
        const Result<WorkerRequest> request = decode_request(*message);
        if (!request) {
            std::fprintf(stderr, "%s\n", request.error().message.c_str());
            return exit_unreadable_request;
        }
        if (!write_frame(socket, encode(answer(sessions, *request))))
            break;
    }
    return 0;
}

} // namespace
} // namespace slimgrad::slang_plugin

int main() {
    // Every compilation takes and gives back tens of megabytes: kept, they need not be mapped and
    // cleared again.
    mallopt(M_MMAP_THRESHOLD, 256 << 20);
    mallopt(M_TRIM_THRESHOLD, 512 << 20);
    // At once: taking the compiler apart is slow and of no use.
    _exit(slimgrad::slang_plugin::run(STDIN_FILENO));
}
