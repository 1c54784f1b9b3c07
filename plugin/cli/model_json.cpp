#include "plugin/cli/json_report.h"
#include "plugin/cli/model_report.h"
#include "plugin/cli/model_words.h"

#include <nlohmann/json.hpp>

namespace slimgrad {
namespace {

using Json = nlohmann::ordered_json;

class ModelJson {
  public:
    explicit ModelJson(const ModelReport& report) : report_(report), model_(report.model) {}

    Json module() const {
        Json files = Json::array(), errors = Json::array();
        for (std::uint32_t file = 0; file < model_.files.size(); ++file) {
            files.push_back(model_.files[file].path());
            for (const ByteRange& error : model_.trees[file].errors())
                errors.push_back(place({file, error}));
        }
        for (const Site& site : model_.unread)
            errors.push_back(place(site));
        for (const Site& site : model_.included)
            errors.push_back(place(site));
        Json functions = Json::array(), globals = Json::array(), macro_uses = Json::array();
        for (Index i = 0; i < model_.functions.size(); ++i)
            functions.push_back(function(i));
        for (const GlobalVariable& global : model_.globals)
            globals.push_back({{"name", global.name},
                               {"type", global.type},
                               {"kind", kind(global.kind)},
                               {"place", place(global.site)},
                               {"initializer", global.initializer.value_or("")}});
        for (const MacroUse& use : report_.macro_uses)
            macro_uses.push_back({{"name", use.name},
                                  {"place", place(use.site)},
                                  {"function", index(use.function)},
                                  {"contents", set_aside(use.contents)}});
        Json inactive = Json::array(), undecided = Json::array(), rows = Json::array();
        for (const ModelReport::Inactive& branch : report_.inactive)
            inactive.push_back(
                {{"directive", directive(branch.branch)},
                 {"place", place({branch.branch.file, branch.branch.directive})},
                 {"end", model_.place(branch.branch.file, branch.branch.body.end).line},
                 {"contents", set_aside(branch.contents)}});
        for (const ConditionalBranch& branch : model_.undecided)
            undecided.push_back({{"directive", directive(branch)},
                                 {"place", place({branch.file, branch.directive})}});
        for (const ModelReport::Row& row : report_.rows)
            rows.push_back({{"context", row.context},
                            {"type", row.type},
                            {"bytes", row.bytes},
                            {"place", place_json(row.place)},
                            {"function", index(row.function)},
                            {"expression", row.expression},
                            {"answered", row.answered}});
        return {{"file", report_.file},
                {"status", status_name(report_.compiled.status)},
                {"problem", to_string(report_.problem)},
                {"slang_version", report_.slang_version},
                {"files", std::move(files)},
                {"syntax_errors", std::move(errors)},
                {"functions", std::move(functions)},
                {"globals", std::move(globals)},
                {"macro_uses", std::move(macro_uses)},
                {"inactive_branches", std::move(inactive)},
                {"undecided_branches", std::move(undecided)},
                {"stored_values", std::move(rows)}};
    }

  private:
    Json place(Site site) const { return place_json(model_.place(site)); }
    /// Indices of functions are those of the array `functions`; -1 for none.
    static int index(Index index) { return index == none ? -1 : int(index); }

    std::string_view directive(const ConditionalBranch& branch) const {
        return model_.text({branch.file, branch.directive});
    }

    static std::string_view kind(GlobalKind kind) {
        switch (kind) {
        case GlobalKind::constant:
            return "constant";
        case GlobalKind::read_only_buffer:
            return "read_only_buffer";
        case GlobalKind::writable_buffer:
            return "writable_buffer";
        case GlobalKind::constant_buffer:
            return "constant_buffer";
        case GlobalKind::uniform:
            return "uniform";
        case GlobalKind::groupshared:
            return "groupshared";
        case GlobalKind::mutable_static:
            return "mutable_static";
        }
        return "";
    }

    Json items(const std::vector<SetAside::Item>& list) const {
        Json result = Json::array();
        for (const SetAside::Item& item : list)
            result.push_back({{"name", item.name}, {"place", place(item.site)}});
        return result;
    }

