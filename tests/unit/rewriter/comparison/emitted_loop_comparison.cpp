#include "tests/unit/rewriter/comparison/emitted_loop_comparison.h"

#include "tests/unit/rewriter/emitted_loops.h"

#include <algorithm>
#include <vector>

namespace slimgrad {
namespace {

class EmittedLoopComparison {
  public:
    explicit EmittedLoopComparison(ComparedModule& module)
        : module_(module), model_(module.model), compared_(module.compared) {}

    /// #line has no columns, and where a loop stores what it carries the line is that of the
    /// variable's declaration: the first other line in an emitted loop must be a line of a loop.
    void run() {
        for (const std::vector<Place>& inside : emitted_loops(module_.compiled.code)) {
            const auto first = std::find_if(inside.begin(), inside.end(), [&](const Place& place) {
                const Index file = model_.find_file(place.file);
                return file != none &&
                       (is_in_loop(file, place.line) || !declares_on(file, place.line));
            });
            if (first == inside.end())
                continue;
            if (is_macro_line(model_.find_file(first->file), first->line))
                continue;
            ++compared_.emitted_loops;
            if (!is_in_loop(model_.find_file(first->file), first->line))
                module_.mismatch(*first, "the emitted code has a loop here, the model has none");
        }
    }

  private:
    bool is_macro_line(Index file, std::uint32_t line) const {
        return std::any_of(
            model_.macros.begin(), model_.macros.end(), [&](const MacroDefinition& macro) {
                return macro.file == file && model_.place(file, macro.range.begin).line <= line &&
                       line <= model_.place(file, macro.range.end).line;
            });
    }

    bool is_in_loop(Index file, std::uint32_t line) const {
        return std::any_of(model_.loops.begin(), model_.loops.end(), [&](const Loop& loop) {
            return loop.site.file == file &&
                   model_.place(file, loop.with_attributes.begin).line <= line &&
                   line <= model_.place(file, loop.site.range.end).line;
        });
    }

    bool declares_on(Index file, std::uint32_t line) const {
        const auto here = [&](const Site& site) {
            return site.file == file && model_.place(site).line == line;
        };
        return std::any_of(model_.locals.begin(), model_.locals.end(),
                           [&](const LocalVariable& local) { return here(local.site); }) ||
               std::any_of(model_.functions.begin(), model_.functions.end(),
                           [&](const Function& function) { return here(function.name_site); });
    }

    ComparedModule& module_;
    const ModuleModel& model_;
    Compared& compared_;
};

} // namespace

void compare_emitted_loops(ComparedModule& module) {
    EmittedLoopComparison(module).run();
}

} // namespace slimgrad
