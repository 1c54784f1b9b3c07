#include "attributes/decided_test.h"

#include "rewriter/words.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>

namespace slimgrad {
namespace {

constexpr double nearest = 1e-3; ///< relative difference from which no rounding decides
constexpr int deepest = 16;

class Evaluator {
  public:
    using Values = std::function<std::optional<std::string>(std::string_view)>;

    Evaluator(std::string_view text, const Values& value_of, int depth)
        : text_(text), value_of_(value_of), depth_(depth) {}

    std::optional<bool> test() {
        const bool holds = either();
        skip();
        return failed_ || at_ != text_.size() ? std::nullopt : std::optional(holds);
    }

    std::optional<double> number() {
        const double value = sum();
        skip();
        return failed_ || at_ != text_.size() ? std::nullopt : std::optional(value);
    }

  private:
    void skip() {
        while (at_ < text_.size() && is_space(text_[at_]))
            ++at_;
    }
    bool take(std::string_view token) {
        skip();
        if (!text_.substr(at_).starts_with(token))
            return false;
        at_ += token.size();
        return true;
    }
    double fail() {
        failed_ = true;
        return 0;
    }

    bool either() {
        bool holds = both();
        while (!failed_ && take("||")) {
            const bool other = both();
            holds = holds || other;
        }
        return holds;
    }
    bool both() {
        bool holds = comparison();
        while (!failed_ && take("&&")) {
            const bool other = comparison();
            holds = holds && other;
        }
        return holds;
    }

    bool comparison() {
        if (take("!")) {
            if (!take("("))
                return fail() != 0;
            const bool holds = either();
            if (!take(")"))
                fail();
            return !holds;
        }
        const double left = sum();
        const bool is_less = take("<"), is_greater = !is_less && take(">");
        if (!is_less && !is_greater)
            return fail() != 0;
        take("=");
        const double right = sum();
        if (!(std::abs(left - right) > nearest * std::max(std::abs(left), std::abs(right))))
            fail();
        return is_less ? left < right : left > right;
    }

    /// Of a difference that cancels out, rounding may be all that is left.
    double added(double a, double b) {
        const double sum = a + b;
        const bool is_near = std::abs(sum) < nearest * std::max(std::abs(a), std::abs(b));
        return is_near && sum != 0 ? fail() : sum;
    }

    double sum() {
        double value = product();
        while (!failed_)
            if (take("+"))
                value = added(value, product());
            else if (take("-"))
                value = added(value, -product());
            else
                break;
        return value;
    }
    double product() {
        double value = factor();
        while (!failed_)
            if (take("*"))
                value *= factor();
            else if (take("/"))
                value /= factor();
            else
                break;
        return std::isfinite(value) ? value : fail();
    }

    double factor() {
        if (++depth_ > deepest * 4)
            return fail();
        if (take("-"))
            return -factor();
        if (take("(")) {
            const double value = sum();
            return take(")") ? value : fail();
        }
        skip();
        const std::size_t begin = at_;
        if (at_ < text_.size() && is_name_start(text_[at_])) {
            while (at_ < text_.size() && is_name(text_[at_]))
                ++at_;
            return named(text_.substr(begin, at_ - begin));
        }
        return literal();
    }

    double named(std::string_view name) {
        if (take("(")) {
            const double first = sum();
            if ((name == "abs" || name == "detach") && take(")"))
                return name == "abs" ? std::abs(first) : first;
            if ((name != "min" && name != "max") || !take(","))
                return fail();
            const double second = sum();
            return !take(")")      ? fail()
                   : name == "min" ? std::min(first, second)
                                   : std::max(first, second);
        }
        const auto value = value_of_(name);
        if (!value || depth_ > deepest)
            return fail();
        const auto number = Evaluator(*value, value_of_, depth_ + 1).number();
        return number ? *number : fail();
    }

    /// "1", "1.5f", "1e-6f", ".5h": decimal ones.
    double literal() {
        const std::size_t begin = at_;
        while (at_ < text_.size() && (is_digit(text_[at_]) || text_[at_] == '.' ||
                                      ((text_[at_] == '-' || text_[at_] == '+') && at_ > begin &&
                                       (text_[at_ - 1] == 'e' || text_[at_ - 1] == 'E')) ||
                                      ((text_[at_] == 'e' || text_[at_] == 'E') && at_ > begin)))
            ++at_;
        const std::string digits(text_.substr(begin, at_ - begin));
        char* end = nullptr;
        const double value = std::strtod(digits.c_str(), &end);
        if (digits.empty() || *end != 0)
            return fail();
        if (at_ < text_.size() && (text_[at_] == 'f' || text_[at_] == 'F' || text_[at_] == 'h'))
            ++at_;
        return at_ < text_.size() && is_name(text_[at_]) ? fail() : value;
    }

    const std::string_view text_;
    const Values& value_of_;
    int depth_;
    std::size_t at_ = 0;
    bool failed_ = false;
};

} // namespace

std::optional<bool>
decided_test(std::string_view test,
             const std::function<std::optional<std::string>(std::string_view name)>& value_of) {
    return Evaluator(test, value_of, 0).test();
}

} // namespace slimgrad
