// Named tensors in one file, in the safetensors layout, which Python reads too:
//
//     8 bytes   the header's length N, little-endian
//     N bytes   JSON: {"__metadata__": {text: text},
//                      name: {"dtype": "F32", "shape": [2, 3], "data_offsets": [0, 24]}, ...}
//     the rest  the tensors' bytes, row-major and little-endian, without holes
//
// A file is read without trust: every size in it is compared with the real size first, so that a
// damaged or hostile file costs an Error, never more memory than a small multiple of itself.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/error.h"
#include "deepsl/io/file.h"

namespace deepsl::io {

enum class DType : std::uint8_t {
    boolean,  // one byte, 0 or 1
    u8,
    i8,
    u16,
    i16,
    f16,   // IEEE half
    bf16,  // the upper half of an f32
    u32,
    i32,
    f32,
    u64,
    i64,
    f64,
};

/// Bytes per element.
std::size_t size_of(DType dtype);

/// As in the file: "BOOL", "U8", "F32", ...
std::string_view name(DType dtype);

struct StoredTensor {
    std::string name;  // UTF-8
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;  // empty for a scalar
    std::vector<std::byte> bytes;     // the product of the shape times size_of(dtype)
};

struct TensorFile {
    std::map<std::string, std::string> metadata;  // UTF-8
    std::vector<StoredTensor> tensors;

    /// nullptr if there is no such tensor.
    const StoredTensor* find(std::string_view wanted) const;
};

/// Replaces the file at `path`, or leaves it alone and throws Error: see write_file. Wider
/// elements are written first, so that each tensor is aligned in the file.
void write_tensor_file(const std::string& path, const TensorFile& content);

/// The tensors come in the order of their bytes. Values are not looked at: NaN is a value.
/// Throws Error for whatever is not a complete and consistent file. Like writing, it refuses
/// to work on big-endian machines.
TensorFile read_tensor_file(const std::string& path);

}  // namespace deepsl::io
