// IDX, the format of MNIST: a magic number (two zeros, the type 0x08 for bytes, the number of
// dimensions), each dimension as 4 bytes, the most significant first, and the values.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "byte_stream.h"
#include "deepsl/data/images.h"

namespace deepsl::data {

/// Whether it begins as IDX of any type does, gzip or not. Throws Error only if it cannot be read.
bool begins_as_idx(const ByteSource& source, const std::string& path);

/// N x height x width bytes, one channel; without labels.
Images read_idx_images(const ByteSource& source, const std::string& path);

/// A byte for each of so many images.
std::vector<std::int64_t> read_idx_labels(const ByteSource& source, const std::string& path,
                                          std::size_t images);

}  // namespace deepsl::data
