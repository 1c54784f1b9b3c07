#include "attributes/loop_counter.h"

#include "attributes/trip_count.h"
#include "module_text.h"

#include <array>
#include <cstdint>
#include <doctest/doctest.h>
#include <fmt/format.h>
#include <random>

using namespace slimgrad;

namespace {

constexpr std::int64_t most_steps = 600;

/// A counter as a machine runs it, wrapping around; nothing after `most_steps` trips.
struct Machine {
    bool is_signed = true;
    int bits = 32;
    bool unsigned_comparison = false;

    std::int64_t wrapped(std::int64_t value) const {
        const std::uint64_t mask = (std::uint64_t{1} << bits) - 1;
        const std::uint64_t low = std::uint64_t(value) & mask;
        return is_signed && (low >> (bits - 1)) != 0 ? std::int64_t(low | ~mask)
                                                     : std::int64_t(low);
    }

    bool compare(std::int64_t a, const std::string& op, std::int64_t b) const {
        // What does not fit is compared in 64 bits.
        if (unsigned_comparison && b <= std::int64_t{UINT32_MAX}) {
            a = std::uint32_t(a);
            b = std::uint32_t(b);
        }
        return op == "<"    ? a < b
               : op == "<=" ? a <= b
               : op == ">"  ? a > b
               : op == ">=" ? a >= b
                            : a != b;
    }

    std::int64_t changed(std::int64_t value, const std::string& op, std::int64_t amount) const {
        if (op == "+")
            return wrapped(value + amount);
        if (op == "*")
            return wrapped(value * amount);
        if (op == "/")
            return wrapped(value / amount);
        return op == "<<" ? wrapped(std::int64_t(std::uint64_t(value) << amount))
                          : wrapped(value >> amount);
    }

