#include "plugin/verify/derivative_members.h"

#include "rewriter/words.h"

#include <string_view>

namespace slimgrad::verify {
namespace {

/// The last identifier of the text.
std::string last_word(std::string_view text) {
    std::size_t end = text.size();
    while (end > 0 && !is_name(text[end - 1]))
        --end;
    std::size_t begin = end;
    while (begin > 0 && is_name(text[begin - 1]))
        --begin;
    return std::string(text.substr(begin, end - begin));
}

} // namespace

DerivativeMembers derivative_members(const ModuleModel& model) {
    constexpr std::string_view attribute = "DerivativeMember";
    DerivativeMembers members;
    for (const TypeDeclaration& type : model.types) {
        const std::string_view text = model.text(type.site);
        for (std::size_t at = text.find(attribute); at != std::string_view::npos;
             at = text.find(attribute, at + 1)) {
            const std::size_t close = text.find(')', at), bracket = text.find(']', at),
                              end = text.find_first_of(";=[", bracket);
            if (close == std::string_view::npos || bracket == std::string_view::npos ||
                end == std::string_view::npos)
                continue;
            const std::string member = last_word(text.substr(at, close - at)),
                              field = last_word(text.substr(bracket, end - bracket));
            members[type.name][member] = field;
        }
    }
    return members;
}

} // namespace slimgrad::verify
