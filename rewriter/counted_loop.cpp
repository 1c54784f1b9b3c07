#include "rewriter/file_reader.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace slimgrad {

namespace {

std::string negated(const std::string& step) {
    if (step.starts_with('-') && step.find_first_of("+-*/ ", 1) == std::string::npos)
        return step.substr(1);
    const bool one_word = step.find_first_not_of(
                              "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_.") ==
                          std::string::npos;
    return one_word ? "-" + step : "-(" + step + ")";
}

/// The operator seen from the other side: `n > i` is `i < n`.
std::string_view mirrored(std::string_view comparison) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 4> pairs{
        {{"<", ">"}, {">", "<"}, {"<=", ">="}, {">=", "<="}}};
    for (const auto& [from, to] : pairs) {
        if (comparison == from)
            return to;
    }
    return comparison;
}

/// What holds where the comparison does not; "" where that is no order.
std::string_view opposite(std::string_view comparison) {
    constexpr std::array<std::pair<std::string_view, std::string_view>, 5> pairs{
        {{"<", ">="}, {">=", "<"}, {">", "<="}, {"<=", ">"}, {"==", "!="}}};
    for (const auto& [from, to] : pairs) {
        if (comparison == from)
            return to;
    }
    return "";
}

bool is_comparison(std::string_view op) {
    return op == "<" || op == "<=" || op == ">" || op == ">=" || op == "!=";
}

SyntaxNode without_parentheses(SyntaxNode node) {
    while (node.is("parenthesized_expression") && node.children().size() == 1)
        node = node.children()[0];
    return node;
}

class LoopParts {
  public:
    LoopParts(const FileReader& reader, SyntaxNode node, Loop& loop)
        : reader_(reader), node_(node), loop_(loop) {}

    /// The `break` that the loop's condition stands before, if that is one in the body.
    ByteRange read() {
        const SyntaxNode exit = leading_exit();
        if (exit)
            conjuncts(exit.field("condition"), true);
        else
            conjuncts(node_.field("condition"), false);
        // The counter is a name that the condition tests: one that the initializer sets and that
        // is stepped, else what is stepped, else what is set.
        const bool found = find_counter([&](const std::string& name) {
                               return find_start(initializer(), name) && is_stepped(name);
                           }) ||
                           find_counter([&](const std::string& name) { return is_stepped(name); });
        if (!found &&
            !find_counter([&](const std::string& name) { return find_start(initializer(), name); }))
            only_initializer(initializer());
        if (!found && !loop_.counter.empty())
            read_step();
        if (!exit || loop_.comparison.empty())
            return {};
        loop_.condition = reader_.site(exit.field("condition")).range;
        return only_statement(exit.field("consequence")).range();
    }

  private:
    /// A part of the condition; `negated`: the loop goes on while it does not hold.
    struct Condition {
        SyntaxNode node;
        bool negated = false;
    };

    /// `i < end`, `end > i`, `!(i >= end)`, `i-- > end`, `--i > end`, `i` for `i != 0`, and `i--`.
    struct Test {
        std::string counter;
        std::string comparison;
        SyntaxNode end;  ///< none is 0
        SyntaxNode step; ///< of the counter, where the test holds it
    };

    SyntaxNode initializer() const { return node_.field("initializer"); }

    /// Where the value stands; nowhere in what a macro stands for.
    ByteRange range_of(SyntaxNode value) const {
        return value && !reader_.expanded ? without_parentheses(value).range() : ByteRange{};
    }

    /// "n" for `(n)`, as macros write their arguments.
    std::string value_of(SyntaxNode node) const {
        return reader_.source(without_parentheses(node));
    }

    /// `s` of `{ s }` and of `s`.
    static SyntaxNode only_statement(SyntaxNode statement) {
        return statement.is("block") && statement.children().size() == 1 ? statement.children()[0]
                                                                         : statement;
    }

    /// `if (i >= n) break;` where the body begins, of a loop that has no other condition: it ends
    /// there as it would in its head. No #if may stand between: it could put text before it.
    SyntaxNode leading_exit() const {
        const SyntaxNode condition = without_parentheses(node_.field("condition"));
        const bool is_endless = !condition || reader_.source(condition) == "true";
        const bool may_begin_so = node_.is("for_statement") || node_.is("while_statement");
        const SyntaxNode body = node_.field("body");
        if (reader_.expanded || !is_endless || !may_begin_so || !body.is("block") ||
            body.children().empty())
            return {};
        const SyntaxNode exit = body.children()[0];
        const SyntaxNode leave = only_statement(exit.field("consequence"));
        if (!exit.is("if_statement") || exit.field("alternative") || !leave.is("break_statement") ||
            leave.field("label"))
            return {};
        const ByteRange before{body.range().begin, exit.range().end};
        const auto& directives = reader_.model.inactive[reader_.file];
        const bool has_directive =
            std::any_of(directives.begin(), directives.end(), [&](ByteRange range) {
                return range.begin < before.end && before.begin < range.end;
            });
        return has_directive ? SyntaxNode() : exit;
    }

