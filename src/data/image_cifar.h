// CIFAR-10's binary files: records of a label and 32 x 32 values of red, then of green, then of
// blue, 1 + 3072 bytes each.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "byte_stream.h"
#include "deepsl/data/images.h"

namespace deepsl::data {

/// One file of several that make a part.
struct CifarFile {
    std::string path;
    const ByteSource* source;
};

/// The names in batches.meta.txt, one in each line.
std::vector<std::string> parse_cifar_classes(std::string_view text, const std::string& path);

/// Those of the folder's batches.meta.txt, or, if it has none, CIFAR-10's own.
std::vector<std::string> find_cifar_classes(const std::string& folder);

/// All records, in the order of the files. Throws Error for labels that have no name.
Images read_cifar(const std::vector<CifarFile>& files, const std::vector<std::string>& classes);

}  // namespace deepsl::data
