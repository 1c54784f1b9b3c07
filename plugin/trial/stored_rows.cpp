#include "plugin/trial/stored_rows.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace slimgrad {
namespace {

/// Bytes by module, function and type. Places are left out: edits move them.
using Rows = std::map<std::tuple<std::size_t, std::string, std::string>, std::uint64_t>;

Rows rows_of(const Trial& trial) {
    Rows rows;
    for (std::size_t i = 0; i < trial.variants.size(); ++i)
        for (const CheckpointContext& context : trial.variants[i]->cuda.contexts)
            for (const CheckpointValue& value : context.values)
                rows[{i, context.function, value.type}] += value.bytes;
    return rows;
}

std::uint64_t bytes(const Rows& rows, const Rows::key_type& row) {
    const auto found = rows.find(row);
    return found == rows.end() ? 0 : found->second;
}

/// Whether the row is of one thing only: what one callee stores.
bool is_of_callee(const std::string& type) {
    return type.find("Ctx_") != type.npos; // s_minCtx_s_bwdCallableCtx_f_0
}

} // namespace

bool leaves_nothing_to(const Trial& trial, const Trial& other, const Trial& before) {
    const Rows stored = rows_of(trial), others = rows_of(other), all = rows_of(before);
    bool saves = false;
    for (const auto& [row, had] : all) {
        const std::uint64_t theirs = bytes(others, row), ours = bytes(stored, row);
        if (theirs == had)
            continue;
        // Of several variables of one type each may have saved another one.
        if (theirs > had || ours > theirs || (ours > 0 && !is_of_callee(std::get<2>(row))))
            return false;
        saves = true;
    }
    // What it stores anew is another matter.
    return saves && std::all_of(others.begin(), others.end(),
                                [&](const auto& row) { return all.contains(row.first); });
}

} // namespace slimgrad
