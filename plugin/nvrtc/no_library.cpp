#include "plugin/nvrtc/no_library.h"

#include <cstring>
#include <new>

namespace slimgrad::nvrtc {
namespace {

const char* reason = "";

Status failed() {
    return Status::internal_error;
}

const char* error_string() {
    return "NVRTC_ERROR unknown";
}

Status version(int* major, int* minor) {
    // Not every caller looks at the status.
    if (major != nullptr && minor != nullptr)
        *major = *minor = 0;
    return Status::internal_error;
}

Status create(Program* program) {
    char* const made = new (std::nothrow) char{};
    if (program == nullptr || made == nullptr) {
        delete made;
        return Status::out_of_memory;
    }
    *program = reinterpret_cast<Program>(made);
    return Status::success;
}

Status destroy(Program* program) {
    if (program == nullptr)
        return Status::internal_error;
    delete reinterpret_cast<char*>(*program);
    *program = nullptr;
    return Status::success;
}

Status compile() {
    return Status::compilation;
}

Status accepted() {
    return Status::success;
}

Status log_size(Program, std::size_t* size) {
    *size = std::strlen(reason) + 1;
    return Status::success;
}

Status log(Program, char* text) {
    std::strcpy(text, reason);
    return Status::success;
}

template <class Signature> void* address(Signature* function) {
    return reinterpret_cast<void*>(function);
}

} // namespace

void* without_library(Function function, const char* why) {
    reason = why;
    switch (function) {
    case Function::nvrtcVersion:
        return address(version);
    case Function::nvrtcCreateProgram:
        return address(create);
    case Function::nvrtcDestroyProgram:
        return address(destroy);
    case Function::nvrtcCompileProgram:
        return address(compile);
    case Function::nvrtcAddNameExpression:
    case Function::nvrtcSetFlowCallback:
        return address(accepted);
    case Function::nvrtcGetProgramLogSize:
        return address(log_size);
    case Function::nvrtcGetProgramLog:
        return address(log);
    default:
        return without_function(function);
    }
}

void* without_function(Function function) {
    return function == Function::nvrtcGetErrorString ? address(error_string) : address(failed);
}

} // namespace slimgrad::nvrtc
