#include "plugin/cli/choice_lock.h"

#include "plugin/cli/finding_view.h"
#include "plugin/cli/folder_lock.h"
#include "plugin/cli/json_report.h"
#include "plugin/cli/text_report.h"
#include "plugin/cuda/cuda_toolkit.h"
#include "plugin/rewrite/content_hash.h"
#include "rewriter/atomic_write.h"
#include "rewriter/line_diff.h"

#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

constexpr int lock_version = 1;

std::string hash_of(const std::string& text) {
    return ContentHash().add_raw(text).hex();
}

std::string relative_path(const std::string& path, const std::string& root) {
    return fs::path(path).lexically_relative(root).generic_string();
}

/// Whether the path is one that a lock may name: below the root.
bool is_below(const std::string& relative) {
    const fs::path path(relative);
    return !path.empty() && path.is_relative() && *path.lexically_normal().begin() != "..";
}

/// Arguments with the root, which is another one in each copy of the project, written as ".".
std::vector<std::string> portable(std::vector<std::string> arguments, const std::string& root) {
    for (std::string& argument : arguments)
        for (std::size_t at = argument.find(root); at != argument.npos;
             at = argument.find(root, at))
            argument.replace(at, root.size(), ".");
    return arguments;
}

/// Where a lock lies, behind symbolic links.
std::string folder_of(const std::string& lock) {
    std::error_code ignored;
    return fs::weakly_canonical(lock, ignored).parent_path().string();
}

/// Lines counted from 1; `remove` of them from `line` on become `insert`.
Json edits_json(const std::string& before, const std::string& after) {
    const auto old_lines = split_lines(before), new_lines = split_lines(after);
    Json edits = Json::array();
    for (const LineChange& change : diff_lines(old_lines, new_lines)) {
        Json insert = Json::array();
        for (std::size_t i = change.new_begin; i < change.new_end; ++i)
            insert.push_back(std::string(new_lines[i]));
        edits.push_back({{"line", change.old_begin + 1},
                         {"remove", change.old_end - change.old_begin},
                         {"insert", std::move(insert)}});
    }
    return edits;
}

std::optional<std::string> edited(const std::string& text, const Json& edits) {
    const auto lines = split_lines(text);
    std::string result;
    std::size_t next = 0;
    for (const Json& edit : edits) {
        const std::size_t begin = edit.at("line").get<std::size_t>() - 1;
        const std::size_t removed = edit.at("remove").get<std::size_t>();
        if (begin < next || begin > lines.size() || removed > lines.size() - begin)
            return std::nullopt;
        for (; next < begin; ++next)
            result += lines[next];
        for (const Json& line : edit.at("insert"))
            result += line.get<std::string>();
        next = begin + removed;
    }
    for (; next < lines.size(); ++next)
        result += lines[next];
    return result;
}

Json choice_json(const TriedFix& kept, const std::string& root) {
    Json choice = {{"rule", kept.finding.rule},
                   {"site", fmt::format("{}:{}:{}", relative_path(kept.finding.place.file, root),
                                        kept.finding.place.line, kept.finding.place.column)},
                   {"decision", kept.fix.description},
                   {"before", figures_json(kept.evidence.before)}};
    if (kept.evidence.after)
        choice["after"] = figures_json(*kept.evidence.after);
    return choice;
}

Json module_entry(const TuneRun& run, const ModuleRun& module, const std::string& nvcc) {
    const std::string& root = module.settings.root;
    const ModuleReport& report = *module.report;
    Json files = Json::object(), choices = Json::array(), edits = Json::object();
    for (const auto& [path, text] : report.original)
        files[relative_path(path, root)] = hash_of(text);
    for (const TriedFix& kept : run.report->kept)
        if (report.original.contains(kept.finding.place.file))
            choices.push_back(choice_json(kept, root));
    for (const auto& [path, text] : report.changed)
        edits[relative_path(path, root)] = {
            {"sha256", hash_of(text)}, {"changes", edits_json(report.original.at(path), text)}};
    Json entry = {{"files", std::move(files)},
                  {"arguments", portable(module.with.slang_arguments, root)},
                  {"slang", module.with.slang_version},
                  {"slimgrad", SLIMGRAD_VERSION},
                  {"nvcc", nvcc},
                  {"arch", module.with.arch},
                  {"fast_math", module.with.fast_math},
                  {"nvcc_arguments", module.with.nvcc_arguments},
                  {"noalias", module.settings.options.promises.noalias},
                  {"choices", std::move(choices)},
                  {"edits", std::move(edits)}};
    if (report.after)
        entry["kernels"] = figures_json(*report.after);
    if (report.verified)
        entry["gradients"] = verdict_text(*report.verified);
    return entry;
}

