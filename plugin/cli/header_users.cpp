#include "plugin/cli/header_users.h"

#include "plugin/cli/input_files.h"
#include "rewriter/atomic_write.h"

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

namespace slimgrad {
namespace {

std::string_view first_word(std::string_view text, std::string_view stops) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_first_of(stops));
}

/// "lib/common" of `#include "../lib/common.slangh"` and `import lib.common;`: the end of the path
/// of the file that is meant, without "." and ".." and without its extension.
std::string named_file(std::string_view line) {
    line = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    std::string name;
    for (const std::string_view keyword :
         {"#include", "__exported import", "import", "__include", "implementing"}) {
        if (!line.starts_with(keyword))
            continue;
        std::string_view rest = line.substr(keyword.size());
        if (rest.empty() || std::string_view(" \t\"<").find(rest.front()) == rest.npos)
            return "";
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        if (rest.starts_with('"') || rest.starts_with('<'))
            return std::filesystem::path(rest.substr(1, rest.find_first_of("\">", 1) - 1))
                .lexically_normal()
                .replace_extension()
                .string();
        name = first_word(rest, "; \t\r/");
        std::replace(name.begin(), name.end(), '.', '/');
        return name;
    }
    return "";
}

bool means(std::string name, const std::string& path) {
    while (name.starts_with("../"))
        name.erase(0, 3);
    std::string stem = std::filesystem::path(path).replace_extension().string();
    // `import my_module` finds my-module.slang, too.
    std::replace(stem.begin(), stem.end(), '-', '_');
    std::replace(name.begin(), name.end(), '-', '_');
    return !name.empty() && stem.ends_with("/" + name);
}

std::set<std::string> names_in(const std::string& path) {
    std::set<std::string> names;
    const auto text = read_file(path);
    for (std::size_t begin = 0; text && begin < text->size();) {
        const std::size_t end = std::min(text->find('\n', begin), text->size());
        if (std::string name = named_file(std::string_view(*text).substr(begin, end - begin));
            !name.empty())
            names.insert(std::move(name));
        begin = end + 1;
    }
    return names;
}

} // namespace

std::vector<std::string> users_of(const std::string& file, const std::string& root,
                                  const std::vector<std::string>& known) {
    std::map<std::string, std::set<std::string>> names;
    for (const InputFile& found : collect_inputs({root}).files)
        names[found.path] = names_in(found.path);
    std::set<std::string> users{file};
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto& [path, used] : names)
            if (!users.contains(path) &&
                std::any_of(used.begin(), used.end(), [&](const std::string& name) {
                    return std::any_of(users.begin(), users.end(),
                                       [&](const std::string& user) { return means(name, user); });
                }))
                grown = users.insert(path).second;
    }
    users.erase(file);
    for (const std::string& path : known)
        users.erase(path);
    return {users.begin(), users.end()};
}

} // namespace slimgrad
