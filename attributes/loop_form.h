#pragma once

#include "attributes/rule.h"
#include "rewriter/module_model.h"

#include <string>
#include <vector>

/// The two forms of a loop in differentiated code: unrolled by slangc, or a loop whose backward
/// pass replays its trips from what was stored of them.
namespace slimgrad {

/// "the 2nd loop over 'k' of 'march'": the same before and after edits elsewhere.
std::string loop_name(const ModuleModel& model, Index loop);

/// Whether slangc unrolls it: of [ForceUnroll] and [MaxIters] the former wins.
bool is_unrolled(const Loop& loop);

/// Why the loop's attributes cannot be edited, or "".
std::string why_head_is_kept(const RuleInput& input, const Loop& loop);

/// Why one of the attributes that choose the form cannot be replaced by another one, or "".
std::string why_form_is_kept(const ModuleModel& model, const Loop& loop);

/// The edit that has slangc unroll it: `[MaxIters(8)]` -> `[ForceUnroll]`.
SourceEdit unroll(const ModuleModel& model, const Loop& loop);

/// The edit that has it replayed with this bound: `[ForceUnroll]` -> `[MaxIters(N)]`; a bound that
/// stands there already stays.
SourceEdit replay(const ModuleModel& model, const Loop& loop, const std::string& bound);

} // namespace slimgrad
