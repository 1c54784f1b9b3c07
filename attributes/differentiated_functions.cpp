#include "attributes/differentiated_functions.h"

#include "attributes/entry_point.h"
#include "attributes/expression_text.h"
#include "rewriter/call_derivative.h"
#include "rewriter/macro_text.h"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <utility>

namespace slimgrad {

namespace {

class Search {
  public:
    Search(const ModuleModel& model, const MemoryTracer& tracer,
           const std::function<const FunctionFlow&(Index)>& flow_of)
        : model_(model), tracer_(tracer), flow_of_(flow_of), own_(model),
          found_(model.functions.size(), false) {
        for (const Call& call : model.calls)
            call_at_[{call.site.file, call.site.range.begin, call.site.range.end}] = &call;
    }

    std::vector<bool> run() {
        start();
        while (!work_.empty()) {
            const Index function = work_.back();
            work_.pop_back();
            for (Index other : tracer_.custom_derivatives().substitutes(function))
                add(other);
            if (!own_.has(function))
                follow(function);
        }
        return std::move(found_);
    }

  private:
    void start() {
        for (const Call& call : model_.calls) {
            if (call.kind == CallKind::plain)
                continue;
            const auto callees = model_.callees(call);
            for (Index callee : callees)
                add(callee);
            // `bwd_diff(f)` of a parameter: what is passed anywhere may be it.
            for (Index i = 0; callees.empty() && i < model_.functions.size(); ++i)
                if (tracer_.is_passed_on(i))
                    add(i);
        }
        for (Index i = 0; i < model_.functions.size(); ++i)
            if (is_entry_point(model_.functions[i]) && model_.functions[i].is_differentiable())
                add(i);
    }

    void add(Index function) {
        if (found_[function] ||
            is_differentiable(model_, own_, function).use == DerivativeUse::does_not)
            return;
        found_[function] = true;
        work_.push_back(function);
    }

    void follow(Index function) {
        for (const CallFlow& flow : flow_of_(function).calls) {
            if (flow.derivative == DerivativeUse::does_not)
                continue;
            const auto call =
                call_at_.find({flow.site.file, flow.site.range.begin, flow.site.range.end});
            if (call == call_at_.end())
                continue;
            if (call->second->callee_kind == CalleeKind::macro)
                add_named_in(call->second->site);
            for (Index callee : model_.callees(*call->second))
                add(callee);
        }
        for (const UnreadMacro& macro : model_.unread_macros)
            if (macro.function == function)
                add_named_in(macro.site);
    }

    /// A use of a macro may call what its text names.
    void add_named_in(Site use) {
        std::string text(model_.text(use));
        if (auto expansion = expand_macros(model_, text, use)) {
            text = std::move(*expansion);
        } else {
            for (const MacroDefinition& macro : model_.macros)
                if (macro.name == first_name(text))
                    text += " " + macro.body;
        }
        for (const std::string& name : names_in(text))
            for (Index named : tracer_.named(name))
                add(named);
    }

    const ModuleModel& model_;
    const MemoryTracer& tracer_;
    const std::function<const FunctionFlow&(Index)>& flow_of_;
    const OwnDerivatives own_;
    std::map<std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>, const Call*> call_at_;
    std::vector<bool> found_;
    std::vector<Index> work_;
};

} // namespace

std::vector<bool>
find_differentiated(const ModuleModel& model, const MemoryTracer& tracer,
                    const std::function<const FunctionFlow&(Index function)>& flow_of) {
    return Search(model, tracer, flow_of).run();
}

} // namespace slimgrad
