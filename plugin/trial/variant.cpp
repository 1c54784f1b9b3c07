#include "plugin/trial/variant.h"

#include "plugin/trial/source_loops.h"
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

VariantLab::VariantLab(TrialPool& pool, const TrialModule& module)
    : pool_(pool), module_(module), worker_(pool.next_worker()),
      module_verifier_(pool.tools(worker_).compiler, pool.tools(worker_).verifier,
                       module.options.cache) {}

void VariantLab::progress(const std::string& line) const {
    if (module_.options.progress)
        module_.options.progress(line, pool_.done(), pool_.submitted());
}

bool VariantLab::editable(const std::string& path) const {
    return path == module_.file || path.starts_with(module_.project_root + "/") ||
           module_.project_root == "/";
}

CompileRequest VariantLab::request(const FileTexts& texts) const {
    CompileRequest request;
    request.file = module_.file;
    request.arguments = module_.options.slang_arguments;
    request.overlay = texts;
    request.project_root = module_.project_root;
    return request;
}

Result<void> VariantLab::read_model(Variant& variant) const {
    std::vector<std::string> paths = variant.cuda.dependencies;
    std::erase(paths, module_.file);
    paths.insert(paths.begin(), module_.file);
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
        build_module_model(std::move(files), macro_definitions(module_.options.slang_arguments));
    confirm_functions(variant.model, variant.cuda.reflection.functions);
    return {};
}

Variant& VariantLab::variant(const FileTexts& texts) {
    FileTexts own;
    for (const auto& [path, text] : texts)
        if (files_.empty() || std::find(files_.begin(), files_.end(), path) != files_.end())
            own.emplace(path, text);
    std::unique_ptr<Variant>& variant = variants_[own];
    if (!variant) {
        variant = std::make_unique<Variant>();
        variant->texts = std::move(own);
    }
    return *variant;
}

Result<void> VariantLab::compile(Variant& variant, SlangCompiler& compiler) const {
    if (variant.state != Variant::State::new_text)
        return {};
    Result<CompileResult> compiled = compiler.compile(request(variant.texts));
    if (!compiled)
        return tl::unexpected(compiled.error());
    variant.cuda = std::move(*compiled);
    if (const auto read = read_model(variant); !read)
        return read;
    // Text that goes to nvcc as it is could include, and by an error message show, any file.
    if (may_include_files(target_text_sources(variant.model, module_.options.slang_arguments))) {
        variant.cuda.status = CompileStatus::refused;
        variant.cuda.detail =
            module_.file + ": __requirePrelude could include any file: not compiled further";
        variant.cuda.diagnostics.clear();
    }
    variant.state = Variant::State::compiled;
    return {};
}

Result<void> VariantLab::measure(Variant& variant) const {
    if (variant.state != Variant::State::compiled)
        return {};
    if (variant.cuda.succeeded() && !variant.cuda.code.empty()) {
        if (!module_.options.searching) // a search says what it tries
            progress(fmt::format("nvcc {}", module_.file));
        NvccOptions nvcc = module_.options.nvcc;
        nvcc.block_sizes = block_sizes(variant.cuda.reflection);
        if (nvcc.estimate)
            nvcc.loop_trips = source_loops(variant.model, module_.options.promises);
        Result<NvccResult> measured = slimgrad::measure(pool_.toolkit(), variant.cuda.code, nvcc);
        if (!measured)
            return tl::unexpected(measured.error());
        variant.nvcc = std::move(*measured);
        if (variant.nvcc->status == NvccStatus::rejected) {
            variant.emitted_code_error = "nvcc: " + variant.nvcc->detail;
            variant.emitted_code_place = variant.nvcc->place;
        }
    }
    variant.findings = run_rules(rule_input(variant));
    variant.state = Variant::State::measured;
    return {};
}

void VariantLab::remember_files(const Variant& variant) {
    if (files_.empty() && variant.cuda.succeeded())
        files_ = variant.cuda.dependencies;
}

