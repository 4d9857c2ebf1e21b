// The last stage of a model with eigenfunctions: their values at the sample, shifted and scaled by
// figures measured once on training data, and combined linearly.
//
//     b_i = (u_i - mean_i) / scale_i,   F = L b + c
//
// In double, whatever the networks do.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/eigenpairs.h"
#include "deepsl/model/options.h"
#include "deepsl/model/outcome.h"
#include "deepsl/network/parameters.h"
#include "deepsl/random.h"

namespace deepsl::model {

/// How L starts.
struct LinearStart {
    network::Initialiser initialiser = network::Initialiser::glorot;
    double gain = 0.0;
};

class Basis {
public:
    Basis(std::size_t functions, std::size_t outputs, BasisScale rule);

    /// u_mean, u_scale, L.weight [outputs, d] and L.bias, which start at 0, 1, 0 and 0.
    void enrol(network::Parameters& parameters, const std::string& name);
    /// L.weight as other matrices start, times the gain; nothing is drawn where that is 0.
    void start(network::Parameters& parameters, const LinearStart& start, Random& random) const;
    void load(std::span<const double> values) { values_ = values; }

    std::size_t size() const { return functions_; }

    /// Adds to the outcomes [B] the first failed eigenvalue of each sample that is ok so far, or
    /// that its basis is too large.
    void mark(const sturm::CellSolution& solution, std::span<Outcome> outcomes) const;

    /// b of one sample: u [d] -> [d]
    void scaled(std::span<const double> u, std::span<double> b) const;

    /// Adds L b + c to y [outputs].
    void add(std::span<const double> u, std::span<double> y) const;

    /// From dy: du [d], and what mean, scale, L and c get is added to the flat gradient.
    template <class Real>
    void pullback(std::span<const double> u, std::span<const double> dy, std::span<double> du,
                  Real* gradient) const;

    /// The energy of L b along a line: the mean over its length T of the squared slope,
    ///
    ///     (1 / T) int |dF / dt|^2 dt,
    ///
    /// by differences over the cells. Zero for a constant; a change of p, q or w that leaves F as
    /// it is leaves it as it is. u [d, edge], length [cell].
    double energy(std::span<const double> u, std::span<const double> length) const;

    /// Adds `weight` times its derivatives to du [d, edge], dlength [cell] and the flat gradient.
    template <class Real>
    void energy_pullback(std::span<const double> u, std::span<const double> length, double weight,
                         std::span<double> du, std::span<double> dlength, Real* gradient) const;

    /// Mean and scale by samples u [B, d] of training data, into the model's values; samples whose
    /// outcome is not ok are left out.
    void measure(MatrixView<const double> u, std::span<const Outcome> outcomes,
                 std::span<double> values) const;

    std::span<const double> weight() const {
        return values_.subspan(weight_, outputs_ * functions_);
    }
    std::span<const double> bias() const { return values_.subspan(bias_, outputs_); }

private:
    double rise_of(const double* u, std::size_t edges, std::size_t o) const;
    std::span<const double> mean() const { return values_.subspan(mean_, functions_); }
    std::span<const double> scale() const { return values_.subspan(scale_, functions_); }

    std::size_t functions_, outputs_;
    BasisScale rule_;
    std::size_t mean_ = 0, scale_ = 0, weight_ = 0, bias_ = 0;  // offsets in the flat vector
    std::span<const double> values_;
};

}  // namespace deepsl::model
