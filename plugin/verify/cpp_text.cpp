#include "plugin/verify/cpp_text.h"

#include "plugin/verify/cuda_text.h"
#include "rewriter/words.h"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

namespace slimgrad::verify {
namespace {

/// Goes before the emitted text: replaces the bounds checks of Slang's prelude, which only abort,
/// by ones that say what happened. The runner sets the hooks after loading; `out_of_range` does not
/// return.
constexpr std::string_view hooks = R"(#define SLANG_PRELUDE_ENABLE_ASSERT
#include <stddef.h>
#include <stdint.h>
struct slimgrad_loop;
extern "C" {
struct SlimgradHooks {
    void (*out_of_range)(uint32_t subscript, const void* data, uint64_t index, uint64_t count, const slimgrad_loop* innermost);
    void (*loop_ended)(uint32_t loop, uint64_t heads);
    void (*out_of_tensor)(uint32_t subscript, const void* data, uint32_t dimension, uint64_t index, uint64_t count, const slimgrad_loop* innermost);
};
__attribute__((visibility("default"))) SlimgradHooks slimgrad_hooks;
__attribute__((visibility("protected"))) uint32_t slimgrad_subscript;
__attribute__((visibility("protected"))) slimgrad_loop* slimgrad_innermost;
}
template <class T> static inline T slimgrad_at(uint32_t subscript, T index) {
    slimgrad_subscript = subscript;
    return index;
}
/* A subscript within a builtin function of Slang is one of the shader's call. */
static uint32_t slimgrad_caller;
static inline void slimgrad_from(uint32_t subscript) { slimgrad_caller = subscript; }
/* The backward loop ends when its counter is -1; slangc reads what the next trip would need before it tests that. */
template <class T> static inline T slimgrad_at_exit(uint32_t subscript, T index) {
    slimgrad_subscript = subscript;
    return index == T(-1) ? T(0) : index;
}
struct slimgrad_loop {
    uint64_t heads = 0;
    slimgrad_loop* around = slimgrad_innermost;
    uint32_t id;
    explicit slimgrad_loop(uint32_t i) : id(i) { slimgrad_innermost = this; }
    ~slimgrad_loop() {
        slimgrad_innermost = around;
        slimgrad_hooks.loop_ended(id, heads);
    }
    bool head() { ++heads; return true; }
};
#define SLIMGRAD_CHECK(holds, data, index, count) \
    if (!(holds)) { \
        slimgrad_hooks.out_of_range(slimgrad_subscript, data, index, count, slimgrad_innermost); \
        __builtin_unreachable(); \
    } \
    slimgrad_subscript = 0;
#define SLANG_BOUND_CHECK(index, count) SLIMGRAD_CHECK((index) < (count), this->data, index, count)
#define SLANG_BOUND_CHECK_FIXED_ARRAY(index, count) SLIMGRAD_CHECK((index) < (count), nullptr, index, count)
#define SLANG_BOUND_CHECK_BYTE_ADDRESS(index, size, bytes) \
    SLIMGRAD_CHECK((bytes) >= (size) && (index) <= (bytes) - (size) && ((index) & 3) == 0, this->data, index, bytes)
)";

/// "_pc_3" with prefix "_pc_".
bool is_counter(std::string_view text, std::string_view prefix) {
    return text.size() > prefix.size() && text.starts_with(prefix) &&
           std::all_of(text.begin() + static_cast<std::ptrdiff_t>(prefix.size()), text.end(),
                       is_digit);
}

/// slangc appends _0, _1, ... to every name.
std::string without_suffix(std::string_view name) {
    std::size_t end = name.size();
    while (end > 0 && is_digit(name[end - 1]))
        --end;
    if (end > 1 && end < name.size() && name[end - 1] == '_')
        name = name.substr(0, end - 1);
    return std::string(name);
}

struct Function {
    std::set<std::string> words;
    std::vector<std::size_t> loops;
};

class Instrumenter {
  public:
    /// `before`: goes before the text, after the hooks.
    Instrumenter(std::string_view before, std::string_view code) : code_(code) {
        result_.code = hooks;
        result_.code += before;
    }

    InstrumentedText run(std::string_view entry_point) {
        result_.subscripts.emplace_back();
        position_ = end_of_prelude();
        result_.code += code_.substr(0, position_);
        while (position_ < code_.size())
            step();
        mark_reachable(entry_point);
        return std::move(result_);
    }

