#include "plugin/slangc/build_state.h"

#include "plugin/rewrite/cache.h"
#include "plugin/rewrite/content_hash.h"
#include "plugin/slangc/find_slangc.h"
#include "rewriter/atomic_write.h"

#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>

namespace slimgrad::slangc {
namespace {

namespace fs = std::filesystem;

std::string escape(std::string_view name) {
    std::string escaped;
    for (const char c : name) {
        if (c == ' ' || c == ':' || c == '#')
            escaped += '\\';
        if (c == '$')
            escaped += '$';
        escaped += c;
    }
    return escaped;
}

std::string describe(const DropInSettings& settings) {
    if (!settings.on)
        return "off\n";
    const CudaRewriteOptions& rewrite = settings.rewrite;
    const Result<std::string> program = find_rewriter(rewrite);
    return fmt::format("on: passes {}, heap threshold {}, heap layout {}, {}\n",
                       fmt::join(rewrite.passes, ","),
                       rewrite.heap_threshold ? std::to_string(*rewrite.heap_threshold) : "default",
                       rewrite.heap_layout.empty() ? "default" : rewrite.heap_layout,
                       program ? *program : "no slimgrad-clang");
}

/// The file under a name that has no spaces; "" if there is none.
std::string without_spaces(const std::string& path) {
    if (path.find(' ') == std::string::npos)
        return path;
    std::error_code error;
    const fs::path link = fs::absolute(cache_folder(), error) /
                          ("slangc-link-" + ContentHash().add_raw(path).hex().substr(0, 16));
    if (link.string().find(' ') != std::string::npos)
        return "";
    fs::create_directories(link.parent_path(), error);
    fs::create_symlink(path, link, error); // there already, as a rule
    return fs::read_symlink(link, error) == path ? link.string() : "";
}

} // namespace

std::string update_state_file(const DropInSettings& settings) {
    const std::string folder = cache_folder();
    if (folder.empty())
        return "";
    std::error_code error;
    const std::string place = ContentHash().add_raw(own_path()).hex().substr(0, 16);
    const std::string path = (fs::absolute(folder, error) / ("slangc-state-" + place)).string();
    return write_file(path, describe(settings)) ? path : "";
}

std::vector<std::string> own_dependencies(const DropInSettings& settings,
                                          const std::string& state_file) {
    std::vector<std::string> result{own_path()};
    if (const Result<std::string> program = find_rewriter(settings.rewrite))
        result.push_back(*program);
    result.push_back(state_file);
    for (std::string& path : result)
        path = without_spaces(path);
    std::erase(result, "");
    return result;
}

std::string with_dependencies(std::string_view depfile, const std::vector<std::string>& further,
                              bool targets) {
    std::string added, rules;
    for (const std::string& path : further) {
        added += ' ' + escape(path);
        rules += escape(path) + ":\n";
    }
    if (depfile.empty() || !targets || depfile.ends_with('\n' + rules))
        rules.clear();
    std::string text;
    while (!depfile.empty()) {
        const std::size_t end = depfile.find('\n');
        const std::string_view line = depfile.substr(0, end);
        text += line;
        if (line.find(": ") != std::string_view::npos && !line.ends_with(added))
            text += added;
        if (end == std::string_view::npos)
            break;
        text += '\n';
        depfile.remove_prefix(end + 1);
    }
    if (!rules.empty() && !text.ends_with('\n'))
        text += '\n';
    return text + rules;
}

bool takes_empty_rules(std::string_view depfile_path) {
    return !depfile_path.ends_with(".d.out");
}

} // namespace slimgrad::slangc
