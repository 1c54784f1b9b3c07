#pragma once

#include "plugin/slang/compiler.h"
#include "rewriter/module_model.h"
#include "tests/unit/rewriter/model_comparison.h"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace slimgrad {

/// One module's model and what the compiler says of it, while the two are compared.
class ComparedModule {
  public:
    /// Reads the model from the files on disk that the compiler read.
    ComparedModule(const Shader& shader, const CompileResult& compiled, const Recompile& recompile,
                   Compared& compared);

    void mismatch(const Place& place, const std::string& what);
    /// What can be held against nothing that the compiler says: counted with its reason.
    void not_compared(const Place& place, const std::string& why);

    std::uint32_t offset(const Place& place, Index file) const {
        return model.files[file].offset(place.line, place.column);
    }
    /// The syntax tree and the IR name files as they were found.
    Index file_of(const std::string& path);

    /// Whether the file is of the module itself: its own, or one that it includes. What imported
    /// modules declare is compared where they are the module.
    bool is_own(Index file) const;

    const Shader& shader;
    const CompileResult& compiled;
    const Recompile& recompile;
    Compared& compared;
    std::vector<Error> mismatches; // before the model, whose reading may add to it
    ModuleModel model;

  private:
    ModuleModel read_model();

    std::map<std::string, Index> found_files_;
};

/// An initialiser or a `__func_extension`: reflection has none, the syntax tree does.
bool is_unreflected(const ModuleModel& model, const Function& function);

} // namespace slimgrad
