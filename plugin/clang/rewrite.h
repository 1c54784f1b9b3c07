#pragma once

#include "rewriter/result.h"

#include <cstdint>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

enum class Pass { repair_extents, heap, single_copy };
enum class HeapLayout { thread, warp, grid };

struct RewriteOptions {
    /// Run in the order of the enumeration, whatever their order here.
    std::vector<Pass> passes = {Pass::repair_extents, Pass::single_copy};
    std::uint64_t heap_threshold = 64; ///< bytes; smaller arrays stay on the stack
    HeapLayout heap_layout = HeapLayout::warp;
    std::vector<std::string> macros; ///< "NAME" or "NAME=value"
};

struct RewriteNote {
    enum class Severity { error, warning, note };
    Severity severity = Severity::note;
    std::string pass; ///< "single-copy"; or "frame-limit"
    Place place;      ///< the shader's
    std::string message;
    bool repaired = false; ///< an error of the text as given that the rewritten one does not have
};

struct RewriteResult {
    std::string text; ///< the one that was given where nothing changed
    std::vector<Pass> changed;
    std::vector<RewriteNote> notes;
    nlohmann::json contexts = nlohmann::json::array(); ///< of the text as given
    nlohmann::json kernels = nlohmann::json::array();
    /// What a kernel needs of the heap: {"stride", "terms"}.
    std::map<std::string, nlohmann::json> heap;

    nlohmann::json report() const;
};

std::string_view name_of(Pass pass);

/// Rewrites the CUDA text that slangc emitted. A text without checkpoint contexts comes back as it
/// is. Error: the text does not compile; or a rewritten text does not, which is a fault here.
Result<RewriteResult> rewrite(std::string_view text, const RewriteOptions& options);

} // namespace slimgrad
