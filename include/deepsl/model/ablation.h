// The paper's ablation: Deep Sturm-Liouville without a field. Each sample has a problem of its own
// along an artificial time, and its basis is taken half way:
//
//     -(p u')' + q u = lambda w u  on [0, 1],   u(0) = u(1) = 0,   u'(0) = 1
//     F(x) = L (u_1(1/2), .., u_d(1/2)),   P = 1/p, q and w networks of (x, t)
#pragma once

#include <cstdint>
#include <vector>

#include "deepsl/model/basis.h"
#include "deepsl/model/eigenpairs.h"
#include "deepsl/model/options.h"
#include "deepsl/model/predictor.h"
#include "deepsl/network/mlp.h"

namespace deepsl::model {

class AblationImpl : public PredictorImpl {
public:
    AblationImpl(std::int64_t inputs, std::int64_t outputs, const ModelOptions& options);

    Prediction forward(const torch::Tensor& x) override;

    /// Measures the scale of the basis.
    void calibrate(const torch::Tensor& x, const torch::Tensor& targets) override;

    std::vector<torch::Tensor> linear_parameters() override;

    /// The eigenpairs of finite samples x [B, inputs].
    Eigenpairs pairs(const torch::Tensor& x);

private:
    std::int64_t cells_;  // on each half
    sturm::Scheme scheme_;
    double centre_;
    network::Mlp P_{nullptr}, q_{nullptr}, w_{nullptr};
    Basis basis_;
};
TORCH_MODULE(Ablation);

}  // namespace deepsl::model
