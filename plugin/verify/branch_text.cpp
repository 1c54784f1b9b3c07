#include "plugin/verify/branch_text.h"

#include "rewriter/words.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <set>
#include <vector>

namespace slimgrad::verify {
namespace {

using Kind = EmittedBranch::Kind;

/// What the instrumented text calls. A way that is `no_way` is not recorded.
constexpr std::string_view recorders = R"(
static constexpr uint32_t slimgrad_no_way = ~0u;
static inline bool slimgrad_branch(uint32_t way, bool taken) {
    slimgrad_ways[taken ? way : way + 1] = 1;
    return taken;
}
/* Two ways for each of up to four components; those that there are not count as seen. */
template <class T> static inline T slimgrad_select(uint32_t way, T condition) {
    constexpr unsigned size = sizeof(T) > 4 ? 4 : 1;
    const unsigned char* bytes = reinterpret_cast<const unsigned char*>(&condition);
    for (unsigned i = 0; i < 4; ++i) {
        const bool is_there = i * size < sizeof(T);
        const bool holds = is_there && bytes[i * size] != 0;
        slimgrad_ways[way + 2 * i] |= !is_there || holds;
        slimgrad_ways[way + 2 * i + 1] |= !is_there || !holds;
    }
    return condition;
}
/* The call of the shader that runs: two ways for a maximum, two for a minimum. */
static uint32_t slimgrad_extremum = slimgrad_no_way;
static inline uint32_t slimgrad_way(uint32_t offset) {
    return slimgrad_extremum == slimgrad_no_way ? slimgrad_no_way : slimgrad_extremum + offset;
}
template <class A, class B>
static inline auto slimgrad_compare(uint32_t way, const A& a, const B& b, int) -> decltype(static_cast<bool>(a < A(b)), void()) {
    slimgrad_ways[way] |= static_cast<bool>(a < A(b));
    slimgrad_ways[way + 1] |= static_cast<bool>(A(b) < a);
}
/* Types that have no order are not seen. */
template <class A, class B> static inline void slimgrad_compare(uint32_t, const A&, const B&, ...) {}
template <class S> static inline S slimgrad_component(const S& scalar, unsigned, long) { return scalar; }
template <class V> static inline auto slimgrad_component(const V& vector, unsigned i, int) -> decltype(vector.x) {
    return reinterpret_cast<const decltype(vector.x)*>(&vector)[i];
}
template <class A, class B>
static inline auto slimgrad_compare(uint32_t way, const A& a, const B& b, long) -> decltype(void(a.x)) {
    for (unsigned i = 0; i < sizeof(A) / sizeof(a.x); ++i)
        slimgrad_compare(way, slimgrad_component(a, i, 0), slimgrad_component(b, i, 0), 0);
}
template <class A, class B> static inline void slimgrad_order(uint32_t way, const A& a, const B& b) {
    if (way != slimgrad_no_way)
        slimgrad_compare(way, a, b, 0);
}
template <class F> struct slimgrad_ordered {
    uint32_t way;
    F function;
    template <class A, class B> auto operator()(A a, B b) const { slimgrad_order(way, a, b); return function(a, b); }
    template <class A> auto operator()(A a) const { slimgrad_order(way, a, 0.0f); return function(a); }
};
template <class F> slimgrad_ordered(uint32_t, F) -> slimgrad_ordered<F>;
template <class R, class... P> struct slimgrad_within {
    uint32_t way;
    R (*function)(P...);
    slimgrad_within(uint32_t w, R (*f)(P...)) : way(w), function(f) {}
    struct Entered {
        uint32_t before = slimgrad_extremum;
        ~Entered() { slimgrad_extremum = before; }
    };
    R operator()(P... p) const { Entered entered; slimgrad_extremum = way; return function(p...); }
};
template <class P> static inline auto slimgrad_primal(P* pair) { auto [primal, differential] = *pair; return primal; }
)";

/// Whether a builtin function of this name compares for a maximum, a minimum.
struct Extrema {
    bool maximum = false, minimum = false;
};
std::optional<Extrema> extrema_of(std::string_view builtin) {
    if (builtin == "max" || builtin == "abs")
        return Extrema{true, false};
    if (builtin == "min")
        return Extrema{false, true};
    if (builtin == "clamp" || builtin == "saturate")
        return Extrema{true, true};
    return std::nullopt;
}

/// The primal or derived function's own name: "max" for "s_bwdProp_max".
std::string_view underived(std::string_view function) {
    for (const std::string_view prefix : {"s_apply_", "s_bwdProp_", "s_fwd_", "_d_"})
        if (function.starts_with(prefix))
            return function.substr(prefix.size());
    return function;
}

/// "max" for "F32_max", which the prelude defines; "" for another name.
std::string_view of_prelude(std::string_view name) {
    const std::size_t end = name.find('_');
    if (end == std::string_view::npos || end < 2 ||
        std::string_view("FIU").find(name.front()) == std::string_view::npos ||
        name.substr(1, end - 1).find_first_not_of("0123456789") != std::string_view::npos)
        return "";
    const std::string_view function = name.substr(end + 1);
    return function == "max" || function == "min" || function == "abs" ? function : "";
}

/// "_S12" with prefix "_S".
bool is_numbered(std::string_view text, std::string_view prefix) {
    return text.size() > prefix.size() && text.starts_with(prefix) &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(prefix.size()), text.end(),
                       is_digit);
}