Error no_lock(const std::string& path, const std::string& why) {
    return {fmt::format("this is no lock of slimgrad ({}): remove it, or write it again with "
                        "`slimgrad tune --lock`",
                        why),
            {path, 0, 0}};
}

Result<Json> read_lock(const std::string& path) {
    std::error_code ignored;
    if (!fs::exists(path, ignored) && fs::is_symlink(path, ignored))
        return tl::unexpected(no_lock(path, "a symbolic link to a file that is not there"));
    if (!fs::exists(path, ignored))
        return Json{{"version", lock_version}, {"modules", Json::object()}};
    const Result<std::string> text = read_file(path);
    if (!text)
        return tl::unexpected(text.error());
    Json lock = Json::parse(*text, nullptr, false);
    if (!lock.is_object() || !lock.contains("modules") || !lock["modules"].is_object())
        return tl::unexpected(no_lock(path, "not its JSON"));
    if (!lock.contains("version") || lock["version"] != Json(lock_version) ||
        !lock["version"].is_number_integer())
        return tl::unexpected(no_lock(path, "another version"));
    return lock;
}

std::string lock_path(const std::string& root) {
    return (fs::path(root) / lock_name).string();
}

Error does_not_fit(const ModuleSettings& settings, const std::string& what) {
    return {fmt::format("{} does not fit any more: {}; run `slimgrad tune --lock {}` again",
                        lock_name, what, relative_path(settings.file, settings.root)),
            {settings.file, 0, 0}};
}

std::string fast_math_words(bool on) {
    return on ? "fast math" : "no fast math";
}

/// LockedModule::made_with.
std::string other_circumstances(const Json& entry, const MeasuredWith& now) {
    std::vector<std::string> parts;
    const auto compare = [&](std::string_view what, const std::string& then,
                             const std::string& here) {
        if (then != here)
            parts.push_back(fmt::format("{}{}, here {}", what, then, here));
    };
    compare("slangc ", entry.at("slang"), now.slang_version);
    compare("", entry.at("arch"), now.arch);
    compare("", fast_math_words(entry.at("fast_math")), fast_math_words(now.fast_math));
    // Locks of earlier versions of slimgrad do not hold them.
    const auto arguments = entry.value("nvcc_arguments", now.nvcc_arguments);
    compare("nvcc with ", fmt::format("'{}'", fmt::join(arguments, " ")),
            fmt::format("'{}'", fmt::join(now.nvcc_arguments, " ")));
    return fmt::format("{}", fmt::join(parts, "; "));
}

