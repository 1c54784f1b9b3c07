#include "attributes/trip_count.h"

#include "module_text.h"

#include <array>
#include <cstdint>
#include <fmt/format.h>
#include <functional>
#include <random>
#include <set>
#include <string>
#include <vector>

using namespace slimgrad;

namespace {

constexpr std::int64_t most_steps = 500;

/// What an expression depends on: the parameter and the outer loop's counter.
struct Values {
    std::int64_t n = 0, o = 0;
};

struct Expression {
    std::string text;
    std::function<std::int64_t(const Values&)> value;
};

/// Functions with a loop in a loop, as text and with what they mean.
class Generator {
  public:
    explicit Generator(std::uint32_t seed) : random_(seed) {}

    struct Loops {
        std::string text;
        std::vector<Values> runs;                         ///< of the inner loop
        std::function<std::int64_t(const Values&)> trips; ///< of it; -1 where it does not end
    };

    Loops next() {
        Loops loops;
        assigned_.clear();
        const std::int64_t from = std::int64_t(below(4)), to = from + std::int64_t(below(5)),
                           by = 1 + std::int64_t(below(2));
        const bool rises = below(3) != 0;
        const std::vector<std::int64_t> arguments = [&] {
            std::vector<std::int64_t> values{std::int64_t(below(9)) - 1};
            if (below(2))
                values.push_back(std::int64_t(below(9)) - 1);
            return values;
        }();
        for (const std::int64_t n : arguments) {
            for (std::int64_t o = from; o < to; o += by)
                loops.runs.push_back({n, rises ? o : from + (to - 1 - o)});
        }
        std::string outer =
            rises ? fmt::format("for (int o = {}; o < {}; o += {})", from, to, by)
                  : fmt::format("for (int o = {}; o > {}; o -= {})", to - 1, from - 1, by);
        if (below(4) == 0)
            outer = scaled(arguments, loops.runs);
        const std::string assignments = assign();
        const Expression start = expression(), end = expression(), more = expression();
        const bool falls = below(3) == 0;
        const std::int64_t step = (falls ? -1 : 1) * (1 + std::int64_t(below(3)));
        const std::string comparison = falls ? (below(2) ? ">" : ">=") : (below(2) ? "<" : "<=");
        const int form = below(6);
        const bool two_tests = form != 3 && form != 4 && below(4) == 0;
        loops.text = preamble();
        loops.text += fmt::format(
            "void f(int n, bool b) {{ {} {{ {} {} }} }}\nvoid g() {{ ", outer, assignments,
            loop(form, start.text, fmt::format("{} {}", comparison, end.text),
                 two_tests ? fmt::format("{} {}", comparison, more.text) : "", step));
        for (const std::int64_t n : arguments)
            loops.text += fmt::format("f({}, true); ", n);
        loops.text += "}\n";
        loops.trips = [=](const Values& values) {
            const auto goes_on = [&](std::int64_t i) {
                const auto test = [&](std::int64_t last) {
                    return comparison == "<"    ? i < last
                           : comparison == "<=" ? i <= last
                           : comparison == ">"  ? i > last
                                                : i >= last;
                };
                return test(end.value(values)) && (!two_tests || test(more.value(values)));
            };
            std::int64_t i = start.value(values), count = 0;
            if (form == 2) { // do
                ++count;
                i += step;
            } else if (form == 4) { // --i
                i += falls ? -1 : 1;
            }
            const std::int64_t change = form == 3 || form == 4 ? (falls ? -1 : 1) : step;
            for (; goes_on(i); i += change) {
                if (++count > most_steps)
                    return std::int64_t{-1};
            }
            return count;
        };
        return loops;
    }

  private:
    int below(int end) { return int(random_() % std::uint32_t(end)); }

    /// An outer loop whose counter is multiplied or divided.
    std::string scaled(const std::vector<std::int64_t>& arguments, std::vector<Values>& runs) {
        const bool rises = below(2), shifts = below(2);
        const std::int64_t small = 1 + below(3), large = small + below(30),
                           factor = shifts ? 2 : 2 + below(2);
        std::vector<std::int64_t> values;
        for (std::int64_t o = rises ? small : large; rises ? o <= large : o >= small;
             o = rises ? o * factor : o / factor)
            values.push_back(o);
        runs.clear();
        for (const std::int64_t n : arguments) {
            for (const std::int64_t o : values)
                runs.push_back({n, o});
        }
        const std::string change = shifts ? (rises ? "o <<= 1" : "o >>= 1")
                                          : fmt::format("o {}= {}", rises ? "*" : "/", factor);
        return rises ? fmt::format("for (int o = {}; o <= {}; {})", small, large, change)
                     : fmt::format("for (int o = {}; o > {}; {})", large, small - 1, change);
    }

    static std::string preamble() {
        return "enum Mode { Slow = 3, Fast }\n#define FIVE (2 + 3)\nstatic const int K[3] = {1, 4, "
               "6};\n";
    }

