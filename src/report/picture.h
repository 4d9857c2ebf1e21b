// Pictures of images in a page: PNG as data URIs, of few pixels.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/report/image_page.h"

namespace deepsl::report::detail {

/// Every `factor` x `factor` pixels become their mean; those left over at the right and at the
/// bottom have smaller blocks.
Picture shrunk(const Picture& picture, std::size_t factor);

/// The same of one number a pixel.
std::vector<float> shrunk(const std::vector<float>& values, std::size_t height, std::size_t width,
                          std::size_t factor);

std::string picture_uri(const Picture& picture);

/// Blue where a value is below zero, orange where it is above, white at zero; `largest` has the
/// full colour.
std::string change_uri(const std::vector<float>& values, std::size_t height, std::size_t width,
                       double largest);

/// Of a picture in base64.
std::size_t uri_bytes(std::size_t height, std::size_t width, std::size_t channels);

}  // namespace deepsl::report::detail
