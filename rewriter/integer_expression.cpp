#include "rewriter/integer_expression.h"

#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>
#include <vector>

namespace slimgrad {

namespace {

using Value = std::optional<IntegerValue>;

constexpr IntegerType bool_type{0, 1};
constexpr IntegerType int_type{};
constexpr IntegerType int64_type{INT64_MIN, INT64_MAX};
constexpr IntegerType uint_type{0, UINT32_MAX};

constexpr std::array<std::pair<std::string_view, IntegerType>, 11> types{{
    {"bool", bool_type},
    {"int", int_type},
    {"int32_t", int_type},
    {"uint", uint_type},
    {"uint32_t", uint_type},
    {"int8_t", {INT8_MIN, INT8_MAX}},
    {"uint8_t", {0, UINT8_MAX}},
    {"int16_t", {INT16_MIN, INT16_MAX}},
    {"uint16_t", {0, UINT16_MAX}},
    {"int64_t", int64_type},
    {"uint64_t", {0, INT64_MAX}},
}};

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

using Number = std::optional<std::int64_t>;

Number apply(std::string_view op, std::int64_t a, std::int64_t b) {
    std::int64_t result = 0;
    if (op == "+")
        return __builtin_add_overflow(a, b, &result) ? Number{} : result;
    if (op == "-")
        return __builtin_sub_overflow(a, b, &result) ? Number{} : result;
    if (op == "*")
        return __builtin_mul_overflow(a, b, &result) ? Number{} : result;
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

bool is_shift(std::string_view op) {
    return op == "<<" || op == ">>";
}

/// bool is an int to all operators.
IntegerType promoted(IntegerType type) {
    return type == bool_type ? int_type : type;
}

Value in_type(Number value, IntegerType type) {
    return value && type.holds(*value) ? Value({*value, type}) : Value{};
}

/// Both in the type that an operator gives them.
Value apply(std::string_view op, IntegerValue a, IntegerValue b) {
    if (op == "&&" || op == "||")
        return in_type(apply(op, a.value, b.value), bool_type);
    if (is_shift(op)) {
        const IntegerType type = promoted(a.type);
        const bool fits = b.value < (type.highest > UINT32_MAX ? 63 : 32);
        return fits ? in_type(apply(op, a.value, b.value), type) : Value{};
    }
    const IntegerType type = promoted(common_type(a.type, b.type));
    if (!type.holds(a.value) || !type.holds(b.value))
        return std::nullopt;
    const bool compares = op[0] == '<' || op[0] == '>' || op == "==" || op == "!=";
    return in_type(apply(op, a.value, b.value), compares ? bool_type : type);
}

/// Recursive descent with precedence climbing. An unknown value spreads, except where && and || are
/// decided by one side.
class Evaluator {
  public:
    Evaluator(std::string_view text, const NameLookup& lookup, int depth, Arithmetic arithmetic)
        : text_(text), lookup_(lookup), depth_(depth), arithmetic_(arithmetic) {}

    Value run() { return all_of(conditional()); }

    /// Of a text that stands for itself: operators around it bind to all of it.
    Value run_operand() { return all_of(unary()); }

  private:
    static constexpr int deepest = 64;

    void skip_space() {
        while (at_ < text_.size() && is_space(text_[at_]))
            ++at_;
    }

    bool take(std::string_view token) {
        skip_space();
        if (!text_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }

    Value all_of(Value value) {
        skip_space();
        return failed_ || at_ != text_.size() ? std::nullopt : value;
    }

    /// In 32 bits all is an int.
    Value checked(Value value) const {
        return value && arithmetic_ == Arithmetic::in_32_bits ? in_type(value->value, int_type)
                                                              : value;
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
            result = chosen(condition, yes, no);
        }
        --depth_;
        return result;
    }

    Value chosen(const Value& condition, const Value& yes, const Value& no) const {
        if (!condition)
            return std::nullopt;
        const Value& value = condition->value != 0 ? yes : no;
        if (arithmetic_ == Arithmetic::in_32_bits)
            return value;
        // The other one decides on the type.
        return yes && no ? in_type(value->value, common_type(yes->type, no->type)) : Value{};
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
            else if (op->text == "&&" && (is(left, false) || is(right, false)))
                left = Value({0, bool_type});
            else if (op->text == "||" && (is(left, true) || is(right, true)))
                left = Value({1, bool_type});
            else
                left = std::nullopt;
        }
        return left;
    }

    static bool is(const Value& value, bool truth) { return value && (value->value != 0) == truth; }

    Value unary() {
        if (++depth_ > deepest)
            return error();
        Value result;
        if (take("!")) {
            if (const Value value = unary())
                result = Value({value->value == 0, bool_type});
        } else if (take("-")) {
            if (const Value value = unary(); value && value->value != INT64_MIN)
                result = checked(negated(*value));
        } else if (take("+")) {
            result = unary();
        } else if (take("~")) {
            if (const Value value = unary())
                result = checked(complement(*value));
        } else {
            result = primary();
        }
        --depth_;
        return result;
    }

    static Value negated(IntegerValue value) {
        // -2147483648 is an int, though what is negated is none.
        if (value.value == -std::int64_t{INT32_MIN})
            return Value({INT32_MIN, int_type});
        return in_type(-value.value, promoted(value.type));
    }

    static Value complement(IntegerValue value) {
        const IntegerType type = promoted(value.type);
        if (!type.is_unsigned())
            return in_type(~value.value, type);
        return type.highest == INT64_MAX ? Value{} : in_type(type.highest - value.value, type);
    }

    Value primary() {
        skip_space();
        if (take("(")) {
            const std::size_t start = at_;
            for (const auto& [name, type] : types) {
                if (take(name) && take(")"))
                    return converted(type, unary());
                at_ = start;
            }
            const Value value = conditional();
            return take(")") ? value : error();
        }
        if (at_ < text_.size() && is_digit(text_[at_]))
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
        else if (text_[at_] == '0' && at_ + 1 < text_.size() && is_digit(text_[at_ + 1]))
            base = 8;
        std::int64_t value = 0;
        const char* begin = text_.data() + at_;
        const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), value, base);
        if (code != std::errc{})
            return error();
        at_ += std::size_t(end - begin);
        bool is_unsigned = false;
        int longs = 0;
        for (; at_ < text_.size() &&
               std::string_view("uUlLzZ").find(text_[at_]) != std::string_view::npos;
             ++at_) {
            is_unsigned = is_unsigned || text_[at_] == 'u' || text_[at_] == 'U';
            // "5l" is an int, "5ll" an int64_t, "5z" as long as a pointer.
            longs += text_[at_] == 'l' || text_[at_] == 'L' ? 1 : text_[at_] == 'z' ? 2 : 0;
        }
        // "1.5", "2e3", "3px": not an integer.
        if (at_ < text_.size() && (is_name(text_[at_]) || text_[at_] == '.'))
            return error();
        return checked(literal(value, base == 10, is_unsigned, longs > 1));
    }

