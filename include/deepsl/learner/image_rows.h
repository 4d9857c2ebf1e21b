// Images as rows of a data set, and how they vary while they are learned from.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deepsl/data/images.h"
#include "deepsl/train/dataset.h"

namespace deepsl::learner {

/// By chance: mirrored, left to right; moved by up to so many pixels, what comes in is empty.
struct Variation {
    bool flip = false;
    std::size_t crop = 0;
    std::uint64_t seed = 0;
};

class ImageRows final : public train::RowSource {
public:
    ImageRows(std::shared_ptr<const data::Images> images, const Variation& variation);

    std::size_t columns() const override { return images_->shape.size(); }
    void read(std::size_t row, std::span<double> out) const override;
    void vary(std::size_t row, std::uint64_t draw, std::span<double> out) const override;
    void add_to(io::Hash& hash) const override;

    const data::Images& images() const { return *images_; }

private:
    std::shared_ptr<const data::Images> images_;
    Variation variation_;
};

/// All images with their labels.
train::Dataset dataset_of(std::shared_ptr<const data::Images> images,
                          const Variation& variation = {});

/// Images with their labels as a model numbers its classes. Throws Error for a class it has not, or
/// if there are no labels.
std::shared_ptr<const data::Images> labelled(std::shared_ptr<const data::Images> images,
                                             const std::vector<std::string>& classes);

}  // namespace deepsl::learner