    /// After `run`: the functions of the text that the entry point does not reach.
    const std::set<std::string>& unreachable() const { return unreachable_; }

  private:
    /// An open bracket of the text.
    struct Bracket {
        char kind; ///< '(', '[', '{'
        std::size_t subscript =
            0; ///< of '[' and of the '(' of Load and Store: index into subscripts, 0 for none
        std::size_t begin = 0; ///< of the bracket's content
        bool loop = false;     ///< of '{': the body of loops_.back()
    };

    std::size_t end_of_prelude() const {
        constexpr std::string_view last = "using namespace SLANG_PRELUDE_NAMESPACE;\n";
        const std::size_t at = code_.rfind(last);
        return at == std::string_view::npos ? 0 : at + last.size();
    }

    bool at_start_of_line() const { return position_ == 0 || code_[position_ - 1] == '\n'; }
    bool rest_starts_with(std::string_view text) const {
        return code_.substr(position_).starts_with(text);
    }

    void copy(std::size_t count) {
        result_.code += code_.substr(position_, count);
        position_ += count;
    }

    void copy_to(std::string_view end) {
        const std::size_t at = code_.find(end, position_);
        copy(at == std::string_view::npos ? code_.size() - position_ : at - position_);
    }

    void step() {
        const char c = code_[position_];
        if (c == '\n') {
            ++line_;
            copy(1);
        } else if (c == '#' && at_start_of_line()) {
            line_directive();
            copy_to("\n");
        } else if (rest_starts_with("//")) {
            copy_to("\n");
        } else if (c == '"') {
            string_literal();
        } else if (is_name(c)) {
            word();
        } else {
            punctuation(c);
        }
    }

    void line_directive() {
        if (!rest_starts_with("#line "))
            return;
        const std::string_view text =
            code_.substr(position_ + 6, code_.find('\n', position_) - position_ - 6);
        line_ = 0;
        std::size_t i = 0;
        for (; i < text.size() && is_digit(text[i]); ++i)
            line_ = line_ * 10 + static_cast<std::uint32_t>(text[i] - '0');
        --line_; // the directive's own end of line counts it up again
        const std::size_t quote = text.find('"', i);
        if (quote == std::string_view::npos)
            return;
        file_.clear();
        for (i = quote + 1; i < text.size() && text[i] != '"'; ++i) {
            if (text[i] == '\\' && i + 1 < text.size())
                ++i;
            file_ += text[i];
        }
    }

    /// What Slang's own modules declare, and what is generated for it.
    bool in_builtin_module() const { return file_.ends_with(".meta.slang"); }

    void string_literal() {
        std::size_t end = position_ + 1;
        while (end < code_.size() && code_[end] != '"')
            end += code_[end] == '\\' ? 2 : 1;
        copy(std::min(end + 1, code_.size()) - position_);
        const std::size_t next = code_.find_first_not_of(" \n", position_);
        linkage_ = brackets_.empty() && previous_word_ == "extern" &&
                   next != std::string_view::npos && code_[next] == '{';
    }

    Place place() const { return {file_, line_, 0}; }

    void word() {
        std::size_t end = position_;
        while (end < code_.size() && is_name(code_[end]))
            ++end;
        const std::string_view text = code_.substr(position_, end - position_);
        for (const std::size_t loop : open_loops_)
            if (result_.loops[loop].place.file == file_)
                result_.loops[loop].lines.insert(line_);
        if (function_)
            function_->words.emplace(text);
        if (text == "for" && code_.substr(end).starts_with("(;;)"))
            return loop(end + 4);
        if (!open_loops_.empty())
            part_of_loop(text, code_.substr(end), result_.loops[open_loops_.back()]);
        const bool member = position_ > 0 && code_[position_ - 1] == '.';
        const bool called = code_.substr(end).starts_with("(");
        if (brackets_.empty() && text != "static" && function_name_.empty() && called) {
            function_name_ = text;
            if (in_builtin_module())
                builtin_functions_.emplace(text);
        }
        if (called && !brackets_.empty() && !member &&
            (text == "__syncthreads" ||
             (!in_builtin_module() && builtin_functions_.contains(text)))) {
            previous_word_ = text;
            return call_from_shader(text);
        }
        if (brackets_.empty() && previous_word_ == "struct")
            structure_name_ = text;
        if (brackets_.size() == 1 && in_context_ && code_.substr(end).starts_with(";") &&
            declares_array())
            checkpoint_members_.emplace(text);
        previous_word_ = text;
        copy(text.size());
        if (member && (text.starts_with("Load") || text.starts_with("Store") || text == "load" ||
                       text == "store" || text == "data_ptr_at"))
            announce_argument(text);
    }

