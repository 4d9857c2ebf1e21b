#include "deepsl/model/predictor.h"

#include <algorithm>

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
    if (x.size(0) <= block) return forward(x);
    Prediction all;
    std::vector<Tensor> y, lambda, ok;
    for (std::int64_t begin = 0; begin < x.size(0); begin += block) {
        auto part = forward(x.narrow(0, begin, std::min(block, x.size(0) - begin)));
        y.push_back(part.y);
        if (part.lambda.defined()) lambda.push_back(part.lambda);
        ok.push_back(part.ok);
        all.outcomes.insert(all.outcomes.end(), part.outcomes.begin(), part.outcomes.end());
    }
    all.y = torch::cat(y);
    if (!lambda.empty()) all.lambda = torch::cat(lambda);
    all.ok = torch::cat(ok);
    return all;
}

}  // namespace deepsl::model
