#include "plugin/verify/fibre.h"

#include <cstdint>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#if defined(__SANITIZE_ADDRESS__)
#include <pthread.h>
#include <sanitizer/common_interface_defs.h>
#endif

namespace slimgrad::verify {

Fibre::Fibre(std::size_t stack_bytes) {
    const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
    bytes_ = (stack_bytes + page - 1) / page * page + page;
    stack_ = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (stack_ == MAP_FAILED)
        throw std::bad_alloc();
    mprotect(stack_, page, PROT_NONE);
    getcontext(&first_);
    first_.uc_stack.ss_sp = stack_;
    first_.uc_stack.ss_size = bytes_;
    first_.uc_link = nullptr;
    const auto self = reinterpret_cast<std::uintptr_t>(this);
    makecontext(&first_, reinterpret_cast<void (*)()>(&Fibre::enter), 2,
                static_cast<unsigned>(self >> 32), static_cast<unsigned>(self));
}

Fibre::~Fibre() {
    munmap(stack_, bytes_);
}

void Fibre::start(Function function, void* argument) {
    function_ = function;
    argument_ = argument;
    running_ = true;
}

void Fibre::enter(unsigned high, unsigned low) {
    reinterpret_cast<Fibre*>(static_cast<std::uintptr_t>(high) << 32 | low)->loop();
}

#if defined(__SANITIZE_ADDRESS__)

// The sanitizer has to be told which stack is in use; it cannot follow a longjmp to another one.
namespace {
const void* caller_stack = nullptr;
std::size_t caller_stack_bytes = 0;
} // namespace

void Fibre::loop() {
    __sanitizer_finish_switch_fiber(nullptr, &caller_stack, &caller_stack_bytes);
    for (;;) {
        function_(argument_);
        running_ = false;
        suspend();
    }
}

void Fibre::resume() {
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, stack_, bytes_);
    ucontext_t target = first_;
    swapcontext(&caller_context_, &target);
    __sanitizer_finish_switch_fiber(fake_stack, nullptr, nullptr);
}

void Fibre::suspend() {
    void* fake_stack = nullptr;
    __sanitizer_start_switch_fiber(&fake_stack, caller_stack, caller_stack_bytes);
    swapcontext(&first_, &caller_context_);
    __sanitizer_finish_switch_fiber(fake_stack, &caller_stack, &caller_stack_bytes);
}

#else

void Fibre::loop() {
    for (;;) {
        function_(argument_);
        running_ = false;
        suspend();
    }
}

// swapcontext saves the signal mask, two system calls each time: only the first entry needs it.
void Fibre::resume() {
    if (_setjmp(caller_) != 0)
        return;
    if (!entered_) {
        entered_ = true;
        setcontext(&first_);
    }
    _longjmp(inside_, 1);
}

void Fibre::suspend() {
    if (_setjmp(inside_) == 0)
        _longjmp(caller_, 1);
}

#endif

} // namespace slimgrad::verify