RuleInput VariantLab::rule_input(const Variant& variant) const {
    RuleInput input{variant.model,
                    variant.cuda,
                    module_.options.promises,
                    variant.emitted_code_error,
                    variant.emitted_code_place,
                    [this](const std::string& path) { return editable(path); }};
    input.searching = module_.options.searching;
    input.reconsider = module_.options.reconsider;
    if (variant.nvcc)
        for (const KernelFigures& kernel : variant.nvcc->kernels)
            if (!kernel.device_function) // its frame is part of its caller's
                input.frames.push_back(
                    {kernel.name, kernel.stack_bytes, kernel.direction == Direction::backward,
                     kernel.registers,
                     std::uint64_t{kernel.spill_store_bytes} + kernel.spill_load_bytes});
    return input;
}

std::vector<Finding> VariantLab::findings(const Variant& variant,
                                          std::vector<GradientFact> facts) const {
    RuleInput input = rule_input(variant);
    input.gradient_facts = std::move(facts);
    return run_rules(input);
}

ModuleView VariantLab::view(const Variant& variant) const {
    return {{module_.file, module_.project_root, module_.options.slang_arguments, variant.texts},
            &variant.cuda,
            &variant.model};
}

Result<std::optional<VerifyResult>> VariantLab::compare_with(const FileTexts& texts,
                                                             const Variant& rewritten) {
    FileTexts all = rewritten.texts;
    for (const auto& [path, text] : texts)
        all[path] = text;
    Variant& original = variant(all);
    Result<void> compiled;
    pool_.run_on(worker_, [&](TrialTools& tools) { compiled = compile(original, tools.compiler); });
    if (!compiled)
        return tl::unexpected(compiled.error());
    if (!original.cuda.succeeded())
        return std::nullopt;
    Result<std::vector<VerifyResult>> results = compare(original, rewritten, VerifyDepth::quick);
    if (!results)
        return tl::unexpected(results.error());
    return combined(std::move(*results));
}

Result<std::vector<VerifyResult>> VariantLab::compare(const Variant& original,
                                                      const Variant& rewritten, VerifyDepth depth) {
    progress(fmt::format("verify {}", module_.file));
    VerifyOptions options = module_.options.verify;
    options.both_machines = depth == VerifyDepth::whole;
    options.derivatives = false; // of the original they are checked once, see check()
    Result<std::vector<VerifyResult>> results = std::vector<VerifyResult>{};
    pool_.run_on(worker_, [&](TrialTools&) {
        results = module_verifier_.compare(view(original), view(rewritten), options,
                                           module_.options.promises);
    });
    if (!results)
        return tl::unexpected(results.error());
    for (const VerifyResult& result : *results)
        for (const StepReport& step : result.steps)
            verifying_ += step.duration;
    return results;
}

Result<std::vector<VerifyResult>> VariantLab::check(const Variant& variant) {
    progress(fmt::format("check the gradients of {}", module_.file));
    Result<std::vector<VerifyResult>> results = std::vector<VerifyResult>{};
    pool_.run_on(worker_, [&](TrialTools&) {
        results =
            module_verifier_.check(view(variant), module_.options.verify, module_.options.promises);
    });
    return results;
}

VerifyResult combined(std::vector<VerifyResult> results) {
    VerifyResult all;
    all.reason = "no entry point runs a backward pass";
    const bool any = !results.empty();
    bool bit_equal = true, differs_if_aliased = false;
    double largest = 0;
    for (VerifyResult& result : results) {
        bit_equal = bit_equal && result.bit_equal;
        differs_if_aliased = differs_if_aliased || result.differs_if_aliased;
        largest = std::max(largest, result.largest_error);
        all = std::move(result);
        if (all.verdict != Verdict::equal)
            break;
    }
    all.bit_equal = bit_equal && any;
    all.differs_if_aliased = differs_if_aliased;
    all.largest_error = largest;
    return all;
}

} // namespace slimgrad
