#include "rewriter/macro_text.h"

#include "rewriter/macro_expansion.h"

#include <algorithm>
#include <cctype>
#include <vector>

namespace slimgrad {

namespace {

constexpr int deepest_macro = 16;
// Macros that double each other end here.
constexpr std::size_t longest_text = 64 << 10;

bool is_name(char c) {
    return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

class Expansion {
  public:
    explicit Expansion(const ModuleModel& model) : model_(model) {}

    /// False where a macro cannot be replaced.
    bool add(std::string_view text) {
        for (std::size_t at = 0; at < text.size();) {
            if (result.size() > longest_text)
                return false;
            std::size_t end = at + 1;
            while (is_name(text[at]) && end < text.size() && is_name(text[end]))
                ++end;
            const std::string_view word = text.substr(at, end - at);
            const bool is_open = std::find(open_.begin(), open_.end(), word) != open_.end();
            const MacroDefinition* macro =
                is_name(text[at]) && !is_open ? model_.find_macro(word) : nullptr;
            if (macro && !model_.find_only_macro(word))
                return false; // which one holds depends on the place
            std::vector<std::string> arguments;
            if (macro && macro->function_like) {
                const auto close = end_of_arguments(text, end);
                if (close) {
                    const auto open = text.find('(', end);
                    arguments = macro_arguments(text.substr(open, *close - open));
                    end = *close;
                } else {
                    macro = nullptr; // a name without arguments is no use of it
                }
            }
            if (!macro)
                result += word;
            else if (!add(*macro, arguments))
                return false;
            at = end;
        }
        return true;
    }

    std::string result;

  private:
    bool add(const MacroDefinition& macro, const std::vector<std::string>& arguments) {
        const auto expansion = expand_macro(model_.files, macro, arguments);
        if (!expansion || open_.size() >= deepest_macro)
            return false;
        open_.push_back(macro.name);
        const bool added = add(*expansion);
        open_.pop_back();
        return added;
    }

    const ModuleModel& model_;
    std::vector<std::string_view> open_; ///< the macros whose expansion is being read
};

} // namespace

std::optional<std::string> expand_macros(const ModuleModel& model, std::string_view text) {
    Expansion expansion(model);
    if (!expansion.add(text))
        return std::nullopt;
    return std::move(expansion.result);
}

} // namespace slimgrad
