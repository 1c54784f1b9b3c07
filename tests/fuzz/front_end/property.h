#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <string_view>
#include <utility>

namespace slimgrad::front_end {

/// Thrown where a property does not hold; broken_property catches it.
struct BrokenProperty {
    std::string what;
};

/// `what` is built only if needed: a callable that returns the text.
template <class What> void require(bool holds, What what) {
    if (!holds)
        throw BrokenProperty{what()};
}

/// Whether `offset` lies within a UTF-8 character or between CR and LF. Bytes that are no UTF-8 are
/// characters of their own.
bool splits_character(std::string_view text, std::uint32_t offset);

void check_positions(const SourceFile& file);
void check_tree(const SourceFile& file, const SyntaxTree& tree);
void check_model(const ModuleModel& model);

} // namespace slimgrad::front_end
