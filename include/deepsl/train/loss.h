// Losses: how wrong predictions y [B, k] are, and how large their spectra.
//
// With labels c, the mean over samples b of
//     hinge, k >= 2          max(0, 1 - y_c + max over j != c of y_j)     (Crammer and Singer)
//     hinge, k = 1           max(0, 1 - s y),           s = 2c - 1 for c in {0, 1}
//     cross_entropy, k >= 2  log(sum over j of exp(y_j)) - y_c
//     cross_entropy, k = 1   log(1 + exp(-s y))
// and with numbers t [B, k]
//     squared                (1/k) sum over j of (y_j - t_j)^2
#pragma once

#include <cstdint>
#include <string_view>

#include <torch/torch.h>

#include "deepsl/model/predictor.h"

namespace deepsl::train {

enum class Loss { hinge, cross_entropy, squared };

std::string_view name(Loss loss);

/// The loss of an option's name. "auto" is cross_entropy for labels, else squared. Throws
/// OptionError if the name is unknown or does not fit the targets.
Loss loss_of(std::string_view option, bool labels);

/// y [B, k], B > 0; target: labels, int64 [B], or numbers [B, k]. A scalar.
torch::Tensor data_loss(Loss loss, const torch::Tensor& y, const torch::Tensor& target);

/// The mean of |lambda| over samples, eigenvalues and, if there are several, fields:
/// lambda [B, eigenvalues]. A scalar, in double.
torch::Tensor spectral_term(const torch::Tensor& lambda);

/// What one batch contributes.
struct BatchLoss {
    torch::Tensor total;    // data + spectral, a scalar to differentiate
    double data = 0.0;      // of the samples kept
    double spectral = 0.0;  // (alpha / d) sum |lambda_i|, of the samples kept
    std::int64_t kept = 0;  // samples that are ok
};

/// Samples that failed are left out. If all did, the total is a plain zero that needs no gradient,
/// and there is no step to take.
BatchLoss total_loss(Loss loss, const model::Prediction& prediction, const torch::Tensor& target,
                     double alpha);

}  // namespace deepsl::train
