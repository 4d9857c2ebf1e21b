# deepsl_torch: LibTorch as one target, its headers exempt from our warnings.
# at::parallel_for is a template that runs on one thread where it is compiled without OpenMP.
find_package(Torch REQUIRED)
find_package(OpenMP REQUIRED COMPONENTS CXX)
add_library(deepsl_torch INTERFACE)
target_include_directories(deepsl_torch SYSTEM INTERFACE "$<BUILD_INTERFACE:${TORCH_INCLUDE_DIRS}>")
target_link_libraries(deepsl_torch INTERFACE torch torch_library)
set_target_properties(deepsl_torch PROPERTIES EXPORT_NAME torch)