    Json set_aside(const SetAside& contents) const {
        return {{"functions", items(contents.functions)},
                {"loops", items(contents.loops)},
                {"calls", items(contents.calls)},
                {"is_complete", contents.is_complete}};
    }

    Json attributes(const std::vector<Attribute>& list) const {
        Json result = Json::array();
        for (const Attribute& attribute : list)
            result.push_back({{"name", attribute.name},
                              {"arguments", attribute.arguments},
                              {"place", place(attribute.site)},
                              {"from_macro", attribute.from_macro}});
        return result;
    }

    Json function(Index i) const {
        const Function& f = model_.functions[i];
        const ModelReport::OfFunction& facts = report_.functions[i];
        Json parameters = Json::array(), generics = Json::array(), requirements = Json::array();
        for (const Parameter& parameter : f.parameters)
            parameters.push_back({{"name", parameter.name},
                                  {"type", parameter.type},
                                  {"modifiers", parameter.modifiers},
                                  {"semantic", parameter.semantic},
                                  {"default", parameter.default_value.value_or("")}});
        for (const GenericParameter& generic : f.generics)
            generics.push_back({{"name", generic.name},
                                {"constraint", generic.constraint},
                                {"is_value", generic.is_value}});
        for (const Index requirement : facts.requirements)
            requirements.push_back(
                {{"function", index(requirement)},
                 {"attributes", attributes(model_.functions[requirement].attributes)}});
        Json derivatives = Json::array();
        for (const Index derivative : facts.derivatives)
            derivatives.push_back(index(derivative));
        Json loops = Json::array(), calls = Json::array();
        for (Index l = 0; l < model_.loops.size(); ++l)
            if (model_.loops[l].function == i)
                loops.push_back(loop(l));
        for (const Call& c : model_.calls)
            if (c.function == i)
                calls.push_back(call(c));
        return {{"name", f.qualified_name},
                {"place", place(f.name_site)},
                {"return_type", f.return_type},
                {"semantic", f.semantic},
                {"generics", std::move(generics)},
                {"parameters", std::move(parameters)},
                {"modifiers", f.modifiers},
                {"attributes", attributes(f.attributes)},
                {"implements", std::move(requirements)},
                {"derivatives", std::move(derivatives)},
                {"has_body", f.body.has_value()},
                {"from_macro", f.from_macro},
                {"is_entry_point", facts.is_entry_point},
                {"is_differentiated", facts.is_differentiated},
                {"has_syntax_error", facts.is_broken && facts.contradiction.empty()},
                {"contradiction", facts.contradiction},
                {"loops", std::move(loops)},
                {"calls", std::move(calls)},
                {"variables", variables(facts.flow)},
                {"flow_incomplete", facts.flow.incomplete},
                {"effects", effects(facts.effects)}};
    }

    Json loop(Index i) const {
        const Loop& l = model_.loops[i];
        const TripCount& t = report_.loops[i].trips;
        Json trips = {{"text", trips_text(t)},
                      {"exact", t.exact ? Json(*t.exact) : Json()},
                      {"expression", t.expression_is_constant ? t.exact_expression : ""},
                      {"upper", t.upper ? Json(*t.upper) : Json()},
                      {"upper_expression", t.upper_expression},
                      {"upper_from", t.upper ? t.upper_from : ""},
                      {"lowest", t.lowest},
                      {"may_end_early", t.may_end_early},
                      {"promised", t.upper_is_promised},
                      {"from_callers", t.from_callers},
                      {"uses_macro", t.uses_macro},
                      {"condition", t.condition},
                      {"input", t.input},
                      {"why_unknown", t.why_unknown}};
        Json specialised = Json::array();
        for (const SpecialisedTrips& special : report_.loops[i].specialised)
            specialised.push_back({{"arguments", special.arguments},
                                   {"trips", special.trips},
                                   {"place", place(model_.calls[special.call].site)}});
        const Site head{l.site.file, {l.with_attributes.begin, l.body.begin}};
        return {{"kind", name(l.kind)},
                {"place", place_json(model_.place(l.site.file, l.keyword))},
                {"inside", l.parent == none ? Json() : place_json(loop_place(l.parent))},
                {"attributes", attributes(l.attributes)},
                {"counter", l.counter},
                {"start", l.start},
                {"comparison", l.comparison},
                {"end", l.end},
                {"step", l.step},
                {"scaling", l.scaling.empty() ? "" : l.scaling + " " + l.factor},
                {"touches_macro", l.from_macro || model_.is_macro(head)},
                {"trips", std::move(trips)},
                {"specialised", std::move(specialised)}};
    }

