#include "tests/unit/rewriter/comparison/stored_value_comparison.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {
namespace {

class StoredValueComparison {
  public:
    explicit StoredValueComparison(ComparedModule& module)
        : module_(module), model_(module.model), compared_(module.compared) {}

    void run() {
        for (const CheckpointContext& context : module_.compiled.contexts)
            for (const CheckpointValue& value : context.values)
                compare(value);
    }

  private:
    /// `s_minCtx_s_bwdCallableCtx_Ray_advance_0`: what Ray.advance stores, at the call of it.
    void compare_callee(const CheckpointValue& value, const Call& call) {
        if (call.callee_kind == CalleeKind::unresolved) {
            compared_.open_calls.push_back(
                {fmt::format("what '{}' calls is not known", call.callee), value.place});
            return;
        }
        constexpr std::string_view context = "bwdCallableCtx_";
        std::string_view name = value.type;
        const auto begin = name.find(context);
        if (begin == name.npos)
            return;
        name = name.substr(begin + context.size());
        name = name.substr(0, name.rfind('_'));
        // Underscores at the end of a name are left out.
        const auto called = [&](Index function) {
            std::string own = model_.functions[function].name;
            own.erase(own.find_last_not_of('_') + 1);
            return name.ends_with(own);
        };
        const std::vector<Index> callees = model_.callees(call);
        if (std::none_of(callees.begin(), callees.end(), called))
            module_.mismatch(value.place,
                             fmt::format("what '{}' calls stores {}", call.callee, value.type));
        else
            ++compared_.callees;
    }
    void compare(const CheckpointValue& value) {
        const Index file = model_.find_file(value.place.file);
        if (file == none || value.place.line == 0) {
            ++compared_.elsewhere;
            return;
        }
        const std::uint32_t at = module_.offset(value.place, file);
        const std::string_view text = std::string_view(model_.files[file].text()).substr(at);
        const bool is_word =
            !text.empty() && (std::isalpha(static_cast<unsigned char>(text[0])) || text[0] == '_');
        if (model_.is_macro({file, {at, at + 1}})) {
            ++compared_.macros; // the place is in the macro's body
        } else if (text.starts_with("(")) {
            ++compared_.calls;
            if (const Index call = model_.call_at(file, at); call == none)
                module_.mismatch(value.place, "no call in the model");
            else
                compare_callee(value, model_.calls[call]);
        } else if (text.starts_with("[")) {
            ++compared_.subscripts;
            if (model_.access_at(file, at) == none)
                module_.mismatch(value.place, "no access with a subscript in the model");
        } else if (is_word && is_keyword_of_loop(text)) {
            ++compared_.loops;
            if (model_.loop_at(file, at) == none)
                module_.mismatch(value.place, "no loop in the model");
        } else if (std::string_view("+-*/%<>=!&|^~?").find(text.substr(0, 1)) !=
                       std::string_view::npos ||
                   text.starts_with("no_diff")) {
            ++compared_.operators;
            if (model_.function_at(file, at) == none)
                module_.mismatch(value.place, "no function of the model holds this operator");
        } else if (is_word) {
            ++compared_.names;
            if (!declares(file, at))
                module_.mismatch(value.place, "no variable, parameter or function in the model");
        } else {
            module_.mismatch(value.place,
                             fmt::format("{} is stored from a place of another kind: {}",
                                         value.type, text.substr(0, 20)));
        }
    }

    static bool is_keyword_of_loop(std::string_view text) {
        const auto end = std::find_if_not(
            text.begin(), text.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
        const std::string_view word(text.begin(), end);
        return word == "for" || word == "while" || word == "do";
    }

    bool declares(Index file, std::uint32_t at) const {
        const auto here = [&](const Site& site) {
            return site.file == file && site.range.begin == at;
        };
        return std::any_of(model_.locals.begin(), model_.locals.end(),
                           [&](const LocalVariable& local) { return here(local.site); }) ||
               std::any_of(
                   model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                       return here(function.name_site) ||
                              (function.site.file == file &&
                               std::any_of(function.parameters.begin(), function.parameters.end(),
                                           [&](const Parameter& parameter) {
                                               return parameter.site.range.contains(at);
                                           }));
                   });
    }

    ComparedModule& module_;
    const ModuleModel& model_;
    Compared& compared_;
};

} // namespace

void compare_stored_values(ComparedModule& module) {
    StoredValueComparison(module).run();
}

} // namespace slimgrad