    /// `a && b && c` taken apart, and `a || b || c` of what ends the loop.
    void conjuncts(SyntaxNode condition, bool negated) {
        condition = without_parentheses(condition);
        while (condition.is("binary_expression") &&
               reader_.source(condition.field("operator")) == (negated ? "||" : "&&")) {
            conditions_.push_back({without_parentheses(condition.field("right")), negated});
            condition = without_parentheses(condition.field("left"));
        }
        conditions_.push_back({condition, negated});
        std::reverse(conditions_.begin(), conditions_.end());
    }

    /// What a condition may mean as a test of a counter: `i < n` of `i`, and of `n`.
    std::vector<Test> tests(Condition of) const {
        auto [condition, negated] = of;
        while (condition.is("unary_expression") &&
               reader_.source(condition.field("operator")) == "!") {
            negated = !negated;
            condition = without_parentheses(condition.field("argument"));
        }
        if (condition.is("update_expression") && !negated)
            return {{changed_by(condition), "!=", {}, condition}};
        if (condition.is("identifier") && !negated)
            return {{reader_.source(condition), "!=", {}, {}}};
        const std::string written = reader_.source(condition.field("operator"));
        const std::string comparison = negated ? std::string(opposite(written)) : written;
        if (!condition.is("binary_expression") || !is_comparison(comparison))
            return {};
        std::vector<Test> result;
        for (const bool mirror : {false, true}) {
            const SyntaxNode side = without_parentheses(condition.field(mirror ? "right" : "left"));
            const bool steps = side.is("update_expression");
            if (!steps && !side.is("identifier"))
                continue;
            result.push_back({steps ? changed_by(side) : reader_.source(side),
                              std::string(mirror ? mirrored(comparison) : comparison),
                              condition.field(mirror ? "left" : "right"),
                              steps ? side : SyntaxNode()});
        }
        return result;
    }

    bool is_stepped(const std::string& name) {
        loop_.counter = name;
        read_step();
        return !loop_.step.empty() || !loop_.scaling.empty();
    }

    /// Tries the names that are tested, in the order of the text.
    template <class Accepts> bool find_counter(Accepts accepts) {
        const Loop before = loop_;
        for (const Condition& condition : conditions_) {
            for (const Test& test : tests(condition)) {
                step_in_condition_ = test.step;
                if (accepts(test.counter)) {
                    take(test);
                    return true;
                }
                loop_ = before;
            }
        }
        step_in_condition_ = {};
        return false;
    }

    /// `first` and all other tests of its counter that do not step it.
    void take(const Test& first) {
        loop_.comparison = first.comparison;
        loop_.end = first.end ? value_of(first.end) : "0";
        loop_.end_range = range_of(first.end);
        for (const Condition& condition : conditions_) {
            const auto all = tests(condition);
            const auto test = std::find_if(all.begin(), all.end(), [&](const Test& other) {
                return other.counter == first.counter && !other.step;
            });
            if (std::any_of(all.begin(), all.end(),
                            [&](const Test& other) { return is_same(other, first); }))
                continue;
            if (test == all.end())
                loop_.has_other_conditions = true;
            else
                loop_.more_tests.push_back(
                    {test->comparison, test->end ? value_of(test->end) : "0", range_of(test->end)});
        }
    }

    static bool is_same(const Test& a, const Test& b) {
        return a.counter == b.counter && (a.step ? b.step && a.step.range() == b.step.range()
                                                 : !b.step && a.end.range() == b.end.range());
    }

    /// Takes the declaration or assignment of `name` in the initializer.
    bool find_start(SyntaxNode initializer, const std::string& name) {
        for (SyntaxNode declarator : initializer.fields("declarator")) {
            if (reader_.source(declarator.field("name")) != name)
                continue;
            loop_.counter = name;
            set_start(declarator.field("value"));
            return true;
        }
        return find_assignment(initializer, name);
    }

    bool find_assignment(SyntaxNode node, const std::string& name) {
        if (node.is("assignment_expression")) {
            if (reader_.source(node.field("operator")) != "=" ||
                reader_.source(node.field("left")) != name)
                return false;
            loop_.counter = name;
            set_start(node.field("right"));
            return true;
        }
        if (!node.is("expression_statement") && !node.is("comma_expression"))
            return false;
        for (SyntaxNode child : node.children()) {
            if (find_assignment(child, name))
                return true;
        }
        return false;
    }

    void set_start(SyntaxNode value) {
        loop_.start = value ? value_of(value) : "";
        loop_.start_range = range_of(value);
    }

    /// Without a usable condition the counter is what the initializer declares, if that is one
    /// name.
    void only_initializer(SyntaxNode initializer) {
        const auto declarators = initializer.fields("declarator");
        if (declarators.size() == 1)
            find_start(initializer, reader_.source(declarators[0].field("name")));
    }

