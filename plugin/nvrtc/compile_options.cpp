#include "plugin/nvrtc/compile_options.h"

#include <fmt/format.h>
#include <optional>

namespace slimgrad::nvrtc {
namespace {

/// Options with a value that may be the next word, in all their spellings. Of these only what the
/// text depends on matters here; the others are listed so that their value is not read as an
/// option.
enum class Kind { define, refused, other };

struct Spelling {
    std::string_view name;
    Kind kind;
};

constexpr Spelling joined[] = {{"-D", Kind::define}, {"-U", Kind::refused}, {"-I", Kind::other}};

constexpr Spelling separate[] = {
    {"--define-macro", Kind::define},    {"-define-macro", Kind::define},
    {"--undefine-macro", Kind::refused}, {"-undefine-macro", Kind::refused},
    {"--pre-include", Kind::refused},    {"-pre-include", Kind::refused},
    {"-include", Kind::refused},         {"--include-path", Kind::other},
    {"-include-path", Kind::other},
};

struct Match {
    Kind kind;
    std::optional<std::string_view> value; ///< none: it is the next word
};

std::optional<Match> match(std::string_view option) {
    for (const Spelling& spelling : separate) {
        if (option == spelling.name)
            return Match{spelling.kind, std::nullopt};
        if (option.starts_with(spelling.name) && option[spelling.name.size()] == '=')
            return Match{spelling.kind, option.substr(spelling.name.size() + 1)};
    }
    for (const Spelling& spelling : joined) {
        if (!option.starts_with(spelling.name))
            continue;
        const std::string_view value = option.substr(spelling.name.size());
        return Match{spelling.kind, value.empty() ? std::nullopt : std::optional(value)};
    }
    return std::nullopt;
}

} // namespace

Result<std::vector<std::string>> defines(const std::vector<std::string_view>& options) {
    std::vector<std::string> result;
    for (std::size_t i = 0; i < options.size(); ++i) {
        const std::optional<Match> found = match(options[i]);
        if (!found)
            continue;
        if (found->kind == Kind::refused)
            return fail(fmt::format("{} changes the text before it is compiled", options[i]));
        std::string_view value = found->value.value_or("");
        if (!found->value) {
            if (++i == options.size())
                return fail(fmt::format("{} has no value", options[i - 1]));
            value = options[i];
        }
        if (found->kind == Kind::define)
            result.emplace_back(value);
    }
    return result;
}

} // namespace slimgrad::nvrtc
