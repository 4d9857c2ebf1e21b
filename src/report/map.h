// Decision regions as a small image.
#pragma once

#include "deepsl/report/page.h"
#include "report/png.h"

namespace deepsl::report::detail {

/// The larger the confidence, the stronger the class's colour; what has no winner is transparent.
/// At most 256 pixels each way. Cells outside the outline that touch one inside take over its
/// colour, so that the image can be cut along the outline.
IndexedImage map_image(const DecisionMap& map, const Curve& outline);

}  // namespace deepsl::report::detail
