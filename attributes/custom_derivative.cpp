#include "attributes/custom_derivative.h"

#include "attributes/attribute_removal.h"
#include "attributes/custom_derivatives.h"
#include "attributes/differentiated_functions.h"
#include "attributes/solver_loop.h"
#include "rewriter/call_derivative.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>

namespace slimgrad {
namespace {

bool has(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

Finding finding_at(Place place, std::string message) {
    Finding finding;
    finding.rule = "custom-derivative";
    finding.severity = Severity::note;
    finding.place = std::move(place);
    finding.message = std::move(message);
    return finding;
}

class OwnDerivativeRule {
  public:
    explicit OwnDerivativeRule(const RuleInput& input)
        : input_(input), model_(input.model), loops_(input), custom_(model_), own_(model_),
          differentiated_(find_differentiated(
              model_, loops_.effects().tracer(),
              [&](Index i) -> const FunctionFlow& { return loops_.flows().of(i); })) {}

    std::vector<Finding> run() {
        for (Index i = 0; i < model_.functions.size(); ++i)
            if (differentiated_[i] && model_.functions[i].body && own_.has(i))
                compare_with_generated(i);
        std::set<Index> functions;
        for (Index loop : loops_.loops())
            if (may_be_solver(model_, loops_, loop) && read_solver(model_, loops_, loop) &&
                functions.insert(model_.loops[loop].function).second)
                advise(model_.loops[loop].function);
        return std::move(findings_);
    }

  private:
    // ---- With a derivative of its own

    /// The attribute that gives the function its backward derivative, and whose attribute it is.
    struct Link {
        const Attribute* attribute = nullptr;
        Index owner = none;
    };

    std::optional<Link> link_of(Index function) const {
        if (custom_.derivatives(function).size() != 1 || custom_.has_unresolved(function))
            return std::nullopt;
        const Index derivative = *custom_.derivatives(function).begin();
        if (const Attribute* own = model_.functions[function].find_attribute("BackwardDerivative"))
            return Link{own, function};
        const Attribute* of = model_.functions[derivative].find_attribute("BackwardDerivativeOf");
        return of && custom_.primals(derivative).size() == 1 ? std::optional(Link{of, derivative})
                                                             : std::nullopt;
    }

    /// A derivative that reads or adds to memory does what slangc's cannot.
    bool only_computes(Index function, Index derivative) const {
        const auto is_pure = [](const Effects& effects) {
            return effects.reads.empty() && effects.writes.empty() && effects.impure.empty() &&
                   effects.unknown.empty();
        };
        return is_pure(loops_.effects().of_function(function)) &&
               is_pure(loops_.effects().of_function(derivative));
    }

    void compare_with_generated(Index index) {
        const Function& function = model_.functions[index];
        const auto link = link_of(index);
        if (!link)
            return;
        const Index derivative = *custom_.derivatives(index).begin();
        const std::string& name = model_.functions[derivative].name;
        const Function& owner = model_.functions[link->owner];
        if (!only_computes(index, derivative))
            return;
        Finding finding =
            finding_at(model_.place(function.name_site),
                       fmt::format("'{}' has a derivative of its own, '{}'", function.name, name));
        const bool keeps_mark = function.has_attribute("Differentiable") ||
                                function.has_attribute("BackwardDifferentiable");
        Fix fix;
        fix.description = fmt::format("leave the derivative of '{}' to slangc", function.name);
        fix.applicability = Applicability::unsafe;
        fix.condition = fmt::format("'{}' is meant to be the derivative that slangc makes", name);
        if (const auto removal = attribute_removal(model_, *link->attribute);
            removal && !link->attribute->from_macro && can_edit(function) && can_edit(owner)) {
            const SourceFile& file = model_.files[function.site.file];
            if (link->owner == index && !keeps_mark)
                fix.edits.push_back({file.path(), link->attribute->site.range, "Differentiable"});
            else
                fix.edits.push_back(*removal);
            if (link->owner != index && !keeps_mark)
                fix.edits.push_back(
                    insert_line_above(file, function.site.range.begin, "[Differentiable]"));
            finding.fixes.push_back(std::move(fix));
        } else {
            finding.why_not.push_back("its attribute is a macro's, or shares its brackets");
        }
        findings_.push_back(std::move(finding));
    }

    bool can_edit(const Function& function) const {
        const Site head{function.site.file,
                        {function.site.range.begin, function.name_site.range.end}};
        return !function.from_macro && !model_.is_macro(head) && !model_.is_broken(head) &&
               input_.editable(model_.files[function.site.file].path());
    }

    // ---- Without one

    /// "void rootBackward(float3 o, inout DifferentialPair<float> x, float.Differential result)"
    std::string signature(Index index, const std::string& name) const {
        const Function& function = model_.functions[index];
        const DerivativeTypes types(model_, index);
        std::string parameters;
        for (const Parameter& p : function.parameters) {
            const bool is_plain = has(p.modifiers, "no_diff") || !types.of(p.type).carries();
            const std::string type = is_plain ? p.type
                                     : has(p.modifiers, "out")
                                         ? p.type + ".Differential"
                                         : fmt::format("inout DifferentialPair<{}>", p.type);
            parameters += fmt::format("{} {}, ", type, p.name);
        }
        return fmt::format("void {}({}{}.Differential result)", name, parameters,
                           function.return_type);
    }

    void advise(Index index) {
        const Function& function = model_.functions[index];
        const std::uint64_t bytes = loops_.carried_bytes(index);
        if (bytes == 0 || function.return_type == "void" || !function.parent_type.empty() ||
            !function.generics.empty())
            return;
        const std::string name = function.name + "Backward";
        Finding finding =
            finding_at(model_.place(function.name_site),
                       fmt::format("'{}' stores {} B for the steps of a solver; a derivative of "
                                   "its own, of the equation that it solves, stores none",
                                   function.name, bytes));
        finding.bytes = bytes;
        finding.why_not.push_back(fmt::format("the equation is its author's: "
                                              "[BackwardDerivative({})] above it, and {{ .. }} of "
                                              "{}",
                                              name, signature(index, name)));
        findings_.push_back(std::move(finding));
    }

    const RuleInput& input_;
    const ModuleModel& model_;
    CheckpointedLoops loops_;
    const CustomDerivatives custom_;
    const OwnDerivatives own_;
    const std::vector<bool> differentiated_;
    std::vector<Finding> findings_;
};

} // namespace

std::vector<Finding> custom_derivative(const RuleInput& input) {
    const bool has_loops = !input.model.loops.empty() && !input.compiled.contexts.empty();
    const auto is_derivative = [](const Attribute& attribute) {
        return attribute.name.starts_with("BackwardDerivative");
    };
    const bool has_derivatives = std::any_of(
        input.model.functions.begin(), input.model.functions.end(), [&](const Function& function) {
            return std::any_of(function.attributes.begin(), function.attributes.end(),
                               is_derivative);
        });
    if (!input.compiled.succeeded() || (!has_loops && !has_derivatives))
        return {};
    return OwnDerivativeRule(input).run();
}

} // namespace slimgrad
