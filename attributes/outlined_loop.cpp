#include "attributes/outlined_loop.h"

#include "attributes/text_layout.h"

#include <fmt/format.h>

namespace slimgrad {

CodeToOutline code_of_loop(const Loop& loop) {
    return {loop.function, {{loop.site.file, loop.with_attributes}}, none, "inner loop"};
}

Fix move_loop(const ModuleModel& model, const Loop& loop, const OutlinedFunction& function,
              const std::string& name, const std::string& mark) {
    const SourceFile& file = model.files[loop.site.file];
    const std::string body =
        function.body_indent() +
        reindented(file.slice(loop.with_attributes), indentation(file, loop.with_attributes.begin),
                   function.body_indent()) +
        function.line;
    Fix fix;
    fix.description = fmt::format("move {} into a function of its own", name);
    if (!mark.empty())
        fix.description += fmt::format(", marked [{}]", mark);
    fix.edits.push_back(function.declare(file, body, "", "void", mark));
    fix.edits.push_back({file.path(), loop.with_attributes, function.call_with() + ";"});
    return fix;
}

} // namespace slimgrad
