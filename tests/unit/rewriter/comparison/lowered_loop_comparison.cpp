#include "tests/unit/rewriter/comparison/lowered_loop_comparison.h"

#include "tests/unit/rewriter/lowered_loops.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <utility>

namespace slimgrad {
namespace {

class LoweredLoopComparison {
  public:
    explicit LoweredLoopComparison(ComparedModule& module)
        : module_(module), model_(module.model), compared_(module.compared) {}

    void run() {
        std::set<Index> lowered, functions;
        std::set<std::pair<Index, std::uint32_t>> lines;
        for (const LoweredFunction& function : lowered_functions(module_.compiled.code)) {
            functions.insert(function_at(site_of(function.place)));
            for (const Place& line : function.lines) {
                const Site site = site_of(line);
                lines.emplace(site.file, site.range.begin);
            }
            if (function.name.find("x24x5Fx5Fsyn") != std::string::npos)
                continue; // "$__syn..": made by the compiler
            if (function.place.file.empty() && function.lines.empty()) {
                compared_.elsewhere += int(function.loops.size()); // the core module's: no text
                continue;
            }
            for (const LoweredLoop& loop : function.loops)
                lowered.insert(compare(loop, function));
        }
        for (Index i = 0; i < model_.loops.size(); ++i)
            if (!lowered.count(i) && module_.is_own(model_.loops[i].site.file))
                explain(model_.loops[i], functions, lines);
    }

  private:
    /// Why the IR has no such loop.
    void explain(const Loop& loop, const std::set<Index>& functions,
                 const std::set<std::pair<Index, std::uint32_t>>& lines) {
        const Place place = model_.place(loop.site.file, loop.keyword);
        if (loop.from_macro)
            module_.not_compared(place,
                                 "loops that a macro makes: the compiler's place is in its text");
        else if (is_undecided(loop.site))
            module_.not_compared(place, "loops below a condition that is not known");
        else if (!functions.count(loop.function))
            module_.not_compared(place,
                                 "loops of functions that nothing uses: the IR does not have them");
        else if (is_removed(loop, lines))
            module_.not_compared(place, "loops that the compiler removed");
        else
            module_.mismatch(place, "the model has a loop here, the compiler has none");
    }

    /// Places of the IR count characters.
    Site site_of(const Place& place) {
        const Index file = module_.file_of(place.file);
        if (file == none)
            return {none, {}};
        const std::string& text = model_.files[file].text();
        std::uint32_t at = model_.files[file].offset(place.line, 1);
        for (std::uint32_t i = 1; i < place.column && at < text.size(); ++i)
            while (++at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0) == 0x80) {
            }
        return {file, {at, at + 1}};
    }

    bool is_undecided(const Site& site) const {
        return std::any_of(model_.undecided.begin(), model_.undecided.end(),
                           [&](const ConditionalBranch& branch) {
                               return branch.file == site.file && branch.body.contains(site.range);
                           });
    }

    Index function_at(Site name) const {
        const auto found = std::find_if(
            model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                return function.name_site.file == name.file &&
                       function.name_site.range.contains(name.range.begin);
            });
        return found == model_.functions.end() ? none : Index(found - model_.functions.begin());
    }

    /// The loop of the model that the compiler's is.
    Index compare(const LoweredLoop& loop, const LoweredFunction& function) {
        for (const Place& place : loop.before) {
            const Site site = site_of(place);
            const Index found =
                site.file == none ? none : model_.loop_at(site.file, site.range.begin);
            if (found == none)
                continue;
            ++compared_.lowered_loops;
            // A lambda is a function of its own to the compiler.
            const Index named = function_at(site_of(function.place));
            if (named != none && named != model_.loops[found].function)
                module_.mismatch(place, "the loop is not in the function " + function.name);
            compare_attributes(model_.loops[found], loop, place);
            return found;
        }
        const Place place = loop.before.empty() ? function.place : loop.before.front();
        const Site site = site_of(place);
        if (site.file != none && model_.is_macro(site))
            module_.not_compared(place,
                                 "loops that a macro makes: the compiler's place is in its text");
        else
            module_.mismatch(place, "the compiler has a loop here, the model has none");
        return none;
    }

    /// Each of the attributes that the IR keeps, with its number where that is a literal. The
    /// compiler adds loopMaxIters by itself, and unrolls what has to be known before it runs.
    void compare_attributes(const Loop& loop, const LoweredLoop& lowered, const Place& place) {
        struct Kept {
            const char* name;
            const char* in_ir;
            bool has_number, is_added;
        };
        for (const Kept kept : {Kept{"ForceUnroll", "ForceUnroll(", true, true},
                                Kept{"MaxIters", "loopMaxIters(", true, true},
                                Kept{"unroll", "loopControl(0)", false, false},
                                Kept{"loop", "loopControl(1)", false, false}}) {
            const auto read = std::find_if(
                loop.attributes.begin(), loop.attributes.end(),
                [&](const Attribute& attribute) { return attribute.name == kept.name; });
            const auto in_ir = std::find_if(
                lowered.attributes.begin(), lowered.attributes.end(),
                [&](const std::string& attribute) { return attribute.starts_with(kept.in_ir); });
            const bool has = read != loop.attributes.end(),
                       expected = in_ir != lowered.attributes.end();
            compared_.attributes += has || expected;
            if (has != expected && (has || !kept.is_added))
                module_.mismatch(place, fmt::format("[{}] of a loop: read {}, in the IR {}",
                                                    kept.name, has, expected));
            if (!has || !expected || !kept.has_number || read->arguments.size() != 1 ||
                read->arguments[0].find_first_not_of("0123456789") != std::string::npos)
                continue;
            if (*in_ir != kept.in_ir + read->arguments[0] + ')')
                module_.mismatch(place,
                                 fmt::format("number of a loop's [{}]: read {}, in the IR {}",
                                             kept.name, read->arguments[0], *in_ir));
        }
    }

    /// Whether the compiler removed a loop before it wrote the IR: one that it repeats itself, one
    /// that it never reaches, of which it keeps no line, and one that does not repeat, of which it
    /// keeps the keyword's line.
    bool is_removed(const Loop& loop,
                    const std::set<std::pair<Index, std::uint32_t>>& lines) const {
        if (loop.kind == LoopKind::compile_time_for || lines.count({loop.site.file, loop.keyword}))
            return true;
        const auto line = lines.lower_bound({loop.site.file, loop.site.range.begin});
        return line == lines.end() || line->first != loop.site.file ||
               line->second >= loop.site.range.end;
    }

    ComparedModule& module_;
    const ModuleModel& model_;
    Compared& compared_;
};

} // namespace

void compare_lowered_loops(ComparedModule& module) {
    LoweredLoopComparison(module).run();
}

} // namespace slimgrad
