#pragma once

// What the shim has to know of NVRTC's interface. Our own words: NVIDIA's header is not needed to
// build it.

#include <cstddef>

namespace slimgrad::nvrtc {

using Program = struct OpaqueProgram*;

/// nvrtcResult. Others exist; they are passed on.
enum class Status : int {
    success = 0,
    out_of_memory = 1,
    compilation = 6,
    internal_error = 11,
    cancelled = 16,
};

using FlowCallback = int (*)(void* payload, void* reserved);

using CreateProgram = Status (*)(Program* program, const char* source, const char* name,
                                 int header_count, const char* const* headers,
                                 const char* const* include_names);
using DestroyProgram = Status (*)(Program* program);
using CompileProgram = Status (*)(Program program, int option_count, const char* const* options);
using AddNameExpression = Status (*)(Program program, const char* expression);
using SetFlowCallback = Status (*)(Program program, FlowCallback callback, void* payload);

/// The functions of functions.def, in its order.
enum class Function : unsigned {
#define OWN(name) name,
#define PROGRAM(name) name,
#define PLAIN(name) name,
#include "plugin/nvrtc/functions.def"
#undef OWN
#undef PROGRAM
#undef PLAIN
};

inline constexpr const char* function_names[] = {
#define OWN(name) #name,
#define PROGRAM(name) #name,
#define PLAIN(name) #name,
#include "plugin/nvrtc/functions.def"
#undef OWN
#undef PROGRAM
#undef PLAIN
};

inline constexpr std::size_t function_count = sizeof function_names / sizeof *function_names;

} // namespace slimgrad::nvrtc
