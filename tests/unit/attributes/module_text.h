#pragma once

#include "attributes/rule.h"

#include <doctest/doctest.h>
#include <string>
#include <utility>
#include <vector>

namespace slimgrad {

/// What a rule looks at, for a module that is given as text, and for compiler results that are
/// given row by row.
class ModuleText {
  public:
    using Files = std::vector<std::pair<std::string, std::string>>;

    explicit ModuleText(const std::string& text) : ModuleText(Files{{"/p/a.slang", text}}) {}

    /// Path and text of each file, the module's own first.
    explicit ModuleText(const Files& files) {
        std::vector<SourceFile> sources;
        for (const auto& [path, text] : files)
            sources.emplace_back(path, text);
        model = build_module_model(std::move(sources));
    }

    RuleInput input() const {
        return {model,    compiled,
                promises, emitted_code_error,
                {},       [](const std::string& path) { return path.starts_with("/p/"); }};
    }

    /// A stored value of the compiler's report at the `offset`th byte from the first `mark` in the
    /// first file.
    void store(const std::string& function, const std::string& mark, std::uint32_t offset,
               const std::string& type, std::uint64_t bytes) {
        const std::size_t at = model.files[0].text().find(mark);
        REQUIRE_MESSAGE(at != std::string::npos, "no '" << mark << "'");
        if (compiled.contexts.empty() || compiled.contexts.back().function != function)
            compiled.contexts.push_back({function, {}, 0, {}, true});
        CheckpointValue value;
        value.place = model.place(0, std::uint32_t(at) + offset);
        value.type = type;
        value.bytes = bytes;
        compiled.contexts.back().bytes += bytes;
        compiled.contexts.back().values.push_back(std::move(value));
    }

    Index function(const std::string& name) const {
        const std::vector<Index> found = model.find_functions(name);
        REQUIRE_MESSAGE(found.size() == 1, found.size() << " functions '" << name << "'");
        return found[0];
    }

    /// The first file after the edits of a fix.
    std::string after(const Fix& fix) const {
        const Result<FileTexts> changed =
            apply_edits({{model.files[0].path(), std::string(model.files[0].text())}}, fix.edits);
        REQUIRE_MESSAGE(changed, changed.error().message);
        return changed->empty() ? std::string(model.files[0].text()) : changed->begin()->second;
    }

    ModuleModel model;
    CompileResult compiled;
    Promises promises;
    std::string emitted_code_error;
};

} // namespace slimgrad
