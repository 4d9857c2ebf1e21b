# find_package(deepsl) for other projects; the targets name themselves in their own folders.
include(CMakePackageConfigHelpers)

set(deepsl_package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/deepsl")

configure_package_config_file(cmake/deepslConfig.cmake.in "${PROJECT_BINARY_DIR}/deepslConfig.cmake"
                              INSTALL_DESTINATION "${deepsl_package_dir}")
write_basic_package_version_file("${PROJECT_BINARY_DIR}/deepslConfigVersion.cmake"
                                 COMPATIBILITY SameMinorVersion)

install(FILES "${PROJECT_BINARY_DIR}/deepslConfig.cmake"
              "${PROJECT_BINARY_DIR}/deepslConfigVersion.cmake"
        DESTINATION "${deepsl_package_dir}")
install(
    EXPORT deepsl
    FILE deepslTargets.cmake
    NAMESPACE deepsl::
    DESTINATION "${deepsl_package_dir}")
# Apart from the others, which do without LibTorch.
if(DEEPSL_BUILD_TORCH)
    install(
        EXPORT deepsl_torch
        FILE deepslTorchTargets.cmake
        NAMESPACE deepsl::
        DESTINATION "${deepsl_package_dir}")
endif()
