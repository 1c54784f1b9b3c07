#pragma once

#include "plugin/slang/reflection.h"

#include <functional>
#include <slang.h>
#include <string>
#include <vector>

namespace slimgrad::slang_plugin {

/// The functions that a module declares, with members of structures, extensions and interfaces,
/// functions in namespaces and generic ones; not those that the compiler synthesises. Names of
/// members are "Type.member" as far as reflection names the type. `locate` turns the compiler's
/// idea of a place into ours.
std::vector<FunctionSignature> reflect_functions(slang::ISession& session,
                                                 slang::DeclReflection& module,
                                                 const std::function<Place(Place)>& locate);

} // namespace slimgrad::slang_plugin
