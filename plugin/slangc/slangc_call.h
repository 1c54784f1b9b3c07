#pragma once

#include <string>
#include <vector>

namespace slimgrad::slangc {

/// What matters here of a call of slangc.
struct SlangcCall {
    /// The file that the call's only output, CUDA source, goes to. "": it makes something else.
    std::string cuda_file;
    std::string why_not; ///< where cuda_file is empty: why the call is passed through, for the log
    std::string depfile; ///< "" for none
    bool machine_readable = false; ///< diagnostics are wanted tab-separated
};

/// Reads slangc's arguments (without the program's name) as slangc reads them, as far as outputs
/// go: values of options are no options, what follows `--` is inputs, a target may come from the
/// output's extension. An option that is not known is taken to have no value. What slangc would
/// refuse, it will refuse.
SlangcCall read_slangc_call(const std::vector<std::string>& arguments);

} // namespace slimgrad::slangc