    std::optional<std::int64_t> trips(const CounterRun& run) const {
        std::int64_t value = wrapped(run.start), count = 0;
        if (run.steps_before_test)
            value = changed(value, run.change, run.amount);
        count += run.tested_at_end;
        while (compare(value, run.comparison, run.end)) {
            if (++count > most_steps)
                return std::nullopt;
            value = changed(value, run.change, run.amount);
        }
        return count;
    }
};

IntegerType values_of(const Machine& machine) {
    const std::int64_t range = std::int64_t{1} << machine.bits;
    return machine.is_signed ? IntegerType{-range / 2, range / 2 - 1} : IntegerType{0, range - 1};
}

std::string text(const CounterRun& run) {
    return fmt::format("{} {} {} by {} {}, {} to {}{}{}", run.start, run.comparison, run.end,
                       run.change, run.amount, run.type.lowest, run.type.highest,
                       run.unsigned_comparison ? ", unsigned" : "",
                       run.tested_at_end ? ", tested at the end" : "") +
           (run.steps_before_test ? ", stepped before" : "");
}

const std::array<std::string, 5> comparisons{"<", "<=", ">", ">=", "!="};

template <class Values> auto pick(std::mt19937& random, const Values& values) {
    return values[random() % values.size()];
}

/// A loop as text with what it means.
struct Written {
    std::string text;
    Machine machine;
    CounterRun run;
    bool end_is_clamped = false; ///< min(n, end)
    bool end_is_unsigned = false;
};

/// One way or another to write a loop: for, while and do-while, ends as literals, constants and
/// macros, conditions from both sides, negated and as truth values, steps in all forms.
Written write_loop(std::mt19937& random) {
    Written w;
    const bool is_unsigned = random() % 3 == 0;
    const bool narrow = random() % 8 == 0;
    w.machine = {!is_unsigned, narrow ? 8 : 32, is_unsigned && !narrow};
    const std::string type = fmt::format("{}{}", is_unsigned ? "uint" : "int", narrow ? "8_t" : "");
    w.run.comparison = pick(random, comparisons);
    w.run.change =
        random() % 4 ? "+" : pick(random, std::array<std::string, 4>{"*", "/", "<<", ">>"});
    w.run.start = std::int64_t(random() % 24) - (is_unsigned ? 0 : 6);
    w.run.end = std::int64_t(random() % 40) - 8;
    if (random() % 16 == 0)
        w.run.end = pick(random, std::array<std::int64_t, 4>{INT32_MAX, INT32_MAX - 1, 127, 255});
    w.run.amount = std::int64_t(random() % 5) + (random() % 8 != 0);
    if (w.run.change == "/" && w.run.amount == 0)
        w.run.amount = 2;
    if (w.run.change == "+" && (w.run.comparison[0] == '>') != (random() % 16 == 0))
        w.run.amount = -w.run.amount;
    w.end_is_clamped = random() % 4 == 0;

    std::string before, end = std::to_string(w.run.end);
    if (random() % 8 == 0 && w.run.end >= 0) {
        end += "u";
        w.end_is_unsigned = true;
        w.machine.unsigned_comparison = true;
    }
    switch (random() % 4) {
    case 0:
        before = fmt::format("static const {} E = {};\n", end.ends_with('u') ? "uint" : "int", end);
        end = "E";
        break;
    case 1:
        before = fmt::format("#define E {}\n", end);
        end = "E";
        break;
    default:
        break;
    }
    if (w.end_is_clamped)
        end = random() % 2 ? fmt::format("min(n, {})", end) : fmt::format("clamp(n, 2, {})", end);
    std::string condition = fmt::format("i {} {}", w.run.comparison, end);
    if (random() % 4 == 0 && !w.end_is_clamped) {
        const std::string& c = w.run.comparison;
        const std::string mirrored = c[0] == '<'   ? ">" + c.substr(1)
                                     : c[0] == '>' ? "<" + c.substr(1)
                                                   : c;
        condition = fmt::format("({} {} i)", end, mirrored);
    }
    if (random() % 6 == 0) {
        const std::string& c = w.run.comparison;
        const std::string opposite = c == "<"    ? ">="
                                     : c == "<=" ? ">"
                                     : c == ">"  ? "<="
                                     : c == ">=" ? "<"
                                                 : "==";
        condition = fmt::format("!(i {} {})", opposite, end);
    } else if (w.run.comparison == "!=" && random() % 2) {
        // As a truth value.
        w.run.end = 0;
        w.end_is_clamped = w.end_is_unsigned = false;
        w.machine.unsigned_comparison = is_unsigned && !narrow;
        condition = random() % 2 ? "i" : "(i)";
    }
    const std::int64_t amount = w.run.amount;
    std::string step;
    if (w.run.change != "+")
        step = random() % 2 ? fmt::format("i {}= {}", w.run.change, amount)
                            : fmt::format("i = i {} {}", w.run.change, amount);
    else if (amount == 1 || amount == -1)
        step = amount == 1 ? "++i" : "i--";
    else
        step = random() % 2   ? fmt::format("i += {}", amount)
               : amount < 0   ? fmt::format("i -= {}", -amount)
               : random() % 2 ? fmt::format("i = {} + i", amount)
                              : fmt::format("i = i + {}", amount);
    const std::string start = fmt::format("{} i = {};", type, w.run.start);
    std::string loop;
    switch (random() % 4) {
    case 0:
        loop = fmt::format("{} while ({}) {{ g(); {}; }}", start, condition, step);
        break;
    case 1:
        loop = fmt::format("{} do {{ {}; g(); }} while ({});", start, step, condition);
        w.run.tested_at_end = w.run.steps_before_test = true;
        break;
    case 2:
        loop = fmt::format("{} for (; {}; {}) g();", start, condition, step);
        break;
    default:
        loop = fmt::format("for ({} {}; {}) {{ g(); }}", start, condition, step);
        break;
    }
    w.text = fmt::format("{}void f(int n) {{ {} }}", before, loop);
    return w;
}

} // namespace

