#pragma once

#include "rewriter/module_model.h"

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// What a name may mean that is a static member variable of a type: `hits` in a method of Tab,
/// `Tab.hits`, `This.hits`, `tab.hits` of an object.
struct StaticMember {
    /// Into ModuleModel::globals: all that it may be, at least one.
    std::vector<Index> globals;
    /// How many of the members belong to the name: 0 of `hits.x`, 1 of `Tab.hits.x`.
    std::size_t members = 0;
    /// There is one, and it is certainly this.
    bool is_certain = false;
    /// Of a generic type: a variable for each of its arguments, which share one entry.
    bool is_generic = false;
};

/// The static member variables of a module's types. The model has to outlive it.
class StaticMembers {
  public:
    explicit StaticMembers(const ModuleModel& model);

    bool empty() const { return by_name_.empty(); }

    /// Those of this name in all types: into ModuleModel::globals, in order.
    const std::vector<Index>& named(std::string_view member) const;

    /// Of `name.members` in a function's body, where no variable of the function and no field has
    /// that name. Nothing where it is no static member.
    std::optional<StaticMember> find(Index function, std::string_view name,
                                     const std::vector<std::string>& members) const;

    /// Of `object.members`, of an object of this type ("" if not known).
    std::optional<StaticMember> find(std::string_view type,
                                     const std::vector<std::string>& members) const;

  private:
    const ModuleModel& model_;
    std::map<std::string, std::vector<Index>, std::less<>> by_name_;
};

} // namespace slimgrad