/// "v_2 > t_0" -> "v > t", "_S12" -> "_S"; what `instrument` put there goes, too.
std::string without_suffixes(std::string_view condition) {
    std::string result;
    for (std::size_t i = 0; i < condition.size();) {
        if (!is_name(condition[i])) {
            result += condition[i++];
            continue;
        }
        std::size_t end = i;
        while (end < condition.size() && is_name(condition[end]))
            ++end;
        std::string_view word = condition.substr(i, end - i);
        i = end;
        if (word.starts_with("slimgrad_at")) {
            i = std::min(condition.find(", ", i), condition.size() - 2) + 2;
            continue;
        }
        if (!is_digit(word.front())) {
            while (is_digit(word.back()))
                word.remove_suffix(1);
            if (word.size() > 1 && word.back() == '_')
                word.remove_suffix(1);
        }
        result += word;
    }
    return result;
}

class BranchInstrumenter {
  public:
    BranchInstrumenter(std::string_view code, const std::set<std::string>& unreachable)
        : code_(code), unreachable_(unreachable) {
        find_declarations();
    }

    BranchText run() {
        // Slang's prelude has no #line.
        const std::size_t begin = std::min(code_.find("\n#line "), code_.size());
        position_ = begin;
        while (position_ < code_.size())
            step();
        std::string code = fmt::format(
            "#include <stdint.h>\n"
            "extern \"C\" {{\n"
            "__attribute__((visibility(\"default\"))) unsigned char slimgrad_ways[{}];\n"
            "__attribute__((visibility(\"default\"))) uint32_t slimgrad_way_count = {};\n"
            "}}\n",
            ways_ + 1, ways_);
        code += recorders;
        code += code_.substr(0, begin);
        code += result_.code;
        result_.code = std::move(code);
        return std::move(result_);
    }

  private:
    /// Conditions that have a name, and integers that get their value later.
    void find_declarations() {
        for (const std::string_view type : {" bool ", " int32_t ", " int "})
            for (std::size_t at = code_.find(type); at != std::string_view::npos;
                 at = code_.find(type, at + 1)) {
                const std::size_t begin = at + type.size();
                std::size_t end = begin;
                while (end < code_.size() && is_name(code_[end]))
                    ++end;
                const std::string_view name = code_.substr(begin, end - begin),
                                       after = code_.substr(end);
                if (type != " bool " && after.starts_with(";"))
                    stages_.insert(name);
                else if (type == " bool " && is_numbered(name, "_S") && after.starts_with(";"))
                    merged_conditions_.insert(name);
                else if (type == " bool " && is_numbered(name, "_S") && after.starts_with(" = "))
                    definitions_[name] = after.substr(3, after.find(';') - 3);
            }
    }

