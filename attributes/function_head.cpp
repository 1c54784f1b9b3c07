#include "attributes/function_head.h"

namespace slimgrad {

bool can_edit_head(const RuleInput& input, const Function& function) {
    const ModuleModel& model = input.model;
    const Site head{function.site.file, {function.site.range.begin, function.name_site.range.end}};
    return function.body && !function.from_macro && !model.is_macro(head) &&
           !model.is_broken(head) && input.editable(model.files[function.site.file].path());
}

} // namespace slimgrad
