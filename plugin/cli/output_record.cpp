#include "plugin/cli/output_record.h"

#include "rewriter/atomic_write.h"

#include <filesystem>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

namespace fs = std::filesystem;

std::string folder_of(const std::string& output) {
    const fs::path folder = fs::path(output).parent_path();
    std::error_code ignored;
    fs::create_directories(folder, ignored);
    return folder.string();
}

bool exists(const std::string& path) {
    std::error_code ignored;
    return fs::exists(path, ignored);
}

} // namespace

/// Found by the library's name.
static void to_json(nlohmann::json& json, const NeededFile& file) {
    json = {{"source", file.source}, {"original", file.original}, {"text", file.text}};
}

static void from_json(const nlohmann::json& json, NeededFile& file) {
    json.at("source").get_to(file.source);
    json.at("original").get_to(file.original);
    json.at("text").get_to(file.text);
}

OutputRecord::OutputRecord(const std::string& output)
    : output_(output), path_((fs::path(folder_of(output)) / ".slimgrad-outputs").string()),
      lock_(fs::path(output).parent_path().string()) {
    if (const Result<std::string> text = read_file(path_))
        try {
            outputs_ = nlohmann::json::parse(*text).get<std::map<std::string, NeededFiles>>();
        } catch (const nlohmann::json::exception&) {
            outputs_.clear();
        }
    std::erase_if(outputs_, [](const auto& entry) { return !exists(entry.first); });
}

std::optional<std::string> OutputRecord::conflict(const NeededFiles& needed) const {
    for (const auto& [other, theirs] : outputs_)
        for (const auto& [place, file] : theirs) {
            const auto own = needed.find(place);
            if (other == output_ || own == needed.end() || own->second.text == file.text)
                continue;
            if (own->second.source != file.source || own->second.original == file.original)
                return fmt::format("{} would have to hold something else for {} than for {}: give "
                                   "each shader an output folder of its own",
                                   place, fs::path(output_).filename().string(), other);
        }
    return std::nullopt;
}

void OutputRecord::write(const NeededFiles& needed) {
    if (needed.empty() && !outputs_.contains(output_))
        return;
    outputs_[output_] = needed;
    [[maybe_unused]] const Result<void> done =
        write_file(path_, nlohmann::json(outputs_).dump(1) + '\n');
}

} // namespace slimgrad