    Place loop_place(Index loop) const {
        return model_.place(model_.loops[loop].site.file, model_.loops[loop].keyword);
    }

    Json call(const Call& c) const {
        Json candidates = Json::array();
        for (const Index candidate : c.candidates)
            candidates.push_back(index(candidate));
        constexpr std::string_view forms[] = {"call", "operation", "subscript", "property"};
        return {{"callee", c.callee},
                {"receiver", c.receiver},
                {"generic_arguments", c.generic_arguments},
                {"form", forms[static_cast<int>(c.form)]},
                {"derivative", name(c.kind)},
                {"kind", name(c.callee_kind)},
                {"target", index(c.target)},
                {"candidates", std::move(candidates)},
                {"no_diff", c.no_diff},
                {"place", place_json(model_.place(c.site.file, c.open_parenthesis))},
                {"inside", c.loop == none ? Json() : place_json(loop_place(c.loop))},
                {"touches_macro", model_.is_macro(c.site)}};
    }

    Json variables(const FunctionFlow& flow) const {
        Json result = Json::array();
        for (Index i = 0; i < flow.variables.size(); ++i) {
            const Variable& variable = flow.variables[i];
            Json definitions = Json::array(), uses = Json::array();
            for (const Definition& definition : flow.definitions)
                if (definition.variable == i)
                    definitions.push_back({{"kind", name(definition.kind)},
                                           {"place", definition.kind == DefinitionKind::entry
                                                         ? Json()
                                                         : place(definition.site)},
                                           {"partial", definition.partial}});
            for (const Use& use : flow.uses)
                if (use.variable == i)
                    uses.push_back(this->use(use, flow));
            result.push_back(
                {{"name", variable.name},
                 {"kind", name(variable.kind)},
                 {"type", variable.type},
                 {"place", variable.site.range.empty() ? Json() : place(variable.site)},
                 {"from_macro", model_.expanded_use(variable.site) != nullptr},
                 {"definitions", std::move(definitions)},
                 {"uses", std::move(uses)}});
        }
        return result;
    }

    Json use(const Use& use, const FunctionFlow& flow) const {
        Json reaching = Json::array();
        for (const ReachingDefinition& definition : use.reaching) {
            const Definition& from = flow.definitions[definition.definition];
            reaching.push_back(
                {{"place", from.kind == DefinitionKind::entry ? Json() : place(from.site)},
                 {"carried_by", definition.carried_by == none
                                    ? Json()
                                    : place_json(loop_place(definition.carried_by))}});
        }
        constexpr std::string_view derivatives[] = {"carries", "does_not", "unknown"};
        return {{"place", place(use.site)},
                {"derivative", derivatives[static_cast<int>(use.derivative)]},
                {"reason", use.reason},
                {"reaching", std::move(reaching)}};
    }

    Json effects(const Effects& effects) const {
        const auto memory = [&](const std::map<MemoryRoot, Site>& roots) {
            Json list = Json::array();
            for (const auto& [root, site] : roots)
                list.push_back(
                    {{"name", root.name}, {"is_global", root.is_global}, {"place", place(site)}});
            return list;
        };
        const auto reasons = [&](const std::map<std::string, Site>& sites) {
            Json list = Json::array();
            for (const auto& [why, site] : sites)
                list.push_back({{"reason", why}, {"place", place(site)}});
            return list;
        };
        return {{"reads", memory(effects.reads)},
                {"writes", memory(effects.writes)},
                {"impure", reasons(effects.impure)},
                {"unknown", reasons(effects.unknown)}};
    }

    const ModelReport& report_;
    const ModuleModel& model_;
};

} // namespace

nlohmann::ordered_json model_json(const ModelReport& report) {
    return ModelJson(report).module();
}

} // namespace slimgrad
