#include "deepsl/model/baseline.h"

#include <utility>

#include "model/outcomes.h"

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
    std::vector<Outcome> outcomes(static_cast<std::size_t>(x.size(0)));
    mark_not_finite(x, outcomes);
    const auto y = network_->forward(only_ok(x, outcomes));
    return plain_prediction(y, std::move(outcomes));
}

}  // namespace deepsl::model
