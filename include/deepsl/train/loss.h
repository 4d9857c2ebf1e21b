// Losses: how wrong predictions y [B, k] are, and how large their spectra lambda [B, E].
//
// With labels c, for each sample
//     hinge, k >= 2          max(0, 1 - y_c + max over j != c of y_j)     (Crammer and Singer)
//     hinge, k = 1           max(0, 1 - s y),           s = 2c - 1 for c in {0, 1}
//     cross_entropy, k >= 2  log(sum over j of exp(y_j)) - y_c
//     cross_entropy, k = 1   log(1 + exp(-s y))
// with numbers t [B, k]
//     squared                (1/k) sum over j of (y_j - t_j)^2
// and whatever the targets
//     spectral               (alpha/E) sum over i of |lambda_i|
//
// The loss of a batch is the mean over its samples that did not fail. Sums are what is computed
// here, since a batch goes through the model in chunks: the gradient of the mean is that of the sum
// divided by the number of samples.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"
#include "deepsl/train/dataset.h"

namespace deepsl::train {

enum class Loss { automatic, hinge, cross_entropy, squared };
constexpr std::array<std::string_view, 4> names(Loss) {
    return {"auto", "hinge", "cross_entropy", "squared"};
}

/// The loss to use for labels, or for numbers: `automatic` is cross_entropy for labels, else
/// squared. Throws Error if it does not fit the targets.
Loss loss_for(Loss option, bool labels);

/// Over the samples that did not fail.
struct LossSums {
    double data = 0.0, spectral = 0.0;
    std::size_t kept = 0;  // how many these are

    LossSums& operator+=(const LossSums& other);
    /// Infinite if every sample failed.
    double mean_data() const;
    /// 0 if every sample failed.
    double mean_spectral() const;
};

/// Derivatives of the sums by what a model predicts; rows of failed samples are zeros.
struct LossSeeds {
    Matrix<double> y;       // [B, k]
    Matrix<double> lambda;  // [B, E]; no rows where there is no spectral term
};

/// Of one sample: y [k] against its label or its numbers [k]. `loss` is not automatic. With `dy`
/// [k] the derivative, too.
double sample_loss(Loss loss, std::span<const double> y, std::int64_t label,
                   std::span<const double> numbers, double* dy = nullptr);

/// Samples that failed are left out, whatever stands there. `seeds` may be null.
LossSums loss_sums(Loss loss, const model::Prediction& prediction, const Targets& targets,
                   double alpha, LossSeeds* seeds = nullptr);

}  // namespace deepsl::train
