#include "rewriter/function_signature.h"

#include "rewriter/literate_text.h"

#include <algorithm>
#include <cctype>
#include <fmt/format.h>
#include <optional>
#include <set>
#include <string_view>

namespace slimgrad {
namespace {

bool contains(const std::vector<std::string>& words, std::string_view word) {
    return std::find(words.begin(), words.end(), word) != words.end();
}

/// "inout x"; a parameter without a name has one of the compiler's making in reflection.
std::string as_read(const Parameter& parameter) {
    const bool in_out = contains(parameter.modifiers, "inout");
    const bool out = in_out || contains(parameter.modifiers, "out");
    return (in_out ? "inout " : out ? "out " : "in ") + parameter.name;
}

std::string as_reflected(const FunctionSignature::Parameter& parameter) {
    constexpr std::string_view anonymous = "SLANG_anonymous_";
    const std::string_view direction = !parameter.is_out ? "in "
                                       : parameter.is_in ? "inout "
                                                         : "out ";
    return fmt::format("{}{}", direction,
                       parameter.name.starts_with(anonymous) ? "" : parameter.name);
}

/// An accessor of a property or subscript, whose parameters reflection shows in another way.
bool is_accessor(const Function& function) {
    return !function.parent_type.empty() &&
           !function.qualified_name.ends_with(function.parent_type + "." + function.name);
}

std::optional<std::string> difference(const Function& function,
                                      const FunctionSignature& signature) {
    // Operators: reflection names them by their signs alone; default methods of interfaces get a
    // suffix.
    std::string_view last = std::string_view(signature.name);
    last.remove_prefix(last.rfind('.') + 1);
    if (constexpr std::string_view suffix = "$defaultImpl"; last.ends_with(suffix))
        last.remove_suffix(suffix.size());
    if (!function.name.starts_with("operator") && !is_accessor(function) && function.name != last)
        return fmt::format("it is named '{}'", last);
    if (is_accessor(function))
        return std::nullopt;
    if (function.parameters.size() != signature.parameters.size())
        return fmt::format("the number of its parameters is {} where {} is read",
                           signature.parameters.size(), function.parameters.size());
    for (std::size_t i = 0; i < function.parameters.size(); ++i) {
        const std::string read = as_read(function.parameters[i]);
        const std::string reflected = as_reflected(signature.parameters[i]);
        if (read != reflected)
            return fmt::format("its parameter {} is '{}' where '{}' is read", i + 1, reflected,
                               read);
    }
    return std::nullopt;
}

class Confirmation {
  public:
    Confirmation(ModuleModel& model, const std::vector<FunctionSignature>& signatures)
        : model_(model), signatures_(signatures) {
        for (Index file = 0; file < model.files.size(); ++file) {
            const auto end = static_cast<std::uint32_t>(model.files[file].text().size());
            renamed_.push_back(is_renamed(model, {file, {end, end}}) ||
                               has_indented_block(model.files[file]));
        }
    }

    void run() {
        std::set<Index> reflected;
        bool all_found = true;
        for (const FunctionSignature& signature : signatures_) {
            const Index function = function_named_at(signature.place);
            if (function == none || renamed_[model_.functions[function].site.file]) {
                all_found = all_found && model_.find_file(signature.place.file) != none;
                continue;
            }
            reflected.insert(function);
            if (auto what = difference(model_.functions[function], signature))
                model_.contradictions.push_back({function, "to the compiler " + *what});
        }
        if (all_found && !signatures_.empty())
            add_unknown(reflected);
    }

  private:
    /// What the text seems to declare and the compiler does not know.
    void add_unknown(const std::set<Index>& reflected) {
        std::set<std::string> files;
        for (const FunctionSignature& signature : signatures_)
            files.insert(signature.place.file);
        for (Index i = 0; i < model_.functions.size(); ++i) {
            const Function& function = model_.functions[i];
            // Initialisers are no functions to reflection; a macro may declare anything.
            if (!reflected.count(i) && files.count(model_.files[function.site.file].path()) &&
                !renamed_[function.site.file] && function.name != "__init" &&
                !function.from_macro && function.name.find('(') == std::string::npos &&
                !model_.is_function_like_macro(function.name) && !is_accessor(function))
                model_.contradictions.push_back({i, "the compiler has no such function"});
        }
    }

    Index function_named_at(const Place& place) const {
        const Index file = model_.find_file(place.file);
        if (file == none || place.line == 0)
            return none;
        const std::uint32_t at = model_.files[file].offset(place.line, place.column);
        const auto found = std::find_if(
            model_.functions.begin(), model_.functions.end(), [&](const Function& function) {
                return function.name_site.file == file && function.name_site.range.contains(at);
            });
        return found == model_.functions.end() ? none : Index(found - model_.functions.begin());
    }

    ModuleModel& model_;
    const std::vector<FunctionSignature>& signatures_;
    std::vector<bool> renamed_; ///< files in which the compiler's places are others
};

} // namespace

bool is_renamed(const ModuleModel& model, const Site& site) {
    constexpr std::string_view blanks = " \t";
    const std::string_view text =
        std::string_view(model.files[site.file].text()).substr(0, site.range.begin);
    for (auto at = text.find('#'); at != text.npos; at = text.find('#', at + 1)) {
        const auto before = at == 0 ? text.npos : text.find_last_not_of(blanks, at - 1);
        const auto word = text.find_first_not_of(blanks, at + 1);
        if ((before == text.npos || text[before] == '\n') && word != text.npos &&
            (text.substr(word).starts_with("line") ||
             std::isdigit(static_cast<unsigned char>(text[word]))))
            return true;
    }
    return false;
}

void confirm_functions(ModuleModel& model, const std::vector<FunctionSignature>& signatures) {
    Confirmation(model, signatures).run();
}

} // namespace slimgrad
