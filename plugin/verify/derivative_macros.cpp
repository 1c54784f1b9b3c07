#include "plugin/verify/derivative_macros.h"

#include "plugin/verify/source_tokens.h"
#include "rewriter/preprocessor.h"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace slimgrad::verify {
namespace {

constexpr std::string_view derivative_words[] = {"bwd_diff", "__bwd_diff"};
constexpr int deepest = 8; ///< of macros in macros

std::vector<SourceToken> tokens_of(std::string_view text) {
    return source_tokens(text, {0, static_cast<std::uint32_t>(text.size())});
}

bool is_derivative_word(std::string_view word) {
    return std::find(std::begin(derivative_words), std::end(derivative_words), word) !=
           std::end(derivative_words);
}

/// Whether `##` could make bwd_diff of words of the module.
bool can_be_pasted(const ModuleModel& model) {
    std::set<std::string_view> pieces;
    const auto add = [&](std::string_view text) {
        for (const SourceToken& token : tokens_of(text))
            if (token.kind != SourceToken::Kind::other)
                pieces.insert(token.text);
    };
    for (const SourceFile& file : model.files)
        add(file.text());
    for (const MacroDefinition& macro : model.macros) // -D options stand in no file
        add(macro.body);
    for (const std::string_view word : derivative_words)
        pieces.erase(word);
    return std::any_of(std::begin(derivative_words), std::end(derivative_words),
                       [&](std::string_view word) -> bool {
                           std::vector<bool> made(word.size() + 1); // the first letters of the word
                           made[0] = true;
                           for (std::size_t begin = 0; begin < word.size(); ++begin)
                               for (const std::string_view piece : pieces)
                                   if (made[begin] && word.substr(begin).starts_with(piece))
                                       made[begin + piece.size()] = true;
                           return made.back();
                       });
}

class MacroReader {
  public:
    explicit MacroReader(const ModuleModel& model) : model_(model), pasted_(can_be_pasted(model)) {}

    /// Why calls that the macro makes are not looked at; "" if it makes none.
    std::string problem(const MacroDefinition& macro) const {
        const std::string_view how = what_it_does(macro, 0);
        return how.empty()
                   ? ""
                   : fmt::format("bwd_diff {} the macro {} is not looked at", how, macro.name);
    }

  private:
    /// "in", "as it may be pasted together by"; "" where it has nothing to do with bwd_diff.
    std::string_view what_it_does(const MacroDefinition& macro, int depth) const {
        std::string_view found;
        for (const SourceToken& token : tokens_of(macro.body)) {
            if (is_derivative_word(token.text))
                return "in";
            if (token.text == "##" && pasted_)
                found = "as it may be pasted together by";
            for (const MacroDefinition& other : model_.macros)
                if (other.name == token.text && other.name != macro.name && depth < deepest)
                    if (const auto nested = what_it_does(other, depth + 1); !nested.empty())
                        found = nested;
        }
        return found;
    }

    const ModuleModel& model_;
    bool pasted_;
};

} // namespace

std::map<std::string, std::string> macros_of_derivatives(const ModuleModel& model) {
    std::map<std::string, std::string> result;
    if (model.macros.empty())
        return result;
    const MacroReader reader(model);
    for (const MacroDefinition& macro : model.macros)
        if (const std::string problem = reader.problem(macro); !problem.empty())
            result.emplace(macro.name, problem);
    return result;
}

std::map<std::string, Site> uses_of_macros(const ModuleModel& model,
                                           const std::map<std::string, std::string>& macros,
                                           const std::set<Index>& reached) {
    std::map<std::string, Site> uses;
    if (macros.empty())
        return uses;
    std::vector<std::string> defines;
    for (const MacroDefinition& macro : model.macros)
        if (macro.file == none)
            defines.push_back(macro.name + "=" + macro.body);
    const ActiveText active = preprocess(model.files, defines);
    for (std::uint32_t file = 0; file < active.texts.size(); ++file)
        for (const SourceToken& token : tokens_of(active.texts[file])) {
            if (!macros.contains(std::string(token.text)))
                continue;
            const Index function = model.function_at(file, token.range.begin);
            if (function == none || reached.contains(function))
                uses.emplace(token.text, Site{file, token.range});
        }
    return uses;
}

} // namespace slimgrad::verify
