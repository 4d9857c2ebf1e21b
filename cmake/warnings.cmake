# deepsl_warnings: linked by every target of this project, inside this build only. GCC 12 warns of
# overlaps, -Wrestrict, where a text and a std::string are joined.
add_library(deepsl_warnings INTERFACE)

target_compile_options(
    deepsl_warnings
    INTERFACE
        $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:
        -Wall
        -Wextra
        -Wpedantic
        -Wshadow
        -Wconversion
        -Wsign-conversion
        -Wnon-virtual-dtor
        -Woverloaded-virtual
        -Wold-style-cast
        -Wcast-qual
        -Wformat=2
        -Wimplicit-fallthrough
        -Wundef
        >
        $<$<CXX_COMPILER_ID:GNU>:
        -Wduplicated-cond
        -Wlogical-op
        -Wno-restrict
        >)

if(DEEPSL_WARNINGS_AS_ERRORS)
    target_compile_options(deepsl_warnings
                           INTERFACE $<$<CXX_COMPILER_ID:GNU,Clang,AppleClang>:-Werror>)
endif()
