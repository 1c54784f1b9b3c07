#pragma once

#include "rewriter/module_model.h"
#include "tests/oracle/language_server.h"

#include <string>
#include <vector>

namespace slimgrad::oracle {

/// How calls compare with what the compiler says of them.
struct CallFigures {
    std::uint32_t resolved = 0;   ///< a target, the core module, a construction, a macro, a value
    std::uint32_t unresolved = 0;
    std::uint32_t confirmed = 0;  ///< the compiler says the same
    std::uint32_t unanswered = 0; ///< resolved, but the compiler tells nothing of that place
    std::vector<std::string> wrong;   ///< it says another one: "file:line:column: ..."
    std::vector<std::string> missing; ///< unresolved, where the compiler names a function

    CallFigures& operator+=(const CallFigures& other);
};

/// The places of a model's first file to ask for: names of callees, operators, subscripts and
/// properties of its calls.
struct CallPlaces {
    std::vector<Index> calls; ///< of the model, in the order of the query's positions
    DefinitionQuery query;
};
CallPlaces places_of_calls(const ModuleModel& model);

/// Holds the calls against the answers to their places.
CallFigures compare_calls(const ModuleModel& model, const CallPlaces& places);

} // namespace slimgrad::oracle
