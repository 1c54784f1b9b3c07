#include "attributes/loop_body_helper.h"

#include "attributes/checkpointed_loops.h"
#include "attributes/outlined_function.h"
#include "attributes/recompute_safety.h"
#include "attributes/text_layout.h"
#include "rewriter/code_block.h"
#include "rewriter/words.h"

#include <algorithm>
#include <fmt/format.h>

namespace slimgrad {

namespace {

/// Consecutive statements of a loop's body that carry nothing from trip to trip, and behind them
/// one that adds what they give to what is carried, if there is one.
struct Run {
    std::vector<BlockStatement> statements;
    std::optional<BlockStatement> sum;

    std::vector<Site> code(bool with_sum) const {
        std::vector<Site> pieces;
        if (!statements.empty())
            pieces.push_back(whole());
        if (with_sum)
            pieces.push_back(*sum->added);
        return pieces;
    }

    /// From the first statement to the last one.
    Site whole() const {
        return {statements.front().site.file,
                {statements.front().site.range.begin, statements.back().site.range.end}};
    }
};

std::uint32_t behind_blanks(const SourceFile& file, std::uint32_t offset, std::uint32_t end) {
    while (offset < end && is_space(file.text()[offset]))
        ++offset;
    return offset;
}

class BodyHelper {
  public:
    explicit BodyHelper(const RuleInput& input)
        : input_(input), model_(input.model), loops_(input) {}

    std::vector<Finding> run() {
        for (Index loop : loops_.loops())
            examine(loop);
        return std::move(findings_);
    }

  private:
    void examine(Index index) {
        const Loop& loop = model_.loops[index];
        const Site body{loop.site.file, loop.body};
        const std::uint64_t bytes =
            input_.searching ? loops_.computed_bytes(body) : loops_.read_bytes(body);
        // What an inner loop stores is that one's matter.
        if (bytes == 0 || loops_.has_loop_inside(index, false))
            return;
        Finding finding;
        finding.rule = "loop-body-helper";
        finding.place = loops_.place_of(index);
        finding.bytes = loops_.computed_bytes(body);
        finding.message = fmt::format("{} B are stored of what this loop's body reads and calls; a "
                                      "function that is computed again stores none of it",
                                      finding.bytes);
        const RecomputeSafety safety = recompute_safety(input_, loops_.effects(), loop.function);
        if (safety.answer == RecomputeSafety::Answer::no)
            return; // prefer-recompute says why
        offer(finding, index, safety);
        if (finding.fixes.empty() && finding.why_not.empty())
            return;
        finding.severity = finding.fixes.empty() ? Severity::note : Severity::cost;
        findings_.push_back(std::move(finding));
    }

    /// Whether the code sets what the loop does not declare in its body.
    bool carries(const Loop& loop, Site code) {
        const FunctionFlow& flow = loops_.flows().of(loop.function);
        return std::any_of(
            flow.definitions.begin(), flow.definitions.end(), [&](const Definition& definition) {
                const Variable& variable = flow.variables[definition.variable];
                return definition.site.file == code.file && !definition.site.range.empty() &&
                       code.range.contains(definition.site.range) &&
                       !(variable.kind == VariableKind::local &&
                         loop.body.contains(variable.site.range));
            });
    }

    bool can_move(const Loop& loop, const BlockStatement& statement) {
        return why_bound_to_place(model_, statement.site).empty() && !carries(loop, statement.site);
    }

    std::vector<Run> runs_of(const Loop& loop) {
        std::vector<Run> runs(1);
        for (const BlockStatement& statement : statements_of(model_, {loop.site.file, loop.body})) {
            if (can_move(loop, statement)) {
                runs.back().statements.push_back(statement);
                continue;
            }
            if (statement.added && !carries(loop, *statement.added))
                runs.back().sum = statement;
            runs.emplace_back();
        }
        return runs;
    }

    std::uint64_t bytes_of(const Run& run) const {
        std::uint64_t bytes = 0;
        for (const Site& code : run.code(run.sum.has_value()))
            bytes += loops_.computed_bytes(code);
        return bytes;
    }

    void offer(Finding& finding, Index index, const RecomputeSafety& safety) {
        const Loop& loop = model_.loops[index];
        std::vector<Run> runs = runs_of(loop);
        std::erase_if(runs, [&](const Run& run) { return bytes_of(run) == 0; });
        std::stable_sort(runs.begin(), runs.end(),
                         [&](const Run& a, const Run& b) { return bytes_of(a) > bytes_of(b); });
        if (runs.empty()) // what is stored is of statements that carry a value, or leave the loop
            return;
        Result<std::vector<SourceEdit>> edits = fail("");
        for (auto run = runs.begin(); run != runs.end() && !edits; ++run)
            edits = move(loop, *run);
        if (!edits) {
            finding.why_not.push_back(edits.error().message);
            return;
        }
        Fix fix;
        fix.description = fmt::format("move the body of {} into a function that is computed again",
                                      loops_.name_of(index));
        fix.edits = *edits;
        add_condition(fix, safety);
        finding.fixes.push_back(std::move(fix));
    }

