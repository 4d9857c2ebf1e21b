// NPZ, NumPy's zip of NPY files: x_train, y_train, x_test and y_test, or images and labels, or x
// and y.
#pragma once

#include <string>

#include "byte_stream.h"
#include "deepsl/data/images.h"

namespace deepsl::data {

/// With labels where the file has them, unless `with_labels` is false.
Images read_npz(const ByteSource& source, const std::string& path, ImagePart part,
                bool with_labels = true);

}  // namespace deepsl::data
