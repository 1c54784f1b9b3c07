#include "plugin/slang/report_rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <optional>

namespace slimgrad::slang_plugin {
namespace {

struct Row {
    std::string_view code;
    std::string_view severity;
    Place place;
    std::string_view text;
};

bool parse_number(std::string_view text, std::uint32_t& number) {
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

std::optional<Row> parse_row(std::string_view line) {
    std::array<std::string_view, 7> fields;
    for (std::string_view& field : fields) {
        auto tab = line.find('\t');
        if (tab == std::string_view::npos)
            return std::nullopt;
        field = line.substr(0, tab);
        line.remove_prefix(tab + 1);
    }
    Row row{fields[0], fields[1], {std::string(fields[2]), 0, 0}, line};
    std::uint32_t ignored = 0;
    if (!row.code.starts_with('E') || !parse_number(fields[3], row.place.line) ||
        !parse_number(fields[4], row.place.column) || !parse_number(fields[5], ignored) ||
        !parse_number(fields[6], ignored))
        return std::nullopt;
    return row;
}

/// "`before`5048`after`..." -> 5048, and shortens `text` to what follows `after`.
std::optional<std::uint64_t> take_number(std::string_view& text, std::string_view before,
                                         std::string_view after) {
    if (!text.starts_with(before))
        return std::nullopt;
    std::uint64_t number = 0;
    const char* begin = text.data() + before.size();
    auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
    std::string_view rest(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (error != std::errc() || !rest.starts_with(after))
        return std::nullopt;
    text = rest.substr(after.size());
    return number;
}

std::optional<CheckpointContext> as_context(const Row& row) {
    std::string_view text = row.text;
    auto bytes = take_number(text, "checkpointing context of ", " bytes associated with: '");
    if (row.severity != "note" || !bytes || !text.ends_with('\''))
        return std::nullopt;
    text.remove_suffix(1);
    return CheckpointContext{std::string(text), row.place, *bytes, {}, true};
}

/// "544 bytes (FixedArray<Vector<float, 4> , 34> )" or "3 instances of 16 bytes (...)", where an
/// unrolled loop stores several values from one place.
std::optional<CheckpointValue> as_value(const Row& row) {
    std::string_view text = row.text;
    const std::uint64_t count = take_number(text, "", " instances of ").value_or(1);
    auto bytes = take_number(text, "", " bytes (");
    if (!bytes || !text.ends_with(')'))
        return std::nullopt;
    text.remove_suffix(1);
    std::string type;
    for (char c : text) { // the compiler writes "Vector<float, 4> " and "float"
        if (c == '>' || c == ',' || c == ')')
            while (type.ends_with(' '))
                type.pop_back();
        type += c;
    }
    while (type.ends_with(' '))
        type.pop_back();
    return CheckpointValue{row.place, type, count * *bytes, static_cast<std::uint32_t>(count)};
}

/// What the first span says is the headline again, with names: "member not found" and "'x' is not a
/// member of 'S'." Only a word or two are a label beside it.
void add_detail(std::string& message, std::string_view detail) {
    while (detail.ends_with('.') || detail.ends_with(' '))
        detail.remove_suffix(1);
    if (std::count(detail.begin(), detail.end(), ' ') >= 2 || detail.starts_with(message))
        message = detail;
    else if (!detail.empty())
        message.append(": ").append(detail);
}

/// A line that the compiler adds to its own errors, for its own users.
bool is_advertisement(std::string_view line) {
    return line.starts_with("For assistance, file an issue");
}

DiagnosticSeverity severity_of(std::string_view name) {
    if (name == "note")
        return DiagnosticSeverity::note;
    if (name == "warning")
        return DiagnosticSeverity::warning;
    return DiagnosticSeverity::error; // "error", "fatal error", "internal error"
}

} // namespace

ReportRows parse_rows(std::string_view text, const std::function<Place(Place)>& locate) {
    ReportRows rows;
    bool in_context = false;
    bool in_diagnostic = false; // that the lines which follow may continue
    bool first_span = false;    // of a diagnostic: the one that says what its headline is about
    while (!text.empty()) {
        const auto end = text.find('\n');
        std::string_view line = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        std::optional<Row> row = parse_row(line);
        if (!row) {
            if (is_advertisement(line))
                continue;
            if (in_diagnostic)
                rows.diagnostics.back().message.append("\n").append(line);
            else if (!line.empty())
                rows.diagnostics.push_back({DiagnosticSeverity::error, "", std::string(line), {}});
            in_diagnostic = !rows.diagnostics.empty();
            continue;
        }
        row->place = locate(row->place);
        if (row->severity == "span" || row->severity == "note-span") {
            if (std::optional<CheckpointValue> value; in_context && (value = as_value(*row)))
                rows.contexts.back().values.push_back(std::move(*value));
            else if (first_span && row->severity == "span")
                add_detail(rows.diagnostics.back().message, row->text);
            first_span = false;
            continue;
        }
        first_span = false;
        if (std::optional<CheckpointContext> context = as_context(*row)) {
            rows.contexts.push_back(std::move(*context));
            in_context = true;
            in_diagnostic = false;
            continue;
        }
        in_context = false;
        in_diagnostic = false;
        if (row->text == "no checkpoint contexts to report")
            continue;
        std::string code(row->code == "E" ? std::string_view() : row->code);
        rows.diagnostics.push_back(
            {severity_of(row->severity), code, std::string(row->text), row->place});
        in_diagnostic = first_span = true;
    }
    for (Diagnostic& diagnostic : rows.diagnostics)
        while (diagnostic.message.ends_with('\n'))
            diagnostic.message.pop_back();
    return rows;
}

} // namespace slimgrad::slang_plugin
