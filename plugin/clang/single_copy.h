#pragma once

#include "plugin/clang/rewrite.h"

#include <clang/AST/ASTContext.h>

namespace slimgrad {

bool single_copy(clang::ASTContext& context, RewriteResult& result);

} // namespace slimgrad
