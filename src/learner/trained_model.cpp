#include "deepsl/learner/trained_model.h"

#include <algorithm>
#include <utility>

#include "deepsl/model/encoded.h"
#include "learner/vote.h"

namespace deepsl::learner {

const model::Model* Voter::with_lines() const {
    const auto* const encoded = dynamic_cast<const model::Encoded*>(predictor.get());
    return dynamic_cast<const model::Model*>(encoded != nullptr ? &encoded->behind()
                                                                : predictor.get());
}

model::Model* Voter::with_lines() {  // NOLINT(readability-make-member-function-const)
    return const_cast<model::Model*>(std::as_const(*this).with_lines());
}

Matrix<double> Voter::coordinates(MatrixView<const double> x) const {
    auto z = scaling.forward(x);
    const auto* const encoded = dynamic_cast<const model::Encoded*>(predictor.get());
    return encoded != nullptr ? encoded->encode(z) : z;
}

model::Prediction Voter::ask(MatrixView<const double> x) const {
    // So many at a time are brought into the domain, lest a large table be held twice.
    constexpr std::size_t block = 16384;
    model::Prediction prediction;
    prediction.resize(x.rows(), predictor->outputs(), predictor->eigenvalues());
    for (std::size_t first = 0; first < x.rows(); first += block) {
        const auto part = x.part(first, std::min(block, x.rows() - first));
        prediction.put(first, predictor->predict(scaling.forward(part)));
    }
    return prediction;
}

std::vector<double> TrainedModel::weights() const {
    std::vector<double> result;
    for (std::size_t v = 0; v < voters(); ++v) result.push_back(voter(v).weight);
    return result;
}

std::size_t TrainedModel::learned_numbers() const {
    std::size_t count = 0;
    for (std::size_t v = 0; v < voters(); ++v) count += voter(v).predictor->parameters().learned();
    return count;
}

std::optional<ImageShape> TrainedModel::image() const {
    const auto sizes = predictor->options().image;
    if (sizes.size() != 3) return {};
    return ImageShape{static_cast<std::size_t>(sizes[0]), static_cast<std::size_t>(sizes[1]),
                      static_cast<std::size_t>(sizes[2])};
}

model::Prediction TrainedModel::predict(MatrixView<const double> x) const {
    std::vector<model::Prediction> votes;
    for (std::size_t v = 0; v < voters(); ++v) votes.push_back(voter(v).ask(x));
    auto prediction = vote(std::move(votes), weights(), predicts_classes());
    if (!predicts_classes())
        for (double& value : prediction.y.values()) value = target_mean + target_scale * value;
    return prediction;
}

}  // namespace deepsl::learner
