#include "deepsl/model/baseline.h"

namespace deepsl::model {

MlpModelImpl::MlpModelImpl(std::int64_t inputs, std::int64_t outputs,
                           const network::MlpOptions& options)
    : PredictorImpl(inputs, outputs) {
    auto own = options;
    own.inputs = inputs;
    own.outputs = outputs;
    network_ = register_module("network", network::Mlp(own));
}

Prediction MlpModelImpl::forward(const torch::Tensor& x) {
    // A row of zeros stands for one that is not finite, so that no gradient becomes NaN.
    const auto finite = torch::isfinite(x).all(1);
    const auto y = network_->forward(torch::where(finite.unsqueeze(1), x, torch::zeros_like(x)));
    Prediction prediction;
    prediction.ok = finite.logical_and(torch::isfinite(y).all(1));
    prediction.y = torch::where(prediction.ok.unsqueeze(1), y, torch::zeros_like(y));
    prediction.outcomes.resize(static_cast<std::size_t>(x.size(0)));
    const auto* ok = prediction.ok.data_ptr<bool>();
    for (std::size_t b = 0; b < prediction.outcomes.size(); ++b)
        if (!ok[b]) prediction.outcomes[b].line = field::LineStatus::not_finite;
    return prediction;
}

}  // namespace deepsl::model
