#include "plugin/clang/single_copy.h"

namespace slimgrad {

bool single_copy(clang::ASTContext&, RewriteResult&) {
    return false;
}

} // namespace slimgrad
