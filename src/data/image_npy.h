// NPY, NumPy's file of one array: a magic text, a version, the length of a header, the header as a
// Python dictionary of type, order and shape, and the values.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "byte_stream.h"
#include "deepsl/data/images.h"

namespace deepsl::data {

struct NpyHeader {
    std::string type;  // as in "<f4"
    bool fortran_order = false;
    std::vector<std::uint64_t> shape;
};

/// The dictionary: {'descr': '<f4', 'fortran_order': False, 'shape': (60000, 28, 28), }
NpyHeader parse_npy_header(std::string_view text, const std::string& path);

/// N x H x W or N x H x W x C, of bytes (u1) or of floats (f4, f8); without labels.
Images read_npy_images(ByteStream& stream, const std::string& path);

/// Whole numbers, N or N x 1, for so many images.
std::vector<std::int64_t> read_npy_labels(ByteStream& stream, const std::string& path,
                                          std::size_t images);

}  // namespace deepsl::data
