#include "plugin/slang/compile_cache.h"

#include "plugin/cache/program_identity.h"
#include "plugin/rewrite/content_hash.h"
#include "plugin/slang/readable_folders.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fmt/format.h>
#include <set>
#include <string_view>
#include <utility>

namespace slimgrad::slang_plugin {
namespace {

constexpr const char* manifest_kind = "Slang manifest";
constexpr const char* result_kind = "Slang result";
constexpr const char* head_kind = "Slang prelude";
constexpr const char* version_kind = "Slang version";
/// Of one request: states of its files that somebody goes back to.
constexpr std::size_t most_manifests = 16;

/// slangc's options that read and write no file by themselves, and start no other program. What is
/// not known is not cached.
bool is_pure(std::string_view option) {
    static const std::set<std::string_view> pure{"-allow-glsl",
                                                 "-capability",
                                                 "-conformance",
                                                 "-denorm-mode-fp16",
                                                 "-denorm-mode-fp32",
                                                 "-denorm-mode-fp64",
                                                 "-disable-dynamic-dispatch",
                                                 "-disable-non-essential-validations",
                                                 "-disable-short-circuit",
                                                 "-disable-specialization",
                                                 "-dump-ir",
                                                 "-enable-experimental-dynamic-dispatch",
                                                 "-enable-experimental-passes",
                                                 "-entry",
                                                 "-experimental-feature",
                                                 "-floating-point-mode",
                                                 "-fp-mode",
                                                 "-fvk-use-c-layout",
                                                 "-fvk-use-scalar-layout",
                                                 "-force-glsl-scalar-layout",
                                                 "-ignore-capabilities",
                                                 "-incomplete-library",
                                                 "-lang",
                                                 "-line-directive-mode",
                                                 "-matrix-layout-column-major",
                                                 "-matrix-layout-row-major",
                                                 "-minimum-slang-optimization",
                                                 "-module-name",
                                                 "-msvc-style-bitfield-packing",
                                                 "-no-mangle",
                                                 "-preserve-params",
                                                 "-profile",
                                                 "-restrictive-capability-check",
                                                 "-specialize",
                                                 "-stage",
                                                 "-std",
                                                 "-unscoped-enum",
                                                 "-validate-ir",
                                                 "-validate-ir-detailed",
                                                 "-validate-uniformity",
                                                 "-verbose-paths",
                                                 "-warnings-as-errors",
                                                 "-warnings-disable",
                                                 "-x",
                                                 "-zero-initialize"};
    static constexpr std::array<std::string_view, 4> joined{"-D", "-I", "-O", "-W"};
    return !option.starts_with('-') || pure.contains(option) ||
           std::any_of(joined.begin(), joined.end(),
                       [&](std::string_view name) { return option.starts_with(name); });
}

bool is_cacheable(const CompileRequest& request) {
    return std::all_of(request.arguments.begin(), request.arguments.end(),
                       [](const std::string& argument) { return is_pure(argument); });
}

/// Whether the outcome is the module's own, and not one of the limits or of the machine's load.
bool is_lasting(const WorkerReply& reply) {
    const CompileStatus status = reply.result.status;
    return !reply.lookups.empty() &&
           (status == CompileStatus::succeeded || status == CompileStatus::rejected ||
            status == CompileStatus::refused);
}

/// The libraries that the worker loads: from where it was linked to, or where the environment says.
std::string library_identity() {
    constexpr std::string_view prefix = "libslang";
    std::string identity = environment_identity({"LD_*", "SLANG_*"}) +
                           folder_identity(SLIMGRAD_SLANG_LIBRARY_FOLDER, prefix);
    const char* variable = std::getenv("LD_LIBRARY_PATH");
    std::string_view folders = variable != nullptr ? variable : "";
    while (!folders.empty()) {
        const std::size_t end = std::min(folders.find(':'), folders.size());
        identity += folder_identity(std::string(folders.substr(0, end)), prefix);
        folders.remove_prefix(std::min(end + 1, folders.size()));
    }
    return identity;
}

std::string result_key(const std::string& request, const FileLookups& manifest) {
    return ContentHash().add(request).add(encode(std::vector{manifest})).hex();
}

/// Where the module's own part of generated code begins: behind Slang's prelude.
std::size_t head_size(std::string_view code) {
    const std::size_t found = code.find("\n#line ");
    return found == std::string_view::npos ? 0 : found;
}

} // namespace

std::string compiler_identity(const std::string& worker, const ProcessLimits& limits) {
    return fmt::format("{}{}{}{} {} {}", own_identity(), program_identity(worker),
                       library_identity(), limits.wall_clock.count(), limits.memory_bytes,
                       limits.output_bytes);
}

CompileCache::CompileCache(std::shared_ptr<ResultCache> cache, const std::string& worker,
                           const ProcessLimits& limits)
    : cache_(std::move(cache)), compiler_(compiler_identity(worker, limits)) {}

std::string CompileCache::key_of(const CompileRequest& request) const {
    std::error_code error;
    const std::string folder = std::filesystem::current_path(error).string();
    return ContentHash().add(compiler_).add(encode(WorkerRequest{request, folder})).hex();
}

std::vector<FileLookups> CompileCache::manifests(const std::string& key) {
    if (const std::optional<std::string> known = cache_->get(manifest_kind, key))
        if (Result<std::vector<FileLookups>> list = decode_lookups(*known))
            return std::move(*list);
    return {};
}

std::optional<CompileResult> CompileCache::get(const CompileRequest& request) {
    if (!is_cacheable(request))
        return std::nullopt;
    const std::string key = key_of(request);
    FileAccess files(request.overlay, readable_folders(request));
    for (const FileLookups& manifest : manifests(key)) {
        const bool holds =
            std::all_of(manifest.begin(), manifest.end(),
                        [&](const FileLookup& lookup) { return files.still_holds(lookup); });
        if (holds)
            return read_result(result_key(key, manifest));
    }
    return std::nullopt;
}

void CompileCache::put(const CompileRequest& request, const WorkerReply& reply) {
    if (!is_cacheable(request) || !is_lasting(reply))
        return;
    const std::string key = key_of(request);
    std::vector<FileLookups> list = manifests(key);
    std::erase(list, reply.lookups);
    list.insert(list.begin(), reply.lookups);
    if (list.size() > most_manifests)
        list.resize(most_manifests);
    write_result(result_key(key, reply.lookups), reply.result);
    cache_->put(manifest_kind, key, encode(list));
}

std::optional<CompileResult> CompileCache::read_result(const std::string& key) {
    const std::optional<std::string> value = cache_->get(result_kind, key);
    if (!value)
        return std::nullopt;
    const std::size_t end = value->find('\n');
    if (end == std::string::npos)
        return std::nullopt;
    const std::string head = value->substr(0, end);
    Result<CompileResult> result = decode_result(std::string_view(*value).substr(end + 1));
    if (!result)
        return std::nullopt;
    if (!head.empty()) {
        auto known = heads_.find(head);
        if (known == heads_.end()) {
            std::optional<std::string> text = cache_->get(head_kind, head);
            if (!text)
                return std::nullopt;
            known = heads_.emplace(head, std::move(*text)).first;
        }
        result->code.insert(0, known->second);
    }
    return std::move(*result);
}

void CompileCache::write_result(const std::string& key, CompileResult result) {
    std::string head;
    if (const std::size_t size = head_size(result.code); size != 0) {
        std::string text = result.code.substr(0, size);
        result.code.erase(0, size);
        head = ContentHash().add(text).hex();
        if (!heads_.contains(head)) {
            cache_->put(head_kind, head, text);
            heads_.emplace(head, std::move(text));
        }
    }
    cache_->put(result_kind, key, head + '\n' + encode(result));
}

std::string CompileCache::version() {
    return cache_->get(version_kind, ContentHash().add(compiler_).hex()).value_or("");
}

void CompileCache::put_version(const std::string& version) {
    cache_->put(version_kind, ContentHash().add(compiler_).hex(), version);
}

} // namespace slimgrad::slang_plugin
