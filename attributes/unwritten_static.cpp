#include "attributes/unwritten_static.h"

#include "attributes/syntax_error.h"
#include "rewriter/macro_expansion.h"

#include <algorithm>
#include <string_view>

namespace slimgrad {

namespace {

/// Of what is called nothing is known but its name.
bool is_unknown(const ModuleModel& model, Index index) {
    if (index == none)
        return false;
    const Call& call = model.calls[index];
    return model.callees(call).empty() && call.callee_kind != CalleeKind::builtin &&
           call.callee_kind != CalleeKind::construction;
}

/// Whether the token is a name in the access that is in none of its subscripts: "N" of `N`, `a.N`
/// and `::N`.
bool names(const ModuleModel& model, const Access& access, Site token) {
    const Site before{token.file, {access.site.range.begin, token.range.begin}};
    return access.site.file == token.file && access.site.range.contains(token.range) &&
           model.text(before).find_first_of("[(*&") == std::string_view::npos;
}

/// Whether what stands at the token leaves the global as it is.
bool is_harmless(const ModuleModel& model, const GlobalVariable& global, std::string_view name,
                 Site token) {
    if (token ==
        Site{global.site.file,
             {global.site.range.begin, global.site.range.begin + std::uint32_t(name.size())}})
        return true;
    const bool is_local =
        std::any_of(model.locals.begin(), model.locals.end(),
                    [&](const LocalVariable& local) { return local.site == token; });
    return is_local ||
           std::any_of(model.accesses.begin(), model.accesses.end(), [&](const Access& access) {
               const bool only_reads = access.kind == AccessKind::read &&
                                       !is_unknown(model, access.argument_of) &&
                                       access.receiver_of == none;
               return !access.name.empty() && names(model, access, token) &&
                      (access.local != none || only_reads);
           });
}

} // namespace

bool is_never_written(const ModuleModel& model, const GlobalVariable& global) {
    // Those of types may be set by way of an object.
    const std::string& name = global.name;
    if (name.find('.') != std::string::npos || global.kind != GlobalKind::mutable_static ||
        !global.initializer || global.site.file != 0 || has_syntax_error(model) ||
        !model.text(global.site).starts_with(name))
        return false;
    // `##` may put its name together anywhere.
    if (std::any_of(model.macros.begin(), model.macros.end(), [](const MacroDefinition& macro) {
            return macro.body.find("##") != std::string::npos;
        }))
        return false;
    for (std::uint32_t file = 0; file < model.files.size(); ++file) {
        const std::string_view text = model.files[file].text();
        for (std::size_t at = 0; at < text.size();) {
            const std::size_t end = token_end(text, at);
            const Site token{file, {std::uint32_t(at), std::uint32_t(end)}};
            if (text.substr(at, end - at) == name && !is_harmless(model, global, name, token))
                return false;
            at = end;
        }
    }
    return true;
}

} // namespace slimgrad