    /// The condition itself, where the compiler gave it a name.
    std::string_view resolved(std::string_view condition) const {
        for (int names = 0; names < 8; ++names) // names are unique; should they not be, it ends
            if (const auto found = definitions_.find(condition); found != definitions_.end())
                condition = found->second;
        return condition;
    }

    enum class Origin { shader, doubtful, compiler };

    /// The compiler makes conditions up to leave loops and functions in one place only: a flag, or
    /// a comparison of a number for the way that was left by.
    Origin origin(std::string_view condition) const {
        while (condition.starts_with("!(") && condition.ends_with(")"))
            condition = condition.substr(2, condition.size() - 3);
        if (condition.starts_with("!"))
            condition = resolved(condition.substr(1));
        const std::size_t end = static_cast<std::size_t>(
            std::find_if_not(condition.begin(), condition.end(), is_name) - condition.begin());
        const std::string_view name = condition.substr(0, end), rest = condition.substr(end);
        const bool unnamed = is_numbered(name, "_S");
        if (rest.empty())
            return (unnamed && !merged_conditions_.contains(name)) ||
                           name.starts_with("_runFlag_") || name.starts_with("_bflag_")
                       ? Origin::compiler
                       : Origin::shader;
        if (stages_.contains(name) &&
            (rest.starts_with(" != ") || (unnamed && rest.starts_with(" == "))))
            return unnamed ? Origin::compiler : Origin::doubtful;
        return is_numbered(name, "_dc_") && rest.starts_with(" >= ") ? Origin::compiler
                                                                     : Origin::shader;
    }

    void copy_to(std::size_t end) {
        end = std::min(end, code_.size());
        line_ += static_cast<std::uint32_t>(
            std::count(code_.begin() + static_cast<std::ptrdiff_t>(position_),
                       code_.begin() + static_cast<std::ptrdiff_t>(end), '\n'));
        result_.code += code_.substr(position_, end - position_);
        position_ = end;
    }

    void step() {
        for (; !ends_.empty() && ends_.back() <= position_; ends_.pop_back())
            result_.code += ')';
        const std::string_view rest = code_.substr(position_);
        if (rest.front() == '#' && (position_ == 0 || code_[position_ - 1] == '\n'))
            directive();
        else if (rest.starts_with("//"))
            copy_to(code_.find('\n', position_));
        else if (rest.front() == '"')
            copy_to(end_of_string());
        else if (is_name(rest.front()))
            word();
        else
            punctuation(rest.front());
    }

    void punctuation(char c) {
        depth_ += c == '{' ? 1 : c == '}' ? -1 : 0;
        copy_to(position_ + 1);
        if (c == '{' && depth_ == 1)
            derivative_head();
    }

    std::size_t end_of_string() const {
        std::size_t end = position_ + 1;
        while (end < code_.size() && code_[end] != '"')
            end += code_[end] == '\\' ? 2 : 1;
        return end + 1;
    }

    void directive() {
        const std::size_t end = std::min(code_.find('\n', position_), code_.size());
        const std::string_view text = code_.substr(position_, end - position_);
        copy_to(end + 1);
        if (!text.starts_with("#line "))
            return;
        line_ = 0;
        std::size_t i = 6;
        for (; i < text.size() && is_digit(text[i]); ++i)
            line_ = line_ * 10 + static_cast<std::uint32_t>(text[i] - '0');
        std::size_t quote = text.find('"', i);
        if (quote == std::string_view::npos)
            return;
        file_.clear();
        for (i = quote + 1; i < text.size() && text[i] != '"'; ++i) {
            if (text[i] == '\\' && i + 1 < text.size())
                ++i;
            file_ += text[i];
        }
    }

