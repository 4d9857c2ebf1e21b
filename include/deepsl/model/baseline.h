// A multilayer perceptron as a model: the baseline to compare with.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "deepsl/model/predictor.h"
#include "deepsl/network/mlp.h"

namespace deepsl::model {

class MlpModelImpl : public PredictorImpl {
public:
    MlpModelImpl(std::int64_t inputs, std::int64_t outputs, const network::MlpOptions& options);

    Prediction forward(const torch::Tensor& x) override;
    std::vector<torch::Tensor> linear_parameters() override { return {}; }

private:
    network::Mlp network_{nullptr};
};
TORCH_MODULE(MlpModel);

}  // namespace deepsl::model
