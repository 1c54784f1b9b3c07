#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <string_view>

/// Which names and expressions of a function's body are memory themselves: buffers and pointers,
/// not values read from them.
namespace slimgrad {

/// The declared type of what the name means, or its initializer's where none is declared. `local`
/// is the local variable that it means, or `none` for a parameter, a field of the type around the
/// function, or a global. "" if it is not known.
std::string type_of_name(const ModuleModel& model, Index function, const std::string& name,
                         Index local);

/// Whether the name is a pointer, so that using it reads or writes what it points to. `local` as
/// above.
bool is_pointer(const ModuleModel& model, Index function, const std::string& name, Index local);

/// Whether the name or a member behind it is a pointer: `*s.p`, `list.next.value`. A pointer that
/// is only copied counts, too.
bool has_pointer(const ModuleModel& model, const Access& access);

/// Whether the call is a method of a buffer, texture or tensor, `gB.Load(i)`, whatever functions of
/// that name there are.
bool is_buffer_method(const ModuleModel& model, const Call& call);

/// Whether an expression that is more than a path may be a buffer or pointer. `f(x)`, `x.m(y)` and
/// `a[i] * b` are values, if the functions and the elements are.
bool is_memory_value(const ModuleModel& model, Index function, std::string_view value);

} // namespace slimgrad