    void word() {
        std::size_t end = position_;
        while (end < code_.size() && is_name(code_[end]))
            ++end;
        const std::string_view text = code_.substr(position_, end - position_);
        const Place place{file_, line_, 0};
        if (text == "if" && code_.substr(end).starts_with("("))
            return condition(end + 1, place);
        if (depth_ == 0 && code_.substr(end).starts_with("(")) {
            function_ = without_suffixes(text);
            head_ = end;
            reachable_ = !unreachable_.contains(std::string(text));
        }
        if (text == "switch")
            switch_place_ = place;
        if (text == "case" || text == "default") {
            const std::size_t colon = std::min(code_.find(':', end), code_.size());
            const std::string label(code_.substr(position_, colon - position_));
            copy_to(colon + 1);
            result_.code += fmt::format(" slimgrad_branch({}, true);", ways_);
            result_.branches.push_back(
                {Kind::label, switch_place_, label, function_, ways_, ways_, false, reachable_});
            ++ways_;
            return;
        }
        if (depth_ > 0 && text == "_slang_select" && code_.substr(end).starts_with("("))
            return selection(end + 1, place);
        if (depth_ > 0 &&
            (code_.substr(end).starts_with("(") || code_.substr(end).starts_with(")(")))
            return call(text, place);
        copy_to(end);
    }

    /// What the function that is being read compares: "_d_max", "_d_max_vector".
    std::optional<Extrema> own_extrema() const {
        constexpr std::string_view of_vectors = "_vector";
        std::string_view name = underived(function_);
        if (name.ends_with(of_vectors))
            name.remove_suffix(of_vectors.size());
        return extrema_of(name);
    }
    bool in_extremum() const { return own_extrema().has_value(); }

    void call(std::string_view text, const Place& place) {
        const std::string_view compared = of_prelude(text);
        const std::string name = without_suffixes(text);
        const std::optional<Extrema> extrema =
            extrema_of(compared.empty() ? underived(name) : compared);
        if (extrema && !compared.empty()) {
            const std::string way =
                !in_extremum()
                    ? std::to_string(extremum(*extrema, place) + (extrema->minimum ? 2 : 0))
                : extrema->minimum ? "slimgrad_way(2)"
                                   : "slimgrad_way(0)";
            result_.code += fmt::format(
                "slimgrad_ordered{{{}, [](auto... a) {{ return {}(a...); }}}}", way, text);
            position_ += text.size();
        } else if (extrema && !in_extremum()) {
            result_.code += fmt::format("slimgrad_within({}, {})", extremum(*extrema, place), text);
            position_ += text.size();
        } else {
            copy_to(position_ + text.size());
        }
    }

    /// The first of the ways of a call.
    std::uint32_t extremum(Extrema extrema, const Place& place) {
        const std::uint32_t way = ways_;
        ways_ += 4;
        const auto add = [&](Kind kind, std::uint32_t first) {
            result_.branches.push_back({kind, place, std::to_string(first), function_, first,
                                        first + 1, false, reachable_});
        };
        if (extrema.maximum)
            add(Kind::maximum, way);
        if (extrema.minimum)
            add(Kind::minimum, way + 2);
        return way;
    }

    /// The derivative of a maximum compares the primal values of its pairs.
    void derivative_head() {
        const bool derivative = function_.starts_with("_d_");
        const std::optional<Extrema> extrema = own_extrema();
        if (!derivative || !extrema)
            return;
        const std::vector<std::string> pairs = parameters();
        const auto order = [&](int way, const std::string& a, const std::string& b) {
            result_.code += fmt::format(" slimgrad_order(slimgrad_way({}), {}, {});", way, a, b);
        };
        const auto primal = [&](std::size_t i) { return "slimgrad_primal(" + pairs[i] + ")"; };
        if (pairs.size() == 2 && function_.starts_with("_d_abs"))
            order(0, primal(0), "0.0f");
        else if (pairs.size() == 2) { // saturate
            order(0, primal(0), "0.0f");
            order(2, primal(0), "1.0f");
        } else if (pairs.size() == 3)
            order(extrema->maximum ? 0 : 2, primal(0), primal(1));
        else if (pairs.size() == 4) {
            order(0, primal(0), primal(1));
            order(2, primal(0), primal(2));
        }
    }

