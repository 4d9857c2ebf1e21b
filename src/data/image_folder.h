// Folders of images: MNIST's four files, CIFAR-10's binary files, or PNG and JPEG in a folder per
// class, under train/ and test/ or not, or all in one folder.
#pragma once

#include <string>
#include <vector>

#include "deepsl/data/images.h"

namespace deepsl::data {

Images read_image_folder(const std::string& path, const ImageOptions& options);

/// PNG or JPEG files by their paths, all of one size. `images.names` has one for each file; shape
/// and bytes are set. `expected` is a shape they have to have.
void read_pictures(const std::vector<std::string>& files, const std::optional<ImageShape>& expected,
                   Images& images);

/// By the name: .png, .jpg or .jpeg, in any case.
bool is_picture_name(const std::string& name);

}  // namespace deepsl::data
