// Where the functions of forward.S go.

#include "plugin/nvrtc/no_library.h"
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
        return {real_function(function), first_argument};
    } catch (const std::exception&) {
        // Out of memory, most likely: nothing is called, and the caller hears that it failed.
        return {without_function(function), first_argument};
    }
}
