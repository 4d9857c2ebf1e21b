// The header of a tensor file, apart from the file: text from and to a list of tensors.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/io/tensor_file.h"

namespace deepsl::io {

constexpr std::uint64_t max_header_bytes = 100'000'000;  // as in the safetensors package

struct TensorEntry {
    std::string name;
    DType dtype = DType::f32;
    std::vector<std::int64_t> shape;
    std::uint64_t begin = 0;  // of its bytes, counted from the end of the header
    std::uint64_t end = 0;
};

struct TensorHeader {
    std::map<std::string, std::string> metadata;
    std::vector<TensorEntry> tensors;
};

/// JSON without padding. Throws Error if a text is not UTF-8. Its message, and those of
/// parse_header, is the middle of a sentence: whoever knows the file says the rest.
std::string header_text(const TensorHeader& header);

/// The tensors in the order of their bytes, which are known to fill `data_bytes` exactly.
TensorHeader parse_header(std::string_view text, std::uint64_t data_bytes);

}  // namespace deepsl::io
