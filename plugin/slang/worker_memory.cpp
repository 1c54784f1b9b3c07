// An allocation that fails ends the worker with a code of its own. The compiler does not look at
// what malloc returns, and an exception from `new` it reports as an internal error: without this,
// running out of memory would look like a crash or an error in the shader. Defined in the program,
// these functions also stand in for glibc's in the libraries it loads.
#include "plugin/slang/worker_exit.h"

#include <cerrno>
#include <cstddef>
#include <unistd.h>

extern "C" {

void* __libc_malloc(std::size_t size);
void* __libc_calloc(std::size_t count, std::size_t size);
void* __libc_realloc(void* old, std::size_t size);
void* __libc_memalign(std::size_t alignment, std::size_t size);

static void* checked(void* memory, std::size_t size) {
    if (!memory && size != 0)
        _exit(slimgrad::slang_plugin::exit_out_of_memory);
    return memory;
}

void* malloc(std::size_t size) {
    return checked(__libc_malloc(size), size);
}

void* calloc(std::size_t count, std::size_t size) {
    return checked(__libc_calloc(count, size), count == 0 ? 0 : size);
}

void* realloc(void* old, std::size_t size) {
    return checked(__libc_realloc(old, size), size);
}

void* memalign(std::size_t alignment, std::size_t size) {
    return checked(__libc_memalign(alignment, size), size);
}

void* aligned_alloc(std::size_t alignment, std::size_t size) {
    return memalign(alignment, size);
}

int posix_memalign(void** result, std::size_t alignment, std::size_t size) {
    if (alignment < sizeof(void*) || (alignment & (alignment - 1)) != 0)
        return EINVAL;
    *result = memalign(alignment, size);
    return 0;
}

} // extern "C"
