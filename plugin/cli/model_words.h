#pragma once

#include "attributes/trip_count.h"
#include "rewriter/module_model.h"
#include "rewriter/set_aside.h"

#include <string>
#include <string_view>
#include <vector>

/// How `slimgrad report --model` says what the model holds.
namespace slimgrad {

/// Source text on one line, shortened in the middle where it is long.
std::string in_one_line(std::string_view text);

/// "[MaxIters(8)] [ForceUnroll] (from a macro: never edited)"
std::string attributes_text(const std::vector<Attribute>& attributes);

/// "march<let N : int>(float x, no_diff int n = 3) -> float : SV_Target0"
std::string signature_text(const Function& function);

/// "for loop over i from 0 while i < n, by 1"
std::string loop_text(const ModuleModel& model, const Loop& loop);

/// "8 trips", "at most 8 trips: min(n, 8) at a.slang:3:5", "trips not known: why".
std::string trips_text(const TripCount& trips);

/// The call as it is written, without its arguments: "call of scene.trace<4>", "operator +".
std::string call_text(const ModuleModel& model, const Call& call);

/// "method", "not resolved", "built into Slang", ...
std::string_view callee_text(CalleeKind kind);

/// "functions f, g; calls of h; a for loop"
std::string contents_text(const SetAside& contents);

/// "writable buffer", ...
std::string_view kind_text(GlobalKind kind);

} // namespace slimgrad
