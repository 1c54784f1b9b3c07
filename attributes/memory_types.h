#pragma once

#include "rewriter/module_model.h"

#include <string>
#include <string_view>
#include <vector>

/// Which declared types give access to memory that outlives a call, and how.
namespace slimgrad {

/// `var`, `let`, or no type at all: the initializer decides.
bool is_inferred_type(std::string_view type);

/// Pointers and references, which may overlap with anything.
bool is_pointer_type(std::string_view type);

/// Bindings that the pipeline sets one by one: buffers, textures, images. Everything else that
/// gives access to memory may overlap.
bool is_binding_type(std::string_view type);

/// Whether a value of this type gives access to memory: buffers, textures, tensors, pointers,
/// structures that hold one, and every type that the module does not declare.
bool is_memory_type(const ModuleModel& model, std::string_view type);

/// The same where the type may be one of these generic parameters. They are values if they
/// implement an interface of numbers or IDifferentiable, and no structure of the module holds
/// memory.
bool is_memory_type(const ModuleModel& model, std::string_view type,
                    const std::vector<GenericParameter>& generics);

/// Type of `value.members` for a value of `type`, through constant buffers and parameter blocks; as
/// far as the module declares the types on the way.
std::string member_type(const ModuleModel& model, std::string type,
                        const std::vector<std::string>& members);

} // namespace slimgrad
