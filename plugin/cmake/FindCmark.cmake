# Finds the CommonMark parser cmark (Debian: libcmark-dev, whose own CMake files ask for its program, too).
#
#   Cmark::Cmark   imported target: headers and static library
find_path(Cmark_INCLUDE_DIR cmark.h)
find_library(Cmark_LIBRARY NAMES libcmark.a cmark)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Cmark
    REQUIRED_VARS Cmark_LIBRARY Cmark_INCLUDE_DIR
    REASON_FAILURE_MESSAGE "run scripts/setup, or install libcmark-dev")

if(Cmark_FOUND AND NOT TARGET Cmark::Cmark)
    add_library(Cmark::Cmark UNKNOWN IMPORTED)
    set_target_properties(Cmark::Cmark PROPERTIES
        IMPORTED_LOCATION ${Cmark_LIBRARY}
        INTERFACE_INCLUDE_DIRECTORIES ${Cmark_INCLUDE_DIR})
endif()
mark_as_advanced(Cmark_INCLUDE_DIR Cmark_LIBRARY)
