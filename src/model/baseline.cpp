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
    Prediction prediction;
    prediction.y = network_->forward(x);
    prediction.ok = torch::isfinite(prediction.y).all(1);
    prediction.outcomes.resize(static_cast<std::size_t>(x.size(0)));
    const auto* ok = prediction.ok.data_ptr<bool>();
    for (std::size_t b = 0; b < prediction.outcomes.size(); ++b)
        if (!ok[b]) prediction.outcomes[b].line = field::LineStatus::not_finite;
    return prediction;
}

}  // namespace deepsl::model