    /// What the compiler's own variables say of the loop that they are used in.
    void part_of_loop(std::string_view name, std::string_view rest, EmittedLoop& loop) const {
        if (is_counter(name, "_pc_") && rest.starts_with(" + int(1)"))
            loop.counted = loop.stores = true;
        else if (is_counter(name, "_dc_") && rest.starts_with(" >= int(0)"))
            loop.counted = true;
        else if (is_counter(name, "_runFlag_") && previous_word_ == "if")
            loop.flagged = true;
    }

    /// A call whose place is that of what happens inside: `f(` -> `(slimgrad_from(7), f)(`. A
    /// barrier's place is announced like a subscript's.
    void call_from_shader(std::string_view name) {
        result_.subscripts.push_back({"", place(), false});
        const std::string id = std::to_string(result_.subscripts.size() - 1);
        position_ += name.size();
        if (name == "__syncthreads")
            result_.code += "slimgrad_at(" + id + ", 0), __syncthreads";
        else
            result_.code += "(slimgrad_from(" + id + "), " + std::string(name) + ")";
    }

    /// Whether the statement that ends here starts with FixedArray.
    bool declares_array() const {
        const std::size_t start = code_.find_last_of(";{\n", position_) + 1;
        const std::size_t first = code_.find_first_not_of(" \t", start);
        return code_.substr(first).starts_with("FixedArray<");
    }

    void loop(std::size_t after) {
        const std::size_t id = result_.loops.size();
        EmittedLoop& added = result_.loops.emplace_back();
        added.place = place();
        added.depth = open_loops_.size();
        if (function_)
            function_->loops.push_back(id);
        result_.code +=
            "for(slimgrad_loop slimgrad_l(" + std::to_string(id) + ");slimgrad_l.head();)";
        position_ = after;
        loop_expects_body_ = true;
    }

    std::size_t announce(std::string name, std::string_view wrapper = "slimgrad_at") {
        result_.subscripts.push_back({std::move(name), place(), false});
        const std::size_t id = result_.subscripts.size() - 1;
        result_.code += wrapper;
        result_.code +=
            in_builtin_module() ? "(slimgrad_caller, " : "(" + std::to_string(id) + ", ";
        return id;
    }

    /// `.Load(i)`, `.Store<T>(i, v)`: the first argument is a subscript in all but form.
    void announce_argument(std::string_view method) {
        std::size_t open = position_;
        if (open < code_.size() && code_[open] == '<') {
            int depth = 0;
            for (; open < code_.size(); ++open) {
                depth += code_[open] == '<' ? 1 : code_[open] == '>' ? -1 : 0;
                if (depth == 0) {
                    ++open;
                    break;
                }
            }
        }
        if (open >= code_.size() || code_[open] != '(')
            return;
        std::string name = base_name(position_ - method.size() - 1);
        copy(open + 1 - position_);
        const std::size_t id = announce(std::move(name));
        brackets_.push_back({'(', id, position_});
    }

    /// The last name before `end`, past subscripts and closing parentheses: "gIn_0" for
    /// `(&(p)->gIn_0)`, "value1_0" for `c->value1_0[i]`.
    std::string full_base_name(std::size_t end) const {
        while (end > 0) {
            const char c = code_[end - 1];
            if (c == ')' || c == ' ') {
                --end;
            } else if (c == ']') {
                int depth = 0;
                do {
                    --end;
                    depth += code_[end] == ']' ? 1 : code_[end] == '[' ? -1 : 0;
                } while (end > 0 && depth > 0);
            } else {
                break;
            }
        }
        std::size_t begin = end;
        while (begin > 0 && is_name(code_[begin - 1]))
            --begin;
        return std::string(code_.substr(begin, end - begin));
    }
    std::string base_name(std::size_t end) const { return without_suffix(full_base_name(end)); }

    bool is_checkpoint(std::string_view index, const std::string& base) const {
        return is_counter(index, "_pc_") ||
               (is_counter(index, "_dc_") && checkpoint_members_.contains(base));
    }

