# deepsl::learn: Deep Sturm-Liouville. Needs LibTorch, and the solver.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)

# What does without torch is compiled without it, which is quicker.
set(deepsl_learn_plain
    option.cpp
    field/method.cpp
    network/mlp_kernel.cpp
    network/mlp_kernel_portable.cpp
    train/options.cpp
    train/progress.cpp)
set(deepsl_learn_torch
    data/scaling.cpp
    field/domain.cpp
    field/line_grid.cpp
    field/trace.cpp
    field/vector_field.cpp
    io/model_file.cpp
    io/model_report.cpp
    io/model_report_samples.cpp
    model/ablation.cpp
    model/baseline.cpp
    model/basis.cpp
    model/eigenpairs.cpp
    model/kinds.cpp
    model/model.cpp
    model/mapping.cpp
    model/node.cpp
    model/pass.cpp
    model/predictor.cpp
    model/ridge.cpp
    model/theory_check.cpp
    network/mlp.cpp
    train/checkpoint.cpp
    train/dataset.cpp
    train/evaluation.cpp
    train/folds.cpp
    train/loss.cpp
    train/metrics.cpp
    train/optimiser.cpp
    train/trainer.cpp
    table/learner.cpp
    table/rules.cpp)

add_library(deepsl_learn ${deepsl_learn_plain} ${deepsl_learn_torch})
add_library(deepsl::learn ALIAS deepsl_learn)

set(deepsl_learn_headers
    data/scaling.h
    field/domain.h
    field/method.h
    field/trace.h
    field/vector_field.h
    io/model_file.h
    io/model_report.h
    model/ablation.h
    model/baseline.h
    model/basis.h
    model/eigenpairs.h
    model/kinds.h
    model/model.h
    model/node.h
    model/options.h
    model/pass.h
    model/predictor.h
    model/theory_check.h
    network/mlp.h
    option.h
    table/learner.h
    train/checkpoint.h
    train/dataset.h
    train/evaluation.h
    train/loss.h
    train/metrics.h
    train/optimiser.h
    train/options.h
    train/progress.h
    train/record.h
    train/trainer.h)
list(TRANSFORM deepsl_learn_headers PREPEND "${PROJECT_SOURCE_DIR}/include/deepsl/")
target_sources(deepsl_learn PUBLIC FILE_SET HEADERS BASE_DIRS "${PROJECT_SOURCE_DIR}/include" FILES
                                   ${deepsl_learn_headers})

target_include_directories(deepsl_learn PRIVATE "${CMAKE_CURRENT_SOURCE_DIR}")
target_link_libraries(
    deepsl_learn
    PUBLIC deepsl::io deepsl::sturm deepsl_torch
    PRIVATE fmt::fmt nlohmann_json::nlohmann_json OpenMP::OpenMP_CXX
            $<BUILD_INTERFACE:deepsl_warnings>)
set_target_properties(
    deepsl_learn
    PROPERTIES EXPORT_NAME learn
               VERSION ${PROJECT_VERSION}
               SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
               CXX_EXTENSIONS OFF)
target_precompile_headers(deepsl_learn PRIVATE <torch/torch.h>)
set_source_files_properties(${deepsl_learn_plain} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)

# As in the solver: instruction sets are named in the source and chosen at run time.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|AMD64|amd64)$"
   AND CMAKE_SIZEOF_VOID_P EQUAL 8
   AND CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang|AppleClang)$")
    target_sources(deepsl_learn PRIVATE network/mlp_kernel_avx2.cpp network/mlp_kernel_avx512.cpp)
    target_compile_definitions(deepsl_learn PRIVATE DEEPSL_NETWORK_X86)
endif()
if(CMAKE_CXX_COMPILER_ID MATCHES "^(GNU|Clang|AppleClang)$")
    set_source_files_properties(
        network/mlp_kernel_portable.cpp network/mlp_kernel_avx2.cpp network/mlp_kernel_avx512.cpp
        PROPERTIES SKIP_PRECOMPILE_HEADERS ON
                   COMPILE_OPTIONS
                   "-Wno-psabi;-fno-math-errno;-fno-trapping-math;-ffp-contract=fast;-O3")
endif()

install(TARGETS deepsl_learn deepsl_torch EXPORT deepsl FILE_SET HEADERS)
