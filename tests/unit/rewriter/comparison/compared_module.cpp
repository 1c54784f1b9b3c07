#include "tests/unit/rewriter/comparison/compared_module.h"

#include "rewriter/literate_text.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <utility>

namespace slimgrad {

ComparedModule::ComparedModule(const Shader& shader_, const CompileResult& compiled_,
                               const Recompile& recompile_, Compared& compared_)
    : shader(shader_), compiled(compiled_), recompile(recompile_), compared(compared_),
      model(read_model()) {}

ModuleModel ComparedModule::read_model() {
    std::vector<SourceFile> files;
    for (const std::string& path : compiled.dependencies) {
        std::ifstream file(path, std::ios::binary);
        files.emplace_back(path, std::string(std::istreambuf_iterator<char>(file), {}));
        if (!file.good() && !file.eof())
            mismatch({path}, "cannot be read");
    }
    return build_module_model(std::move(files), shader.defines);
}

void ComparedModule::mismatch(const Place& place, const std::string& what) {
    // What a macro makes has no place in the compiler's eyes.
    mismatches.push_back({what, place.file.empty() ? Place{shader.file} : place});
}

void ComparedModule::not_compared(const Place& place, const std::string& why) {
    compared.not_compared.push_back({why, place.file.empty() ? Place{shader.file} : place});
}

Index ComparedModule::file_of(const std::string& path) {
    const auto [entry, is_new] = found_files_.emplace(path, none);
    if (is_new) {
        std::error_code error;
        entry->second = model.find_file(path);
        if (entry->second == none)
            entry->second =
                model.find_file(std::filesystem::weakly_canonical(path, error).string());
    }
    return entry->second;
}

bool ComparedModule::is_own(Index file) const {
    const std::string& path = model.files[file].path();
    // Imported modules end in .slang here; reflection shows none of their functions.
    return file == 0 || !(path.ends_with(".slang") || is_literate(path)) ||
           std::any_of(
               compiled.reflection.functions.begin(), compiled.reflection.functions.end(),
               [&](const FunctionSignature& signature) { return signature.place.file == path; });
}

bool is_unreflected(const ModuleModel& model, const Function& function) {
    return function.name == "__init" ||
           (function.name.ends_with(')') && !model.is_macro(function.name_site));
}

} // namespace slimgrad
