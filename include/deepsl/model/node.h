// A neural ODE as a model: the state flows along a learned field for a unit of time, then a linear
// map reads it.
//
//     z(0) = (scale (x - shift), 0, .., 0),   dz/dt = f(z),  0 <= t <= 1,   F(x) = L z(1) + c
//
// Gradients are those of the discrete steps; steps chosen by a tolerance count as constants.
#pragma once

#include <cstdint>
#include <vector>

#include "deepsl/field/method.h"
#include "deepsl/model/predictor.h"
#include "deepsl/network/mlp.h"

namespace deepsl::model {

struct NodeOptions {
    network::MlpOptions f;     // inputs and outputs are set by the model, shift and scale act on x
    std::int64_t augment = 0;  // coordinates added to the state, which start at 0
    const field::Method* method = &field::rk4();
    std::int64_t steps = 6;         // of a fixed method; an adaptive one starts with such a step
    double tolerance = 1e-5;        // of an adaptive method, per step and coordinate of the state
    std::int64_t max_steps = 1000;  // of an adaptive method, rejected ones included
};

class NodeImpl : public PredictorImpl {
public:
    NodeImpl(std::int64_t inputs, std::int64_t outputs, const NodeOptions& options);

    Prediction forward(const torch::Tensor& x) override;
    std::vector<torch::Tensor> linear_parameters() override { return linear_->parameters(); }

    network::Mlp& f() { return f_; }
    network::Mlp& linear() { return linear_; }

private:
    torch::Tensor flow(const torch::Tensor& z, std::vector<Outcome>& outcomes);

    NodeOptions options_;
    network::Mlp f_{nullptr}, linear_{nullptr};
};
TORCH_MODULE(Node);

}  // namespace deepsl::model
