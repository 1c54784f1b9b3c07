#pragma once

#include "attributes/function_flows.h"
#include "attributes/rule.h"

#include <cstdint>
#include <optional>
#include <string>

namespace slimgrad {

/// The last statement of a loop's body where that is the counter's step and nothing more.
std::optional<ByteRange> last_step(const ModuleModel& model, const Loop& loop);

/// The statement, with its line where nothing else stands on it.
ByteRange whole_line(const SourceFile& file, ByteRange statement);

/// A `for` or `while` whose counter becomes a function of the number of trips before, which is
/// counted instead.
///
/// Example: `for (int i = a; i < n; i += 2) v = f(v, i);` as
///     for (int trip = 0; a + trip * 2 < n; trip++)
///     {
///         int i = a + trip * 2;
///         v = f(v, i);
///     }
/// A start that is more than a number or an unchanged variable, or less it, is computed once before
/// the loop. Steps are sums of a number or an unchanged variable, and shifts.
class TripCounter {
  public:
    /// `most_trips`: what the loop's bound allows, 0 if not known. All have to outlive this.
    TripCounter(const RuleInput& input, FunctionFlows& flows, Index loop,
                std::int64_t most_trips = 0);

    /// Why it is left as it is, or "".
    std::string why_not();
    /// Adds the edits. `number`: of the loops of the function that are rewritten before. `trips`:
    /// how many the loop makes, to be tested instead of its condition; 0 if that is not known.
    void count_trips(Fix& fix, std::size_t number, std::int64_t trips = 0) const;

  private:
    Site site_of(ByteRange range) const { return {loop_.site.file, range}; }
    bool is_while() const { return loop_.kind == LoopKind::while_loop; }
    bool read_head();
    bool read_while();
    void edit_for(Fix& fix, const std::string& trip) const;
    void edit_while(Fix& fix, const std::string& trip, const std::string& first) const;
    std::string why_step_is_kept();
    std::string shift();
    bool is_only_step() const;
    bool is_declared_again() const;
    bool is_unchanged(std::string name) const;
    bool is_simple_start() const;
    bool is_operand(ByteRange use) const;
    std::string value(const std::string& start, const std::string& trip) const;
    void declare(Fix& fix, const std::string& declaration) const;
    std::optional<std::uint32_t> end_of_line(std::uint32_t offset) const;

    const RuleInput& input_;
    const ModuleModel& model_;
    const Loop& loop_;
    const SourceFile& file_;
    const FunctionFlow& flow_;
    std::int64_t most_trips_;
    std::string type_;
    std::string operator_;     ///< between start and steps: "+", "-", "<<", ">>"
    std::string step_;         ///< of one trip, "1" for i++ and i *= 2
    ByteRange declaration_;    ///< of the counter, in the head
    std::uint32_t close_ = 0;  ///< behind the head's `)`
    ByteRange step_statement_; ///< of a `while`, in the body
};

} // namespace slimgrad
