#include "attributes/prefer_recompute.h"

#include "attributes/attribute_removal.h"
#include "attributes/builtins.h"
#include "attributes/memory_values.h"
#include "attributes/read_helper.h"
#include "attributes/recompute_safety.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <tuple>

namespace slimgrad {

namespace {

constexpr std::string_view rule_name = "prefer-recompute";

/// The report's rows that point to one call or one read, over all instances and contexts.
struct StoredValue {
    Index index = none; ///< into calls or accesses
    std::uint64_t bytes = 0;
    std::string stored_by; ///< the differentiated function whose context holds it
    Place place;
};

struct StoredValues {
    std::map<Index, StoredValue> calls;    ///< by call
    std::map<Index, StoredValue> accesses; ///< by access
};

StoredValues stored_values(const RuleInput& input) {
    StoredValues stored;
    for (const CheckpointContext& context : input.compiled.contexts) {
        for (const CheckpointValue& value : context.values) {
            const Index file = input.model.find_file(value.place.file);
            if (file == none || value.place.line == 0)
                continue;
            const std::uint32_t offset =
                input.model.files[file].offset(value.place.line, value.place.column);
            const Index call = input.model.call_at(file, offset);
            const Index access = call == none ? input.model.access_at(file, offset) : none;
            if (call == none && access == none)
                continue;
            StoredValue& entry = call != none ? stored.calls[call] : stored.accesses[access];
            entry.index = call != none ? call : access;
            entry.bytes += value.bytes;
            entry.stored_by = context.function;
            entry.place = value.place;
        }
    }
    return stored;
}

/// The one function that the call can mean, or all implementations of the interface's requirement
/// that it names. Empty, with the reason, where it may mean other functions, too.
std::vector<Index> callees_of(const ModuleModel& model, const Call& call, std::string& why) {
    if (call.target != none && call.callee_kind != CalleeKind::requirement)
        return {call.target};
    std::vector<Index> candidates;
    for (Index function : model.callees(call)) {
        const Function& f = model.functions[function];
        const bool member = !f.parent_type.empty();
        if (member && call.receiver.empty() &&
            (call.function == none || model.functions[call.function].parent_type.empty()))
            continue;
        const auto required = std::count_if(f.parameters.begin(), f.parameters.end(),
                                            [](const Parameter& p) { return !p.default_value; });
        if (call.kind == CallKind::plain && (call.arguments.size() > f.parameters.size() ||
                                             call.arguments.size() < std::size_t(required)))
            continue;
        candidates.push_back(function);
    }
    if (candidates.size() == 1)
        return candidates;
    const auto is_requirement = [&](Index i) {
        const TypeDeclaration* type = model.find_type(model.functions[i].parent_type);
        return type && type->is_interface;
    };
    const bool members = std::all_of(candidates.begin(), candidates.end(), [&](Index i) {
        return !model.functions[i].parent_type.empty();
    });
    if (members && std::count_if(candidates.begin(), candidates.end(), is_requirement) == 1) {
        std::erase_if(candidates,
                      [&](Index i) { return is_requirement(i) && !model.functions[i].body; });
        return candidates;
    }
    why = candidates.empty()
              ? fmt::format("'{}' is not a function of this module", call.callee)
              : fmt::format("'{}' may mean {} functions", call.callee, candidates.size());
    return {};
}

class PreferRecompute {
  public:
    explicit PreferRecompute(const RuleInput& input)
        : input_(input), effects_(input.model), stored_(stored_values(input)) {}

    std::vector<Finding> run() {
        std::map<std::vector<Index>, Finding> by_function;
        for (const auto& [index, stored] : stored_.calls)
            add_call(stored, by_function);
        for (const auto& [index, stored] : stored_.accesses)
            add_read(stored);
        for (const auto& [key, entry] : reads_)
            offer_helper(entry);
        for (auto& [function, finding] : by_function)
            findings_.push_back(std::move(finding));
        if (input_.reconsider)
            reconsider_marks();
        return std::move(findings_);
    }

  private:
    void add_call(const StoredValue& stored, std::map<std::vector<Index>, Finding>& by_function) {
        const ModuleModel& model = input_.model;
        const Call& call = model.calls[stored.index];
        if (is_buffer_method(model, call)) {
            add_method_read(stored, call);
            return;
        }
        std::string why;
        const std::vector<Index> callees = callees_of(model, call, why);
        if (callees.empty()) {
            Finding finding = note(
                stored, fmt::format("the result of '{}' is stored: {} B in the context of '{}'",
                                    call.callee, stored.bytes, stored.stored_by));
            finding.why_not.push_back(why);
            findings_.push_back(std::move(finding));
            return;
        }
        if (const auto known = by_function.find(callees); known != by_function.end()) {
            known->second.bytes += stored.bytes;
            return;
        }
        by_function.emplace(callees, finding_for(stored, callees));
    }

