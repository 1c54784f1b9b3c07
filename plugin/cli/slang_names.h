#pragma once

#include "plugin/slang/compiler.h"

#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace slimgrad {

/// What the names that Slang's report and CUDA text use mean in the shader.
class SlangNames {
  public:
    /// Knows the functions of the module that reflection or the report names.
    explicit SlangNames(const CompileResult& compiled);

    /// "fwd_diff(Ray.advance)" for "s_fwd_Ray_advance" and "s_fwd_Ray.advance"; what is no function
    /// of the module stays as it is.
    std::string function(std::string_view name) const;
    /// "what Ray.advance stores" for a context, "s_minCtx_s_bwdCallableCtx_Ray_advance_0", also as
    /// part of a type; the module's own types without slangc's number: "FixedArray<Ray, 3>" for
    /// "FixedArray<Ray_0, 3>", "DifferentialPair<float>" for "DiffPair_float_0".
    std::string type(std::string_view name) const;
    /// Where the function of that name is declared, if one alone has it and that is known.
    std::optional<Place> place(std::string_view name) const;

  private:
    struct Known {
        std::string name;
        Place place; ///< without a file: not known, or several
    };
    std::string type_name(std::string_view word) const;
    void add(const std::string& name, const Place& place);

    std::map<std::string, Known, std::less<>> functions_; ///< by name with "_" for "."
};

/// "march" for a context's record, "s_minCtx_s_bwdCallableCtx_march_0"; the name without its number
/// for another.
std::string function_of_record(std::string_view record);

} // namespace slimgrad
