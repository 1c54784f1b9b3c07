#include "plugin/trial/fix_places.h"

#include <algorithm>

namespace slimgrad {

FixPlaces places_of(const Trial& trial, const Fix& fix) {
    FixPlaces places;
    for (const SourceEdit& edit : fix.edits) {
        bool is_in_function = false;
        for (const Variant* variant : trial.variants) {
            const ModuleModel& model = variant->model;
            const Index file = model.find_file(edit.path);
            const Index function = file == none ? none : model.function_at(file, edit.range.begin);
            if (function == none)
                continue;
            is_in_function = true;
            places.functions.insert(model.functions[function].qualified_name);
            for (const Call& call : model.calls) {
                const std::vector<Index> callees = model.callees(call);
                const bool calls_it =
                    std::find(callees.begin(), callees.end(), function) != callees.end();
                if (calls_it && call.function != none)
                    places.around.insert(model.functions[call.function].qualified_name);
                if (call.function == function)
                    for (const Index callee : callees)
                        places.around.insert(model.functions[callee].qualified_name);
            }
        }
        places.everywhere = places.everywhere || !is_in_function;
    }
    places.around.insert(places.functions.begin(), places.functions.end());
    return places;
}

bool are_near(const FixPlaces& a, const FixPlaces& b) {
    const auto any = [](const std::set<std::string>& names, const std::set<std::string>& of) {
        return std::any_of(names.begin(), names.end(),
                           [&](const std::string& name) { return of.contains(name); });
    };
    return a.everywhere || b.everywhere || any(a.functions, b.around);
}

} // namespace slimgrad
