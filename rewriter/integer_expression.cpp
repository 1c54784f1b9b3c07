#include "rewriter/integer_expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <vector>

namespace slimgrad {

namespace {

using Value = std::optional<std::int64_t>;

bool is_name_start(char c) {
    return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

struct BinaryOperator {
    std::string_view text;
    int precedence;
};

// Longer texts first, so that "<<" is not read as "<".
constexpr std::array<BinaryOperator, 18> binary_operators{{
    {"<<", 8},
    {">>", 8},
    {"<=", 7},
    {">=", 7},
    {"==", 6},
    {"!=", 6},
    {"&&", 2},
    {"||", 1},
    {"<", 7},
    {">", 7},
    {"&", 5},
    {"^", 4},
    {"|", 3},
    {"+", 9},
    {"-", 9},
    {"*", 10},
    {"/", 10},
    {"%", 10},
}};

Value apply(std::string_view op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (op == "+")
        return __builtin_add_overflow(a, b, &result) ? Value{} : result;
    if (op == "-")
        return __builtin_sub_overflow(a, b, &result) ? Value{} : result;
    if (op == "*")
        return __builtin_mul_overflow(a, b, &result) ? Value{} : result;
    if (op == "/" || op == "%") {
        if (b == 0 || (b == -1 && a == INT64_MIN))
            return std::nullopt;
        return op == "/" ? a / b : a % b;
    }
    if (op == "<<" || op == ">>") {
        if (b < 0 || b > 62 || a < 0 || (op == "<<" && a > (INT64_MAX >> b)))
            return std::nullopt;
        return op == "<<" ? a << b : a >> b;
    }
    if (op == "<")
        return a < b;
    if (op == ">")
        return a > b;
    if (op == "<=")
        return a <= b;
    if (op == ">=")
        return a >= b;
    if (op == "==")
        return a == b;
    if (op == "!=")
        return a != b;
    if (op == "&")
        return a & b;
    if (op == "^")
        return a ^ b;
    if (op == "|")
        return a | b;
    return op == "&&" ? (a != 0 && b != 0) : (a != 0 || b != 0);
}

/// Recursive descent with precedence climbing. An unknown value spreads, except where && and || are
/// decided by one side.
class Evaluator {
  public:
    Evaluator(std::string_view text, const NameLookup& lookup, int depth, Arithmetic arithmetic)
        : text_(text), lookup_(lookup), depth_(depth), arithmetic_(arithmetic) {}

    Value run() {
        Value value = conditional();
        skip_space();
        return failed_ || at_ != text_.size() ? std::nullopt : value;
    }

  private:
    static constexpr int deepest = 64;

    void skip_space() {
        while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])))
            ++at_;
    }

    bool take(std::string_view token) {
        skip_space();
        if (!text_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }

    Value checked(Value value) const {
        const bool fits = !value || (arithmetic_ == Arithmetic::natural ? *value >= 0
                                     : arithmetic_ == Arithmetic::in_32_bits
                                         ? *value >= INT32_MIN && *value <= INT32_MAX
                                         : true);
        return fits ? value : Value{};
    }

    Value error() {
        failed_ = true;
        return std::nullopt;
    }

    Value conditional() {
        if (++depth_ > deepest)
            return error();
        const Value condition = binary(1);
        Value result = condition;
        if (take("?")) {
            const Value yes = conditional();
            if (!take(":"))
                return error();
            const Value no = conditional();
            result = !condition ? std::nullopt : (*condition != 0 ? yes : no);
        }
        --depth_;
        return result;
    }

    const BinaryOperator* peek_operator() {
        skip_space();
        const std::string_view rest = text_.substr(at_);
        for (const BinaryOperator& op : binary_operators) {
            if (rest.starts_with(op.text))
                return &op;
        }
        return nullptr;
    }

    Value binary(int lowest) {
        Value left = unary();
        while (!failed_) {
            const BinaryOperator* op = peek_operator();
            if (!op || op->precedence < lowest)
                break;
            at_ += op->text.size();
            const Value right = binary(op->precedence + 1);
            if (left && right)
                left = checked(apply(op->text, *left, *right));
            else if (op->text == "&&" && ((left && *left == 0) || (right && *right == 0)))
                left = 0;
            else if (op->text == "||" && ((left && *left != 0) || (right && *right != 0)))
                left = 1;
            else
                left = std::nullopt;
        }
        return left;
    }

    Value unary() {
        if (++depth_ > deepest)
            return error();
        Value result;
        if (take("!")) {
            if (const Value value = unary())
                result = *value == 0;
        } else if (take("-")) {
            if (const Value value = unary(); value && *value != INT64_MIN)
                result = checked(-*value);
        } else if (take("+")) {
            result = unary();
        } else if (take("~")) {
            if (const Value value = unary())
                result = ~*value;
        } else {
            result = primary();
        }
        --depth_;
        return result;
    }

    Value primary() {
        skip_space();
        if (take("(")) {
            const std::size_t start = at_;
            for (std::string_view cast : {"int", "uint", "int32_t", "uint32_t"}) {
                if (take(cast) && take(")"))
                    return converted(cast, unary());
                at_ = start;
            }
            const Value value = conditional();
            return take(")") ? value : error();
        }
        if (at_ < text_.size() && std::isdigit(static_cast<unsigned char>(text_[at_])))
            return number();
        if (at_ < text_.size() && is_name_start(text_[at_]))
            return name();
        return error();
    }

    Value number() {
        int base = 10;
        if (take("0x") || take("0X"))
            base = 16;
        else if (take("0b") || take("0B"))
            base = 2;
        else if (text_[at_] == '0' && at_ + 1 < text_.size() &&
                 std::isdigit(static_cast<unsigned char>(text_[at_ + 1])))
            base = 8;
        std::int64_t value = 0;
        const char* begin = text_.data() + at_;
        const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value, base);
        if (code != std::errc{})
            return error();
        at_ += std::size_t(end - begin);
        while (at_ < text_.size() &&
               std::string_view("uUlLzZ").find(text_[at_]) != std::string_view::npos)
            ++at_;
        // "1.5", "2e3", "3px": not an integer.
        if (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.'))
            return error();
        return checked(value);
    }

    Value name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name(text_[at_]))
            ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (name == "true")
            return 1;
        if (name == "false")
            return 0;
        if (name == "defined")
            return defined();
        skip_space();
        if (at_ < text_.size() && text_[at_] == '(')
            return call(name);
        std::string qualified(name);
        while (at_ < text_.size() && (text_[at_] == '.' || text_.substr(at_).starts_with("::"))) {
            at_ += text_[at_] == '.' ? 1 : 2;
            const std::size_t member = at_;
            while (at_ < text_.size() && is_name(text_[at_]))
                ++at_;
            if (member == at_)
                return error();
            qualified += "." + std::string(text_.substr(member, at_ - member));
        }
        // `a[0]` and `S.f(x)` are something else than a name.
        if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '('))
            return error();
        const auto meaning = lookup_(qualified);
        if (!meaning)
            return std::nullopt;
        if (meaning->expression.empty())
            return error();
        if (depth_ > deepest)
            return std::nullopt;
        return Evaluator(meaning->expression, lookup_, depth_ + 1, arithmetic_).run();
    }

    Value defined() {
        const bool parenthesised = take("(");
        skip_space();
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name(text_[at_]))
            ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (name.empty() || (parenthesised && !take(")")))
            return error();
        const auto meaning = lookup_(name);
        return meaning ? Value(meaning->defined) : std::nullopt;
    }

    /// Nothing for a value that the type cannot hold: it would become another one.
    static Value converted(std::string_view type, Value value) {
        const bool fits =
            value && (type.starts_with('u') ? *value >= 0 && *value <= UINT32_MAX
                                            : *value >= INT32_MIN && *value <= INT32_MAX);
        return fits ? value : std::nullopt;
    }

    Value call(std::string_view callee) {
        take("(");
        std::vector<Value> arguments;
        if (!take(")")) {
            do
                arguments.push_back(conditional());
            while (!failed_ && take(","));
            if (!take(")"))
                return error();
        }
        const bool all_known = std::all_of(arguments.begin(), arguments.end(),
                                           [](const Value& v) { return v.has_value(); });
        if (failed_ || !all_known)
            return std::nullopt;
        if (arguments.size() == 1 &&
            (callee == "int" || callee == "uint" || callee == "int32_t" || callee == "uint32_t"))
            return converted(callee, arguments[0]);
        if (arguments.size() == 1 && callee == "abs")
            return *arguments[0] == INT64_MIN ? std::nullopt
                                              : Value(std::max(*arguments[0], -*arguments[0]));
        if (arguments.size() == 2 && callee == "min")
            return std::min(*arguments[0], *arguments[1]);
        if (arguments.size() == 2 && callee == "max")
            return std::max(*arguments[0], *arguments[1]);
        if (arguments.size() == 3 && callee == "clamp")
            return std::min(std::max(*arguments[0], *arguments[1]), *arguments[2]);
        return std::nullopt;
    }

    std::string_view text_;
    const NameLookup& lookup_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Arithmetic arithmetic_;
    bool failed_ = false;
};

} // namespace

std::optional<std::int64_t> evaluate_integer(std::string_view expression, const NameLookup& lookup,
                                             Arithmetic arithmetic) {
    return Evaluator(expression, lookup, 0, arithmetic).run();
}

} // namespace slimgrad
