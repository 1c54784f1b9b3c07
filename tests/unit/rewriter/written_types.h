#pragma once

#include "rewriter/module_model.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Compares types as a module writes them with those that reflection names: "float3" and
/// "vector<float,3>", an alias and its type, `N + 1` and its value.
class WrittenTypes {
  public:
    explicit WrittenTypes(const ModuleModel& model);

    /// Whether a type that was written is what reflection calls `reflected`. Generic arguments that
    /// have defaults, and the namespaces and types around a type's name may be left out.
    bool same(const std::string& written, const std::string& reflected) const;

  private:
    bool same(std::string written, const std::string& reflected, int depth) const;
    bool same_value(const std::string& written, const std::string& reflected) const;

    const ModuleModel& model_;
    std::multimap<std::string, std::string, std::less<>> aliases_;
};

} // namespace slimgrad
