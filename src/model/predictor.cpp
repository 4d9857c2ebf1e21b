#include "deepsl/model/predictor.h"

#include "model/pieces.h"

namespace deepsl::model {

using torch::Tensor;

std::string_view Outcome::name() const {
    return line != field::LineStatus::ok ? field::name(line) : sturm::name(eigen);
}

std::string_view Outcome::sentence() const {
    return line != field::LineStatus::ok ? field::sentence(line) : sturm::sentence(eigen);
}

PredictorImpl::PredictorImpl(std::int64_t inputs, std::int64_t outputs)
    : inputs_(inputs), outputs_(outputs) {
    TORCH_CHECK(inputs > 0 && outputs > 0, "a model needs inputs and outputs, but ", inputs,
                " and ", outputs, " were given");
}

void PredictorImpl::calibrate(const Tensor&, const Tensor&) {}

torch::ScalarType PredictorImpl::scalar_type() const { return parameters().front().scalar_type(); }

std::int64_t PredictorImpl::parameter_count() const {
    std::int64_t count = 0;
    for (const auto& p : parameters()) count += p.numel();
    return count;
}

Prediction PredictorImpl::predict(const Tensor& x, std::int64_t block) {
    const torch::NoGradGuard no_grad;
    const auto rows = cut(x, block);
    std::vector<Prediction> pieces(rows.size());
    side_by_side(rows.size(), [&](std::size_t i) { pieces[i] = forward(rows[i]); });
    return join(pieces);
}

Prediction join(const std::vector<Prediction>& pieces) {
    if (pieces.size() == 1) return pieces.front();
    Prediction all;
    std::vector<Tensor> y, lambda, ok;
    for (const auto& piece : pieces) {
        y.push_back(piece.y);
        if (piece.lambda.defined()) lambda.push_back(piece.lambda);
        ok.push_back(piece.ok);
        all.outcomes.insert(all.outcomes.end(), piece.outcomes.begin(), piece.outcomes.end());
    }
    all.y = torch::cat(y);
    if (!lambda.empty()) all.lambda = torch::cat(lambda);
    all.ok = torch::cat(ok);
    return all;
}

}  // namespace deepsl::model
