#include "tests/unit/rewriter/lowered_loops.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <map>
#include <set>

namespace slimgrad {
namespace {

/// Takes the next line without the white space around it.
std::string_view next_line(std::string_view& text) {
    const auto end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t'))
        line.remove_suffix(1);
    return line;
}

bool is_source(std::string_view line) {
    return line.starts_with("let ") && line.find("= DebugSource(\"") != std::string_view::npos;
}

bool is_loop_attribute(std::string_view line) {
    return line.starts_with("[ForceUnroll(") || line.starts_with("[loopMaxIters(") ||
           line.starts_with("[loopControl(");
}

bool is_needed(std::string_view line) {
    static constexpr std::array<std::string_view, 6> beginnings = {
        "func %", "block %", "loop(", "unconditionalBranch(", "DebugLine(", "[DebugLocation("};
    return is_loop_attribute(line) ||
           std::any_of(beginnings.begin(), beginnings.end(),
                       [&](std::string_view beginning) { return line.starts_with(beginning); });
}

/// "%15" of `let  %15	: Void	= ...`, `DebugLine(%15, ...)`.
std::string first_name(std::string_view line) {
    const auto begin = line.find('%');
    const auto end = line.find_first_of(" \t,)", std::min(begin, line.size()));
    return begin == std::string_view::npos ? "" : std::string(line.substr(begin, end - begin));
}

/// The text between the first `"` and the next one that no `\` stands before.
std::string first_string(std::string_view line) {
    std::string text;
    for (auto i = line.find('"') + 1; i < line.size() && line[i] != '"'; ++i) {
        i += line[i] == '\\';
        text += i < line.size() ? line[i] : '\\';
    }
    return text;
}

/// The numbers of `(%15, 34 : UInt, 10 : UInt)`.
std::vector<std::uint32_t> numbers(std::string_view line) {
    std::vector<std::uint32_t> values;
    for (auto comma = line.find(", "); comma != std::string_view::npos;
         comma = line.find(", ", comma + 2))
        values.push_back(static_cast<std::uint32_t>(
            std::strtoul(std::string(line.substr(comma + 2, 12)).c_str(), nullptr, 10)));
    return values;
}

/// "loopMaxIters(8)" of `[loopMaxIters(8 : Int)]`.
std::string attribute(std::string_view line) {
    const auto open = line.find('('), end = line.find_first_of(" )", open);
    return std::string(line.substr(1, end - 1)) + ')';
}

/// What `text` shows of one function's loops until it has been read.
struct Reading {
    std::vector<Place> before;
    std::vector<std::string> attributes;
    std::vector<std::string> heads; ///< of the function's loops: the block that is repeated
    std::set<std::string> targets;  ///< of its branches
};

/// A region that statements can leave early, such as `if (let x = y)`, is a loop to the IR that
/// nothing branches back into.
void drop_regions(std::vector<LoweredFunction>& functions, Reading& reading) {
    for (std::size_t i = reading.heads.size(); i-- > 0;)
        if (!reading.targets.count(reading.heads[i]))
            functions.back().loops.erase(functions.back().loops.begin() +
                                         static_cast<std::ptrdiff_t>(i));
    reading = {};
}

} // namespace

std::string what_loops_need(std::string_view ir) {
    std::string kept;
    while (!ir.empty()) {
        const std::string_view line = next_line(ir);
        if (is_source(line))
            kept += std::string("let ") + first_name(line) + " = DebugSource(\"" +
                    // The source's text is the second argument.
                    std::string(
                        line.substr(line.find('"') + 1, line.find("\", \"") - line.find('"') - 1)) +
                    "\")\n";
        else if (is_needed(line))
            kept.append(line).append("\n");
    }
    return kept;
}

std::vector<LoweredFunction> lowered_functions(std::string_view ir) {
    std::vector<LoweredFunction> functions;
    std::map<std::string, std::string> sources;
    const auto place = [&](const std::string& source, std::uint32_t line, std::uint32_t column) {
        const auto file = sources.find(source);
        return Place{file == sources.end() ? "" : file->second, line, column};
    };
    Place location;
    Reading reading;
    for (std::string_view text = ir; !text.empty();) {
        const std::string_view line = next_line(text);
        if (is_source(line))
            sources[first_name(line)] = first_string(line);
    }
    while (!ir.empty()) {
        const std::string_view line = next_line(ir);
        if (line.starts_with("[DebugLocation(")) {
            if (const auto at = numbers(line); at.size() == 2)
                location = place(first_name(line), at[0], at[1]);
        } else if (line.starts_with("func %")) {
            drop_regions(functions, reading);
            // A declaration ends in a semicolon.
            if (!line.ends_with(';'))
                functions.push_back({first_name(line).substr(1), location, {}, {}});
            location = {};
        } else if (line.starts_with("block %")) {
            reading.before.clear();
            reading.attributes.clear();
        } else if (functions.empty()) {
            continue;
        } else if (line.starts_with("DebugLine(")) {
            if (const auto at = numbers(line); at.size() == 4) {
                reading.before.insert(reading.before.begin(),
                                      place(first_name(line), at[0], at[2]));
                functions.back().lines.push_back(reading.before.front());
            }
        } else if (is_loop_attribute(line)) {
            reading.attributes.push_back(attribute(line));
        } else if (line.starts_with("unconditionalBranch(")) {
            reading.targets.insert(first_name(line));
        } else if (line.starts_with("loop(")) {
            functions.back().loops.push_back({reading.before, reading.attributes});
            reading.heads.push_back(first_name(line));
            reading.attributes.clear();
        }
    }
    drop_regions(functions, reading);
    return functions;
}

} // namespace slimgrad
