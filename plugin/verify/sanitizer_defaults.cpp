// How the sanitizers behave in slimgrad-run-sanitized, whose environment is empty.

#include <sanitizer/asan_interface.h>

// sanitizer_report.cpp reads these frames.
#define SLIMGRAD_FRAMES "stack_trace_format='#%n |%m|%s|%l'"

extern "C" {

const char* __asan_default_options() {
    // Leaks are not looked for: that takes a process of its own. The end of memory is for the
    // kernel's `new` to tell.
    return "detect_leaks=0:allocator_may_return_null=1:symbolize=1:" SLIMGRAD_FRAMES;
}

const char* __ubsan_default_options() {
    return "print_stacktrace=1:" SLIMGRAD_FRAMES;
}

} // extern "C"