    /// What the user marked, taken off again.
    void reconsider_marks() {
        for (const Function& function : input_.model.functions) {
            const Attribute* mark = function.find_attribute("PreferRecompute");
            const auto removal =
                mark ? attribute_removal(input_.model, *mark) : std::optional<SourceEdit>();
            if (!removal || !input_.editable(removal->path) || function.from_macro ||
                input_.model.is_macro(mark->site) || input_.model.is_broken(mark->site))
                continue;
            Finding finding;
            finding.rule = rule_name;
            finding.severity = Severity::cost;
            finding.place = input_.model.place(mark->site);
            finding.message =
                fmt::format("'{}' is computed again for the backward pass since it is marked so",
                            function.name);
            Fix fix;
            fix.description =
                fmt::format("take [{}] off '{}'", input_.model.text(mark->site), function.name);
            fix.edits.push_back(*removal);
            finding.fixes.push_back(std::move(fix));
            findings_.push_back(std::move(finding));
        }
    }

    Finding note(const StoredValue& stored, std::string message) const {
        Finding finding;
        finding.rule = rule_name;
        finding.severity = Severity::note;
        finding.place = stored.place;
        finding.bytes = stored.bytes;
        finding.message = std::move(message);
        return finding;
    }

    Finding finding_for(const StoredValue& stored, const std::vector<Index>& callees) const {
        using Answer = RecomputeSafety::Answer;
        const Function& function = input_.model.functions[callees.front()];
        Finding finding = note(
            stored, fmt::format("'{}' is stored for the backward pass: {} B in the context of '{}'",
                                function.name, stored.bytes, stored.stored_by));
        RecomputeSafety safety{Answer::pure, ""};
        for (Index callee : callees) {
            if (!can_edit(input_.model.functions[callee], finding))
                return finding;
            RecomputeSafety own = recompute_safety(input_, effects_, callee);
            const bool by_promise = safety.by_promise || own.by_promise;
            if (own.answer > safety.answer)
                safety = std::move(own);
            safety.by_promise = by_promise;
        }
        if (safety.answer == Answer::no) {
            finding.message += fmt::format("; it cannot be recomputed: {}", safety.reason);
            finding.why_not.push_back(safety.reason);
            return finding;
        }
        finding.severity = Severity::cost;
        finding.message += safety.answer == Answer::pure ? "; it is pure and can be recomputed"
                                                         : "; it only reads and can be recomputed";
        // slangc warns of the plain form where it sees a division by a run-time value (E42050):
        // then the trials take the other.
        if (safety.answer == Answer::pure && !function.has_attribute("PreferRecompute"))
            finding.fixes.push_back(mark_all(callees, "PreferRecompute", safety));
        finding.fixes.push_back(
            mark_all(callees, "PreferRecompute(SideEffectBehavior.Allow)", safety));
        return finding;
    }

    Fix mark_all(const std::vector<Index>& callees, const std::string& attribute,
                 const RecomputeSafety& safety) const {
        Fix all = mark(input_.model.functions[callees.front()], attribute, safety);
        if (callees.size() > 1)
            all.description =
                fmt::format("mark all {} implementations of '{}' [{}]", callees.size(),
                            input_.model.functions[callees.front()].name, attribute);
        for (std::size_t i = 1; i < callees.size(); ++i) {
            Fix fix = mark(input_.model.functions[callees[i]], attribute, safety);
            all.edits.insert(all.edits.end(), fix.edits.begin(), fix.edits.end());
            // A second opinion is one only if it is of all of them.
            if (fix.probe.empty())
                all.probe.clear();
            else if (!all.probe.empty())
                all.probe.insert(all.probe.end(), fix.probe.begin(), fix.probe.end());
        }
        return all;
    }

    Fix mark(const Function& function, const std::string& attribute,
             const RecomputeSafety& safety) const {
        Fix fix;
        fix.description = fmt::format("mark '{}' [{}]", function.name, attribute);
        if (safety.answer == RecomputeSafety::Answer::if_no_alias) {
            fix.applicability = Applicability::unsafe;
            fix.condition = safety.reason;
        }
        const SourceFile& file = input_.model.files[function.site.file];
        if (const Attribute* present = function.find_attribute("PreferRecompute"))
            fix.edits.push_back({file.path(), present->site.range, attribute});
        else
            fix.edits.push_back(
                insert_line_above(file, function.site.range.begin, "[" + attribute + "]"));
        // The plain form warns of functions that write. It is silent for reads, but takes divisions
        // and some tensor reads for writes: where there are none, its silence is a second proof.
        // Of what may overlap it knows nothing, whoever promises that it does not.
        if (attribute != "PreferRecompute" && !function.has_attribute("PreferRecompute") &&
            !may_divide(function) && safety.answer == RecomputeSafety::Answer::only_reads &&
            !safety.by_promise) {
            fix.probe.push_back(
                insert_line_above(file, function.site.range.begin, "[PreferRecompute]"));
            fix.probe_code = "E42050";
        }
        return fix;
    }

