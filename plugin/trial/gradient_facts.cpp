#include "plugin/trial/gradient_facts.h"

#include "attributes/custom_derivatives.h"
#include "attributes/effects.h"
#include "plugin/verify/cut_paths.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

namespace slimgrad {
namespace {

using Kind = GradientFact::Kind;

/// The offset of a place in a file's text; its end where the file is shorter.
std::size_t offset_of(std::string_view text, const Place& place) {
    std::size_t offset = 0;
    for (std::uint32_t line = 1; line < place.line && offset < text.size(); ++line)
        offset = std::min(text.find('\n', offset), text.size() - 1) + 1;
    return std::min(offset + std::max(place.column, 1u) - 1, text.size());
}

Index function_at(const ModuleModel& model, const Place& place) {
    const Index file = model.find_file(place.file);
    if (file == none)
        return none;
    return model.function_at(file, std::uint32_t(offset_of(model.files[file].text(), place)));
}

/// "N.eval<4>" -> "eval".
std::string last_name(std::string_view function) {
    function = function.substr(0, function.find('<'));
    const std::size_t end = function.find_last_of(".:");
    return std::string(end == std::string_view::npos ? function : function.substr(end + 1));
}

/// Whether a rule has seen, without running anything, why the gradients of a function are wrong.
class Explained {
  public:
    explicit Explained(const Variant& variant) : model_(variant.model), effects_(variant.model) {
        for (const Finding& finding : variant.findings)
            if (finding.severity == Severity::error)
                wrong_.insert(function_at(model_, finding.place));
    }

    bool operator()(const std::string& function) const {
        for (const Index start : model_.find_functions(last_name(function)))
            for (const Index reached : effects_.reachable(start, true))
                if (wrong_.contains(reached))
                    return true;
        return false;
    }

  private:
    const ModuleModel& model_;
    EffectAnalysis effects_;
    std::set<Index> wrong_;
};

/// "detach" or "no_diff": what stands at the place.
std::string word_at(const ModuleModel& model, const Place& place) {
    const Index file = model.find_file(place.file);
    if (file == none)
        return "cut";
    std::string_view text = model.files[file].text();
    text.remove_prefix(offset_of(text, place));
    return text.starts_with("detach") ? "detach" : "no_diff";
}

GradientFact fact_of(const verify::DifferentiatedCall& call) {
    GradientFact fact;
    fact.function = call.function;
    fact.place = call.place;
    fact.backward = call.backward;
    fact.reference = call.central_difference;
    fact.mismatching = call.mismatches;
    fact.samples = call.samples;
    return fact;
}

void add_call(const ModuleModel& model, const verify::DifferentiatedCall& call,
              std::vector<GradientFact>& facts) {
    if (call.differences.state != StepState::failed)
        return;
    GradientFact fact = fact_of(call);
    if (!call.cuts.empty()) {
        fact.kind = Kind::cut_path;
        for (const Place& cut : call.cuts) {
            fact.place = cut;
            fact.subject = word_at(model, cut);
            facts.push_back(fact);
        }
        return;
    }
    if (call.custom_derivatives.empty()) {
        fact.kind = call.backward == 0 ? Kind::no_gradient : Kind::differences;
        facts.push_back(std::move(fact));
        return;
    }
    fact.kind = Kind::custom_derivative;
    fact.typical = call.approximates() ? call.typical_mismatch : 0;
    const CustomDerivatives custom(model);
    for (const std::string& derivative : call.custom_derivatives) {
        fact.subject = derivative;
        fact.function = call.function;
        for (const Index function : model.find_functions(derivative)) {
            fact.place = model.place(model.functions[function].name_site);
            for (const Index primal : custom.primals(function))
                fact.function = model.functions[primal].name;
        }
        facts.push_back(fact);
    }
}

GradientFact race_of(const ModuleModel& model, const VerifyResult& result) {
    GradientFact fact;
    fact.kind = Kind::data_race;
    fact.function = result.entry_point;
    fact.subject = result.conflict;
    fact.place = result.conflict_place;
    if (fact.place.line == 0)
        for (const Index function : model.find_functions(result.entry_point))
            fact.place = model.place(model.functions[function].name_site);
    return fact;
}

Result<void> add_mutated_memory(VariantLab& lab, const Variant& variant,
                                std::vector<GradientFact>& facts) {
    const FileTexts stored = verify::without_prefer_recompute(variant.model);
    if (stored.empty())
        return {};
    const Result<std::optional<VerifyResult>> result = lab.compare_with(stored, variant);
    if (!result)
        return tl::unexpected(result.error());
    if (!*result || (*result)->verdict != Verdict::different || !(*result)->difference)
        return {};
    const Difference& difference = *(*result)->difference;
    GradientFact fact;
    fact.kind = Kind::mutated_memory;
    fact.backward = difference.rewritten;
    fact.reference = difference.original;
    const ModuleModel& model = variant.model;
    const EffectAnalysis effects(model);
    fact.subject = "memory";
    for (Index i = 0; i < model.functions.size(); ++i) {
        if (!model.functions[i].has_attribute("PreferRecompute"))
            continue;
        const Effects dispatch = effects.of_dispatches(i);
        std::string written;
        for (const auto& [read, site] : effects.of_function(i).reads)
            if (dispatch.writes.contains(read))
                written = read.name;
        if (!fact.function.empty() && written.empty())
            continue;
        fact.function = model.functions[i].name;
        fact.place = model.place(model.functions[i].name_site);
        if (!written.empty()) {
            fact.subject = written;
            break;
        }
    }
    facts.push_back(std::move(fact));
    return {};
}

} // namespace

Result<std::vector<GradientFact>> gradient_facts(VariantLab& lab, const Variant& variant) {
    std::vector<GradientFact> facts;
    const Result<std::vector<VerifyResult>> results = lab.check(variant);
    if (!results)
        return tl::unexpected(results.error());
    const Explained explained(variant);
    for (const VerifyResult& result : *results) {
        if (result.left_array && !explained(result.entry_point)) {
            GradientFact fact;
            fact.kind = Kind::index_out_of_range;
            fact.function = result.entry_point;
            fact.place = result.place;
            fact.index = std::uint64_t(result.left_array->index);
            fact.extent = result.left_array->extent;
            facts.push_back(std::move(fact));
        }
        if (result.conflict_certain)
            facts.push_back(race_of(variant.model, result));
        for (const verify::DifferentiatedCall& call : result.calls)
            if (!explained(call.function))
                add_call(variant.model, call, facts);
    }
    if (const auto done = add_mutated_memory(lab, variant, facts); !done)
        return tl::unexpected(done.error());
    return facts;
}

} // namespace slimgrad
