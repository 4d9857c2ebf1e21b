#include "deepsl/learner/trained_model.h"

#include <algorithm>

namespace deepsl::learner {

const model::Model* TrainedModel::with_lines() const {
    return dynamic_cast<const model::Model*>(predictor.get());
}

model::Model* TrainedModel::with_lines() { return dynamic_cast<model::Model*>(predictor.get()); }

model::Prediction TrainedModel::predict(MatrixView<const double> x) const {
    // So many at a time are brought into the domain, lest a large table be held twice.
    constexpr std::size_t block = 16384;
    model::Prediction prediction;
    prediction.resize(x.rows(), predictor->outputs(), predictor->eigenvalues());
    for (std::size_t first = 0; first < x.rows(); first += block) {
        const auto part = x.part(first, std::min(block, x.rows() - first));
        prediction.put(first, predictor->predict(scaling.forward(part)));
    }
    if (!predicts_classes())
        for (double& value : prediction.y.values()) value = target_mean + target_scale * value;
    return prediction;
}

}  // namespace deepsl::learner
