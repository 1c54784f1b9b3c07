#include "plugin/cuda/sass_counter.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <string>

namespace slimgrad {
namespace {

using Operands = std::vector<std::string_view>;

/// "R4" of "R4.reuse".
std::string_view trimmed(std::string_view operand) {
    while (operand.starts_with(' '))
        operand.remove_prefix(1);
    while (operand.ends_with(' '))
        operand.remove_suffix(1);
    constexpr std::string_view hint = ".reuse";
    if (operand.ends_with(hint))
        operand.remove_suffix(hint.size());
    return operand;
}

Operands operands(const SassInstruction& instruction) {
    Operands split;
    std::string_view text = instruction.operands;
    while (!text.empty()) {
        const std::size_t end = std::min(text.find(','), text.size());
        split.push_back(trimmed(text.substr(0, end)));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return split;
}

bool is_zero(std::string_view operand) {
    return operand == "RZ" || operand == "-RZ" || operand == "URZ" || operand == "SRZ";
}

/// A constant: "0x40", "-0x1", "RZ".
std::optional<std::int64_t> constant(std::string_view operand) {
    if (is_zero(operand))
        return 0;
    const bool negative = operand.starts_with('-');
    if (negative)
        operand.remove_prefix(1);
    if (!operand.starts_with("0x"))
        return std::nullopt;
    std::int64_t value = 0;
    const char* end = operand.data() + operand.size();
    const auto read = std::from_chars(operand.data() + 2, end, value, 16);
    if (read.ec != std::errc() || read.ptr != end)
        return std::nullopt;
    if (!negative && value > INT32_MAX) // "0xffffffff" is -1
        value = static_cast<std::int32_t>(value);
    return negative ? -value : value;
}

/// The bits of a number that is printed as half precision, where they are those of a small integer:
/// HFMA2 writes constants so.
std::optional<std::int64_t> half_bits(std::string_view operand) {
    const double value = std::strtod(std::string(operand).c_str(), nullptr);
    const double bits = std::ldexp(value, 24); // a subnormal half
    if (bits < 0 || bits >= 1024 || bits != std::floor(bits))
        return std::nullopt;
    return static_cast<std::int64_t>(bits);
}

/// What the instruction puts into its first register, where that is a constant, or at most one.
std::optional<std::int64_t> constant_result(const SassInstruction& instruction) {
    const Operands of = operands(instruction);
    const std::string_view name = instruction.name();
    if ((name == "MOV" || name == "UMOV" || name == "CS2R") && of.size() >= 2)
        return constant(of[1]);
    if (instruction.operation.starts_with("IMAD.MOV") && of.size() == 4 && is_zero(of[1]))
        return constant(of[3]);
    if (name == "HFMA2" && of.size() == 5 && is_zero(of[1]) && is_zero(of[2]) && of[3] == "0")
        return half_bits(of[4]);
    // x & mask, what is left over of an unrolled loop: at most the mask.
    if (name.ends_with("LOP3") && of.size() >= 5 && is_zero(of[3]) && of[4] == "0xc0")
        return constant(of[2]);
    return std::nullopt;
}

std::size_t written_registers(const SassInstruction& instruction) {
    const std::string_view operation = instruction.operation, name = instruction.name();
    if (operation.find(".128") != std::string_view::npos || name.starts_with("T"))
        return 4;
    if (operation.find(".64") != std::string_view::npos ||
        operation.find(".WIDE") != std::string_view::npos || name.starts_with("D") ||
        name == "CS2R")
        return 2;
    return 1;
}

/// Whether the instruction may write the register "R4" or "UR4".
bool writes(const SassInstruction& instruction, std::string_view reg) {
    const std::string_view name = instruction.name();
    if (name.starts_with("ST") || name == "RED" || name == "BRA" || name == "BRX")
        return false;
    const std::size_t digits = reg.find_first_of("0123456789");
    const auto number = [&](std::string_view text) {
        return std::atoi(std::string(text.substr(digits)).c_str());
    };
    const Operands of = operands(instruction);
    for (std::size_t i = 0; i < std::min<std::size_t>(of.size(), 2); ++i) {
        const std::string_view first = of[i];
        const bool predicate = first.starts_with('P') || first.starts_with("UP");
        if (first.size() > digits && first.starts_with(reg.substr(0, digits)) &&
            first.find_first_not_of("0123456789", digits) == std::string_view::npos) {
            const int from = number(first), wanted = number(reg);
            if (from <= wanted && wanted < from + static_cast<int>(written_registers(instruction)))
                return true;
        }
        if (!predicate)
            return false;
    }
    return false;
}

bool names(std::string_view text, std::string_view predicate) {
    for (std::size_t at = text.find(predicate); at != std::string_view::npos;
         at = text.find(predicate, at + 1)) {
        const std::size_t end = at + predicate.size();
        const bool starts = at == 0 || std::string_view(" ,!").find(text[at - 1]) != text.npos;
        if (starts && (end == text.size() || std::string_view(" ,").find(text[end]) != text.npos))
            return true;
    }
    return false;
}

class CounterReader {
  public:
    CounterReader(const SassCode& code, const SassFlow& flow, const SassLoop& loop)
        : code_(code), flow_(flow), loop_(loop) {}

    std::optional<SassCounter> read() const {
        std::optional<SassCounter> first;
        for (const std::size_t block : loop_.blocks) {
            if (!leaves(block))
                continue;
            const SassInstruction& exit = code_.instructions[flow_.blocks[block].end - 1];
            const auto counter = counter_of(exit, flow_.blocks[block].end - 1);
            if (counter &&
                (!first || (counter->trips && (!first->trips || *counter->trips < *first->trips))))
                first = counter;
        }
        return first;
    }

  private:
    bool leaves(std::size_t block) const {
        const std::vector<std::size_t>& next = flow_.blocks[block].next;
        return std::any_of(next.begin(), next.end(),
                           [&](std::size_t to) { return !loop_.holds(to); }) ||
               code_.instructions[flow_.blocks[block].end - 1].name() == "EXIT";
    }

    /// By the comparison above an exit that sets one of the predicates which decide it.
    std::optional<SassCounter> counter_of(const SassInstruction& exit, std::size_t index) const {
        const std::size_t begin = flow_.blocks[loop_.header].begin;
        while (index > begin) {
            const SassInstruction& test = code_.instructions[--index];
            if (!test.name().ends_with("ISETP"))
                continue;
            const Operands of = operands(test);
            if (of.size() != 5 || !of[4].ends_with("PT") ||
                !(names(exit.predicate, of[0]) || names(exit.operands, of[0])))
                continue;
            const auto end = constant(of[3]);
            const auto step = step_of(of[2]);
            if (!step)
                return std::nullopt;
            SassCounter counter{static_cast<std::uint64_t>(std::abs(*step)), std::nullopt};
            const auto start = end ? start_of(of[2]) : std::nullopt;
            if (start)
                counter.trips = trips(*start, *end, *step, test.operation);
            return counter;
        }
        return std::nullopt;
    }

    /// What the loop adds to the register, if that is all that it does to it.
    std::optional<std::int64_t> step_of(std::string_view reg) const {
        if (!reg.starts_with('R') && !reg.starts_with("UR"))
            return std::nullopt;
        std::optional<std::int64_t> step;
        for (const std::size_t block : loop_.blocks)
            for (std::size_t i = flow_.blocks[block].begin; i < flow_.blocks[block].end; ++i) {
                const SassInstruction& instruction = code_.instructions[i];
                if (!writes(instruction, reg))
                    continue;
                if (step || !instruction.predicate.empty())
                    return std::nullopt;
                step = addition(instruction, reg);
                if (!step)
                    return std::nullopt;
            }
        return step && *step != 0 ? step : std::nullopt;
    }

    static std::optional<std::int64_t> addition(const SassInstruction& instruction,
                                                std::string_view reg) {
        const std::string_view name = instruction.name();
        const Operands of = operands(instruction);
        const bool adds = name == "IADD3" || name == "UIADD3" || name == "IADD" || name == "VIADD";
        if (!adds || of.size() < 3 || of[1] != reg || (of.size() > 3 && !is_zero(of[3])))
            return std::nullopt;
        return constant(of[2]);
    }

    /// The constant that the register holds when the loop begins.
    std::optional<std::int64_t> start_of(std::string_view reg) const {
        for (std::size_t i = flow_.blocks[loop_.header].begin; i-- > 0;) {
            const SassInstruction& instruction = code_.instructions[i];
            if (writes(instruction, reg))
                return instruction.predicate.empty() ? constant_result(instruction) : std::nullopt;
        }
        return std::nullopt;
    }

    static std::optional<std::uint64_t> trips(std::int64_t start, std::int64_t end,
                                              std::int64_t step, std::string_view test) {
        const std::int64_t way = end - start;
        if (way == 0 || (way > 0) != (step > 0))
            return std::nullopt;
        if (test.find(".NE") != std::string_view::npos && way % step != 0)
            return std::nullopt;
        return static_cast<std::uint64_t>((std::abs(way) + std::abs(step) - 1) / std::abs(step));
    }

    const SassCode& code_;
    const SassFlow& flow_;
    const SassLoop& loop_;
};

} // namespace

std::optional<SassCounter> loop_counter(const SassCode& code, const SassFlow& flow,
                                        const SassLoop& loop) {
    return CounterReader(code, flow, loop).read();
}

} // namespace slimgrad
