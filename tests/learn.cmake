# Tests of the parts that learn. All of torch is compiled once, ahead of them.
function(deepsl_add_learn_tests name)
    deepsl_add_tests(${name} ${ARGN})
    target_include_directories(${name} PRIVATE "${PROJECT_SOURCE_DIR}/src"
                                               "${CMAKE_CURRENT_SOURCE_DIR}")
    target_link_libraries(${name} PRIVATE deepsl::learn)
endfunction()

deepsl_add_learn_tests(
    learn_tests
    field/exit_test.cpp
    field/gradients_test.cpp
    field/grid_test.cpp
    field/method_test.cpp
    field/outcome_test.cpp
    field/random_lines_test.cpp
    field/trace_test.cpp
    io/model_file_test.cpp
    model/baseline_test.cpp
    model/eigenpairs_test.cpp
    model/gradients_test.cpp
    model/mapping_test.cpp
    model/outcome_test.cpp
    model/pass_test.cpp
    model/ridge_test.cpp
    model/theory_check_test.cpp
    model/theory_test.cpp
    network/mlp_kernel_test.cpp
    network/mlp_test.cpp
    option_test.cpp)
target_precompile_headers(learn_tests PRIVATE <torch/torch.h> <gtest/gtest.h>)

deepsl_add_learn_tests(
    train_tests
    table/rules_test.cpp
    train/checkpoint_test.cpp
    train/dataset_test.cpp
    train/folds_test.cpp
    train/loss_test.cpp
    train/metrics_test.cpp
    train/optimiser_test.cpp
    train/progress_test.cpp
    train/trainer_test.cpp)
target_precompile_headers(train_tests REUSE_FROM learn_tests)
