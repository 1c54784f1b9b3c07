#include "tests/parse_rate/front_end.h"

#include "plugin/rewrite/content_hash.h"
#include "plugin/slang/message.h"
#include "tests/parse_rate/shader_files.h"
#include "tests/parse_rate/test_options.h"
#include "tests/unit/rewriter/declared_attributes.h"
#include "tests/unit/rewriter/lowered_loops.h"

#include <algorithm>
#include <filesystem>
#include <iterator>

namespace slimgrad::parse_rate {

namespace {

std::string absolute(const std::string& path) {
    std::error_code error;
    const std::filesystem::path whole = std::filesystem::absolute(path, error);
    return error ? path : whole.string();
}

/// -I's folders become absolute ones.
std::vector<std::string> with_absolute_folders(std::vector<std::string> options) {
    for (std::size_t i = 0; i < options.size(); ++i) {
        if (options[i] == "-I" && i + 1 < options.size()) {
            options[i + 1] = absolute(options[i + 1]);
            ++i;
        } else if (options[i].starts_with("-I")) {
            options[i] = "-I" + absolute(options[i].substr(2));
        }
    }
    return options;
}

} // namespace

bool answered(const CompileResult& result) {
    return result.status == CompileStatus::succeeded || result.status == CompileStatus::rejected ||
           result.status == CompileStatus::refused;
}

bool has_syntax_error(const CompileResult& result) {
    return std::any_of(result.diagnostics.begin(), result.diagnostics.end(),
                       [](const Diagnostic& diagnostic) {
                           return diagnostic.severity == DiagnosticSeverity::error &&
                                  diagnostic.code.size() == 6 && diagnostic.code.starts_with("E2");
                       });
}

FrontEnd::FrontEnd(std::vector<std::string> options, std::string worker, bool ir)
    : options_(with_absolute_folders(std::move(options))), ir_(ir), cache_folder_(cache_folder()) {
    compiler_hash_ = hash_of_file(worker);
}

Result<FrontEnd::Answer> FrontEnd::ask(SlangCompiler& compiler, const std::string& file,
                                       const std::string& text, const std::string& root) {
    std::vector<std::vector<std::string>> sets = test_options(text);
    sets.insert(sets.begin(), std::vector<std::string>());
    std::optional<Answer> best;
    for (const std::vector<std::string>& own : sets) {
        CompileRequest request;
        request.file = absolute(file);
        request.arguments = options_;
        request.arguments.insert(request.arguments.end(), own.begin(), own.end());
        if (ir_)
            request.arguments.insert(request.arguments.end(), {"-dump-ir", "-g3", "-dump-ast"});
        // Of other endings the compiler does not know the language.
        if (std::filesystem::path(file).extension() != ".slang" &&
            std::find(own.begin(), own.end(), "-lang") == own.end())
            request.arguments.insert(request.arguments.end(), {"-lang", "slang"});
        request.target = SlangTarget::ir;
        request.project_root = absolute(root);
        request.checkpoint_report = false;
        request.reflection = ir_;
        Result<CompileResult> result = compile(compiler, request);
        if (!result)
            return tl::unexpected(result.error());
        const bool better = !best || result->succeeded() ||
                            (answered(*result) && !has_syntax_error(*result) &&
                             (!answered(best->result) || has_syntax_error(best->result)));
        if (better)
            best = Answer{std::move(*result), request};
        if (best->result.succeeded())
            break;
    }
    return *best;
}

Result<CompileResult> FrontEnd::ask_again(SlangCompiler& compiler, const Answer& answer,
                                          const FileTexts& overlay) {
    CompileRequest request = answer.request;
    request.overlay = overlay;
    return compile(compiler, request);
}

Result<CompileResult> FrontEnd::compile(SlangCompiler& compiler, const CompileRequest& request) {
    // The first part is another one whenever entries keep something else.
    ContentHash hash;
    hash.add("3").add(compiler_hash_).add(request.file).add(request.project_root);
    for (const std::string& argument : request.arguments)
        hash.add(argument);
    for (const auto& [path, text] : request.overlay)
        hash.add("overlay").add(path).add(text);
    hash.add(hash_of_file(request.file));
    const std::string key = hash.hex();
    if (std::optional<CompileResult> known = remembered(key))
        return *known;
    Result<CompileResult> result = compiler.compile(request);
    // A file on which the compiler hangs costs its time once. A question about types is asked
    // again: on a busy machine the answer may only have come too late.
    const bool is_lasting = result && (answered(*result) || request.overlay.empty());
    if (is_lasting) {
        result->code = what_loops_need(result->code);
        result->syntax_tree = what_declarations_need(result->syntax_tree);
        remember(key, *result);
    }
    return result;
}

std::string FrontEnd::hash_of_file(const std::string& path) {
    {
        const std::lock_guard lock(mutex_);
        if (const auto known = hashes_.find(path); known != hashes_.end())
            return known->second;
    }
    const Result<std::string> text = read_file(path);
    const std::string hash = text ? ContentHash().add_raw(*text).hex() : "none";
    const std::lock_guard lock(mutex_);
    return hashes_.emplace(path, hash).first->second;
}

/// A cache looks at all its entries when it adds one: many small ones are quicker.
Cache FrontEnd::cache_of(const std::string& key) const {
    return Cache(cache_folder_.empty() ? "" : cache_folder_ + "/parse-rate/" + key.substr(0, 2),
                 4u << 20);
}

/// An entry is the hashes of the files that were read, in the order of the result's dependencies,
/// and the result.
std::optional<CompileResult> FrontEnd::remembered(const std::string& key) {
    const std::optional<std::string> entry = cache_of(key).get(key);
    const auto end = entry ? entry->find('\n') : std::string::npos;
    if (end == std::string::npos)
        return std::nullopt;
    Result<CompileResult> result =
        slang_plugin::decode_result(std::string_view(*entry).substr(end + 1));
    std::string hashes;
    if (result)
        for (const std::string& path : result->dependencies)
            hashes += hash_of_file(path) + ' ';
    if (!result || entry->compare(0, end, hashes) != 0)
        return std::nullopt;
    return std::move(*result);
}

void FrontEnd::remember(const std::string& key, const CompileResult& result) {
    std::string entry;
    for (const std::string& path : result.dependencies)
        entry += hash_of_file(path) + ' ';
    cache_of(key).put(key, entry + '\n' + slang_plugin::encode(result));
}

} // namespace slimgrad::parse_rate