    /// Of the function whose body begins here.
    std::vector<std::string> parameters() const {
        std::vector<std::string> names;
        std::size_t start = head_ + 1;
        for (std::size_t at = start; at < position_; ++at)
            if ((code_[at] == ',' || code_[at] == ')') && end_of_argument(start) == at) {
                start = at + 1;
                std::size_t begin = at;
                while (begin > head_ && is_name(code_[begin - 1]))
                    --begin;
                names.emplace_back(code_.substr(begin, at - begin));
            }
        return names;
    }

    /// Past the argument that begins here. In `Vector<bool, 3>` there is no space before `<`, as
    /// there is where it means less.
    std::size_t end_of_argument(std::size_t begin) const {
        std::size_t end = begin;
        for (int depth = 0, angles = 0; end < code_.size(); ++end) {
            const char c = code_[end], before = code_[end - 1];
            if (c == ',' && depth == 0 && angles == 0)
                break;
            if (c == '<' && is_name(before))
                ++angles;
            else if (c == '>' && angles > 0 && before != ' ')
                --angles;
            else if (c == '(' || c == '[' || c == '{')
                ++depth;
            else if ((c == ')' || c == ']' || c == '}') && depth-- == 0)
                break;
        }
        return end;
    }

    void selection(std::size_t begin, const Place& place) {
        const std::size_t end = end_of_argument(begin);
        const std::string condition = without_suffixes(resolved(code_.substr(begin, end - begin)));
        copy_to(begin);
        result_.code += fmt::format("slimgrad_select({}, ", ways_);
        ends_.push_back(end);
        for (const char component : {'x', 'y', 'z', 'w'}) {
            result_.branches.push_back({Kind::selection, place, condition + "." + component,
                                        function_, ways_, ways_ + 1, false, reachable_});
            ways_ += 2;
        }
    }

    void condition(std::size_t begin, const Place& place) {
        std::size_t end = begin;
        for (int depth = 1; end < code_.size(); ++end) {
            depth += code_[end] == '(' ? 1 : code_[end] == ')' ? -1 : 0;
            if (depth == 0)
                break;
        }
        const std::string_view text = resolved(code_.substr(begin, end - begin));
        copy_to(begin);
        const Origin from = origin(text);
        if (from == Origin::compiler)
            return;
        result_.code += fmt::format("slimgrad_branch({}, ", ways_);
        ends_.push_back(end);
        result_.branches.push_back({Kind::test, place, without_suffixes(text), function_, ways_,
                                    ways_ + 1, from == Origin::doubtful, reachable_});
        ways_ += 2;
    }

    std::string_view code_;
    const std::set<std::string>& unreachable_;
    std::size_t position_ = 0;
    BranchText result_;
    std::uint32_t ways_ = 0;
    std::string file_;
    std::uint32_t line_ = 0;
    int depth_ = 0;                 ///< of braces
    std::vector<std::size_t> ends_; ///< of what is wrapped in a call, inner ones last
    std::string function_;          ///< the last one whose head was seen
    std::size_t head_ = 0;          ///< the parenthesis after its name
    bool reachable_ = true;
    Place switch_place_; ///< of the last one: its labels come before another one's
    std::map<std::string_view, std::string_view> definitions_; ///< `bool _S6 = v_0 > t_0;`
    std::set<std::string_view> merged_conditions_; ///< `bool _S10;`: the value of a `&&` or `||`
    std::set<std::string_view> stages_;            ///< `int32_t _S7;`, and the shader's own
};

} // namespace

BranchText instrument_branches(std::string_view code, const std::set<std::string>& unreachable) {
    return BranchInstrumenter(code, unreachable).run();
}

} // namespace slimgrad::verify
