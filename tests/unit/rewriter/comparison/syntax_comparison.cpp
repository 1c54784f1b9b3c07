#include "tests/unit/rewriter/comparison/syntax_comparison.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace slimgrad {
namespace {

/// Whether the text belongs to a function whose head a macro writes: the last function before it by
/// reflection stands in a macro's use.
bool is_headed_by_macro(const ComparedModule& module, Index file, std::uint32_t at) {
    std::uint32_t last = 0;
    bool found = false;
    for (const FunctionSignature& signature : module.compiled.reflection.functions) {
        if (module.model.files[file].path() != signature.place.file)
            continue;
        const std::uint32_t place = module.offset(signature.place, file);
        found = found || place <= at;
        if (place <= at)
            last = std::max(last, place);
    }
    return found && module.model.is_macro({file, {last, last + 1}});
}

} // namespace

void compare_syntax(ComparedModule& module) {
    for (Index file = 0; file < module.model.trees.size(); ++file) {
        const std::vector<ByteRange>& errors = module.model.trees[file].errors();
        const auto unexplained =
            std::find_if(errors.begin(), errors.end(), [&](const ByteRange& error) {
                return !is_headed_by_macro(module, file, error.begin);
            });
        if (unexplained != errors.end())
            module.mismatch(module.model.place(file, unexplained->begin), "is not parsed");
        else if (!errors.empty())
            module.not_compared(module.model.place(file, errors.front().begin),
                                "texts of functions whose head a macro writes");
    }
}

} // namespace slimgrad
