// The gradient of a potential without critical points, the paper's second family of fields:
//
//     a(z) = d + 0.8 g(z),   g = W^T (s o tanh(W x + b)) / N,   x = scale (z - shift),
//     N = sum_k sqrt(1/m^2 + s_k^2 |W_k|^2)  >  sum_k |s_k| |W_k|
//
// with d a learnable unit vector, W [m, n], b and s [m]. N depends on the numbers, not on z, so a
// is the gradient of d.z + 0.8 sum_k s_k log cosh(..) / (scale N), and |g| < 1: then a.d >= 0.2, so
// each line advances along d and leaves every bounded convex domain.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "deepsl/field/direction.h"
#include "deepsl/field/vector_field.h"
#include "deepsl/network/mlp.h"
#include "deepsl/network/parameters.h"

namespace deepsl::field {

template <class Real>
class GradientField final : public VectorField<Real> {
public:
    /// Of `mlp` the first hidden layer gives m, and inputs n; initialiser, last_gain (for s), shift
    /// and scale count as well. Throws Error without a layer, or if the activation is not tanh.
    explicit GradientField(network::MlpOptions mlp);

    std::size_t inputs() const override { return mlp_.inputs(); }
    /// direction, weight (W), bias (b), strength (s).
    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override;
    void load(std::span<const double> values) override;
    void forward(const Real* z, std::size_t rows, Real* a, network::Tape* tape) const override;
    void pullback(const Real* z, std::size_t rows, const Real* da, network::Tape& tape, Real* dz,
                  Real* gradient) const override;
    std::size_t flops_per_row() const override { return mlp_.flops_per_row(); }
    void set_direction(std::span<const double> direction, std::span<double> values) const override {
        direction_.set(direction, values);
    }

    /// d, of length 1, in the model's values.
    std::vector<double> direction(std::span<const double> values) const {
        return direction_.of(values);
    }

private:
    /// What the derivatives by the perceptron's second layer are for W and s.
    void pull_back_ties(const Real* second, Real* gradient) const;

    // A perceptron whose second layer is tied to the first: weights 0.8 / N W^T diag(s), bias d.
    // So forward and backward sweeps are those of all networks.
    network::Mlp<Real> mlp_;
    network::Parameters layers_;  // of the perceptron
    Direction direction_;
    std::size_t units_;                                 // m
    std::size_t weight_ = 0, bias_ = 0, strength_ = 0;  // offsets in the flat vector
    // As loaded, for the way back: W, s, |W_k|^2 and sqrt(1/m^2 + s_k^2 |W_k|^2), 0.8 / N, and N.
    std::vector<Real> W_, s_, square_, root_;
    Real factor_ = 0, N_ = 1;
};

extern template class GradientField<float>;
extern template class GradientField<double>;

}  // namespace deepsl::field
