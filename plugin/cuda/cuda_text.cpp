#include "plugin/cuda/cuda_text.h"

#include "rewriter/words.h"

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace slimgrad {
namespace {

constexpr std::string_view kernel_prefix = "__kernel__";

/// The part after Slang's prelude. It begins with the first #line; where line directives are
/// switched off, after the last #endif: the prelude ends with one and the module has none.
std::string_view own_part(std::string_view text) {
    std::size_t start = text.find("\n#line ");
    if (start == std::string_view::npos)
        start = text.rfind("\n#endif");
    return start == std::string_view::npos
               ? text
               : text.substr(std::min(text.find('\n', start + 1), text.size()));
}

/// Words, strings (as `"`) and single punctuation characters; comments, numbers and directives are
/// passed over.
std::vector<std::string_view> tokens_of(std::string_view text) {
    std::vector<std::string_view> tokens;
    std::size_t i = 0;
    auto skip_to = [&](std::string_view end, std::size_t from) {
        i = text.find(end, from);
        i = i == std::string_view::npos ? text.size() : i + end.size();
    };
    while (i < text.size()) {
        const char c = text[i];
        const std::size_t start = i;
        if (is_name_start(c)) {
            while (i < text.size() && is_name(text[i]))
                ++i;
            tokens.push_back(text.substr(start, i - start));
        } else if (is_digit(c)) {
            while (i < text.size() && (is_name(text[i]) || text[i] == '.'))
                ++i;
        } else if (text.substr(i, 2) == "//" || c == '#') {
            skip_to("\n", i);
        } else if (text.substr(i, 2) == "/*") {
            skip_to("*/", i + 2);
        } else if (c == '"' || c == '\'') {
            for (++i; i < text.size() && text[i] != c; ++i)
                i += text[i] == '\\';
            ++i;
            tokens.push_back(text.substr(start, 1));
        } else {
            if (!is_space(c))
                tokens.push_back(text.substr(i, 1));
            ++i;
        }
    }
    return tokens;
}

using Tokens = std::vector<std::string_view>;

/// The function that the tokens before a `{` declare; empty for a type, a namespace, an
/// initializer.
std::string_view declared_function(const Tokens& header) {
    constexpr std::array not_names = {"__launch_bounds__", "__attribute__", "__cluster_dims__",
                                      "__align__", "__maxnreg__"};
    if (header.empty() || std::find(header.begin(), header.end(), "=") != header.end())
        return {};
    int depth = 0;
    for (std::size_t i = 0; i < header.size(); ++i) {
        if (header[i] == "(" && depth++ == 0 && i > 0 && is_name_start(header[i - 1].front()) &&
            std::find(not_names.begin(), not_names.end(), header[i - 1]) == not_names.end())
            return header[i - 1];
        depth -= header[i] == ")";
    }
    return {};
}

/// `extern "C" {` and `namespace N {` hold functions; other braces at this level do not.
bool is_transparent(const Tokens& header) {
    return !header.empty() &&
           (header.front() == "namespace" || (header.front() == "extern" && header.back() == "\""));
}

/// Names that Slang gives to the parts of a generated backward pass.
bool is_backward_name(std::string_view name) {
    constexpr std::array<std::string_view, 4> prefixes = {"s_bwd", "s_apply_", "s_minCtx_",
                                                          "s_paramCtx_"};
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); }) ||
           (name.starts_with(kernel_prefix) && name.ends_with("_bwd_diff"));
}

/// Slang numbers all names but those it has to keep: `helper_0`, `_S12`.
bool is_numbered(std::string_view name) {
    const std::size_t end = name.find_last_not_of("0123456789");
    return end != std::string_view::npos && end + 1 < name.size() &&
           (name[end] == '_' || name.substr(0, end + 1) == "_S");
}

std::vector<std::string> defines_for(const Tokens& tokens) {
    bool half = false, bfloat = false, fp8 = false, optix = false;
    for (std::string_view token : tokens) {
        // __half, make___half2, __ushort_as_half, __float2half, F16_sin
        half = half || token.starts_with("F16_") ||
               (token.find("half") != token.npos && token.find("__") != token.npos);
        bfloat = bfloat || token.find("__nv_bfloat16") != token.npos;
        fp8 = fp8 || token.find("__nv_fp8") != token.npos;
        // optixTrace, slangOptixHitObjectIsHit, getOptiXRayPayloadPtr, OptixTraversableHandle
        optix = optix || token.starts_with("optix") || token.find("Optix") != token.npos ||
                token.find("OptiX") != token.npos;
    }
    std::vector<std::string> defines;
    if (half || bfloat || fp8) // the prelude makes vectors of all three with a macro for half
        defines.push_back("SLANG_CUDA_ENABLE_HALF=1");
    if (bfloat)
        defines.push_back("SLANG_CUDA_ENABLE_BF16=1");
    if (fp8)
        defines.push_back("SLANG_CUDA_ENABLE_FP8=1");
    if (optix)
        defines.push_back("SLANG_CUDA_ENABLE_OPTIX=1");
    return defines;
}

} // namespace

bool CudaText::has_kernel() const {
    return std::any_of(functions.begin(), functions.end(),
                       [](const CudaFunction& function) { return function.kernel; });
}

CudaText read_cuda_text(std::string_view text) {
    const Tokens tokens = tokens_of(own_part(text));
    CudaText result;
    result.defines = defines_for(tokens);

    std::vector<std::set<std::string_view>> used; // words of each function's body
    Tokens header;
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (tokens[i] == ";" || tokens[i] == "}") {
            header.clear();
        } else if (tokens[i] != "{") {
            header.push_back(tokens[i]);
        } else if (is_transparent(header)) {
            header.clear();
        } else {
            std::set<std::string_view> words(header.begin(), header.end());
            int depth = 1;
            while (depth > 0 && ++i < tokens.size()) {
                depth += tokens[i] == "{" ? 1 : tokens[i] == "}" ? -1 : 0;
                words.insert(tokens[i]);
            }
            if (std::string_view name = declared_function(header); !name.empty()) {
                const bool kernel = words.contains("__global__");
                result.functions.push_back({.name = std::string(name),
                                            .kernel = kernel,
                                            .exported = !kernel && !is_numbered(name)});
                used.push_back(std::move(words));
                header.clear();
            }
        }
    }

    // Backward spreads from callees to callers until nothing changes; texts are in order of use, so
    // once is typical.
    std::map<std::string_view, bool> backward;
    for (bool changed = true; changed;) {
        changed = false;
        for (std::size_t i = 0; i < used.size(); ++i) {
            CudaFunction& function = result.functions[i];
            if (function.backward)
                continue;
            function.backward = std::any_of(used[i].begin(), used[i].end(), [&](auto word) {
                auto callee = backward.find(word);
                return is_backward_name(word) || (callee != backward.end() && callee->second);
            });
            if (function.backward)
                changed = backward[function.name] = true;
        }
    }
    return result;
}

std::string shader_name(std::string_view cuda_name) {
    if (cuda_name.starts_with(kernel_prefix))
        cuda_name.remove_prefix(kernel_prefix.size());
    if (cuda_name == "main_0") // CUDA does not allow a kernel of the name `main`
        cuda_name = "main";
    return std::string(cuda_name);
}

} // namespace slimgrad
