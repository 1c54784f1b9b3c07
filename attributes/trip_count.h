#pragma once

#include "attributes/conditional_text.h"
#include "attributes/function_flows.h"
#include "attributes/integer_range.h"
#include "attributes/rule.h"
#include "rewriter/module_model.h"

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace slimgrad {

/// What can be proved of how often a loop runs. Nothing here is guessed: what is not proved stays
/// empty.
struct TripCount {
    std::optional<std::int64_t> exact; ///< runs exactly this often unless it ends early
    bool may_end_early = false;        ///< a break, a return, or a condition beside the counter's
    std::string exact_expression; ///< the same in the loop's own words: "NS", "D + 1"; "" where
                                  ///< start, step, type or form of the loop do not allow it
    bool expression_is_constant =
        false; ///< exact_expression names only literals, constants, macros and generic values
    std::optional<std::int64_t> upper; ///< never more than this
    std::string upper_expression;      ///< where there is no number: never more than this constant
                                       ///< expression, "N" for `i < min(n, N)`
    std::string upper_from;            ///< why: "min(int(outb[1]), 8) at f.slang:18:28"
    std::uint64_t lowest = 0;          ///< never less than this, unless it ends early
    bool computed = false; ///< is_input, but not an input itself up to casts, min, max and clamp
    bool upper_is_promised =
        false; ///< upper comes from a configured input range, whose ends are meant to occur
    bool is_loose = false;     ///< upper rests on counters of loops around it, each as if it were
                               ///< alone: it may be more than can come
    bool from_callers = false; ///< exact or upper rests on the calls in this module, or on a static
                               ///< that it never sets; other modules may do either
    bool uses_macro =
        false; ///< exact or upper rests on a macro's value, which another build may set otherwise
    std::string condition; ///< place of an #if that decides text which exact, upper or expression
                           ///< rest on: "a.slang:7:1"; "" where none does
    bool is_input = false; ///< differs from run to run: a parameter, uniform or buffer decides it
    std::string input; ///< the input it is, where not computed and known: "params.count", "outb[1]"
    std::optional<std::int64_t> starts_at; ///< of the counter, if that is one number
    std::optional<IntegerRange> counter;   ///< what the counter is in the body, if that is known
    std::string why_unknown; ///< where neither a number nor a constant expression is known
};

/// The trip counts of a module's loops, each proved when it is first asked for.
class TripCounts {
  public:
    /// Both have to outlive this.
    TripCounts(const ModuleModel& model, const Promises& promises)
        : model_(model), promises_(promises), flows_(model) {}

    const TripCount& of(Index loop);

  private:
    static constexpr int deepest = 16; ///< loops whose counters are followed through calls

    TripCount prove(Index loop);

    const ModuleModel& model_;
    const Promises& promises_;
    FunctionFlows flows_;
    std::optional<ConditionalText> conditional_text_; ///< read when a loop is proved
    std::map<Index, std::optional<TripCount>> known_; ///< none: it is being proved
    int depth_ = 0;
};

/// Of one loop alone.
TripCount trip_count(const ModuleModel& model, Index loop, const Promises& promises);

/// The two expressions without white space and outer parentheses are the same text.
bool same_expression(std::string_view a, std::string_view b);

/// Whether the loop's condition is that of an `if (..) break;` where its body begins.
bool leaves_in_body(const Loop& loop);

/// Whether an attribute of the loop is written by a macro, so that it cannot be edited.
bool has_macro_attribute(const Loop& loop);

/// The loop's bound attribute ([MaxIters(N)]), or null.
const Attribute* bound_attribute(const Loop& loop);

} // namespace slimgrad
