// The last stage of a model with eigenfunctions: their values at the sample, shifted and scaled by
// figures measured once on training data, and combined linearly.
//
//     b_i = (u_i - mean_i) / scale_i,   F = L b + c
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "deepsl/model/eigenpairs.h"
#include "deepsl/model/options.h"
#include "deepsl/model/predictor.h"

namespace deepsl::model {

class Basis {
public:
    Basis() = default;

    /// Its figures and L, which starts at 0, become the owner's: buffers u_mean and u_scale, in
    /// double whatever the networks do, and a module L.
    Basis(torch::nn::Module& owner, std::int64_t outputs, const ModelOptions& options);

    std::int64_t size() const { return mean_.size(0); }
    torch::nn::Linear& linear() { return linear_; }

    /// b [B, d], in the type of L.
    torch::Tensor scaled(const torch::Tensor& u) const;

    /// Adds to the outcomes [B] the first failed eigenvalue of each sample that is ok so far, or
    /// that its basis is too large.
    void mark(const Eigenpairs& pairs, std::vector<Outcome>& outcomes) const;

    /// F and lambda, zero where the outcome is not ok.
    Prediction predict(const Eigenpairs& pairs, std::vector<Outcome> outcomes);

    /// Sets mean and scale by samples of training data, as the option basis_scale says; samples
    /// whose outcome is not ok are left out.
    void measure(const torch::Tensor& u, const std::vector<Outcome>& outcomes);

private:
    std::string rule_;
    torch::Tensor mean_, scale_;  // [d]
    torch::nn::Linear linear_{nullptr};
};

}  // namespace deepsl::model
