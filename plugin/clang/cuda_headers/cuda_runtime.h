// What CUDA C++ declares, in declarations of our own: enough to parse what Slang emits without a
// CUDA toolkit and without a system header. Nothing here is defined, linked or run.
// Where CUDA refuses an argument, so do these: a text that they accept is one that nvcc accepts.
#pragma once

#include "language.h"

#include "fixed_width_types.h"

#include "vector_types.h"

#include "builtin_variables.h"

#pragma clang force_cuda_host_device begin
#include "c_library.h"
#include "integer_functions.h"
#include "math_functions.h"
#include "value_conversions.h"
#pragma clang force_cuda_host_device end

#include "atomic_functions.h"
#include "dynamic_memory.h"
#include "memory_functions.h"
#include "surface_functions.h"
#include "texture_functions.h"
#include "thread_functions.h"
#include "warp_functions.h"