Result<std::optional<LockedModule>> locked_module(const ModuleSettings& settings, const Json& entry,
                                                  const MeasuredWith& now,
                                                  const std::vector<std::string>& dependencies) {
    LockedModule module;
    module.made_with = other_circumstances(entry, now);
    // What was verified under it was never compared where arguments overlap.
    if (entry.value("noalias", false) && !settings.options.promises.noalias &&
        !entry.at("edits").empty())
        return tl::unexpected(does_not_fit(
            settings, "its choices rest on `noalias = true`, which is not promised here"));
    module.report.file = settings.file;
    if (entry.at("arguments").get<std::vector<std::string>>() !=
        portable(settings.options.slang_arguments, settings.root))
        return tl::unexpected(does_not_fit(settings, "slangc's options are others"));
    for (const std::string& path : dependencies)
        if (const std::string relative = relative_path(path, settings.root);
            !entry.at("files").contains(relative))
            return tl::unexpected(does_not_fit(settings, "it is also made from " + relative));
    for (const auto& [relative, hash] : entry.at("files").items()) {
        const std::string path = (fs::path(settings.root) / relative).lexically_normal().string();
        if (std::find(dependencies.begin(), dependencies.end(), path) == dependencies.end())
            return tl::unexpected(does_not_fit(settings, "it is not made from " + relative));
        Result<std::string> text = read_file(path);
        if (!text)
            return tl::unexpected(does_not_fit(settings, relative + " cannot be read"));
        if (hash_of(*text) != hash.get<std::string>())
            return tl::unexpected(does_not_fit(settings, relative + " has changed"));
        module.report.original.emplace(path, std::move(*text));
        module.files.push_back(path);
    }
    if (!module.report.original.contains(settings.file))
        return tl::unexpected(no_lock(lock_path(settings.root), "an entry without its own file"));
    for (const auto& [relative, edits] : entry.at("edits").items()) {
        if (!is_below(relative))
            return tl::unexpected(no_lock(lock_path(settings.root), relative));
        const std::string path = (fs::path(settings.root) / relative).string();
        const auto original = module.report.original.find(path);
        std::optional<std::string> text;
        if (original != module.report.original.end())
            text = edited(original->second, edits.at("changes"));
        if (!text || hash_of(*text) != edits.at("sha256").get<std::string>())
            return tl::unexpected(no_lock(lock_path(settings.root), "the edits of " + relative));
        module.report.changed.emplace(path, std::move(*text));
    }
    module.files.push_back(lock_path(settings.root));
    return module;
}

} // namespace

Result<void> write_locks(const std::vector<TuneRun>& runs) {
    std::map<std::string, std::unique_ptr<FolderLock>>
        folders; // sorted: all runs wait in one order
    for (const TuneRun& run : runs)
        for (const ModuleRun& module : run.modules)
            folders[folder_of(lock_path(module.settings.root))];
    for (auto& [folder, held] : folders)
        held = std::make_unique<FolderLock>(folder);
    const Result<CudaToolkit> toolkit = CudaToolkit::find();
    if (!toolkit)
        return tl::unexpected(toolkit.error());
    const std::string nvcc = nvcc_version(*toolkit);
    std::map<std::string, Json> locks;
    for (const TuneRun& run : runs) {
        if (!run.report)
            continue;
        for (const ModuleRun& module : run.modules) {
            if (compiler_failed(*module.report))
                continue;
            const std::string path = lock_path(module.settings.root);
            if (!locks.contains(path)) {
                Result<Json> lock = read_lock(path);
                if (!lock)
                    return tl::unexpected(lock.error());
                locks.emplace(path, std::move(*lock));
            }
            // Keys are sorted, so that a commit shows only what changed.
            std::map<std::string, Json> modules =
                locks[path]["modules"].get<std::map<std::string, Json>>();
            modules[relative_path(module.settings.file, module.settings.root)] =
                module_entry(run, module, nvcc);
            locks[path]["modules"] = modules;
        }
    }
    for (const auto& [path, lock] : locks)
        if (const Result<void> done =
                write_file(path, lock.dump(2, ' ', false, Json::error_handler_t::replace) + '\n');
            !done)
            return done;
    return {};
}

Result<std::optional<LockedModule>>
read_locked(const ModuleSettings& settings, const MeasuredWith& now,
            const std::function<Result<std::vector<std::string>>()>& dependencies) {
    const std::string path = lock_path(settings.root);
    const Result<Json> lock = read_lock(path);
    if (!lock)
        return tl::unexpected(lock.error());
    const std::string name = relative_path(settings.file, settings.root);
    if (!(*lock)["modules"].contains(name))
        return std::nullopt;
    const Result<std::vector<std::string>> files = dependencies();
    if (!files)
        return tl::unexpected(files.error());
    try {
        return locked_module(settings, (*lock)["modules"][name], now, *files);
    } catch (const nlohmann::json::exception&) {
        return tl::unexpected(no_lock(path, "what it says of " + name));
    }
}

} // namespace slimgrad
