// For libFuzzer: no bytes may break what the configuration reader promises. See make fuzz.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "config_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    deepsl::fuzz::check_config({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
