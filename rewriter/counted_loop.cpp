#include "rewriter/file_reader.h"

#include <array>
#include <cctype>
#include <utility>

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

/// One scalar of a floating-point type.
bool is_float(std::string_view type) {
    return type == "float" || type == "double" || type == "half" || type == "float16_t" ||
           type == "float32_t" || type == "float64_t";
}

class LoopParts {
  public:
    LoopParts(const FileReader& reader, Loop& loop) : reader_(reader), loop_(loop) {}

    void read(SyntaxNode node) {
        const SyntaxNode condition = node.field("condition");
        // The counter is the name that the condition compares.
        const SyntaxNode left = condition.field("left"), right = condition.field("right");
        const std::string comparison = reader_.source(condition.field("operator"));
        if (condition.is("binary_expression") && is_comparison(comparison)) {
            for (const bool mirror : {false, true}) {
                const SyntaxNode name = mirror ? right : left;
                if (!name.is("identifier") ||
                    !find_start(node.field("initializer"), reader_.source(name)))
                    continue;
                loop_.comparison = mirror ? mirrored(comparison) : comparison;
                loop_.end = reader_.source(mirror ? left : right);
                break;
            }
        }
        if (loop_.counter.empty())
            only_initializer(node.field("initializer"));
        if (!loop_.counter.empty())
            read_step(node.field("update"));
    }

  private:
    /// Takes the declaration or assignment of `name` in the initializer.
    bool find_start(SyntaxNode initializer, const std::string& name) {
        for (SyntaxNode declarator : initializer.fields("declarator")) {
            if (reader_.source(declarator.field("name")) != name)
                continue;
            const SyntaxNode type =
                initializer.field("type") ? initializer.field("type") : declarator.field("type");
            loop_.counter = name;
            loop_.start = reader_.source(declarator.field("value"));
            loop_.counter_is_float = is_float(reader_.source(type));
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
            loop_.start = reader_.source(node.field("right"));
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

    /// The one change of the counter in the update; two of them have no step.
    void read_step(SyntaxNode update) {
        if (!update.is("comma_expression")) {
            loop_.step = step_of(update);
            return;
        }
        int changes = 0;
        for (SyntaxNode part : update.children()) {
            const SyntaxNode target =
                part.field("left") ? part.field("left") : part.field("argument");
            if (reader_.source(target) != loop_.counter)
                continue;
            ++changes;
            loop_.step = step_of(part);
        }
        if (changes != 1)
            loop_.step.clear();
    }

    std::string step_of(SyntaxNode change) const {
        const std::string op = reader_.source(change.field("operator"));
        if (change.is("update_expression") &&
            reader_.source(change.field("argument")) == loop_.counter)
            return op == "++" ? "1" : "-1";
        if (!change.is("assignment_expression") ||
            reader_.source(change.field("left")) != loop_.counter)
            return {};
        const SyntaxNode right = change.field("right");
        if (op == "+=")
            return reader_.source(right);
        if (op == "-=")
            return negated(reader_.source(right));
        // i = i + s, i = s + i, i = i - s
        if (op != "=" || !right.is("binary_expression"))
            return {};
        const std::string sign = reader_.source(right.field("operator"));
        const std::string a = reader_.source(right.field("left")),
                          b = reader_.source(right.field("right"));
        if (a == loop_.counter && (sign == "+" || sign == "-"))
            return sign == "+" ? b : negated(b);
        return b == loop_.counter && sign == "+" ? a : std::string();
    }

    const FileReader& reader_;
    Loop& loop_;
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
        loop.condition = condition.range();
    if (const SyntaxNode update = node.field("update"))
        loop.update = update.range();
    if (loop.kind == LoopKind::for_loop)
        LoopParts(reader, loop).read(node);
    else if (loop.kind == LoopKind::compile_time_for)
        read_range(reader, node, loop);
}

} // namespace slimgrad