    /// `int m = ..`, set again or not, on all ways or not.
    std::string assign() {
        std::string text;
        const Expression first = simple(), last = simple();
        const int kind = below(4);
        if (kind == 0)
            return "";
        text = fmt::format("int m = {};", first.text);
        assigned_ = {first};
        if (kind == 2) {
            text += fmt::format(" m = {};", last.text);
            assigned_ = {last};
        } else if (kind == 3) {
            // The calls give `true`: only the last one comes.
            text += fmt::format(" if (b) m = {};", last.text);
            assigned_ = {last};
        }
        return text;
    }

    Expression simple() {
        const std::int64_t number = below(9) - 1;
        switch (below(7)) {
        case 0:
            return {"n", [](const Values& v) { return v.n; }};
        case 1:
            return {"o", [](const Values& v) { return v.o; }};
        case 2:
            return {"int(Mode.Fast)", [](const Values&) { return std::int64_t{4}; }};
        case 3:
            return {"K[2]", [](const Values&) { return std::int64_t{6}; }};
        case 4:
            return {"FIVE", [](const Values&) { return std::int64_t{5}; }};
        default:
            return {std::to_string(number), [=](const Values&) { return number; }};
        }
    }

    Expression expression() {
        const Expression a =
            below(3) == 0 && !assigned_.empty() ? Expression{"m", assigned_[0].value} : simple();
        const Expression b = simple();
        switch (below(8)) {
        case 0:
            return {fmt::format("{} + {}", a.text, b.text),
                    [=](const Values& v) { return a.value(v) + b.value(v); }};
        case 1:
            return {fmt::format("{} - {}", a.text, b.text),
                    [=](const Values& v) { return a.value(v) - b.value(v); }};
        case 2:
            return {fmt::format("min({}, {})", a.text, b.text),
                    [=](const Values& v) { return std::min(a.value(v), b.value(v)); }};
        case 3:
            return {fmt::format("max({}, {})", a.text, b.text),
                    [=](const Values& v) { return std::max(a.value(v), b.value(v)); }};
        case 4:
            return {fmt::format("{} * 2", a.text), [=](const Values& v) { return a.value(v) * 2; }};
        case 5:
            return {fmt::format("clamp({}, 1, {})", a.text, b.text), [=](const Values& v) {
                        return std::min(std::max<std::int64_t>(a.value(v), 1), b.value(v));
                    }};
        default:
            return a;
        }
    }

    static std::string loop(int form, const std::string& start, const std::string& test,
                            const std::string& more, std::int64_t step) {
        const std::string change =
            step > 0 ? fmt::format("i += {}", step) : fmt::format("i -= {}", -step);
        const std::string both =
            more.empty() ? "i " + test : fmt::format("i {} && i {}", test, more);
        const std::string one = step > 0 ? "++" : "--";
        switch (form) {
        case 0:
            return fmt::format("int i = {}; while ({}) {{ h(); {}; }}", start, both, change);
        case 1:
            return fmt::format("int i; i = {}; for (; {}; {}) h();", start, both, change);
        case 2:
            return fmt::format("int i = {}; do {{ {}; h(); }} while ({});", start, change, both);
        case 3: // steps behind its test
            return fmt::format("for (int i = {}; i{} {};) h();", start, one, test);
        case 4:
            return fmt::format("for (int i = {}; {}i {};) h();", start, one, test);
        default:
            return fmt::format("for (int i = {}; {}; {}) {{ h(); }}", start, both, change);
        }
    }

    std::mt19937 random_;
    std::vector<Expression> assigned_;
};

} // namespace

TEST_SUITE("attributes/trip_proof") {
    TEST_CASE("loops in loops have the trips that the proof says") {
        Generator generator(17);
        int ended = 0, bounded = 0, exact = 0, same = 0;
        for (int i = 0; i < 3000; ++i) {
            const Generator::Loops loops = generator.next();
            CAPTURE(loops.text);
            const ModuleText module(loops.text);
            REQUIRE(module.model.loops.size() == 2);
            const TripCount count = trip_count(module.model, 1, {});
            std::set<std::int64_t> real;
            for (const Values& run : loops.runs)
                real.insert(loops.trips(run));
            if (real.empty())
                continue;
            if (count.upper)
                REQUIRE_FALSE(real.contains(-1));
            if (real.contains(-1))
                continue;
            ++ended;
            same += real.size() == 1;
            if (count.upper) {
                ++bounded;
                REQUIRE(*real.rbegin() <= *count.upper);
                REQUIRE(std::uint64_t(*real.begin()) >= count.lowest);
            }
            if (count.exact) {
                ++exact;
                REQUIRE(real == std::set{*count.exact});
            }
        }
        // Nearly all of these are bounded, and most that always run as often are known to.
        CHECK(bounded > ended * 9 / 10);
        CHECK(exact > same / 2);
    }
}
