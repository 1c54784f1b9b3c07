#include "tests/grammar/query.h"

#include "rewriter/grammar/slang_language.h"

#include <algorithm>
#include <stdexcept>
#include <tuple>

namespace slimgrad::tests {

namespace {

std::size_t line_at(std::string_view text, std::size_t offset) {
    return 1 + static_cast<std::size_t>(std::count(
                   text.begin(), text.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
}

} // namespace

Query::Query(std::string_view text) : text_(text), query_(nullptr, ts_query_delete) {
    std::uint32_t offset = 0;
    TSQueryError error = TSQueryErrorNone;
    query_.reset(ts_query_new(tree_sitter_slang(), text_.data(),
                              static_cast<std::uint32_t>(text_.size()), &offset, &error));
    if (!query_)
        throw std::runtime_error("line " + std::to_string(line_at(text_, offset)) +
                                 ": the grammar has no such node, field or pattern (error " +
                                 std::to_string(error) + ")");
    predicates_.resize(pattern_count());
    for (std::uint32_t pattern = 0; pattern < pattern_count(); ++pattern)
        read_predicates(pattern);
}

std::size_t Query::line_of(std::uint32_t pattern) const {
    return line_at(text_, ts_query_start_byte_for_pattern(query_.get(), pattern));
}

std::vector<std::string> Query::capture_names() const {
    std::vector<std::string> names;
    for (std::uint32_t id = 0; id < ts_query_capture_count(query_.get()); ++id) {
        std::uint32_t length = 0;
        const char* name = ts_query_capture_name_for_id(query_.get(), id, &length);
        names.emplace_back(name, length);
    }
    return names;
}

void Query::read_predicates(std::uint32_t pattern) {
    std::uint32_t count = 0;
    const TSQueryPredicateStep* steps =
        ts_query_predicates_for_pattern(query_.get(), pattern, &count);
    auto string_of = [&](const TSQueryPredicateStep& step) {
        std::uint32_t length = 0;
        const char* value = ts_query_string_value_for_id(query_.get(), step.value_id, &length);
        return std::string(value, length);
    };
    const TSQueryPredicateStep* end = steps + count;
    for (const TSQueryPredicateStep* first = steps; first != end;) {
        const TSQueryPredicateStep* last = first;
        while (last->type != TSQueryPredicateStepTypeDone)
            ++last;
        std::string name = string_of(*first);
        if (name != "set!") {
            Predicate predicate{};
            predicate.negated = name.starts_with("not-");
            std::string kind = predicate.negated ? name.substr(4) : name;
            bool known =
                kind == "eq?" || kind == "any-of?" || kind == "match?" || kind == "kind-eq?";
            if (!known || last - first < 3 || first[1].type != TSQueryPredicateStepTypeCapture ||
                (kind != "any-of?" && last - first != 3))
                throw std::runtime_error("line " + std::to_string(line_of(pattern)) +
                                         ": not every editor reads this predicate: " + name);
            predicate.capture = first[1].value_id;
            predicate.of_kind = kind == "kind-eq?";
            for (const TSQueryPredicateStep* step = first + 2; step != last; ++step)
                predicate.values.push_back(string_of(*step));
            if (kind == "match?") {
                predicate.expression = std::regex(predicate.values.front());
                predicate.values.clear();
            }
            predicates_[pattern].push_back(std::move(predicate));
        }
        first = last + 1;
    }
}

bool Query::holds(const Predicate& predicate, const TSQueryMatch& match,
                  std::string_view source) const {
    for (std::uint16_t i = 0; i < match.capture_count; ++i) {
        if (match.captures[i].index != predicate.capture)
            continue;
        TSNode node = match.captures[i].node;
        std::string text(predicate.of_kind ? ts_node_type(node) : text_of(node, source));
        bool found = predicate.values.empty()
                         ? std::regex_search(text, predicate.expression)
                         : std::count(predicate.values.begin(), predicate.values.end(), text) > 0;
        if (found == predicate.negated)
            return false;
    }
    return true;
}

std::vector<Match> Query::matches(TSNode root, std::string_view source) const {
    std::unique_ptr<TSQueryCursor, decltype(&ts_query_cursor_delete)> cursor(
        ts_query_cursor_new(), ts_query_cursor_delete);
    ts_query_cursor_exec(cursor.get(), query_.get(), root);
    std::vector<std::string> names = capture_names();
    std::vector<Match> found;
    for (TSQueryMatch match; ts_query_cursor_next_match(cursor.get(), &match);) {
        const std::vector<Predicate>& predicates = predicates_[match.pattern_index];
        if (!std::all_of(predicates.begin(), predicates.end(), [&](const Predicate& predicate) {
                return holds(predicate, match, source);
            }))
            continue;
        Match result{match.pattern_index, {}};
        for (std::uint16_t i = 0; i < match.capture_count; ++i)
            result.captures.push_back({names[match.captures[i].index], match.captures[i].node});
        found.push_back(std::move(result));
    }
    return found;
}

std::vector<Capture> captures_in_order(const std::vector<Match>& matches) {
    std::vector<std::pair<std::uint32_t, Capture>> captures;
    for (const Match& match : matches)
        for (const Capture& capture : match.captures)
            captures.emplace_back(match.pattern, capture);
    std::stable_sort(captures.begin(), captures.end(), [](const auto& a, const auto& b) {
        auto key = [](const auto& each) {
            return std::tuple(ts_node_start_byte(each.second.node),
                              ~ts_node_end_byte(each.second.node), each.first);
        };
        return key(a) < key(b);
    });
    std::vector<Capture> result;
    for (auto& [pattern, capture] : captures)
        result.push_back(std::move(capture));
    return result;
}

std::string_view text_of(TSNode node, std::string_view source) {
    return source.substr(ts_node_start_byte(node),
                         ts_node_end_byte(node) - ts_node_start_byte(node));
}

} // namespace slimgrad::tests