    /// The one change of the counter, in the loop's head or as a statement of its own in the body;
    /// two of them have no step.
    void read_step() {
        const SyntaxNode head = node_.field("update");
        const SyntaxNode update = step_in_condition_ ? step_in_condition_
                                  : head             ? head
                                                     : step_in_body();
        if (!update)
            return;
        loop_.update = reader_.site(update).range;
        loop_.steps_before_test =
            step_in_condition_ ? update.field("operator").range().begin == update.range().begin
                               : loop_.kind == LoopKind::do_while_loop;
        if (!update.is("comma_expression")) {
            step_of(update);
            return;
        }
        int changes = 0;
        for (SyntaxNode part : update.children()) {
            if (changed_by(part) != loop_.counter)
                continue;
            ++changes;
            step_of(part);
        }
        if (changes != 1) {
            loop_.step.clear();
            loop_.scaling.clear();
            loop_.step_range = {};
        }
    }

    std::string changed_by(SyntaxNode expression) const {
        const SyntaxNode target =
            expression.field("left") ? expression.field("left") : expression.field("argument");
        return reader_.source(target);
    }

    /// `++i;` among the statements of the body, where every trip comes by: no `continue` skips it.
    SyntaxNode step_in_body() const {
        const SyntaxNode body = node_.field("body");
        SyntaxNode found;
        for (SyntaxNode statement :
             body.is("block") ? body.children() : std::vector<SyntaxNode>{body}) {
            if (!statement.is("expression_statement") || statement.children().empty())
                continue;
            const SyntaxNode expression = statement.children()[0];
            if ((!expression.is("assignment_expression") && !expression.is("update_expression")) ||
                changed_by(expression) != loop_.counter)
                continue;
            if (found)
                return {};
            found = expression;
        }
        return found && !has_continue(body) ? found : SyntaxNode();
    }

    /// A `continue` of this loop; one of a loop inside it has no label, or may be this one's.
    static bool has_continue(SyntaxNode body) {
        std::vector<std::pair<SyntaxNode, bool>> open{{body, false}};
        while (!open.empty()) {
            const auto [node, inside] = open.back();
            open.pop_back();
            if (node.is("continue_statement") && (!inside || node.field("label")))
                return true;
            const bool is_loop =
                node.is("for_statement") || node.is("while_statement") || node.is("do_statement");
            for (SyntaxNode child : node.children())
                open.emplace_back(child, inside || is_loop);
        }
        return false;
    }

    void step_of(SyntaxNode change) {
        const std::string op = reader_.source(change.field("operator"));
        if (changed_by(change) != loop_.counter)
            return;
        if (change.is("update_expression")) {
            loop_.step = op == "++" ? "1" : "-1";
            return;
        }
        if (!change.is("assignment_expression"))
            return;
        const SyntaxNode right = without_parentheses(change.field("right"));
        if (op != "=") {
            apply(op.substr(0, op.size() - 1), right);
            return;
        }
        // i = i + s, i = s + i, i = i - s, i = i * s
        if (!right.is("binary_expression"))
            return;
        const std::string sign = reader_.source(right.field("operator"));
        const SyntaxNode a = right.field("left"), b = right.field("right");
        if (reader_.source(a) == loop_.counter)
            apply(sign, b);
        else if (reader_.source(b) == loop_.counter && (sign == "+" || sign == "*"))
            apply(sign, a);
    }

    void apply(const std::string& op, SyntaxNode value) {
        const std::string operand = reader_.source(value);
        loop_.step_range = range_of(value);
        if (op == "+")
            loop_.step = operand;
        else if (op == "-")
            loop_.step = negated(operand);
        else if (op == "*" || op == "/" || op == "<<" || op == ">>") {
            loop_.scaling = op;
            loop_.factor = operand;
        }
    }

    const FileReader& reader_;
    SyntaxNode node_;
    Loop& loop_;
    std::vector<Condition> conditions_; ///< all hold while the loop goes on
    SyntaxNode step_in_condition_;      ///< of the counter that is tried
};

/// `$for (i in Range(a, b))`
void read_range(const FileReader& reader, SyntaxNode node, Loop& loop) {
    const SyntaxNode range = node.field("range");
    const auto arguments = range.field("arguments").children();
    loop.counter = reader.source(node.field("name"));
    if (reader.source(range.field("function")) != "Range" || arguments.empty() ||
        arguments.size() > 2)
        return;
    if (arguments.size() == 2)
        loop.start_range = arguments[0].range();
    loop.start = arguments.size() == 2 ? reader.source(arguments[0]) : "0";
    loop.end = reader.source(arguments.back());
    loop.end_range = arguments.back().range();
    loop.comparison = "<";
    loop.step = "1";
}

} // namespace

ByteRange read_counted_loop(const FileReader& reader, SyntaxNode node, Loop& loop) {
    if (const SyntaxNode condition = node.field("condition"))
        loop.condition = reader.site(condition).range;
    if (const SyntaxNode update = node.field("update"))
        loop.update = reader.site(update).range;
    if (loop.kind != LoopKind::compile_time_for)
        return LoopParts(reader, node, loop).read();
    read_range(reader, node, loop);
    return {};
}

} // namespace slimgrad
