# Choices that belong to whoever builds, made here only if nobody made them: never for a project
# that includes this one.
if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Debug, Release, RelWithDebInfo or MinSizeRel" FORCE)
endif()

if(NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    find_program(DEEPSL_CCACHE ccache)
    mark_as_advanced(DEEPSL_CCACHE)
    if(DEEPSL_CCACHE)
        set(CMAKE_CXX_COMPILER_LAUNCHER "${DEEPSL_CCACHE}")
    endif()
endif()
