#include "plugin/cli/input_files.h"

#include "plugin/cli/project_root.h"
#include "rewriter/atomic_write.h"
#include "rewriter/source_file.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <system_error>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

/// Length of the UTF-8 sequence at the start of `text`, 0 if it is none (overlong forms and
/// surrogates included).
std::size_t utf8_sequence(std::string_view text) {
    const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
    const unsigned char first = byte(0);
    if (first < 0x80)
        return 1;
    const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
    if (first < 0xc2 || first > 0xf4 || text.size() < length)
        return 0;
    for (std::size_t i = 1; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80)
            return 0;
    const unsigned char second = byte(1);
    const bool overlong = (first == 0xe0 && second < 0xa0) || (first == 0xf0 && second < 0x90);
    const bool surrogate = first == 0xed && second > 0x9f;
    const bool too_large = first == 0xf4 && second > 0x8f;
    return overlong || surrogate || too_large ? 0 : length;
}

bool is_blank(std::string_view text) {
    if (text.starts_with("\xef\xbb\xbf"))
        text.remove_prefix(3);
    return text.find_first_not_of(" \t\r\n\v\f") == std::string_view::npos;
}

/// The module that a file is a part of, "m" for one that begins with `implementing m;`, or "". Such
/// a file is no module: slangc reads it with the file that `__include`s it.
std::string module_of_part(std::string_view text) {
    for (;;) {
        const auto begin = text.find_first_not_of(" \t\r\n\v\f\xef\xbb\xbf");
        if (begin == std::string_view::npos)
            return "";
        text.remove_prefix(begin);
        const bool block = text.starts_with("/*");
        if (!block && !text.starts_with("//") && !text.starts_with('#'))
            break;
        const auto end = block ? text.find("*/") : text.find('\n');
        if (end == std::string_view::npos)
            return "";
        text.remove_prefix(end + (block ? 2 : 1));
    }
    constexpr std::string_view keyword = "implementing";
    const auto end = text.find(';');
    if (!text.starts_with(keyword) || end == std::string_view::npos)
        return "";
    std::string name(text.substr(keyword.size(), end - keyword.size()));
    if (name.empty() || (name[0] != ' ' && name[0] != '\t' && name[0] != '"'))
        return "";
    std::erase_if(name, [](char c) { return c == ' ' || c == '\t' || c == '"'; });
    return name;
}

/// slangc writes the path into #line directives as it is: from there on the CUDA would be something
/// else.
bool fits_line_directive(std::string_view path) {
    return path.find_first_of("\"\n\r\\") == std::string_view::npos;
}

bool is_shader(const fs::path& path) {
    const std::string name = path.filename().string();
    return name.ends_with(".slang") || name.ends_with(".slang.md");
}

class Collector {
  public:
    void add_argument(const std::string& argument) {
        std::error_code error;
        const fs::file_status status = fs::status(argument, error);
        if (status.type() == fs::file_type::not_found)
            leave_out(argument, "no such file or folder");
        else if (error)
            leave_out(argument, error.message());
        else if (fs::is_directory(status))
            add_directory(argument);
        else if (!fs::is_regular_file(status))
            leave_out(argument, "not a regular file");
        else
            add_file(argument, false);
    }

    InputFiles result;

  private:
    void leave_out(const std::string& path, std::string reason, ExitCode code = ExitCode::usage,
                   bool from_directory = false) {
        result.left_out.push_back({path, std::move(reason), code, from_directory, {}});
    }

    void add_file(const std::string& path, bool from_directory) {
        const std::string canonical = canonical_path(path);
        if (!seen_.insert(canonical).second)
            return;
        const Result<std::string> text = read_file(canonical);
        if (!text)
            leave_out(path, text.error().message, ExitCode::usage, from_directory);
        else if (!fits_line_directive(canonical))
            leave_out(path,
                      "a quotation mark, backslash or line break in the path, which slangc's #line "
                      "directives cannot hold: rename it",
                      ExitCode::usage, from_directory);
        else if (const auto problem = not_shader_text(*text))
            result.left_out.push_back(
                {path, problem->message, ExitCode::usage, from_directory, problem->place});
        else if (is_blank(*text))
            leave_out(path, text->empty() ? "the file is empty" : "the file holds white space only",
                      ExitCode::clean, from_directory);
        else if (const std::string module = module_of_part(*text); !module.empty())
            leave_out(
                path,
                fmt::format("a part of the module {}, examined with the file that includes it",
                            module),
                ExitCode::clean, from_directory);
        else
            result.files.push_back({canonical, from_directory});
    }

    static bool is_left_out(const fs::path& folder) {
        std::error_code error;
        return folder.filename() == ".git" || folder.filename() == ".deps" ||
               fs::exists(folder / "CMakeCache.txt", error);
    }

    void add_directory(const std::string& directory) {
        const std::string root = canonical_path(directory);
        std::vector<fs::path> shaders;
        std::error_code error;
        fs::recursive_directory_iterator entry(
            directory, fs::directory_options::skip_permission_denied, error);
        if (error)
            return leave_out(directory, error.message());
        while (entry != fs::recursive_directory_iterator()) {
            std::error_code ignored; // an entry that vanished meanwhile is neither folder nor file
            if (!entry->is_symlink(ignored) && entry->is_directory(ignored) &&
                is_left_out(entry->path()))
                entry.disable_recursion_pending();
            else if (is_shader(entry->path()) && entry->is_regular_file(ignored))
                shaders.push_back(entry->path());
            entry.increment(error);
            if (error) {
                leave_out(directory, error.message());
                break;
            }
        }
        if (shaders.empty())
            return leave_out(directory, "no .slang files in this folder");
        std::sort(shaders.begin(), shaders.end());
        for (const fs::path& shader : shaders) {
            const std::string canonical = canonical_path(shader.string());
            if (root == "/" || canonical.starts_with(root + '/'))
                add_file(shader.string(), true);
            else
                leave_out(shader.string(), "a link to a file outside the folder", ExitCode::clean,
                          true);
        }
    }

    std::set<std::string> seen_;
};

} // namespace

std::optional<Error> not_shader_text(std::string_view text) {
    if (text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"))
        return Error{"UTF-16, which slangc reads and slimgrad does not: save it as UTF-8"};
    for (std::size_t i = 0; i < text.size();) {
        const std::size_t length = text[i] == 0 ? 0 : utf8_sequence(text.substr(i));
        if (length == 0) {
            const SourceFile file("", std::string(text));
            return Error{text[i] == 0 ? "not a text file: a NUL byte"
                                      : fmt::format("not UTF-8: byte {:#04x}",
                                                    static_cast<unsigned char>(text[i])),
                         file.place(static_cast<std::uint32_t>(i))};
        }
        i += length;
    }
    return std::nullopt;
}

InputFiles collect_inputs(const std::vector<std::string>& arguments) {
    Collector collector;
    for (const std::string& argument : arguments)
        collector.add_argument(argument);
    return std::move(collector.result);
}

} // namespace slimgrad
