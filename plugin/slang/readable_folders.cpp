#include "plugin/slang/readable_folders.h"

namespace slimgrad::slang_plugin {
namespace {

std::string folder_of(const std::string& path) {
    const auto slash = path.rfind('/');
    return slash == std::string::npos ? "." : slash == 0 ? "/" : path.substr(0, slash);
}

/// The folders of -I, in both of its spellings.
std::vector<std::string> include_folders(const std::vector<std::string>& arguments) {
    std::vector<std::string> folders;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "-I" && i + 1 < arguments.size())
            folders.push_back(arguments[++i]);
        else if (arguments[i].starts_with("-I"))
            folders.push_back(arguments[i].substr(2));
    }
    return folders;
}

} // namespace

std::vector<std::string> readable_folders(const CompileRequest& request) {
    std::vector<std::string> folders = include_folders(request.arguments);
    folders.push_back(folder_of(request.file));
    if (!request.project_root.empty())
        folders.push_back(request.project_root);
    return folders;
}

} // namespace slimgrad::slang_plugin
