#pragma once

#include "plugin/verify/module_variant.h"
#include "rewriter/module_model.h"
#include "rewriter/result.h"
#include "rewriter/source_edit.h"

#include <string>
#include <vector>

/// The same computation in 64 bits, to tell roundoff from a difference: the texts are for
/// verification alone and are never written.
namespace slimgrad::verify {

/// The module's files, retyped; those that change.
///
///     half3 f(float x) { return half3(x * 0.1f); }   double3 f(double x) { return double3(x *
///     0.1l); }
///
/// `float`, `half` and the other names of types of 32 bits and less, their vectors and matrices
/// become `double`; floating-point literals, with suffix or without, get the suffix `l`, the only
/// form in which slangc keeps their digits; `DiffTensorView` becomes `DiffTensorView<double>`. This
/// happens to tokens, so that bodies of macros are included; comments, strings and branches of #if
/// that are not taken stay. Textures keep their element type: they are read as they are.
///
/// What compiles is not promised: slangc judges. With Slang 2026.14.1 every builtin that is
/// differentiable in float is in double, too, for cpp and cuda, except asinh, acosh and atanh,
/// which g++ does not find (F64_asinh); overloads of one function for float and half become one
/// function.
///
/// Error, with the place, where the text knows the bits or bytes of a float: asuint and the other
/// conversions of bits, byte-address buffers, sizeof, packed halves, target code, samplers (a
/// texture's coordinates are rounded to 32 bits), small floats and cooperative types, literals
/// pasted with `##`; and an import that is none of the model's files. `defines` are the -D options,
/// as for build_module_model.
Result<FileTexts> retype_to_double(const ModuleModel& model,
                                   const std::vector<std::string>& defines);

/// The variant in 64 bits: its overlay holds the retyped texts, its -D options are retyped as well.
/// `model` is of this variant. Error: as retype_to_double.
Result<ModuleVariant> in_double(const ModuleVariant& variant, const ModuleModel& model);

/// Two variants in 64 bits, where a difference beyond `tolerance` is none of rounding.
struct DoubleVariants {
    static constexpr double tolerance = 1e-10;
    ModuleVariant original, rewritten;
};

/// Both variants in 64 bits: for a difference that 32 bits show and do not explain. Error: the
/// reason why not, for either.
Result<DoubleVariants> both_in_double(const ModuleVariant& original,
                                      const ModuleModel& original_model,
                                      const ModuleVariant& rewritten,
                                      const ModuleModel& rewritten_model);

} // namespace slimgrad::verify
