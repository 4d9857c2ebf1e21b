// For libFuzzer: no bytes may break what the table parser promises. See make fuzz.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "table_check.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t size) {
    deepsl::fuzz::check_text({reinterpret_cast<const char*>(bytes), size});
    return 0;
}
