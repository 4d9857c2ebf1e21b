# LibTorch, for the room torch alone: Debian's libtorch-dev, or one that CMAKE_PREFIX_PATH tells.
find_package(Torch REQUIRED)

if(TORCH_CXX_FLAGS MATCHES "_GLIBCXX_USE_CXX11_ABI=0")
    message(FATAL_ERROR "This LibTorch was built for the old ABI of the C++ standard library; "
                        "take the one that is called cxx11-ABI.")
endif()
