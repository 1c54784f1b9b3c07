# slimgrad_choose_slangc(variable [SLANGC slangc])
#
# Sets `variable` to the slangc that the project is to call: slimgrad-slangc where the CMake variable SLIMGRAD is on (the
# default), else slangc itself. slimgrad-slangc takes slangc's arguments and writes slangc's files; CUDA among them is
# rewritten. So a project goes over to slimgrad and back by `cmake -DSLIMGRAD=ON|OFF`, and what was compiled by the
# other is compiled again, because its command is another.
#
#   SLANGC      the project's own slangc, which slimgrad-slangc then runs as well: only a slangc that is a file of its own
#               can be given, and slimgrad has to be built for the same release. Default: slangc on PATH; slimgrad-slangc
#               runs the one it was built with.
#
# Give every call `-depfile`, and its file to add_custom_command as DEPFILE: slimgrad's own files are listed there, so that
# CUDA is compiled again when slimgrad was built again. SLIMGRAD_SLANGC_EXECUTABLE names slimgrad-slangc; it is looked for
# on PATH and in this tree's build/ if it is not set.
option(SLIMGRAD "Compile Slang to CUDA through slimgrad-slangc" ON)
find_program(SLIMGRAD_SLANGC_EXECUTABLE slimgrad-slangc HINTS ${CMAKE_CURRENT_LIST_DIR}/../../build)

function(slimgrad_choose_slangc variable)
    cmake_parse_arguments(PARSE_ARGV 1 arg "" "SLANGC" "")
    if(arg_UNPARSED_ARGUMENTS)
        message(FATAL_ERROR "slimgrad_choose_slangc: unknown arguments: ${arg_UNPARSED_ARGUMENTS}")
    endif()
    if(SLIMGRAD)
        if(NOT SLIMGRAD_SLANGC_EXECUTABLE)
            message(FATAL_ERROR "slimgrad-slangc is not found; set SLIMGRAD_SLANGC_EXECUTABLE, or SLIMGRAD=OFF")
        endif()
        if(arg_SLANGC)
            set(${variable} ${CMAKE_COMMAND} -E env SLIMGRAD_SLANGC=${arg_SLANGC} ${SLIMGRAD_SLANGC_EXECUTABLE} PARENT_SCOPE)
        else()
            set(${variable} ${SLIMGRAD_SLANGC_EXECUTABLE} PARENT_SCOPE)
        endif()
        return()
    endif()
    if(NOT arg_SLANGC)
        find_program(SLIMGRAD_PLAIN_SLANGC slangc REQUIRED)
        set(arg_SLANGC ${SLIMGRAD_PLAIN_SLANGC})
    endif()
    set(${variable} ${arg_SLANGC} PARENT_SCOPE)
endfunction()
