#include "plugin/trial/variant.h"

#include "plugin/trial/coverage.h"
#include "rewriter/atomic_write.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// The values of -D options: "-DN=4" and "-D" "N=4" give "N=4".
std::vector<std::string> defines_of(const std::vector<std::string>& arguments) {
    std::vector<std::string> defines;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
        if (arguments[i] == "-D" && i + 1 < arguments.size())
            defines.push_back(arguments[++i]);
        else if (arguments[i].starts_with("-D"))
            defines.push_back(arguments[i].substr(2));
    }
    return defines;
}

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

VariantLab::VariantLab(SlangCompiler& compiler, Verifier& verifier, const CudaToolkit& toolkit, const TrialOptions& options,
                       std::string file, std::string project_root)
    : compiler_(compiler), verifier_(verifier), toolkit_(toolkit), options_(options), file_(std::move(file)),
      project_root_(std::move(project_root)) {}

void VariantLab::progress(const std::string& line) const {
    if (options_.progress)
        options_.progress(line);
}

bool VariantLab::editable(const std::string& path) const {
    return path == file_ || path.starts_with(project_root_ + "/") || project_root_ == "/";
}

CompileRequest VariantLab::request(const FileTexts& texts, SlangTarget target) const {
    CompileRequest request;
    request.file = file_;
    request.arguments = options_.slang_arguments;
    request.target = target;
    request.overlay = texts;
    request.project_root = project_root_;
    request.checkpoint_report = target == SlangTarget::cuda;
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
    variant.model = build_module_model(std::move(files), defines_of(options_.slang_arguments));
    return {};
}

Result<const Variant*> VariantLab::examine(const FileTexts& texts) {
    if (const auto known = variants_.find(texts); known != variants_.end())
        return known->second.get();
    auto variant = std::make_unique<Variant>();
    variant->texts = texts;
    Result<CompileResult> compiled = compiler_.compile(request(texts, SlangTarget::cuda));
    if (!compiled)
        return tl::unexpected(compiled.error());
    variant->cuda = std::move(*compiled);
    if (const auto read = read_model(*variant); !read)
        return tl::unexpected(read.error());

    // Text that goes to nvcc as it is could include, and by an error message show, any file.
    if (std::any_of(variant->model.files.begin(), variant->model.files.end(), [](const SourceFile& file) {
            return file.text().find("__requirePrelude") != std::string::npos ||
                   (holds_target_code(file.text()) && file.text().find("\\n#") != std::string::npos);
        })) {
        variant->cuda.status = CompileStatus::refused;
        variant->cuda.detail = file_ + ": __requirePrelude could include any file: not compiled further";
        variant->cuda.diagnostics.clear();
    }

    Place emitted_code_place;
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
            emitted_code_place = variant->nvcc->place;
        }
    }
    const RuleInput input{variant->model, variant->cuda, options_.promises, variant->emitted_code_error, emitted_code_place,
                          [this](const std::string& path) { return editable(path); }};
    variant->findings = run_rules(input);
    return variants_.emplace(texts, std::move(variant)).first->second.get();
}

Result<bool> VariantLab::warns_more(const Variant& variant, const FileTexts& texts, const std::string& code) {
    const Result<CompileResult> compiled = compiler_.compile(request(texts, SlangTarget::cuda));
    if (!compiled)
        return tl::unexpected(compiled.error());
    const auto count = [&](const CompileResult& result) {
        return std::count_if(result.diagnostics.begin(), result.diagnostics.end(), [&](const Diagnostic& d) { return d.code == code; });
    };
    return count(*compiled) > count(variant.cuda);
}

Result<const CompileResult*> VariantLab::compile_cpp(const Variant& variant) {
    Variant& known = *variants_.at(variant.texts);
    if (!known.cpp) {
        Result<CompileResult> compiled = compiler_.compile(request(variant.texts, SlangTarget::cpp));
        if (!compiled)
            return tl::unexpected(compiled.error());
        known.cpp = std::move(*compiled);
    }
    return &*known.cpp;
}

Result<VerifyResult> VariantLab::compare(const Variant& original, const Variant& rewritten) {
    VerifyResult combined;
    const auto cannot_run = [&](std::string reason) {
        combined.verdict = Verdict::cannot_run;
        combined.reason = std::move(reason);
        return combined;
    };
    std::vector<CpuVariant> sides;
    for (const Variant* variant : {&original, &rewritten}) {
        const auto compiled = compile_cpp(*variant);
        if (!compiled)
            return tl::unexpected(compiled.error());
        const CompileResult& cpp = **compiled;
        if (!cpp.succeeded()) {
            const auto first = std::find_if(cpp.diagnostics.begin(), cpp.diagnostics.end(),
                                            [](const Diagnostic& d) { return d.severity == DiagnosticSeverity::error; });
            return cannot_run(fmt::format("Slang does not compile it for the CPU: {}",
                                          first == cpp.diagnostics.end() ? cpp.detail : first->message));
        }
        const auto& files = variant->model.files;
        CpuVariant side;
        side.code = cpp.code;
        side.reflection = cpp.reflection;
        for (const SourceFile& file : files) {
            side.target_code = side.target_code || holds_target_code(file.text());
            side.target_switch = side.target_switch || file.text().find("__target_switch") != std::string::npos;
        }
        sides.push_back(std::move(side));
    }
    std::vector<std::string> entries;
    for (const EntryPoint& entry : sides[0].reflection.entry_points) {
        const bool backward = std::any_of(original.nvcc->kernels.begin(), original.nvcc->kernels.end(), [&](const KernelFigures& k) {
            return k.name == entry.name && k.direction == Direction::backward;
        });
        if (backward && !entry.stage.empty())
            entries.push_back(entry.name);
    }
    if (entries.empty())
        return cannot_run("no entry point with a backward pass runs on the CPU");

    for (const std::string& entry : entries) {
        progress(fmt::format("verify {} of {}", entry, file_));
        VerifyOptions options = options_.verify;
        for (const auto& [name, range] : options_.promises.ranges)
            options.ranges[name] = {range.minimum, range.maximum};
        options.loops = loops_to_cover(original.model, entry, options_.promises);
        Result<VerifyResult> verified = verifier_.compare(sides[0], sides[1], entry, options);
        if (!verified)
            return tl::unexpected(verified.error());
        const bool first = entry == entries.front();
        const bool bit_equal = verified->bit_equal && (first || combined.bit_equal);
        const double largest = std::max(verified->largest_error, first ? 0.0 : combined.largest_error);
        combined = std::move(*verified);
        combined.bit_equal = bit_equal;
        combined.largest_error = largest;
        if (combined.verdict != Verdict::equal)
            return combined;
    }
    return combined;
}

} // namespace slimgrad
