#include "tests/unit/rewriter/comparison/loop_diagnostic_comparison.h"

#include <algorithm>

namespace slimgrad {
namespace {

class LoopDiagnosticComparison {
  public:
    explicit LoopDiagnosticComparison(ComparedModule& module)
        : module_(module), model_(module.model), compared_(module.compared) {}

    /// E30510, a loop that does not say how often it runs, points to its keyword; E30519, one that
    /// runs less often than it says, to the attribute.
    void run() {
        for (const Diagnostic& diagnostic : module_.compiled.diagnostics) {
            if (diagnostic.code != "E30510" && diagnostic.code != "E30519")
                continue;
            ++compared_.loop_diagnostics;
            const Index file = model_.find_file(diagnostic.place.file);
            const std::uint32_t at = file == none ? 0 : module_.offset(diagnostic.place, file);
            if (file == none ||
                (!model_.is_macro({file, {at, at + 1}}) && !is_loop_or_bound(file, at)))
                module_.mismatch(diagnostic.place, diagnostic.code + " at no loop of the model");
        }
    }

  private:
    bool is_loop_or_bound(Index file, std::uint32_t at) const {
        return std::any_of(model_.loops.begin(), model_.loops.end(), [&](const Loop& loop) {
            return loop.site.file == file &&
                   (loop.keyword == at ||
                    std::any_of(loop.attributes.begin(), loop.attributes.end(),
                                [&](const Attribute& attribute) {
                                    return attribute.site.range.begin == at;
                                }));
        });
    }

    ComparedModule& module_;
    const ModuleModel& model_;
    Compared& compared_;
};

} // namespace

void compare_loop_diagnostics(ComparedModule& module) {
    LoopDiagnosticComparison(module).run();
}

} // namespace slimgrad
