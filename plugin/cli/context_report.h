#pragma once

#include "plugin/cli/slang_names.h"
#include "plugin/cli/text_report.h"
#include "rewriter/result.h"

#include <cstdint>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// A checkpoint context as it lies in CUDA's memory: a record that slangc emitted. Bytes.
struct CudaContext {
    struct Field {
        std::string name, type;
        std::uint64_t offset = 0, size = 0, alignment = 1;
        Place place; ///< of the shader, where the value is stored
    };
    std::string record;   ///< "s_minCtx_s_bwdCallableCtx_march_0"
    std::string function; ///< "march"
    std::string kind;     ///< stored, parameters, or both
    std::uint64_t size = 0, alignment = 1;
    std::uint64_t reported_size = 0; ///< what Slang's report counts
    Place place;
    std::vector<Field> fields;
};

struct CudaContexts {
    std::vector<CudaContext> contexts; ///< the largest first
    std::string problem;               ///< why there are none, in one line; or empty
};

/// The layouts of all contexts of a generated CUDA text, as slimgrad-clang reads them. Where that
/// program is missing or fails, the result says so.
CudaContexts read_cuda_contexts(const std::string& cuda_text);

/// The contexts of slimgrad-clang's report (plugin/clang). Error: it is not what that program
/// prints.
Result<std::vector<CudaContext>> parse_cuda_contexts(std::string_view report);

/// For a person: what is stored and the parameters that are kept beside it, each with its fields.
std::string cuda_contexts_text(const CudaContexts& layouts, const SlangNames& names,
                               const TextOptions& options);

/// `layouts` and `no_layouts` of a module (report.schema.json).
nlohmann::ordered_json cuda_contexts_json(const CudaContexts& layouts);

} // namespace slimgrad
