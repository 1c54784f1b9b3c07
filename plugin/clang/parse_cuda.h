#pragma once

#include "rewriter/result.h"

#include <clang/Frontend/ASTUnit.h>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace slimgrad {

/// Parses CUDA text as a device compilation. CUDA's declarations are those of cuda_headers/; no
/// header of the machine is read. `macros`: "NAME" or "NAME=value". Error: the text does not
/// compile, with the first diagnostic at the shader's place (by #line). Warnings are not looked at.
Result<std::unique_ptr<clang::ASTUnit>> parse_cuda(std::string_view text,
                                                   const std::vector<std::string>& macros = {});

/// The place that #line gives to a location; file "" for the text's own lines.
Place place_of(const clang::SourceManager& sources, clang::SourceLocation location);

} // namespace slimgrad