    Result<std::vector<SourceEdit>> move(const Loop& loop, const Run& run) {
        std::string why;
        for (const bool with_sum : {true, false}) {
            if (with_sum ? !run.sum : run.statements.empty())
                continue;
            const auto function =
                outline(input_, loops_.flows(), {loop.function, run.code(with_sum), none, "body"});
            if (!function)
                why = function.error().message;
            else if (!with_sum)
                return move_statements(run, *function);
            else if (const std::string type = type_of_sum(*run.sum);
                     function->results.empty() && !type.empty())
                return move_sum(run, *function, type);
        }
        return fail(why.empty() ? "the type of what it adds cannot be told" : why,
                    model_.place(loop.site));
    }

    std::string type_of_sum(const BlockStatement& sum) {
        return std::string(model_.type_of(*sum.added));
    }

    /// `sum += fBody(i, x);`
    std::vector<SourceEdit> move_sum(const Run& run, const OutlinedFunction& function,
                                     const std::string& type) const {
        const SourceFile& file = model_.files[run.sum->site.file];
        const ByteRange sum = run.sum->site.range, added = run.sum->added->range;
        const std::uint32_t begin = run.statements.empty() ? sum.begin : run.whole().range.begin;
        const std::string before(file.slice({begin, sum.begin}));
        const std::string text = before + "return " + std::string(file.slice(added)) + ";";
        const std::string call = std::string(file.slice({sum.begin, added.begin})) +
                                 function.call_with() +
                                 std::string(file.slice({added.end, sum.end}));
        return {declare(file, function, begin, text, type), {file.path(), {begin, sum.end}, call}};
    }

    /// `float3 light = fBody(i, x);`, and with several results `fBody(i, x, light, r);`
    Result<std::vector<SourceEdit>> move_statements(const Run& run,
                                                    const OutlinedFunction& function) const {
        const Site whole = run.whole();
        const SourceFile& file = model_.files[whole.file];
        std::string text(file.slice(whole.range));
        if (function.results.empty())
            return fail("nothing of it is used", model_.place(whole));
        if (function.results.size() == 1) {
            const OutlinedFunction::Result& result = function.results[0];
            text += function.line + indentation(file, whole.range.begin) + "return " + result.name +
                    ";";
            return std::vector<SourceEdit>{
                declare(file, function, whole.range.begin, text, result.type),
                {file.path(), whole.range,
                 fmt::format("{} {} = {};", result.type, result.name, function.call_with())}};
        }
        OutlinedFunction several = function;
        std::string declarations;
        std::vector<SourceEdit> assigned;
        for (const OutlinedFunction::Result& result : function.results) {
            const auto declaration = std::find_if(
                run.statements.begin(), run.statements.end(), [&](const BlockStatement& s) {
                    return s.declared &&
                           s.declared->range == model_.locals[result.local].site.range;
                });
            if (declaration == run.statements.end())
                return fail(fmt::format("'{}' is declared with others, or in parts", result.name),
                            model_.place(whole));
            // `float r = e;` sets the parameter r; `float r;` is left out.
            const bool is_set = model_.locals[result.local].initializer.has_value();
            const ByteRange range = declaration->site.range;
            const std::uint32_t end = is_set ? declaration->declared->range.begin
                                             : behind_blanks(file, range.end, whole.range.end);
            assigned.push_back(
                {file.path(), {range.begin - whole.range.begin, end - whole.range.begin}, ""});
            several.parameters += fmt::format("{}out {} {}", several.parameters.empty() ? "" : ", ",
                                              result.type, result.name);
            several.arguments += (several.arguments.empty() ? "" : ", ") + result.name;
            declarations += fmt::format("{} {};{}{}", result.type, result.name, function.line,
                                        indentation(file, whole.range.begin));
        }
        const auto changed = apply_edits({{file.path(), text}}, assigned);
        if (!changed)
            return tl::unexpected(changed.error());
        return std::vector<SourceEdit>{
            declare(file, several, whole.range.begin, changed->begin()->second, "void"),
            {file.path(), whole.range, declarations + several.call_with() + ";"}};
    }

    SourceEdit declare(const SourceFile& file, const OutlinedFunction& function,
                       std::uint32_t begin, const std::string& text,
                       const std::string& type) const {
        const std::string indent = function.body_indent();
        return function.declare(
            file, indent + reindented(text, indentation(file, begin), indent) + function.line, "",
            type, "PreferRecompute(SideEffectBehavior.Allow)");
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    CheckpointedLoops loops_;
    std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> loop_body_helper(const RuleInput& input) {
    return BodyHelper(input).run();
}

} // namespace slimgrad
