# slimgrad_preprocess(TARGET name SOURCES shader... [OUTPUT_DIRECTORY folder] [OUTPUTS variable] [OPTIONS option...])
#
# Adds the target `name`, which writes a fixed copy of each shader into the build tree; the sources are left alone. A copy
# is made again when the shader, a file that it includes or imports, or the slimgrad.toml in force changes, and only then
# (Slang's own dependencies, through a depfile; generators: Ninja, and Makefiles with CMake 3.20 or later).
#
#   SOURCES            relative to the current source folder
#   OUTPUT_DIRECTORY   default: ${CMAKE_CURRENT_BINARY_DIR}/name
#   OUTPUTS            variable that receives the copies' paths, in the order of SOURCES
#   OPTIONS            for `slimgrad preprocess`: --arch sm_90, --unsafe-fixes, -I folder, -DN=4, -entry main, ...
#
# The copy of `shaders/march.slang` is `folder/shaders/march/shaders/march.slang`: a folder of its own for each shader, with
# the source's folders below it. If a fix changes an included file, too, changed copies of the includes lie there under the
# same relative names, where `#include "..."` finds them first; two shaders that share a header never share its copy.
#
# Text of `#include` is never rewritten. Whoever compiles a copy therefore gives the compiler the shader's own folder to
# look for what has no copy: -I ${CMAKE_CURRENT_SOURCE_DIR}/shaders, before the shader's usual -I options.
#
# SLIMGRAD_EXECUTABLE names the program; it is looked for on PATH and in this tree's build/ if it is not set.
find_program(SLIMGRAD_EXECUTABLE slimgrad HINTS ${CMAKE_CURRENT_LIST_DIR}/../../build)

function(slimgrad_preprocess)
    cmake_parse_arguments(PARSE_ARGV 0 arg "" "TARGET;OUTPUT_DIRECTORY;OUTPUTS" "SOURCES;OPTIONS")
    if(NOT arg_TARGET OR NOT arg_SOURCES)
        message(FATAL_ERROR "slimgrad_preprocess: TARGET and SOURCES have to be given")
    endif()
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "slimgrad_preprocess: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(NOT SLIMGRAD_EXECUTABLE)
        message(FATAL_ERROR "slimgrad_preprocess: slimgrad is not found; set SLIMGRAD_EXECUTABLE")
    endif()
    if(NOT arg_OUTPUT_DIRECTORY)
        set(arg_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR}/${arg_TARGET})
    endif()

    set(outputs)
    foreach(source IN LISTS arg_SOURCES)
        cmake_path(ABSOLUTE_PATH source BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} NORMALIZE OUTPUT_VARIABLE absolute)
        cmake_path(RELATIVE_PATH absolute BASE_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR} OUTPUT_VARIABLE relative)
        if(relative MATCHES "^\\.\\.")
            message(FATAL_ERROR "slimgrad_preprocess: ${source} lies outside ${CMAKE_CURRENT_SOURCE_DIR}")
        endif()
        cmake_path(REMOVE_EXTENSION relative LAST_ONLY OUTPUT_VARIABLE own_folder)
        set(output ${arg_OUTPUT_DIRECTORY}/${own_folder}/${relative})
        add_custom_command(
            OUTPUT ${output}
            COMMAND ${SLIMGRAD_EXECUTABLE} preprocess ${absolute} -o ${output} --depfile ${output}.d ${arg_OPTIONS}
            DEPENDS ${absolute} ${SLIMGRAD_EXECUTABLE}
            DEPFILE ${output}.d
            WORKING_DIRECTORY ${CMAKE_CURRENT_SOURCE_DIR}
            COMMENT "slimgrad ${relative}"
            VERBATIM)
        list(APPEND outputs ${output})
    endforeach()
    add_custom_target(${arg_TARGET} ALL DEPENDS ${outputs})
    if(arg_OUTPUTS)
        set(${arg_OUTPUTS} ${outputs} PARENT_SCOPE)
    endif()
endfunction()
