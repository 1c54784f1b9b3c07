#pragma once

#include <csetjmp>
#include <cstddef>
#include <ucontext.h>

namespace slimgrad::verify {

/// A function with a stack of its own that may be left in the middle and gone on with. Fibres of
/// one thread; exceptions must not leave the function.
class Fibre {
  public:
    using Function = void (*)(void* argument);

    /// The stack is reserved, not used; a page that cannot be touched is below it. Throws
    /// std::bad_alloc.
    explicit Fibre(std::size_t stack_bytes);
    ~Fibre();
    Fibre(const Fibre&) = delete;
    Fibre& operator=(const Fibre&) = delete;

    /// The next `resume` calls the function. Only when there is none or it has returned.
    void start(Function function, void* argument);
    /// Goes on until the function suspends or returns.
    void resume();
    /// From inside: back to whoever called `resume`.
    void suspend();
    bool running() const { return running_; } ///< started and not returned yet

  private:
    static void enter(unsigned high, unsigned low);
    void loop();

    void* stack_ = nullptr;
    std::size_t bytes_ = 0;
    Function function_ = nullptr;
    void* argument_ = nullptr;
    bool running_ = false, entered_ = false;
    ucontext_t first_{}, caller_context_{};
    jmp_buf inside_{}, caller_{};
};

} // namespace slimgrad::verify
