#include "plugin/trial/cuda_variants.h"

#include "plugin/process/process.h"
#include "plugin/rewrite/cache.h"
#include "plugin/rewrite/content_hash.h"
#include "plugin/trial/objective.h"

#include <algorithm>
#include <array>
#include <fmt/format.h>
#include <nlohmann/json.hpp>
#include <optional>
#include <utility>

namespace slimgrad {
namespace {

using nlohmann::json;

/// The numbers of a kernel, by the names they are remembered under.
constexpr std::array<std::pair<const char*, std::uint32_t KernelFigures::*>, 9> numbers{{
    {"registers", &KernelFigures::registers},
    {"stack_bytes", &KernelFigures::stack_bytes},
    {"spill_store_bytes", &KernelFigures::spill_store_bytes},
    {"spill_load_bytes", &KernelFigures::spill_load_bytes},
    {"code_bytes", &KernelFigures::code_bytes},
    {"local_loads", &KernelFigures::local_loads},
    {"local_stores", &KernelFigures::local_stores},
    {"warps_per_sm", &KernelFigures::warps_per_sm},
    {"block_size", &KernelFigures::block_size},
}};

bool holds(const std::vector<std::string>& passes, std::string_view pass) {
    return std::find(passes.begin(), passes.end(), pass) != passes.end();
}

Result<std::vector<CudaVariant>> rewrite_variants(std::string_view text,
                                                  const CudaRewriteOptions& options) {
    std::vector<std::string> passes;
    if (holds(options.passes, "repair-extents"))
        passes.push_back("repair-extents");
    std::vector<CudaVariant> variants;
    std::vector<std::string_view> steps{"", "single-copy", "heap"};
    if (holds(options.passes, "heap") && !holds(options.passes, "single-copy"))
        steps = {"", "heap"};
    for (const std::string_view further : steps) {
        CudaVariant variant;
        if (!further.empty()) {
            passes.emplace_back(further);
            const bool more = !variants.empty() && !variants.back().rewritten.passes.empty();
            variant.name = variants.size() > 1 || more ? variants.back().name + ", " : "";
        }
        variant.name += further;
        CudaRewriteOptions chosen = options;
        chosen.passes = passes;
        variant.allowed = std::all_of(passes.begin(), passes.end(), [&](const std::string& pass) {
            return holds(options.passes, pass);
        });
        Result<RewrittenCuda> rewritten = rewrite_cuda(text, chosen);
        if (!rewritten && !variant.allowed)
            continue;
        if (!rewritten)
            return tl::unexpected(rewritten.error());
        variant.rewritten = std::move(*rewritten);
        if (further.empty())
            variant.name = variant.rewritten.changed ? "repair-extents" : "as generated";
        variant.distinct =
            std::none_of(variants.begin(), variants.end(), [&](const CudaVariant& earlier) {
                return earlier.rewritten.text == variant.rewritten.text;
            });
        variants.push_back(std::move(variant));
    }
    return variants;
}

/// All that the figures depend on.
Result<std::string> key_of(const std::vector<CudaVariant>& variants, const CudaToolkit& toolkit,
                           const NvccOptions& nvcc) {
    ProcessOptions version;
    version.arguments = {toolkit.nvcc, "--version"};
    const Result<ProcessResult> said = run_process(version);
    if (!said)
        return tl::unexpected(said.error());
    ContentHash hash;
    hash.add("figures of CUDA variants 1").add(said->out).add(toolkit.nvcc).add(nvcc.arch);
    hash.add(nvcc.fast_math ? "fast" : "exact");
    hash.add(std::to_string(nvcc.extra_arguments.size()));
    for (const std::string& argument : nvcc.extra_arguments)
        hash.add(argument);
    for (const CudaVariant& variant : variants)
        hash.add(variant.rewritten.text);
    return hash.hex();
}

json to_json(const CudaVariant& variant) {
    json kernels = json::array();
    for (const KernelFigures& kernel : variant.figures.kernels) {
        json object{{"name", kernel.name},
                    {"backward", kernel.direction == Direction::backward},
                    {"device_function", kernel.device_function}};
        for (const auto& [name, member] : numbers)
            object[name] = kernel.*member;
        kernels.push_back(std::move(object));
    }
    return {{"rejected", variant.status == NvccStatus::rejected},
            {"detail", variant.detail},
            {"kernels", std::move(kernels)}};
}

/// Takes up what was remembered of a variant. The entry is what we wrote ourselves, its bytes are
/// vouched for; where it is not understood nevertheless, it is as if there were none.
bool take_up(const json& entry, CudaVariant& variant) try {
    variant.status =
        entry.at("rejected").get<bool>() ? NvccStatus::rejected : NvccStatus::succeeded;
    variant.detail = entry.at("detail").get<std::string>();
    variant.figures = {};
    for (const json& object : entry.at("kernels")) {
        KernelFigures kernel;
        kernel.name = object.at("name").get<std::string>();
        kernel.direction =
            object.at("backward").get<bool>() ? Direction::backward : Direction::forward;
        kernel.device_function = object.at("device_function").get<bool>();
        for (const auto& [name, member] : numbers)
            kernel.*member = object.at(name).get<std::uint32_t>();
        variant.figures.kernels.push_back(std::move(kernel));
    }
    return true;
} catch (const json::exception&) {
    return false;
}

bool take_up(const std::optional<std::string>& entry, std::vector<CudaVariant>& variants) {
    if (!entry)
        return false;
    const json list = json::parse(*entry, nullptr, false);
    if (!list.is_array() || list.size() != variants.size())
        return false;
    for (std::size_t i = 0; i < variants.size(); ++i)
        if (!take_up(list[i], variants[i]))
            return false;
    return true;
}

/// Whether the outcome is the text's own, and not one of the limits or of the machine's load.
bool is_lasting(const CudaVariant& variant) {
    return variant.status == NvccStatus::succeeded || variant.status == NvccStatus::rejected;
}

bool is_better(const CudaVariant& candidate, const CudaVariant& best) {
    if (candidate.status != NvccStatus::succeeded)
        return false;
    return best.status != NvccStatus::succeeded ||
           compare(best.figures, candidate.figures).change == Change::better;
}

} // namespace

Result<CudaChoice> choose_cuda(std::string_view text, const CudaRewriteOptions& options,
                               const CudaToolkit& toolkit, const NvccOptions& nvcc) {
    Result<std::vector<CudaVariant>> variants = rewrite_variants(text, options);
    if (!variants)
        return tl::unexpected(variants.error());
    CudaChoice choice;
    choice.variants = std::move(*variants);

    const Result<std::string> key = key_of(choice.variants, toolkit, nvcc);
    if (!key)
        return tl::unexpected(key.error());
    const std::string folder = cache_folder();
    const Cache cache(folder.empty() || !options.cached ? "" : folder + "/figures", 16u << 20);
    choice.remembered = take_up(cache.get(*key), choice.variants);
    if (!choice.remembered) {
        json entry = json::array();
        for (CudaVariant& variant : choice.variants) {
            if (variant.distinct) {
                Result<NvccResult> measured = measure(toolkit, variant.rewritten.text, nvcc);
                if (!measured)
                    return tl::unexpected(measured.error());
                variant.status = measured->status;
                variant.detail = std::move(measured->detail);
                variant.figures.kernels = std::move(measured->kernels);
            }
            entry.push_back(to_json(variant));
        }
        if (std::all_of(choice.variants.begin(), choice.variants.end(), is_lasting))
            cache.put(*key, entry.dump(-1, ' ', false, json::error_handler_t::replace));
    }
    for (std::size_t i = 1; i < choice.variants.size(); ++i) {
        const CudaVariant& variant = choice.variants[i];
        if (variant.allowed && variant.distinct &&
            is_better(variant, choice.variants[choice.chosen]))
            choice.chosen = i;
    }
    const CudaVariant& chosen = choice.variants[choice.chosen];
    if (chosen.status != NvccStatus::succeeded)
        return fail(fmt::format("nvcc: {}", chosen.detail));
    return choice;
}

} // namespace slimgrad
