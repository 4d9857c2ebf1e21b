// Labels from a file of their own: IDX, NPY of whole numbers, or text.
#pragma once

#include <string>
#include <string_view>

#include "byte_stream.h"
#include "deepsl/data/images.h"

namespace deepsl::data {

/// Labels and names of classes for the images, in place of those they have. Throws Error: other
/// counts, labels that are missing, files without a label.
void read_labels(const ByteSource& source, const std::string& path, Images& images);

/// The part for text. Without names of files: a label in each line. With names: rows `file,label`,
/// one for each image in any order, the file with or without its ending. One line more at the top
/// is a header.
void parse_labels(std::string_view text, const std::string& path, Images& images);

}  // namespace deepsl::data
