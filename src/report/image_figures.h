// The parts of a page about images.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/report/image_page.h"

namespace deepsl::report::detail {

/// A class that is drawn in a colour of its own; all others are gray.
struct ShownClass {
    int label;
    const char* colour;
};

/// The predicted class, the true one, those that win somewhere on the line, then the most probable.
std::vector<ShownClass> shown_classes(const ImageSample& sample, const ImageLine& line);

std::string class_title(const ImageReport& report, int label);

/// "98.2 %", "< 0.1 %"; a dash for what is not a number.
std::string percent_text(double share);

/// Pictures along the line, and below them over the same t: scores, what the field adds, the
/// eigenfunctions, p, q and w. Pictures are shrunk by `factor`.
std::string image_line_figure(const ImageReport& report, const ImageSample& sample,
                              const ImageLine& line, std::size_t factor);

}  // namespace deepsl::report::detail
