# deepsl_torch: LibTorch as one target, its headers exempt from our warnings.
find_package(Torch REQUIRED)
add_library(deepsl_torch INTERFACE)
target_include_directories(deepsl_torch SYSTEM INTERFACE "$<BUILD_INTERFACE:${TORCH_INCLUDE_DIRS}>")
target_link_libraries(deepsl_torch INTERFACE torch torch_library)
set_target_properties(deepsl_torch PROPERTIES EXPORT_NAME torch)
