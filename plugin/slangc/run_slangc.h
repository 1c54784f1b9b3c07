#pragma once

#include "rewriter/result.h"

#include <string>
#include <vector>

namespace slimgrad::slangc {

/// Becomes slangc: returns only where that cannot be. `arguments`: without the program's name.
Error become_slangc(const std::string& program, const std::vector<std::string>& arguments);

/// How slangc ended.
struct SlangcEnd {
    int exit_code = 0;
    int signal = 0; ///< that ended it; 0: it exited
};

/// Runs slangc as if it had been started in our place: our streams, our process group, our
/// environment. Signals sent to us in the meantime go to it; it does not outlive us. To be called
/// while there is no other thread.
Result<SlangcEnd> run_slangc(const std::string& program, const std::vector<std::string>& arguments);

/// Ends this process as slangc ended.
[[noreturn]] void end_as(const SlangcEnd& end);

} // namespace slimgrad::slangc
