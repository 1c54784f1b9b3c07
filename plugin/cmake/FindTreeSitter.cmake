# Finds the tree-sitter runtime (Debian: libtree-sitter-dev).
#
#   TreeSitter::TreeSitter   imported target: headers and static library
find_path(TreeSitter_INCLUDE_DIR tree_sitter/api.h)
find_library(TreeSitter_LIBRARY NAMES libtree-sitter.a tree-sitter)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(TreeSitter
    REQUIRED_VARS TreeSitter_LIBRARY TreeSitter_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "run scripts/setup, or install libtree-sitter-dev")

if(TreeSitter_FOUND AND NOT TARGET TreeSitter::TreeSitter)
    add_library(TreeSitter::TreeSitter UNKNOWN IMPORTED)
    set_target_properties(TreeSitter::TreeSitter PROPERTIES
        IMPORTED_LOCATION ${TreeSitter_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${TreeSitter_INCLUDE_DIR})
endif()
mark_as_advanced(TreeSitter_INCLUDE_DIR TreeSitter_LIBRARY)
