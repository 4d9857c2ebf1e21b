// For libFuzzer: no bytes may break what the readers of images promise. See make fuzz.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "images_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    deepsl::fuzz::check_images({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