    void punctuation(char c) {
        switch (c) {
        case '[': {
            const std::string base = full_base_name(position_);
            copy(1);
            const std::string_view rest = code_.substr(position_);
            const std::string_view index = rest.substr(0, rest.find(']'));
            const bool checkpoint = is_checkpoint(index, base);
            const bool read_back = checkpoint && is_counter(index, "_dc_");
            const std::size_t id =
                announce(without_suffix(base), read_back ? "slimgrad_at_exit" : "slimgrad_at");
            brackets_.push_back({'[', id, position_});
            result_.subscripts[id].checkpoint = checkpoint;
            return;
        }
        case '(':
            brackets_.push_back({'(', 0, position_ + 1});
            break;
        case '{':
            if (!std::exchange(linkage_, false)) // extern "C" { is no scope
                open_brace();
            break;
        case ',':
            if (!brackets_.empty() && brackets_.back().kind == '(' &&
                brackets_.back().subscript != 0) {
                result_.code += ')';
                brackets_.back().subscript = 0;
            }
            break;
        case ')':
        case ']':
        case '}':
            close(c);
            break;
        case ';':
            if (brackets_.empty())
                end_of_declaration();
            break;
        default:
            break;
        }
        copy(1);
    }

    void open_brace() {
        if (brackets_.empty()) {
            in_context_ = structure_name_.starts_with("s_minCtx_") ||
                          structure_name_.starts_with("s_bwdCallableCtx_");
            if (structure_name_.empty() && !function_name_.empty())
                function_ = &functions_[function_name_];
        }
        brackets_.push_back({'{', 0, position_ + 1, loop_expects_body_});
        if (loop_expects_body_)
            open_loops_.push_back(result_.loops.size() - 1);
        loop_expects_body_ = false;
    }

    void close(char c) {
        if (brackets_.empty())
            return;
        const Bracket open = brackets_.back();
        brackets_.pop_back();
        if (open.subscript != 0)
            result_.code += ')';
        if (open.loop)
            open_loops_.pop_back();
        if (c == '}' && brackets_.empty())
            end_of_declaration();
    }

    void end_of_declaration() {
        function_ = nullptr;
        function_name_.clear();
        structure_name_.clear();
        previous_word_ = {};
        in_context_ = false;
    }

    void mark_reachable(std::string_view entry_point) {
        std::vector<std::string> open{std::string(entry_point)};
        std::set<std::string> seen{open.front()};
        while (!open.empty()) {
            const auto function = functions_.find(open.back());
            open.pop_back();
            if (function == functions_.end())
                continue;
            for (const std::size_t id : function->second.loops)
                result_.loops[id].reachable = true;
            for (const std::string& name : function->second.words) {
                result_.used_globals.insert(name);
                if (seen.insert(name).second)
                    open.push_back(name);
            }
        }
        for (const auto& [name, function] : functions_)
            if (!seen.contains(name))
                unreachable_.insert(name);
    }

    std::string_view code_;
    std::size_t position_ = 0;
    InstrumentedText result_;
    std::string file_;
    std::uint32_t line_ = 1;
    std::vector<Bracket> brackets_;
    std::vector<std::size_t> open_loops_;
    bool loop_expects_body_ = false;
    std::map<std::string, Function> functions_;
    std::set<std::string> unreachable_;
    Function* function_ = nullptr;
    std::string function_name_, structure_name_;
    std::string_view previous_word_;
    bool in_context_ = false;
    bool linkage_ = false; ///< the next brace is that of `extern "C" {`
    std::set<std::string> checkpoint_members_;
    std::set<std::string, std::less<>> builtin_functions_;
};

} // namespace

InstrumentedText instrument(std::string_view code, std::string_view entry_point, Machine machine) {
    const bool cuda = machine == Machine::cuda;
    const HostText text = cuda ? host_text(code, true) : HostText{"", std::string(code), ""};
    Instrumenter instrumenter(text.before, text.kernels);
    InstrumentedText result =
        instrumenter.run(cuda ? name_on_host(entry_point) : std::string(entry_point));
    BranchText branches = instrument_branches(result.code + text.after, instrumenter.unreachable());
    result.code = std::move(branches.code);
    result.branches = std::move(branches.branches);
    return result;
}

std::string library_text(std::string_view code, Machine machine) {
    return machine == Machine::cpp ? std::string(code) : host_text(code, false).whole();
}

} // namespace slimgrad::verify
