// From a trained model and images to a report::ImageReport: how good the model is on them, and a
// few images with their lines. Wrong answers come first, the surest of them before all, then close
// ones, then right ones.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "deepsl/data/images.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/report/image_page.h"

namespace deepsl::learner {

struct ImageReportOptions {
    std::size_t wrong = 4, close = 3, right = 3;  // images shown with their lines
    std::size_t gallery = 36;                     // wrong answers shown as small pictures
    std::size_t compared = 10000;  // images of which the nearest to a line are looked for
    int finer = 8;                 // how much finer than the model's own grid curves are drawn
    /// This image alone, from 0, with the lines of all fields; the others are not predicted.
    std::optional<std::size_t> image{};
};

/// Lines of pixels have their own pictures; of lines behind an encoder the nearest images are
/// shown. Images without labels have no wrong answers: the closest decisions come first. Throws
/// Error for a baseline, which has no lines, for images of another size or of a class that the
/// model has not, and if there is no such image.
report::ImageReport image_report(const TrainedModel& model,
                                 std::shared_ptr<const data::Images> images,
                                 const ImageReportOptions& options = {});

}  // namespace deepsl::learner
