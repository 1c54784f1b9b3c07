#pragma once

#include "plugin/slang/compiler.h"
#include "rewriter/result.h"
#include "rewriter/source_edit.h"

#include <functional>
#include <string>
#include <vector>

namespace slimgrad {

/// How much was compared: a test that compares nothing must not pass.
struct Compared {
    int modules = 0, functions = 0, parameters = 0, attributes = 0;
    int calls = 0, subscripts = 0, loops = 0,
        names = 0;                                ///< places of report rows, by what is there
    int operators = 0, macros = 0, elsewhere = 0; ///< rows of what the model does not hold
    int loop_diagnostics = 0, emitted_loops = 0;
    int lowered_loops = 0; ///< loops of the IR that are the model's
    int callees = 0; ///< of `calls`: the row names the function whose context is stored, and so
                     ///< does the model
    std::vector<Error> open_calls; ///< of `calls`: the model does not know what they call
    /// What the compiler gives nothing to compare with, with the reason.
    std::vector<Error> not_compared;

    Compared& operator+=(const Compared& other);
};

/// One module with one set of options.
struct Shader {
    std::string file;
    std::vector<std::string> defines; ///< "V=0"

    std::string name() const; ///< "a.slang -DV=0"
};

/// Compiles the module as before, but with these texts in place of the files on disk.
using Recompile = std::function<Result<CompileResult>(const FileTexts& overlay)>;

/// Compares the module's model, read from the files on disk, with what the compiler says of it, and
/// gives every difference. Of a module that was rejected only the diagnostics are compared. Loops
/// are compared with those of the code, or of the IR (lowered_loops.h) where that was asked for.
/// `recompile` is asked what a type stands for that is not written as reflection names it
/// (type_probe.h); without it such a type is a difference.
std::vector<Error> compare_model(const Shader& shader, const CompileResult& compiled,
                                 Compared& compared, const Recompile& recompile = {});

} // namespace slimgrad
