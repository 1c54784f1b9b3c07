#include "plugin/verify/ptx.h"

#include "plugin/verify/texture.h"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstring>
#include <type_traits>
#include <vector>

namespace slimgrad::verify {
namespace {

/// One argument of an instruction: an operand of the statement, a number, or a special register.
struct Argument {
    const PtxOperand* operand = nullptr;
    std::int64_t number = 0;
    std::string_view special; ///< "laneid"
};

struct Instruction {
    std::vector<std::string_view> name; ///< "red", "relaxed", "gpu", "global", "add", "s32"
    std::vector<Argument> arguments;    ///< in order, without brackets
};

bool read_arguments(std::string_view text, const PtxOperand* operands, std::uint32_t count,
                    std::vector<Argument>& arguments) {
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (c == '%' || c == '-' || std::isdigit(static_cast<unsigned char>(c))) {
            const std::size_t begin = i + (c == '%' ? 1 : 0);
            std::size_t end = begin + (c == '-' ? 1 : 0);
            while (end < text.size() && std::isalnum(static_cast<unsigned char>(text[end])))
                ++end;
            const std::string_view word = text.substr(begin, end - begin);
            Argument argument;
            const auto [rest, error] =
                std::from_chars(word.data(), word.data() + word.size(), argument.number);
            if (error != std::errc{} || rest != word.data() + word.size())
                argument.special = word;
            else if (c == '%') {
                if (argument.number < 0 || argument.number >= count)
                    return false;
                argument.operand = &operands[argument.number];
            }
            arguments.push_back(argument);
            i = end;
        } else if (std::strchr("[]{}, \t\n", c)) {
            ++i;
        } else {
            return false;
        }
    }
    return true;
}

bool read_instruction(std::string_view text, const PtxOperand* operands, std::uint32_t count,
                      Instruction& instruction) {
    const std::size_t blank = text.find_first_of(" \t");
    std::string_view name = text.substr(0, blank);
    while (!name.empty()) {
        const std::size_t dot = std::min(name.find('.'), name.size());
        instruction.name.push_back(name.substr(0, dot));
        name.remove_prefix(std::min(dot + 1, name.size()));
    }
    return blank != std::string_view::npos &&
           read_arguments(text.substr(blank), operands, count, instruction.arguments);
}

bool is(const Instruction& instruction, std::string_view part) {
    return std::find(instruction.name.begin(), instruction.name.end(), part) !=
           instruction.name.end();
}

template <class T> T read(const Argument& argument) {
    T value{};
    if (!argument.operand) {
        if constexpr (std::is_arithmetic_v<T>)
            value = static_cast<T>(argument.number);
        return value; // no address
    }
    std::memcpy(&value, argument.operand->data,
                std::min<std::size_t>(sizeof value, argument.operand->bytes));
    return value;
}

void write(const Argument& argument, std::uint32_t word) {
    if (argument.operand)
        std::memcpy(argument.operand->data, &word,
                    std::min<std::size_t>(sizeof word, argument.operand->bytes));
}

template <class T> bool reduce_as(const Instruction& instruction) {
    auto* const address = read<T*>(instruction.arguments[0]);
    const T value = read<T>(instruction.arguments[1]);
    T old;
    std::memcpy(&old, address, sizeof old);
    T result{};
    if (is(instruction, "add"))
        result = static_cast<T>(old + value);
    else if (is(instruction, "min"))
        result = std::min(old, value);
    else if (is(instruction, "max"))
        result = std::max(old, value);
    else if constexpr (std::is_unsigned_v<T>) {
        if (is(instruction, "and"))
            result = old & value;
        else if (is(instruction, "or"))
            result = old | value;
        else if (is(instruction, "xor"))
            result = old ^ value;
        else
            return false;
    } else
        return false;
    std::memcpy(address, &result, sizeof result);
    return true;
}

/// `halves` 16-bit floats, one after another.
bool add_halves(const Instruction& instruction, std::uint32_t halves) {
    if (!is(instruction, "add"))
        return false;
    auto* const address = read<std::uint16_t*>(instruction.arguments[0]);
    const auto values = read<std::uint32_t>(instruction.arguments[1]);
    for (std::uint32_t i = 0; i < halves; ++i)
        address[i] = static_cast<std::uint16_t>(
            bits_of_value(value_of_bits(address[i], ScalarKind::half) +
                              value_of_bits(values >> (16 * i) & 0xffff, ScalarKind::half),
                          ScalarKind::half));
    return true;
}

bool reduce(const Instruction& instruction) {
    if (instruction.arguments.size() != 2 || !instruction.arguments[0].operand)
        return false;
    const std::string_view type = instruction.name.back();
    if (type == "s32")
        return reduce_as<std::int32_t>(instruction);
    if (type == "u32" || type == "b32")
        return reduce_as<std::uint32_t>(instruction);
    if (type == "s64")
        return reduce_as<std::int64_t>(instruction);
    if (type == "u64" || type == "b64")
        return reduce_as<std::uint64_t>(instruction);
    if (type == "f32")
        return reduce_as<float>(instruction);
    if (type == "f64")
        return reduce_as<double>(instruction);
    return (type == "f16" && add_halves(instruction, 1)) ||
           (type == "f16x2" && add_halves(instruction, 2));
}

bool query(const Instruction& instruction) {
    if (instruction.arguments.size() != 2 || !instruction.arguments[1].operand)
        return false;
    const auto* texture = read<const HostTexture*>(instruction.arguments[1]);
    std::uint32_t answer = 0;
    if (is(instruction, "width"))
        answer = texture->sizes[0];
    else if (is(instruction, "height"))
        answer = texture->sizes[1];
    else if (is(instruction, "depth"))
        answer = texture->sizes[2];
    else if (is(instruction, "array_size"))
        answer = texture->sizes[texture->dimensions - 1];
    else
        return false;
    write(instruction.arguments[0], answer);
    return true;
}

/// tex.level.a2d.v4.f32.s32 {r, g, b, a}, [handle, {layer, x, y, unused}], level
bool fetch_texel(const Instruction& instruction) {
    constexpr std::size_t components = 4;
    if (instruction.arguments.size() < components + 3 || !is(instruction, "v4") ||
        instruction.name.back() != "s32" || !instruction.arguments[components].operand)
        return false;
    const auto* texture = read<const HostTexture*>(instruction.arguments[components]);
    const auto coordinate = [&](std::size_t i) {
        return read<std::int32_t>(instruction.arguments[components + 1 + i]);
    };
    Texel texel{};
    if (is(instruction, "1d") || is(instruction, "2d") || is(instruction, "3d")) {
        int at[3] = {};
        for (std::size_t i = 0; i < texture->dimensions; ++i)
            at[i] = coordinate(i);
        texel = fetch(*texture, TextureForm::plane, at);
    } else if (is(instruction, "a1d")) {
        const int at[3] = {coordinate(1), coordinate(0), 0};
        texel = fetch(*texture, TextureForm::line_array, at);
    } else if (is(instruction, "a2d")) {
        const int at[3] = {coordinate(1), coordinate(2), coordinate(0)};
        texel = fetch(*texture, TextureForm::plane_array, at);
    } else {
        return false;
    }
    for (std::size_t i = 0; i < components; ++i)
        write(instruction.arguments[i], texel[i]);
    return true;
}

bool run(const Instruction& instruction, std::uint32_t lane) {
    const std::string_view name = instruction.name.front();
    if (name == "red")
        return reduce(instruction);
    if (name == "txq" || name == "suq")
        return query(instruction);
    if (name == "tex")
        return fetch_texel(instruction);
    if (name == "mov" && instruction.arguments.size() == 2 &&
        instruction.arguments[1].special == "laneid") {
        write(instruction.arguments[0], lane);
        return true;
    }
    return false;
}

} // namespace

PtxReduction ptx_reduction(std::string_view code, const PtxOperand* operands, std::uint32_t count) {
    code = code.substr(0, code.find(';'));
    Instruction instruction;
    if (!code.starts_with("red.") || !read_instruction(code, operands, count, instruction) ||
        instruction.arguments.empty() || !instruction.arguments[0].operand)
        return {};
    const std::string_view type = instruction.name.back();
    const std::uint32_t bytes = type.ends_with("64") ? 8 : type == "f16" ? 2 : 4;
    return {read<const void*>(instruction.arguments[0]), bytes, !type.starts_with('f')};
}

std::string run_ptx(std::string_view code, const PtxOperand* operands, std::uint32_t count,
                    std::uint32_t lane) {
    while (!code.empty()) {
        const std::size_t end = std::min(code.find(';'), code.size());
        std::string_view text = code.substr(0, end);
        code.remove_prefix(std::min(end + 1, code.size()));
        const std::size_t begin = text.find_first_not_of(" \t\n");
        if (begin == std::string_view::npos)
            continue;
        text.remove_prefix(begin);
        Instruction instruction;
        if (!read_instruction(text, operands, count, instruction) || !run(instruction, lane))
            return std::string(text);
    }
    return "";
}

} // namespace slimgrad::verify
