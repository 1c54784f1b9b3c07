#include "plugin/verify/cut_paths.h"

#include "attributes/expression_text.h"
#include "plugin/verify/source_tokens.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

namespace slimgrad::verify {

namespace {

/// The line breaks of a text that goes: what follows keeps its line.
std::string breaks_of(std::string_view text) {
    std::string result;
    std::copy_if(text.begin(), text.end(), std::back_inserter(result),
                 [](char c) { return c == '\n' || c == '\r'; });
    return result;
}

SourceEdit removal(const ModuleModel& model, Site site) {
    return {model.files[site.file].path(), site.range, breaks_of(model.text(site))};
}

bool can_edit(const ModuleModel& model, Site site) {
    return !model.is_broken(site) && !model.is_macro(site);
}

/// The changed files; empty where the edits do not fit together.
FileTexts edited(const ModuleModel& model, const std::vector<SourceEdit>& edits) {
    FileTexts texts;
    for (const SourceFile& file : model.files)
        texts[file.path()] = file.text();
    Result<FileTexts> changed = apply_edits(texts, edits);
    return changed ? std::move(*changed) : FileTexts{};
}

std::string as_written(const Attribute& attribute) {
    std::string text = attribute.name;
    for (std::size_t i = 0; i < attribute.arguments.size(); ++i)
        text += (i == 0 ? "(" : ", ") + attribute.arguments[i];
    return attribute.arguments.empty() ? text : text + ")";
}

/// Replaces the attributes of `all`, those of one declaration, that `goes` names by `instead`,
/// which may be empty. The others of their brackets, or of their macro, stay.
template <class Goes>
void replace_attributes(const ModuleModel& model, const std::vector<Attribute>& all, Goes goes,
                        std::string instead, std::vector<SourceEdit>& edits) {
    std::set<std::pair<std::uint32_t, ByteRange>> groups;
    for (const Attribute& attribute : all) {
        if (goes(attribute))
            groups.emplace(attribute.site.file, attribute.group);
    }
    for (const auto& [file, range] : groups) {
        std::string kept = instead.empty() ? "" : "[" + instead + "]";
        instead.clear();
        for (const Attribute& attribute : all) {
            if (attribute.site.file == file && attribute.group == range && !goes(attribute))
                kept += "[" + as_written(attribute) + "]";
        }
        edits.push_back(
            {model.files[file].path(), range, kept + breaks_of(model.text({file, range}))});
    }
}

bool is_custom_derivative(const Attribute& attribute) {
    return attribute.name == "BackwardDerivative" || attribute.name == "ForwardDerivative";
}

bool is_custom_derivative_of(const Attribute& attribute) {
    return attribute.name == "BackwardDerivativeOf" || attribute.name == "ForwardDerivativeOf";
}

bool is_differentiable_attribute(const Attribute& attribute) {
    return attribute.name == "Differentiable" || attribute.name == "BackwardDifferentiable";
}

class Cuts {
  public:
    explicit Cuts(const ModuleModel& model) : model_(model) {}

    void add(CutPath::Kind kind, Site site, std::string name,
             const std::vector<SourceEdit>& edits) {
        FileTexts texts = edited(model_, edits);
        if (!texts.empty() && seen_.insert({site.file, site.range}).second)
            cuts_.push_back({kind, model_.place(site), std::move(name), std::move(texts)});
    }

    void detach_calls(const std::set<Index>& functions) {
        for (const Call& call : model_.calls) {
            if (call.callee != "detach" || !call.receiver.empty() ||
                !functions.contains(call.function) || !can_edit(model_, call.site))
                continue;
            const Site word{call.site.file, {call.site.range.begin, call.open_parenthesis}};
            add(CutPath::Kind::detach, call.site, model_.functions[call.function].name,
                {removal(model_, word)});
        }
    }

