#pragma once

#include "attributes/effects.h"
#include "attributes/rule.h"
#include "attributes/specialised_trips.h"
#include "attributes/trip_count.h"
#include "plugin/cli/module_settings.h"
#include "plugin/cli/text_report.h"
#include "plugin/slang/compiler.h"
#include "rewriter/module_model.h"
#include "rewriter/set_aside.h"
#include "rewriter/variable_flow.h"

#include <map>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

namespace slimgrad {

/// All that the model knows of one module, and what is derived from it for rules, so that a person
/// can check it (`slimgrad report --model`).
struct ModelReport {
    struct Row { ///< a stored value of the compiler's report
        std::string context, type;
        std::uint64_t bytes = 0;
        Place place;
        std::uint32_t file = none, offset = 0; ///< the same in the model, where it holds that file
        Index function = none;                 ///< whose body that is
        std::string expression;                ///< the innermost one around it; "" if not known
        bool answered = false;         ///< a loop, call, element or name of the model stands there
        bool is_of_expression = false; ///< none of these but a function around it
        /// How many contexts the function has, one for each specialisation, and in how many of them
        /// the same row stands. 1 and 1 where overloads share the function's name.
        std::size_t specialisations = 1, in = 1;
        bool repeats = false; ///< one that the list has already, of an earlier specialisation
    };
    struct OfLoop {
        TripCount trips;
        std::vector<SpecialisedTrips> specialised;
    };
    struct OfFunction {
        FunctionFlow flow;
        Effects effects;
        std::vector<Index> requirements;
        std::vector<Index> derivatives; ///< functions that the module declares to be its derivative
        bool is_entry_point = false, is_differentiated = false, is_broken = false;
        std::string contradiction; ///< how the compiler sees it otherwise than it was read, or ""
    };
    struct Inactive {
        ConditionalBranch branch;
        SetAside contents;
    };

    std::string file;
    std::string slang_version;
    CompileResult compiled;
    Error problem; ///< why the module does not compile: what follows is the text's alone
    ModuleModel model;
    std::vector<OfFunction> functions; ///< as in the model
    std::vector<OfLoop> loops;         ///< as in the model
    std::vector<MacroUse> macro_uses;
    std::vector<Inactive> inactive;
    std::vector<Row> rows;

    /// Rows that point to this offset.
    std::vector<const Row*> rows_at(std::uint32_t file, std::uint32_t offset) const;
};

/// Compiles the module, without nvcc, and reads its model. Error: a file cannot be read, or the
/// compiler cannot be started. A module that does not compile is read as far as its text goes.
Result<ModelReport> read_model_report(SlangCompiler& compiler, const ModuleSettings& settings);

/// What is derived from a model and from what the compiler says of the module.
ModelReport describe_model(std::string file, CompileResult compiled, ModuleModel model,
                           const Promises& promises);

/// For a person: one function after the other, every line with its place
/// (plugin/cli/placed_lines.h).
std::string model_text(const ModelReport& report, const TextOptions& options);

/// `model` of plugin/cli/report.schema.json.
nlohmann::ordered_json model_json(const ModelReport& report);

/// The words of the JSON report.
std::string_view name(CallKind kind);
std::string_view name(CalleeKind kind);
std::string_view name(LoopKind kind);
std::string_view name(VariableKind kind);
std::string_view name(DefinitionKind kind);

} // namespace slimgrad
