#include "plugin/trial/variant.h"

#include "rewriter/atomic_write.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

std::map<std::string, std::uint32_t> block_sizes(const Reflection& reflection) {
    std::map<std::string, std::uint32_t> sizes;
    for (const EntryPoint& entry : reflection.entry_points)
        sizes[entry.name] = entry.thread_group[0] * entry.thread_group[1] * entry.thread_group[2];
    return sizes;
}

} // namespace

Figures Variant::figures() const {
    Figures figures;
    if (nvcc)
        figures.kernels = nvcc->kernels;
    figures.checkpoint_bytes = cuda.checkpoint_bytes();
    return figures;
}

VariantLab::VariantLab(SlangCompiler& compiler, Verifier& verifier, const CudaToolkit& toolkit,
                       const TrialOptions& options, std::string file, std::string project_root)
    : compiler_(compiler), toolkit_(toolkit), options_(options), file_(std::move(file)),
      project_root_(std::move(project_root)), module_verifier_(compiler, verifier) {}

void VariantLab::progress(const std::string& line) const {
    if (options_.progress)
        options_.progress(line);
}

bool VariantLab::editable(const std::string& path) const {
    return path == file_ || path.starts_with(project_root_ + "/") || project_root_ == "/";
}

CompileRequest VariantLab::request(const FileTexts& texts) const {
    CompileRequest request;
    request.file = file_;
    request.arguments = options_.slang_arguments;
    request.overlay = texts;
    request.project_root = project_root_;
    return request;
}

Result<void> VariantLab::read_model(Variant& variant) const {
    std::vector<std::string> paths = variant.cuda.dependencies;
    std::erase(paths, file_);
    paths.insert(paths.begin(), file_);
    std::vector<SourceFile> files;
    for (const std::string& path : paths) {
        if (const auto changed = variant.texts.find(path); changed != variant.texts.end()) {
            files.emplace_back(path, changed->second);
        } else {
            Result<std::string> text = read_file(path);
            if (!text)
                return tl::unexpected(text.error());
            files.emplace_back(path, std::move(*text));
        }
    }
    variant.model =
        build_module_model(std::move(files), macro_definitions(options_.slang_arguments));
    confirm_functions(variant.model, variant.cuda.reflection.functions);
    return {};
}

Result<const Variant*> VariantLab::examine(const FileTexts& texts) {
    if (const auto known = variants_.find(texts); known != variants_.end())
        return known->second.get();
    auto variant = std::make_unique<Variant>();
    variant->texts = texts;
    Result<CompileResult> compiled = compiler_.compile(request(texts));
    if (!compiled)
        return tl::unexpected(compiled.error());
    variant->cuda = std::move(*compiled);
    if (const auto read = read_model(*variant); !read)
        return tl::unexpected(read.error());

    // Text that goes to nvcc as it is could include, and by an error message show, any file.
    if (may_include_files(target_text_sources(variant->model, options_.slang_arguments))) {
        variant->cuda.status = CompileStatus::refused;
        variant->cuda.detail =
            file_ + ": __requirePrelude could include any file: not compiled further";
        variant->cuda.diagnostics.clear();
    }

    if (variant->cuda.succeeded() && !variant->cuda.code.empty()) {
        progress(fmt::format("nvcc {}", file_));
        NvccOptions nvcc = options_.nvcc;
        nvcc.block_sizes = block_sizes(variant->cuda.reflection);
        Result<NvccResult> measured = measure(toolkit_, variant->cuda.code, nvcc);
        if (!measured)
            return tl::unexpected(measured.error());
        variant->nvcc = std::move(*measured);
        if (variant->nvcc->status == NvccStatus::rejected) {
            variant->emitted_code_error = "nvcc: " + variant->nvcc->detail;
            variant->emitted_code_place = variant->nvcc->place;
        }
    }
    variant->findings = run_rules(rule_input(*variant));
    return variants_.emplace(texts, std::move(variant)).first->second.get();
}

RuleInput VariantLab::rule_input(const Variant& variant) const {
    RuleInput input{variant.model,
                    variant.cuda,
                    options_.promises,
                    variant.emitted_code_error,
                    variant.emitted_code_place,
                    [this](const std::string& path) { return editable(path); }};
    if (variant.nvcc)
        for (const KernelFigures& kernel : variant.nvcc->kernels)
            if (!kernel.device_function) // its frame is part of its caller's
                input.frames.push_back(
                    {kernel.name, kernel.stack_bytes, kernel.direction == Direction::backward});
    return input;
}

std::vector<Finding> VariantLab::findings(const Variant& variant,
                                          std::vector<GradientFact> facts) const {
    RuleInput input = rule_input(variant);
    input.gradient_facts = std::move(facts);
    return run_rules(input);
}

Result<bool> VariantLab::warns_more(const Variant& variant, const FileTexts& texts,
                                    const std::string& code) {
    const Result<CompileResult> compiled = compiler_.compile(request(texts));
    if (!compiled)
        return tl::unexpected(compiled.error());
    const auto count = [&](const CompileResult& result) {
        return std::count_if(result.diagnostics.begin(), result.diagnostics.end(),
                             [&](const Diagnostic& d) { return d.code == code; });
    };
    return count(*compiled) > count(variant.cuda);
}

ModuleView VariantLab::view(const Variant& variant) const {
    return {{file_, project_root_, options_.slang_arguments, variant.texts},
            &variant.cuda,
            &variant.model};
}

Result<VerifyResult> VariantLab::compare(const Variant& original, const Variant& rewritten,
                                         Depth depth) {
    return compare(view(original), view(rewritten), depth);
}

Result<std::optional<VerifyResult>> VariantLab::compare_with(const FileTexts& texts,
                                                             const Variant& rewritten) {
    Variant original;
    original.texts = rewritten.texts;
    for (const auto& [path, text] : texts)
        original.texts[path] = text;
    Result<CompileResult> compiled = compiler_.compile(request(original.texts));
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (!compiled->succeeded())
        return std::nullopt;
    original.cuda = std::move(*compiled);
    if (const auto read = read_model(original); !read)
        return tl::unexpected(read.error());
    Result<VerifyResult> result = compare(view(original), view(rewritten), Depth::quick);
    if (!result)
        return tl::unexpected(result.error());
    return std::move(*result);
}

Result<VerifyResult> VariantLab::compare(const ModuleView& original, const ModuleView& rewritten,
                                         Depth depth) {
    progress(fmt::format("verify {}", file_));
    VerifyOptions options = options_.verify;
    options.both_machines = depth == Depth::whole;
    options.derivatives = false; // of the original they are checked once, see check()
    Result<std::vector<VerifyResult>> results =
        module_verifier_.compare(original, rewritten, options, options_.promises);
    if (!results)
        return tl::unexpected(results.error());
    VerifyResult combined;
    combined.reason = "no entry point runs a backward pass";
    bool bit_equal = true, differs_if_aliased = false;
    double largest = 0;
    for (VerifyResult& result : *results) {
        bit_equal = bit_equal && result.bit_equal;
        differs_if_aliased = differs_if_aliased || result.differs_if_aliased;
        largest = std::max(largest, result.largest_error);
        combined = std::move(result);
        if (combined.verdict != Verdict::equal)
            break;
    }
    combined.bit_equal = bit_equal && !results->empty();
    combined.differs_if_aliased = differs_if_aliased;
    combined.largest_error = largest;
    return combined;
}

Result<std::vector<VerifyResult>> VariantLab::check(const Variant& variant) {
    progress(fmt::format("check the gradients of {}", file_));
    return module_verifier_.check(view(variant), options_.verify, options_.promises);
}

} // namespace slimgrad
