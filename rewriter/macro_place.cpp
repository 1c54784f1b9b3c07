#include "rewriter/macro_place.h"

#include "rewriter/words.h"

#include <algorithm>
#include <vector>

namespace slimgrad {

namespace {

const std::uint32_t no_file = MacroDefinition().file; // of a -D option

/// Not a definition: it says that there are uses where the name is no macro (macro_reach.h).
bool is_mark(const MacroDefinition& macro) {
    return macro.file != no_file && macro.range.begin == macro.range.end;
}

bool is_in(const std::vector<ConditionalBranch>& branches, std::uint32_t file, ByteRange range) {
    return std::any_of(branches.begin(), branches.end(), [&](const ConditionalBranch& branch) {
        return branch.file == file && branch.body.contains(range);
    });
}

/// Each `#undef name` of the file that is not left out; what stands in a comment is none.
std::vector<ByteRange> find_undefs(const ModuleModel& model, std::string_view name,
                                   std::uint32_t file) {
    const std::string_view text = model.files[file].text();
    std::vector<ByteRange> found;
    for (std::size_t at = text.find("undef"); at != std::string_view::npos;
         at = text.find("undef", at + 1)) {
        const std::size_t begin = text.find_first_not_of(" \t\\\r\n", at + 5);
        const std::size_t before = at == 0 ? text.npos : text.find_last_not_of(" \t\\\r\n", at - 1);
        if (before == text.npos || text[before] != '#' || begin == text.npos ||
            text.substr(begin, name.size()) != name ||
            (begin + name.size() < text.size() && is_name(text[begin + name.size()])))
            continue;
        const ByteRange range{std::uint32_t(at), std::uint32_t(begin + name.size())};
        const auto& inactive = model.inactive[file];
        const bool is_directive =
            std::any_of(inactive.begin(), inactive.end(),
                        [&](ByteRange left_out) { return left_out.contains(range); });
        if (is_directive && !is_in(model.not_taken, file, range))
            found.push_back(range);
    }
    return found;
}

} // namespace

std::optional<const MacroDefinition*> macro_at(const ModuleModel& model, std::string_view name,
                                               Site place) {
    if (const MacroDefinition* only = model.find_only_macro(name))
        return only; // it holds at all uses of its name
    const MacroDefinition* last = nullptr;
    std::vector<ByteRange> seen;
    for (const MacroDefinition& macro : model.macros) {
        if (macro.name != name || is_mark(macro))
            continue;
        if (macro.file == no_file) {
            last = &macro;
            continue;
        }
        const bool is_again = std::find(seen.begin(), seen.end(), macro.range) != seen.end();
        if (macro.file != place.file || is_again || is_in(model.undecided, macro.file, macro.range))
            return std::nullopt;
        seen.push_back(macro.range);
        if (macro.range.end <= place.range.begin)
            last = &macro;
    }
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        for (const ByteRange undef : find_undefs(model, name, file)) {
            if (file != place.file || is_in(model.undecided, file, undef))
                return std::nullopt;
            const bool is_before = undef.end <= place.range.begin;
            if (is_before && (!last || last->file == no_file || last->range.end <= undef.begin))
                last = nullptr;
        }
    }
    return last;
}

} // namespace slimgrad
