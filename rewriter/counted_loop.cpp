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

    void read() {
        conjuncts(node_.field("condition"));
        // The counter is a name that the condition compares: what the initializer sets, else what
        // is stepped.
        if (!find_counter([&](const std::string& name) { return find_start(initializer(), name); }))
            find_counter([&](const std::string& name) {
                loop_.counter = name;
                read_step();
                if (loop_.step.empty() && loop_.scaling.empty())
                    loop_.counter.clear();
                return !loop_.counter.empty();
            });
        if (loop_.counter.empty())
            only_initializer(initializer());
        if (!loop_.counter.empty())
            read_step();
    }

  private:
    SyntaxNode initializer() const { return node_.field("initializer"); }

    /// "n" for `(n)`, as macros write their arguments.
    std::string value_of(SyntaxNode node) const {
        return reader_.source(without_parentheses(node));
    }

    /// `a && b && c` taken apart.
    void conjuncts(SyntaxNode condition) {
        condition = without_parentheses(condition);
        while (condition.is("binary_expression") &&
               reader_.source(condition.field("operator")) == "&&") {
            conditions_.push_back(without_parentheses(condition.field("right")));
            condition = without_parentheses(condition.field("left"));
        }
        conditions_.push_back(condition);
        std::reverse(conditions_.begin(), conditions_.end());
    }

    /// Tries the names that are compared, in the order of the text.
    template <class Accepts> bool find_counter(Accepts accepts) {
        for (SyntaxNode condition : conditions_) {
            const std::string comparison = reader_.source(condition.field("operator"));
            if (!condition.is("binary_expression") || !is_comparison(comparison))
                continue;
            for (const bool mirror : {false, true}) {
                const SyntaxNode name = condition.field(mirror ? "right" : "left");
                if (!name.is("identifier") || !accepts(reader_.source(name)))
                    continue;
                loop_.comparison = mirror ? mirrored(comparison) : comparison;
                loop_.end = value_of(condition.field(mirror ? "left" : "right"));
                loop_.has_other_conditions = conditions_.size() > 1;
                return true;
            }
        }
        return false;
    }

    /// Takes the declaration or assignment of `name` in the initializer.
    bool find_start(SyntaxNode initializer, const std::string& name) {
        for (SyntaxNode declarator : initializer.fields("declarator")) {
            if (reader_.source(declarator.field("name")) != name)
                continue;
            loop_.counter = name;
            loop_.start = value_of(declarator.field("value"));
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
            loop_.start = value_of(node.field("right"));
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
        const SyntaxNode update = head ? head : step_in_body();
        if (!update)
            return;
        loop_.update = reader_.site(update).range;
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
            apply(op.substr(0, op.size() - 1), reader_.source(right));
            return;
        }
        // i = i + s, i = s + i, i = i - s, i = i * s
        if (!right.is("binary_expression"))
            return;
        const std::string sign = reader_.source(right.field("operator"));
        const std::string a = reader_.source(right.field("left")),
                          b = reader_.source(right.field("right"));
        if (a == loop_.counter)
            apply(sign, b);
        else if (b == loop_.counter && (sign == "+" || sign == "*"))
            apply(sign, a);
    }

    void apply(const std::string& op, const std::string& operand) {
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
    std::vector<SyntaxNode> conditions_; ///< joined by &&
};

/// `$for (i in Range(a, b))`
void read_range(const FileReader& reader, SyntaxNode node, Loop& loop) {
    const SyntaxNode range = node.field("range");
    const auto arguments = range.field("arguments").children();
    loop.counter = reader.source(node.field("name"));
    if (reader.source(range.field("function")) != "Range" || arguments.empty() ||
        arguments.size() > 2)
        return;
    loop.start = arguments.size() == 2 ? reader.source(arguments[0]) : "0";
    loop.end = reader.source(arguments.back());
    loop.comparison = "<";
    loop.step = "1";
}

} // namespace

void read_counted_loop(const FileReader& reader, SyntaxNode node, Loop& loop) {
    if (const SyntaxNode condition = node.field("condition"))
        loop.condition = reader.site(condition).range;
    if (const SyntaxNode update = node.field("update"))
        loop.update = reader.site(update).range;
    if (loop.kind == LoopKind::compile_time_for)
        read_range(reader, node, loop);
    else
        LoopParts(reader, node, loop).read();
}

} // namespace slimgrad