    /// Whether a division may stand in the function or what it calls.
    bool may_divide(const Function& function) const {
        const auto reached =
            effects_.reachable(Index(&function - input_.model.functions.data()), false);
        return std::any_of(reached.begin(), reached.end(), [&](Index i) {
            const Function& f = input_.model.functions[i];
            const std::string_view text =
                input_.model.text({f.site.file, f.body.value_or(ByteRange{})});
            // "//" and "/*" begin comments; "%" and "/=" divide.
            for (std::size_t at = 0; at < text.size(); ++at) {
                if (text[at] == '%')
                    return true;
                if (text.substr(at, 2) == "//")
                    at = std::min(text.find('\n', at), text.size());
                else if (text.substr(at, 2) == "/*")
                    at = std::min(text.find("*/", at + 2), text.size() - 2) + 1;
                else if (text[at] == '/')
                    return true;
            }
            return false;
        });
    }

    /// Whether the callee's head may be edited; says in the finding why not.
    bool can_edit(const Function& function, Finding& finding) const {
        const ModuleModel& model = input_.model;
        const SourceFile& file = model.files[function.site.file];
        const Site head{function.site.file,
                        {function.site.range.begin, function.name_site.range.end}};
        std::string why;
        if (!input_.editable(file.path()))
            why = fmt::format("'{}' stands in {}, which is outside the project", function.name,
                              file.path());
        else if (function.from_macro || model.is_macro(head))
            why = fmt::format("'{}' comes from a macro", function.name);
        else if (model.is_broken(head))
            why = fmt::format("'{}' stands in a syntax error", function.name);
        else if (!function.body)
            why = fmt::format("'{}' has no body here", function.name);
        else if (function.has_attribute("PreferCheckpoint"))
            why = fmt::format("'{}' is marked [PreferCheckpoint]", function.name);
        else if (const Attribute* present = function.find_attribute("PreferRecompute");
                 present &&
                 (!present->arguments.empty() ||
                  recompute_safety(input_, effects_, Index(&function - model.functions.data()))
                          .answer == RecomputeSafety::Answer::pure))
            why = fmt::format("'{}' is marked [PreferRecompute] already", function.name);
        if (why.empty())
            return true;
        finding.why_not.push_back(std::move(why));
        return false;
    }

    /// Reads of one buffer in one function become one finding.
    using ReadKey = std::tuple<Index, std::string, std::string>;
    struct StoredReads {
        StoredValue stored;
        std::vector<DirectRead> reads;
    };

    void add_read(const StoredValue& stored) {
        const Access& access = input_.model.accesses[stored.index];
        DirectRead read{{access.site.file, {access.site.range.begin, access.subscript->range.end}},
                        access.subscript_index.value_or(*access.subscript),
                        access.name,
                        "",
                        access.function};
        // `gLights[i].pos` is a read of gLights[i]; `scene.lights[i]` is not one of scene.
        const bool direct =
            access.subscript->range.begin == access.site.range.begin + access.name.size();
        if (!direct || !access.subscript_index || access.kind != AccessKind::read)
            read.function = none;
        collect(stored, std::move(read));
    }

    void add_method_read(const StoredValue& stored, const Call& call) {
        DirectRead read{call.site, call.arguments.empty() ? call.site : call.arguments[0],
                        call.receiver, call.callee, call.function};
        if (call.arguments.size() != 1 ||
            builtin_effect(call.callee) != BuiltinEffect::reads_receiver)
            read.function = none;
        collect(stored, std::move(read));
    }

    void collect(const StoredValue& stored, DirectRead read) {
        StoredReads& entry = reads_[{read.function, read.base, read.method}];
        const std::uint64_t bytes = entry.stored.bytes + stored.bytes;
        if (entry.reads.empty())
            entry.stored = stored;
        entry.stored.bytes = bytes;
        entry.reads.push_back(std::move(read));
    }

    void offer_helper(const StoredReads& entry) {
        const DirectRead& first = entry.reads.front();
        Finding finding = note(
            entry.stored,
            fmt::format(
                "the read of '{}' is stored for the backward pass: {} B in the context of '{}'",
                first.base, entry.stored.bytes, entry.stored.stored_by));
        const Result<ReadHelper> helper =
            first.function == none
                ? fail("it is not a plain read of a buffer or tensor by one index")
                : read_helper(input_, entry.reads);
        if (!helper) {
            finding.why_not.push_back(helper.error().message);
        } else if (const RecomputeSafety safety =
                       read_again_safety(input_, effects_, first.function, first.base);
                   safety.answer == RecomputeSafety::Answer::no) {
            finding.message += fmt::format("; it cannot be read again: {}", safety.reason);
            finding.why_not.push_back(safety.reason);
        } else {
            finding.severity = Severity::cost;
            finding.message += "; a helper function can read it again";
            Fix fix;
            fix.description =
                fmt::format("read '{}' through a recomputed helper '{}'", first.base, helper->name);
            fix.edits = helper->edits;
            if (safety.answer == RecomputeSafety::Answer::if_no_alias) {
                fix.applicability = Applicability::unsafe;
                fix.condition = safety.reason;
            }
            finding.fixes.push_back(std::move(fix));
        }
        findings_.push_back(std::move(finding));
    }

    const RuleInput& input_;
    EffectAnalysis effects_;
    StoredValues stored_;
    std::map<ReadKey, StoredReads> reads_;
    std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> prefer_recompute(const RuleInput& input) {
    return PreferRecompute(input).run();
}

} // namespace slimgrad
