#pragma once

#include "plugin/clang/generated_code.h"
#include "rewriter/result.h"

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace slimgrad {

/// A member of a checkpoint context, as it lies in CUDA's memory. Bytes.
struct ContextField {
    std::string name;
    std::string type; ///< as the text spells it: "FixedArray<float, 34>"
    std::uint64_t offset = 0, size = 0, alignment = 1;
    Place
        place; ///< of the shader, where the value is stored; where nothing stores it, the record's
};

/// A checkpoint context that the text defines.
struct ContextLayout {
    std::string name; ///< "s_minCtx_s_bwdCallableCtx_march_0"
    ContextKind kind = ContextKind::stored;
    std::uint64_t size = 0, alignment = 1;
    /// Bytes that Slang's checkpoint report counts for the same record. It lays values out as they
    /// come, with vectors aligned as their elements and four bytes for a bool; CUDA aligns vectors
    /// of two and four to their size, and its bool has one byte.
    std::uint64_t reported_size = 0;
    Place place; ///< of the shader, by the record's #line
    std::vector<ContextField> fields;
};

/// The layouts of all contexts, in the text's order. Nested contexts have one of their own too:
/// sizes do not add up.
std::vector<ContextLayout> context_layouts(clang::ASTContext& context, const GeneratedCode& code);

nlohmann::json to_json(const ContextLayout& layout);

} // namespace slimgrad
