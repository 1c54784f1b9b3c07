# Finds a Slang release: headers, libslang-compiler, slangc.
#
# Looks at the environment variable SLANG_ROOT first, then at .deps/slang (left there by scripts/setup). A SLANG_ROOT
# that is set and has no Slang is an error: another build is never used in its place.
#
#   Slang_ROOT_DIR     the release in use, links resolved
#   Slang::Slang       imported target: headers and library
#   Slang_SLANGC       the compiler's program
if(DEFINED ENV{SLANG_ROOT})
    set(Slang_ROOT_DIR $ENV{SLANG_ROOT})
else()
    set(Slang_ROOT_DIR ${CMAKE_CURRENT_LIST_DIR}/../../.deps/slang)
endif()
get_filename_component(Slang_ROOT_DIR ${Slang_ROOT_DIR} REALPATH)

unset(Slang_INCLUDE_DIR CACHE)
unset(Slang_LIBRARY CACHE)
unset(Slang_SLANGC CACHE)
find_path(Slang_INCLUDE_DIR slang.h PATHS ${Slang_ROOT_DIR}/include NO_DEFAULT_PATH)
find_library(Slang_LIBRARY NAMES slang-compiler slang PATHS ${Slang_ROOT_DIR}/lib NO_DEFAULT_PATH)
find_program(Slang_SLANGC slangc PATHS ${Slang_ROOT_DIR}/bin NO_DEFAULT_PATH)

include(FindPackageHandleStandardArgs)
find_package_handle_standard_args(Slang
    REQUIRED_VARS Slang_LIBRARY Slang_INCLUDE_DIR Slang_SLANGC
    REASON_FAILURE_MESSAGE "looked in ${Slang_ROOT_DIR} - run scripts/setup or set SLANG_ROOT to a Slang release")

if(Slang_FOUND AND NOT TARGET Slang::Slang)
    # The link's name depends on the release; the soname is what programs load.
    get_filename_component(Slang_LIBRARY_REAL ${Slang_LIBRARY} REALPATH)
    add_library(Slang::Slang SHARED IMPORTED)
    set_target_properties(Slang::Slang PROPERTIES
        IMPORTED_LOCATION ${Slang_LIBRARY_REAL}
        INTERFACE_INCLUDE_DIRECTORIES ${Slang_INCLUDE_DIR}
        INTERFACE_SYSTEM_INCLUDE_DIRECTORIES ${Slang_INCLUDE_DIR})
endif()
mark_as_advanced(Slang_INCLUDE_DIR Slang_LIBRARY Slang_SLANGC)
