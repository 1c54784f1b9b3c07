#pragma once

#include "rewriter/module_model.h"
#include "rewriter/result.h"

#include <string>
#include <vector>

namespace slimgrad {

/// A function as the compiler's reflection shows it, as plain data: what the model, which is read
/// from the text, is held against, and what names that the text alone cannot tell.
struct FunctionSignature {
    std::string name; ///< members: "Type.member"
    Place place;      ///< of the name in its declaration
    std::string result_type;
    struct Parameter {
        std::string name;
        std::string type;
        bool is_in = true, is_out = false;
        bool no_diff = false; ///< written or, in a differentiable function, implied by the type
    };
    std::vector<Parameter> parameters;
    std::vector<std::string> attributes; ///< user attributes that reflection shows
    bool differentiable = false;
    bool generic = false;
};

/// Whether a #line stands above it in its file: to the compiler it is in another place.
bool is_renamed(const ModuleModel& model, const Site& site);

/// Holds the functions of the model's own module against those that the compiler saw, and gives
/// `model.contradictions`: functions with other parameters, with another name, or that the compiler
/// does not have. They are broken from then on (ModuleModel::is_broken), as if the text could not
/// be read: no rule examines or edits them. Types are not compared, nor what macros declare, nor
/// functions in files with a #line, which may have other places.
void confirm_functions(ModuleModel& model, const std::vector<FunctionSignature>& signatures);

} // namespace slimgrad