    /// The words `no_diff` in a function; those of its head only if it is not the one that is
    /// differentiated.
    void no_diff_words(Index index, bool with_head) {
        const Function& function = model_.functions[index];
        const SourceFile& file = model_.files[function.site.file];
        for (const SourceToken& token : source_tokens(file.text(), function.site.range)) {
            const Site site{function.site.file, token.range};
            if (token.text != "no_diff" || !can_edit(model_, site))
                continue;
            const bool in_body = function.body && function.body->contains(token.range);
            if (!in_body && (!with_head || at_integer(function, token.range)))
                continue;
            add(CutPath::Kind::no_diff, site, function.name, {removal(model_, site)});
        }
        if (const Attribute* attribute = function.find_attribute("NoDiffThis");
            attribute && with_head) {
            std::vector<SourceEdit> edits;
            replace_attributes(
                model_, function.attributes,
                [](const Attribute& other) { return other.name == "NoDiffThis"; }, "", edits);
            if (can_edit(model_, attribute->site))
                add(CutPath::Kind::no_diff, attribute->site, function.name, edits);
        }
    }

    void custom_derivatives(Index index, const CustomDerivatives& derivatives) {
        const Function& function = model_.functions[index];
        std::vector<SourceEdit> edits;
        const Attribute* shown = nullptr;
        std::string name;
        for (const Attribute& attribute : function.attributes) {
            if (is_custom_derivative(attribute) && !attribute.arguments.empty()) {
                shown = &attribute;
                name = last_name(attribute.arguments[0]);
                break;
            }
        }
        const bool differentiable = std::any_of(
            function.attributes.begin(), function.attributes.end(), is_differentiable_attribute);
        std::string instead = differentiable ? "" : "Differentiable";
        if (shown) {
            replace_attributes(model_, function.attributes, is_custom_derivative, instead, edits);
            instead.clear();
        }
        for (const Index other : derivatives.derivatives(index)) {
            const Function& derivative = model_.functions[other];
            const auto found = std::find_if(derivative.attributes.begin(),
                                            derivative.attributes.end(), is_custom_derivative_of);
            if (found == derivative.attributes.end())
                continue;
            replace_attributes(model_, derivative.attributes, is_custom_derivative_of, "", edits);
            if (!shown) {
                shown = &*found;
                name = derivative.name;
            }
        }
        if (!shown || !std::all_of(edits.begin(), edits.end(), [&](const SourceEdit& edit) {
                return !model_.is_broken({model_.find_file(edit.path), edit.range});
            }))
            return;
        if (!instead.empty()) {
            const std::uint32_t at = function.declaration_start;
            edits.push_back(
                {model_.files[function.site.file].path(), {at, at}, "[" + instead + "] "});
        }
        add(CutPath::Kind::custom_derivative, shown->site, name, edits);
    }

    std::vector<CutPath> result() && {
        std::stable_sort(cuts_.begin(), cuts_.end(),
                         [](const CutPath& a, const CutPath& b) { return a.place < b.place; });
        return std::move(cuts_);
    }

  private:
    /// Whether the word stands before a parameter that has no gradient anyway.
    static bool at_integer(const Function& function, ByteRange word) {
        for (const Parameter& parameter : function.parameters) {
            if (!parameter.site.range.contains(word))
                continue;
            for (const std::string_view type : {"int", "uint", "bool"}) {
                if (parameter.type.starts_with(type))
                    return true;
            }
        }
        return false;
    }

    const ModuleModel& model_;
    std::vector<CutPath> cuts_;
    std::set<std::pair<std::uint32_t, ByteRange>> seen_;
};

} // namespace

std::vector<CutPath> cut_paths(const ModuleModel& model, const EffectAnalysis& effects,
                               const std::string& function) {
    const std::vector<Index> differentiated = model.find_functions(last_name(function));
    std::set<Index> reached;
    for (const Index index : differentiated)
        reached.merge(effects.reachable(index, false));
    Cuts cuts(model);
    cuts.detach_calls(reached);
    for (const Index index : reached) {
        const bool own =
            std::find(differentiated.begin(), differentiated.end(), index) != differentiated.end();
        cuts.no_diff_words(index, !own);
        cuts.custom_derivatives(index, effects.tracer().custom_derivatives());
    }
    return std::move(cuts).result();
}

FileTexts without_prefer_recompute(const ModuleModel& model) {
    std::vector<SourceEdit> edits;
    for (const Function& function : model.functions) {
        replace_attributes(
            model, function.attributes,
            [&](const Attribute& attribute) {
                return attribute.name == "PreferRecompute" && !model.is_broken(attribute.site);
            },
            "", edits);
    }
    if (edits.empty())
        return {};
    return edited(model, edits);
}

} // namespace slimgrad::verify
