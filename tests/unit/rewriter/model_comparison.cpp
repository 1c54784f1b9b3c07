#include "tests/unit/rewriter/model_comparison.h"

#include "tests/unit/rewriter/comparison/attribute_comparison.h"
#include "tests/unit/rewriter/comparison/compared_module.h"
#include "tests/unit/rewriter/comparison/emitted_loop_comparison.h"
#include "tests/unit/rewriter/comparison/loop_diagnostic_comparison.h"
#include "tests/unit/rewriter/comparison/lowered_loop_comparison.h"
#include "tests/unit/rewriter/comparison/signature_comparison.h"
#include "tests/unit/rewriter/comparison/stored_value_comparison.h"
#include "tests/unit/rewriter/comparison/syntax_comparison.h"

#include <array>
#include <filesystem>
#include <utility>

namespace slimgrad {
namespace {

/// What lowered_functions reads.
bool is_ir(const std::string& code) {
    return code.find("= DebugSource(\"") != std::string::npos;
}

/// The program refuses such files.
bool is_utf16(const std::string& text) {
    return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff");
}

void compare_module(ComparedModule& module) {
    for (const SourceFile& file : module.model.files)
        if (is_utf16(file.text()))
            return module.not_compared({file.path()}, "modules with a file in UTF-16");
    ++module.compared.modules;
    compare_syntax(module);
    compare_signatures(module);
    compare_stored_values(module);
    compare_attributes(module);
    if (is_ir(module.compiled.code))
        compare_lowered_loops(module);
    else
        compare_emitted_loops(module);
}

} // namespace

std::string Shader::name() const {
    std::string text = std::filesystem::path(file).filename();
    for (const std::string& define : defines)
        text += " -D" + define;
    return text;
}

Compared& Compared::operator+=(const Compared& other) {
    constexpr std::array counts = {
        &Compared::modules,       &Compared::functions,     &Compared::parameters,
        &Compared::attributes,    &Compared::calls,         &Compared::subscripts,
        &Compared::loops,         &Compared::names,         &Compared::operators,
        &Compared::macros,        &Compared::elsewhere,     &Compared::loop_diagnostics,
        &Compared::emitted_loops, &Compared::lowered_loops, &Compared::callees};
    for (const auto count : counts)
        this->*count += other.*count;
    open_calls.insert(open_calls.end(), other.open_calls.begin(), other.open_calls.end());
    not_compared.insert(not_compared.end(), other.not_compared.begin(), other.not_compared.end());
    return *this;
}

std::vector<Error> compare_model(const Shader& shader, const CompileResult& compiled,
                                 Compared& compared, const Recompile& recompile) {
    ComparedModule module(shader, compiled, recompile, compared);
    compare_loop_diagnostics(module);
    if (compiled.succeeded())
        compare_module(module);
    return std::move(module.mismatches);
}

} // namespace slimgrad
