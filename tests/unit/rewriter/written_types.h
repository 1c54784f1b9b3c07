#pragma once

#include "rewriter/module_model.h"
#include "rewriter/syntax_node.h"

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

    /// Whether a type that was written in a member of `self`, or in no type (""), is what
    /// reflection calls `reflected`. Generic arguments that have defaults, and the namespaces and
    /// types around a type's name may be left out. False also of types that the text alone does not
    /// tell: what a pack expands to, sizes that depend on a generic argument, `T.Differential`.
    bool same(const std::string& written, const std::string& reflected,
              const std::string& self) const;

  private:
    bool same(const std::string& written, const std::string& reflected, int depth) const;
    bool same_value(const std::string& written, const std::string& reflected, int depth = 0) const;

    struct Alias {
        std::string type;
        bool is_generic = false;
    };
    static void find_aliases(SyntaxNode node, const std::string& text,
                             std::multimap<std::string, Alias, std::less<>>& aliases);

    const ModuleModel& model_;
    std::multimap<std::string, Alias, std::less<>> aliases_;
};

} // namespace slimgrad
