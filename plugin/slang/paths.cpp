#include "plugin/slang/paths.h"

#include <algorithm>
#include <array>
#include <climits>
#include <unistd.h>
#include <vector>

namespace slimgrad::slang_plugin {
namespace {

constexpr int most_links = 40; // as the kernel

std::string working_directory() {
    std::array<char, PATH_MAX> buffer;
    return getcwd(buffer.data(), buffer.size()) ? buffer.data() : "/";
}

/// The first component of `path`, which is shortened by it and by the slashes around it.
std::string_view take_component(std::string_view& path) {
    path.remove_prefix(std::min(path.find_first_not_of('/'), path.size()));
    std::string_view component = path.substr(0, path.find('/'));
    path.remove_prefix(component.size());
    return component;
}

bool is_link(const std::string& path, std::string& target) {
    std::array<char, PATH_MAX> buffer;
    ssize_t length = readlink(path.c_str(), buffer.data(), buffer.size());
    if (length < 0)
        return false;
    target.assign(buffer.data(), static_cast<std::size_t>(length));
    return true;
}

std::vector<std::string_view> split(std::string_view path) {
    std::vector<std::string_view> parts;
    for (std::size_t begin = 0; begin < path.size();) {
        std::size_t end = std::min(path.find_first_of("/\\", begin), path.size());
        parts.push_back(path.substr(begin, end - begin));
        begin = end + 1;
    }
    return parts;
}

} // namespace

std::string canonical_path(std::string_view path) {
    std::string pending(path);
    // As slangc does: shaders written elsewhere name their includes with backslashes.
    std::replace(pending.begin(), pending.end(), '\\', '/');
    std::string done = pending.starts_with('/') ? "" : working_directory();
    if (done == "/")
        done.clear();
    int links = 0;
    std::string_view rest = pending;
    for (std::string_view component; !(component = take_component(rest)).empty();) {
        if (component == ".")
            continue;
        if (component == "..") {
            done.erase(std::min(done.rfind('/'), done.size()));
            continue;
        }
        std::string next = done + '/' + std::string(component);
        std::string target;
        if (!is_link(next, target)) {
            done = std::move(next);
            continue;
        }
        if (++links > most_links)
            return {};
        if (target.starts_with('/'))
            done.clear();
        pending = target + std::string(rest);
        rest = pending;
    }
    return done.empty() ? "/" : done;
}

std::string simplified_path(std::string_view path) {
    std::vector<std::string_view> kept;
    const std::vector<std::string_view> parts = split(path);
    for (std::string_view part : parts) {
        if (part == "." && parts.size() > 1)
            continue;
        const bool climbs_from_folder =
            part == ".." && !kept.empty() && kept.back() != ".." && !kept.back().empty();
        if (climbs_from_folder)
            kept.pop_back();
        else
            kept.push_back(part);
    }
    std::string result;
    for (std::size_t i = 0; i < kept.size(); ++i)
        result.append(i == 0 ? "" : "/").append(kept[i]);
    return result.empty() ? "." : result;
}

} // namespace slimgrad::slang_plugin
