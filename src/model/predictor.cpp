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
    TORCH_CHECK(block > 0, "a block needs at least one row, but ", block, " was given");
    const auto rows = cut(x, block, 1);
    std::vector<Prediction> pieces(rows.size());
    side_by_side(rows.size(), [&](std::size_t i) { pieces[i] = forward(rows[i]); });
    return join(pieces);
}

Prediction sum(const std::vector<Prediction>& terms) {
    if (terms.size() == 1) return terms.front();
    Prediction all = terms.front();
    std::vector<Tensor> spectra;
    for (const auto& term : terms) {
        if (term.lambda.defined()) spectra.push_back(term.lambda);
        if (&term == &terms.front()) continue;
        all.y = all.y + term.y;
        all.ok = all.ok.logical_and(term.ok);
        for (std::size_t b = 0; b < all.outcomes.size(); ++b)
            if (all.outcomes[b].ok()) all.outcomes[b] = term.outcomes[b];
    }
    const auto kept = all.ok.unsqueeze(1);
    const auto masked = [&](const Tensor& t) {
        return torch::where(kept, t, torch::zeros_like(t));
    };
    all.y = masked(all.y);
    if (!spectra.empty()) all.lambda = masked(torch::cat(spectra, 1));
    return all;
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