TEST_SUITE("attributes/loop_counter") {
    TEST_CASE("trips are those of a machine that wraps around") {
        std::mt19937 random(7);
        int ended = 0, counted = 0;
        for (int i = 0; i < 60000; ++i) {
            const std::array<int, 3> widths{8, 16, 32};
            Machine machine{random() % 2 == 0, pick(random, widths), false};
            machine.unsigned_comparison =
                (!machine.is_signed && machine.bits == 32) || random() % 4 == 0;
            CounterRun run;
            run.type = values_of(machine);
            run.unsigned_comparison = machine.unsigned_comparison || !machine.is_signed;
            run.tested_at_end = random() % 3 == 0;
            run.steps_before_test = random() % 3 == 0;
            run.comparison = pick(random, comparisons);
            run.change =
                random() % 3 ? "+" : pick(random, std::array<std::string, 4>{"*", "/", "<<", ">>"});
            const std::array<std::int64_t, 5> bases{0, 0, run.type.highest, run.type.lowest,
                                                    INT32_MAX};
            run.start = pick(random, bases) + std::int64_t(random() % 21) - 10;
            run.end = pick(random, bases) + std::int64_t(random() % 61) - 30;
            run.amount = std::int64_t(random() % 13) - 6;
            if (run.change != "+")
                run.amount = std::int64_t(random() % 4) + (run.change == "/");
            if (!run.type.holds(run.start))
                continue; // the text would have to say what is stored
            const auto real = machine.trips(run);
            const auto told = count_trips(run);
            CAPTURE(text(run));
            if (told && (real || *told <= most_steps))
                REQUIRE(real == told);
            ended += real.has_value();
            counted += real && told;
        }
        // Many loops that end do so without wrapping around, and are counted.
        CHECK(counted > ended * 2 / 5);
    }

    TEST_CASE("the most trips are never exceeded, whichever end or start it is") {
        std::mt19937 random(11);
        int proved = 0;
        for (int i = 0; i < 20000; ++i) {
            Machine machine{random() % 2 == 0, random() % 2 ? 8 : 32, false};
            machine.unsigned_comparison = !machine.is_signed && machine.bits == 32;
            CounterRun run;
            run.type = values_of(machine);
            run.unsigned_comparison = !machine.is_signed;
            run.tested_at_end = random() % 3 == 0;
            run.steps_before_test = random() % 3 == 0;
            run.comparison = pick(random, comparisons);
            run.change =
                random() % 3 ? "+" : pick(random, std::array<std::string, 4>{"*", "/", "<<", ">>"});
            run.start = std::int64_t(random() % 30) - (machine.is_signed ? 10 : 0);
            run.end = random() % 8 ? std::int64_t(random() % 60) - 10 : INT32_MAX;
            run.amount = std::int64_t(random() % 9) - 4;
            if (run.change != "+")
                run.amount = std::int64_t(random() % 4) + (run.change == "/");
            const bool rises = run.comparison[0] == '<';
            const std::int64_t later = rises ? std::int64_t(random() % 9) : 0;
            const auto most = most_trips(run, run.start + later);
            if (!most || *most > most_steps)
                continue;
            ++proved;
            for (int lower = 0; lower < 70; ++lower) {
                CounterRun other = run;
                other.start += later > 0 ? std::int64_t(random()) % (later + 1) : 0;
                std::int64_t& varying = rises ? other.end : other.start;
                varying -= lower;
                if (run.unsigned_comparison && varying < 0)
                    break; // a caller makes sure that it is none
                if (!run.type.holds(other.start))
                    break;
                const auto real = machine.trips(other);
                CAPTURE(text(run));
                CAPTURE(lower);
                REQUIRE(real);
                REQUIRE(*real <= *most);
            }
        }
        CHECK(proved > 1000);
    }

    TEST_CASE("loops as they are written have the trips that the proof says") {
        std::mt19937 random(3);
        int ended = 0, exact = 0, bounded = 0, clamped = 0;
        for (int i = 0; i < 3000; ++i) {
            const Written written = write_loop(random);
            CAPTURE(written.text);
            const ModuleText module(written.text);
            REQUIRE(module.model.loops.size() == 1);
            const TripCount count = trip_count(module.model, 0, {});
            CHECK_FALSE(count.may_end_early);
            REQUIRE((count.exact || count.upper || count.expression_is_constant) ==
                    count.why_unknown.empty());
            if (!written.end_is_clamped) {
                const auto real = written.machine.trips(written.run);
                if (count.exact && *count.exact <= most_steps)
                    REQUIRE(real == count.exact);
                ended += real.has_value();
                exact += real && count.exact;
                continue;
            }
            ++clamped;
            bounded += count.upper.has_value();
            if (count.exact)
                REQUIRE(count.upper);
            if (!count.upper || *count.upper > most_steps)
                continue;
            const bool at_least_two = written.text.find("clamp") != std::string::npos;
            for (std::int64_t n = -9; n < 60; ++n) {
                CounterRun run = written.run;
                const std::int64_t value =
                    written.end_is_unsigned ? std::int64_t(std::uint32_t(n)) : n;
                run.end =
                    std::min(at_least_two ? std::max<std::int64_t>(value, 2) : value, run.end);
                const auto real = written.machine.trips(run);
                CAPTURE(n);
                REQUIRE(real);
                REQUIRE(*real <= *count.upper);
                REQUIRE(std::uint64_t(*real) >= count.lowest);
                if (count.exact)
                    REQUIRE(*real == *count.exact);
            }
        }
        CHECK(exact > ended * 3 / 4);
        CHECK(bounded > clamped / 5);
    }
}
