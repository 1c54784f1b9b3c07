#pragma once

#include "rewriter/module_model.h"

#include <cstddef>
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

/// Those of this name in all types.
std::vector<Index> static_members(const ModuleModel& model, std::string_view member);

/// Of `name.members` in a function's body, where no variable of the function and no field has that
/// name. Nothing where it is no static member.
std::optional<StaticMember> find_static_member(const ModuleModel& model, Index function,
                                               std::string_view name,
                                               const std::vector<std::string>& members);

/// Of `object.members`, of an object of this type ("" if not known).
std::optional<StaticMember> find_static_member(const ModuleModel& model, std::string_view type,
                                               const std::vector<std::string>& members);

} // namespace slimgrad
