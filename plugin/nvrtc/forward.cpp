// Where the functions of forward.S go.

#include "plugin/nvrtc/nvrtc_api.h"
#include "plugin/nvrtc/program_table.h"
#include "plugin/nvrtc/real_library.h"

#include <exception>

namespace {

using namespace slimgrad::nvrtc;

constexpr bool takes_program[] = {
#define OWN(name) false,
#define PROGRAM(name) true,
#define PLAIN(name) false,
#include "plugin/nvrtc/functions.def"
#undef OWN
#undef PROGRAM
#undef PLAIN
};

Status unavailable() {
    return Status::internal_error;
}

const char* no_error_string() {
    return "NVRTC_ERROR unknown";
}

void* stand_in(Function function) {
    return function == Function::nvrtcGetErrorString ? reinterpret_cast<void*>(no_error_string)
                                                     : reinterpret_cast<void*>(unavailable);
}

/// In registers, as forward.S reads it.
struct Target {
    void* function;
    void* first_argument;
};

} // namespace

extern "C" [[gnu::visibility("hidden")]] Target slimgrad_nvrtc_target(unsigned index,
                                                                      void* first_argument) {
    const auto function = static_cast<Function>(index);
    try {
        if (takes_program[index])
            first_argument = program_table().compiled(static_cast<Program>(first_argument));
        if (void* const real = real_function(function))
            return {real, first_argument};
    } catch (const std::exception&) {
        // Out of memory, most likely: nothing was called, and the caller hears that it failed.
    }
    return {stand_in(function), first_argument};
}
