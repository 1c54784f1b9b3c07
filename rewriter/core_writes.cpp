#include "rewriter/core_writes.h"

#include <algorithm>
#include <array>

namespace slimgrad {

namespace {

struct Writer {
    std::string_view name;
    std::uint32_t first, last; ///< arguments
};

// Where overloads differ, all that one of them writes.
constexpr std::array<Writer, 21> writers{{
    {"CallShader", 1, 1},
    {"DispatchMesh", 3, 3},
    {"GetDimensions", 0, 99},
    {"Invoke", 1, 2},
    {"TraceMotionRay", 8, 8},
    {"TraceRay", 7, 7},
    {"asuint", 1, 2}, // of a double
    {"coopVecOuterProductAccumulate", 4, 4},
    {"coopVecReduceSumAccumulate", 2, 2},
    {"frexp", 1, 1},
    {"hitObjectGetAttributesEXT", 1, 1},
    {"imulExtended", 2, 3},
    {"modf", 1, 1},
    {"sincos", 1, 2},
    {"uaddCarry", 2, 2},
    {"umulExtended", 2, 3},
    {"updateDiff", 0, 0},
    {"updatePair", 0, 0},
    {"updatePrimal", 0, 0},
    {"usubBorrow", 2, 2},
    {"workgroupUniformLoad", 0, 0},
}};

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
    return std::any_of(prefixes.begin(), prefixes.end(),
                       [&](std::string_view prefix) { return name.starts_with(prefix); });
}

/// `InterlockedAdd(x, 1, old)` writes x and old; `buffer.InterlockedAdd(4, 1, old)` old alone, the
/// rest is where and what. In a comparing one the compared value comes before the new one.
bool interlocked_writes(const Call& call, std::uint32_t argument) {
    if (call.callee_kind != CalleeKind::builtin)
        return true;
    const bool compares = call.callee.starts_with("InterlockedCompare");
    return argument >= (compares ? 3u : 2u) || (argument == 0 && call.receiver.empty());
}

std::string_view type_of_object(const ModuleModel& model, const Call& call) {
    const std::uint32_t begin = call.site.range.begin;
    return model.type_of({call.site.file, {begin, begin + std::uint32_t(call.receiver.size())}});
}

/// `buffer.Load(4, status)`, `texture.Load(at, offset, status)`, `texture.Sample(s, uv, offset,
/// clamp, status)`: how many arguments stand before it at least.
bool may_be_status(const ModuleModel& model, const Call& call, std::uint32_t argument) {
    const std::string_view name = call.callee;
    if (starts_with_any(name, {"Sample", "Gather"}))
        return argument >= 3;
    const bool is_texture = type_of_object(model, call).find("Texture") != std::string_view::npos;
    return name.starts_with("Load") && argument >= (is_texture ? 2u : 1u);
}

} // namespace

bool core_may_write_argument(const ModuleModel& model, const Call& call, std::uint32_t argument) {
    const std::string_view name = call.callee;
    if (name.starts_with("Interlocked"))
        return interlocked_writes(call, argument);
    if (starts_with_any(name, {"atomic", "__atomic", "rayQuery", "hitObject"}) && argument == 0)
        return true;
    const std::string_view type = model.type_of(call.arguments[argument]);
    if (argument + 1 == call.arguments.size() && may_be_status(model, call, argument))
        return type.empty() || type == "uint";
    if (name.starts_with("Store") || name.starts_with("store")) {
        // A cooperative vector or matrix is stored to a buffer, anything else at a place.
        const std::string_view object = type_of_object(model, call);
        return argument == 0 && (object.empty() ? type.empty() : object.starts_with("Coop"));
    }
    return std::any_of(writers.begin(), writers.end(), [&](const Writer& writer) {
        return writer.name == name && argument >= writer.first && argument <= writer.last;
    });
}

bool core_replaces_argument(const ModuleModel& model, const Call& call, std::uint32_t argument) {
    if (call.callee_kind != CalleeKind::builtin || !core_may_write_argument(model, call, argument))
        return false;
    const std::string_view name = call.callee;
    // Of a texture with three sizes or more the first argument may be the mip level that is meant.
    if (name == "GetDimensions")
        return argument > 0 || call.arguments.size() <= 2;
    if (name.starts_with("Interlocked"))
        return argument >= 2;
    return call.receiver.empty() && (name == "sincos" || name == "modf" || name == "frexp");
}

bool core_reads_only(std::string_view method) {
    constexpr std::array<std::string_view, 4> names{"size", "dims", "stride", "data_ptr"};
    return std::find(names.begin(), names.end(), method) != names.end() ||
           starts_with_any(method, {"Load", "load", "Sample", "Gather", "Get", "get",
                                    "CalculateLevelOfDetail", "Candidate", "Committed"});
}

} // namespace slimgrad
