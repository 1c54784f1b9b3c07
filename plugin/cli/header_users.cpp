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

namespace fs = std::filesystem;

std::string_view first_word(std::string_view text, std::string_view stops) {
    const std::size_t begin = std::min(text.find_first_not_of(" \t"), text.size());
    text.remove_prefix(begin);
    return text.substr(0, text.find_first_of(stops));
}

/// What a line names: "../lib/common.slangh" of an #include, "lib/common" of `import lib.common;`.
struct NamedFile {
    std::string name;
    bool is_path = false; ///< with its extension, as it stands there

    friend auto operator<=>(const NamedFile&, const NamedFile&) = default;
};

NamedFile named_file(std::string_view line) {
    line = line.substr(std::min(line.find_first_not_of(" \t"), line.size()));
    for (const std::string_view keyword :
         {"#include", "__exported import", "import", "__include", "implementing"}) {
        if (!line.starts_with(keyword))
            continue;
        std::string_view rest = line.substr(keyword.size());
        if (rest.empty() || std::string_view(" \t\"<").find(rest.front()) == rest.npos)
            return {};
        rest.remove_prefix(std::min(rest.find_first_not_of(" \t"), rest.size()));
        if (rest.starts_with('"') || rest.starts_with('<'))
            return {std::string(rest.substr(1, rest.find_first_of("\">", 1) - 1)), true};
        std::string name(first_word(rest, "; \t\r/"));
        std::replace(name.begin(), name.end(), '.', '/');
        return {std::move(name)};
    }
    return {};
}

/// The file that stands there, seen from the folder of the one that names it: slangc looks
/// there first. "" where there is none, and an -I folder may have it.
std::string file_beside(const NamedFile& named, const std::string& user) {
    const fs::path folder = fs::path(user).parent_path();
    std::string hyphens = named.name;
    std::replace(hyphens.begin(), hyphens.end(), '_', '-'); // `import my_module`: my-module.slang
    for (const std::string& name :
         {named.is_path ? named.name : named.name + ".slang", hyphens + ".slang"}) {
        std::error_code error;
        const fs::path path = folder / name;
        if (fs::is_regular_file(path, error))
            return fs::canonical(path, error).string();
        if (named.is_path)
            break;
    }
    return "";
}

/// Whether a file of this path could be meant, wherever -I folders lead.
bool means(const NamedFile& named, const std::string& path) {
    std::string name = named.name;
    if (named.is_path)
        name = fs::path(name).lexically_normal().replace_extension().string();
    while (name.starts_with("../"))
        name.erase(0, 3);
    std::string stem = fs::path(path).replace_extension().string();
    std::replace(stem.begin(), stem.end(), '-', '_');
    std::replace(name.begin(), name.end(), '-', '_');
    return !name.empty() && stem.ends_with("/" + name);
}

struct Named {
    std::string beside;
    NamedFile file;

    bool is(const std::string& path) const {
        return beside.empty() ? means(file, path) : beside == path;
    }
};

std::vector<Named> names_in(const std::string& path) {
    std::set<NamedFile> files;
    const auto text = read_file(path);
    for (std::size_t begin = 0; text && begin < text->size();) {
        const std::size_t end = std::min(text->find('\n', begin), text->size());
        if (NamedFile file = named_file(std::string_view(*text).substr(begin, end - begin));
            !file.name.empty())
            files.insert(std::move(file));
        begin = end + 1;
    }
    std::vector<Named> names;
    for (const NamedFile& file : files)
        names.push_back({file_beside(file, path), file});
    return names;
}

} // namespace

std::vector<std::string> users_of(const std::string& file, const std::string& root,
                                  const std::vector<std::string>& known) {
    std::map<std::string, std::vector<Named>> names;
    for (const InputFile& found : collect_inputs({root}).files)
        names[found.path] = names_in(found.path);
    std::set<std::string> users{file};
    for (bool grown = true; grown;) {
        grown = false;
        for (const auto& [path, used] : names)
            if (!users.contains(path) &&
                std::any_of(used.begin(), used.end(), [&](const Named& name) {
                    return std::any_of(users.begin(), users.end(),
                                       [&](const std::string& user) { return name.is(user); });
                }))
                grown = users.insert(path).second;
    }
    users.erase(file);
    for (const std::string& path : known)
        users.erase(path);
    return {users.begin(), users.end()};
}

} // namespace slimgrad
