#pragma once

#include "rewriter/module_model.h"

#include <map>
#include <set>
#include <string>

namespace slimgrad::verify {

/// The macros of a module that hold `bwd_diff`, or whose `##` could make the word, and why a call
/// that they make is not looked at: macros are not expanded. Of pastings, what could be made from
/// any words of the module counts.
std::map<std::string, std::string> macros_of_derivatives(const ModuleModel& model);

/// Where the functions of `reached` use such macros, or the module outside all functions does: the
/// first use of each, by name.
std::map<std::string, Site> uses_of_macros(const ModuleModel& model,
                                           const std::map<std::string, std::string>& macros,
                                           const std::set<Index>& reached);

} // namespace slimgrad::verify
