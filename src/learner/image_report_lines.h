// The line of an image for a report: its points, what the model says there, and pictures of them.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "deepsl/data/images.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/matrix.h"
#include "deepsl/report/image_page.h"

namespace deepsl::learner::detail {

/// Numbers of pixels as pictures: from `low`, black, to `high`, white. Neither one nor three
/// channels: their mean, gray.
class Painter {
public:
    explicit Painter(const data::Images& images);

    report::Picture paint(std::span<const double> values) const;
    report::Picture paint(const data::Images& images, std::size_t image) const;

private:
    ImageShape shape_;
    double low_ = 0.0, high_ = 1.0;
};

/// Images of the data in the latent space of an encoder, evenly chosen if there are more than
/// `most`.
class Neighbours {
public:
    Neighbours(const TrainedModel& model, const data::Images& images, std::size_t most);

    /// The nearest images to a point, without this one.
    std::vector<std::pair<std::size_t, double>> nearest(std::span<const double> point,
                                                        std::size_t count,
                                                        std::size_t without) const;
    std::size_t size() const { return rows_.size(); }
    /// How far from the middle of the domain the outermost of them lies.
    double reach() const { return reach_; }
    /// Half of the images are so near to another one.
    double usual_distance() const;

private:
    std::vector<std::size_t> rows_;
    Matrix<double> z_;  // [rows_, latent]
    double reach_ = 0.0;
};

/// What a line is drawn with.
struct LineDrawing {
    const TrainedModel& model;
    const data::Images& images;
    const Painter& painter;
    const Neighbours* neighbours;  // null: lines of pixels
    int finer;
};

/// Values of one image as rows [1, inputs].
Matrix<double> row_of(const data::Images& images, std::size_t image);

/// Scores of classes: with one output y, those of its sign, -y/2 and y/2.
std::vector<double> class_scores(std::span<const double> y);

/// The picture, the prediction, what the fields add, and the lines: of all fields, those that add
/// most to the predicted class first, or of the first of them alone.
report::ImageSample image_sample(const LineDrawing& drawing, std::size_t image, bool all_fields);

}  // namespace deepsl::learner::detail
