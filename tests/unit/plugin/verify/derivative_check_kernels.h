#pragma once

#include "plugin/verify/derivative_check.h"

#include "cpu_kernels.h"

#include <string>
#include <vector>

/// What the test cases of derivative_check share.
namespace slimgrad::derivative_cases {

using verify::DifferentiatedCall;

/// A kernel that differentiates what `functions` declare as `body` does it. `in` is read, `out`
/// written.
std::string kernel(const std::string& functions, const std::string& body);

/// The kernel differentiates f of x and y.
std::string kernel_of(const std::string& f);

/// The text of a file of the source tree.
std::string file(const std::string& path);

/// The calls that the entry point differentiates, each checked with at most 12 samples.
std::vector<DifferentiatedCall> check(const std::string& source, const std::string& entry_point,
                                      VerifyOptions options = {},
                                      const std::vector<std::string>& arguments = {},
                                      verify::Machine machine = verify::Machine::cpp);

/// The only call of the kernel.
DifferentiatedCall check_one(const std::string& source, const VerifyOptions& options = {});

void require_right(const DifferentiatedCall& call);
void require_wrong(const DifferentiatedCall& call);

} // namespace slimgrad::derivative_cases