    /// The first type that holds it, an unsigned one for a u or where no digit is decimal.
    static Value literal(std::int64_t value, bool decimal, bool is_unsigned, bool is_long) {
        if (!is_unsigned && !is_long && int_type.holds(value))
            return Value({value, int_type});
        if ((is_unsigned || !decimal) && !is_long && uint_type.holds(value))
            return Value({value, uint_type});
        return Value({value, is_unsigned ? IntegerType{0, INT64_MAX} : int64_type});
    }

    Value name() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && is_name(text_[at_]))
            ++at_;
        const std::string_view name = text_.substr(begin, at_ - begin);
        if (name == "true" || name == "false")
            return Value({name == "true", bool_type});
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
        if (arithmetic_ == Arithmetic::of_slang && take("[")) {
            const Value index = conditional();
            if (!take("]"))
                return error();
            if (!index)
                return std::nullopt;
            qualified += "[" + std::to_string(index->value) + "]";
        } else if (qualified.ends_with(".getCount") && take("(")) {
            if (!take(")"))
                return error();
            qualified += "()";
        }
        // `a[0][1]` and `S.f(x)` are something else than a name.
        if (at_ < text_.size() && (text_[at_] == '[' || text_[at_] == '(' || text_[at_] == '.'))
            return error();
        const auto meaning = lookup_(qualified);
        if (!meaning)
            return std::nullopt;
        if (meaning->expression.empty())
            return error();
        if (depth_ > deepest)
            return std::nullopt;
        Evaluator inner(meaning->expression, lookup_, depth_ + 1, arithmetic_);
        const Value value = meaning->is_text ? inner.run_operand() : inner.run();
        if (meaning->type.empty() || meaning->type == "let" || meaning->type == "var")
            return value;
        const auto type = integer_type(meaning->type);
        return type ? converted(*type, value) : Value{};
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
        return meaning ? Value({meaning->defined, bool_type}) : std::nullopt;
    }

    /// Nothing for a value that the type cannot hold: it would become another one.
    Value converted(IntegerType type, const Value& value) const {
        return checked(value ? in_type(value->value, type) : Value{});
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
        if (failed_ || !all_known || arguments.empty())
            return std::nullopt;
        if (const auto type = integer_type(callee); type && arguments.size() == 1)
            return converted(*type, arguments[0]);
        IntegerType type = promoted(arguments[0]->type);
        for (const Value& argument : arguments)
            type = common_type(type, argument->type);
        std::vector<std::int64_t> values;
        for (const Value& argument : arguments) {
            if (!type.holds(argument->value))
                return std::nullopt;
            values.push_back(argument->value);
        }
        Number result;
        if (values.size() == 1 && callee == "abs" && values[0] != INT64_MIN)
            result = std::max(values[0], -values[0]);
        else if (values.size() == 2 && callee == "min")
            result = std::min(values[0], values[1]);
        else if (values.size() == 2 && callee == "max")
            result = std::max(values[0], values[1]);
        else if (values.size() == 3 && callee == "clamp")
            result = std::min(std::max(values[0], values[1]), values[2]);
        return checked(in_type(result, type));
    }

    std::string_view text_;
    const NameLookup& lookup_;
    std::size_t at_ = 0;
    int depth_ = 0;
    Arithmetic arithmetic_;
    bool failed_ = false;
};

} // namespace

std::optional<IntegerType> integer_type(std::string_view name) {
    for (const auto& [type, values] : types) {
        if (type == name)
            return values;
    }
    return std::nullopt;
}

IntegerType common_type(IntegerType a, IntegerType b) {
    if (a.highest == b.highest)
        return a.is_unsigned() ? a : b;
    return a.highest > b.highest ? a : b;
}

std::optional<IntegerValue> evaluate_typed(std::string_view expression, const NameLookup& lookup) {
    return Evaluator(expression, lookup, 0, Arithmetic::of_slang).run();
}

std::optional<std::int64_t> evaluate_integer(std::string_view expression, const NameLookup& lookup,
                                             Arithmetic arithmetic) {
    const Value value = Evaluator(expression, lookup, 0, arithmetic).run();
    return value ? Number(value->value) : std::nullopt;
}

} // namespace slimgrad
