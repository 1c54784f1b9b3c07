#include "rewriter/body_resolver.h"
#include "rewriter/core_module.h"

#include <algorithm>
#include <iterator>
#include <tuple>
#include <utility>

namespace slimgrad {

namespace {

std::uint64_t key(std::uint32_t file, std::uint32_t offset) {
    return std::uint64_t{file} << 32 | offset;
}

} // namespace

ResolutionRecord::ResolutionRecord(ModuleModel& model) : model_(model) {
    for (Index i = 0; i < model.calls.size(); ++i) {
        const auto [entry, added] =
            calls_.emplace(key(model.calls[i].site.file, model.calls[i].open_parenthesis), i);
        if (!added)
            entry->second = none; // several that a macro holds
    }
    for (Index i = 0; i < model.loops.size(); ++i)
        loops_.emplace(key(model.loops[i].site.file, model.loops[i].keyword), i);
    for (Index i = 0; i < model.functions.size(); ++i)
        functions_[model.functions[i].name].push_back(i);
}

Call* ResolutionRecord::call_at(std::uint32_t file, std::uint32_t open_parenthesis) {
    const auto found = calls_.find(key(file, open_parenthesis));
    return found == calls_.end() || found->second == none ? nullptr : &model_.calls[found->second];
}

Index ResolutionRecord::loop_at(std::uint32_t file, std::uint32_t keyword) const {
    const auto found = loops_.find(key(file, keyword));
    return found == loops_.end() ? none : found->second;
}

std::vector<Index> ResolutionRecord::functions(const std::string& name) const {
    const auto found = functions_.find(name);
    return found == functions_.end() ? std::vector<Index>() : found->second;
}

void ResolutionRecord::add_type(Site site, TypeRef type) {
    const auto [entry, added] = types_.emplace(type, Index(model_.type_names.size()));
    if (added)
        model_.type_names.push_back(spelling(type));
    model_.expression_types.push_back({site, entry->second});
}

void ResolutionRecord::finish(const Semantics& semantics) {
    for (Call& call : model_.calls) {
        if (call.callee_kind != CalleeKind::unresolved || !call.candidates.empty())
            continue;
        // `f.operator()(x)`
        call.candidates =
            functions(call.callee.starts_with("operator") ? "operator()" : call.callee);
        // Whatever it is a method of, the module has none of this name.
        if (call.candidates.empty() && !call.receiver.empty() && is_core_method(call.callee) &&
            !semantics.may_come_from_macro(call.callee))
            call.callee_kind = CalleeKind::builtin;
    }
    model_.calls.insert(model_.calls.end(), std::make_move_iterator(added_.begin()),
                        std::make_move_iterator(added_.end()));
    std::stable_sort(model_.expression_types.begin(), model_.expression_types.end(),
                     [](const ExpressionType& a, const ExpressionType& b) {
                         return std::tie(a.site.file, a.site.range) <
                                std::tie(b.site.file, b.site.range);
                     });
}

} // namespace slimgrad
