// The checksum of a model file: FNV-1a, 64 bits, over names, shapes and bytes of all tensors and
// over all metadata but itself. Each byte enters by a step that can be undone, so no change of a
// single one goes unnoticed.
#pragma once

#include <string>

#include "deepsl/io/tensor_file.h"

namespace deepsl::learner {

inline constexpr const char* checksum_key = "checksum";

/// "fnv1a64:" and 16 hexadecimal digits.
std::string checksum_of(const io::TensorFile& file);

}  // namespace deepsl::learner
