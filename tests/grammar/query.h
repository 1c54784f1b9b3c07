#pragma once

#include <tree_sitter/api.h>

#include <cstdint>
#include <memory>
#include <regex>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad::tests {

/// A node that a query captured, and under which name.
struct Capture {
    std::string name; ///< without `@`
    TSNode node;
};

/// What one pattern of a query matched.
struct Match {
    std::uint32_t pattern; ///< counted from 0 in the order of the file
    std::vector<Capture> captures;
};

/// One of the grammar's queries (`queries/*.scm`), run as editors run it: with the predicates
/// `eq?`, `any-of?`, `match?` and their `not-` forms. `set!` says nothing about what matches. Any
/// other predicate is an error: not every editor has it.
class Query {
  public:
    /// Throws std::runtime_error with the line if the text is no query of this grammar.
    explicit Query(std::string_view text);

    /// Every match in the order in which tree-sitter gives them.
    std::vector<Match> matches(TSNode root, std::string_view source) const;

    std::uint32_t pattern_count() const { return ts_query_pattern_count(query_.get()); }

    /// The line of a pattern in the query's text, counted from 1.
    std::size_t line_of(std::uint32_t pattern) const;

    /// The names that its patterns use.
    std::vector<std::string> capture_names() const;

  private:
    struct Predicate {
        std::uint32_t capture;
        bool negated;
        bool of_kind;                    ///< the node's kind counts, not its text
        std::vector<std::string> values; ///< one of them; empty: `expression`
        std::regex expression;
    };

    void read_predicates(std::uint32_t pattern);
    bool holds(const Predicate& predicate, const TSQueryMatch& match,
               std::string_view source) const;

    std::string text_;
    std::unique_ptr<TSQuery, decltype(&ts_query_delete)> query_;
    std::vector<std::vector<Predicate>> predicates_; ///< by pattern
};

/// All captures of these matches by place: what begins first, then what is longer, then the earlier
/// pattern.
std::vector<Capture> captures_in_order(const std::vector<Match>& matches);

std::string_view text_of(TSNode node, std::string_view source);

} // namespace slimgrad::tests
