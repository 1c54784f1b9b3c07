#include "plugin/cli/depfile.h"

#include <set>

namespace slimgrad {
namespace {

std::string escape(std::string_view name) {
    std::string escaped;
    for (char c : name) {
        if (c == ' ' || c == '#')
            escaped += '\\';
        if (c == '$')
            escaped += '$';
        escaped += c;
    }
    return escaped;
}

} // namespace

std::string depfile(std::string_view output, const std::vector<std::string>& inputs) {
    std::string text = escape(output) + ':';
    std::set<std::string_view> written;
    for (const std::string& input : inputs)
        if (written.insert(input).second)
            text += " \\\n  " + escape(input);
    text += '\n';
    return text;
}

} // namespace slimgrad
