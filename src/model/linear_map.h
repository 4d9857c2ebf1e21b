// The last stage of a model that reads a state: y = L z + c, in double, whatever the networks do.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "deepsl/network/parameters.h"

namespace deepsl::model {

class LinearMap {
public:
    LinearMap(std::size_t inputs, std::size_t outputs) : inputs_(inputs), outputs_(outputs) {}

    /// weight1 [outputs, inputs] and bias1, as of a network without hidden layers; they start at 0.
    void enrol(network::Parameters& parameters, const std::string& name) {
        using network::joined;
        using network::Role;
        weight_ = parameters.add(joined(name, "weight1"), {outputs_, inputs_}, Role::linear);
        bias_ = parameters.add(joined(name, "bias1"), {outputs_}, Role::linear);
    }
    void load(std::span<const double> values) { values_ = values; }

    /// z [inputs] -> y [outputs]
    template <class Real>
    void forward(const Real* z, std::span<double> y) const {
        for (std::size_t o = 0; o < outputs_; ++o) {
            const double* const weight = values_.data() + weight_ + o * inputs_;
            double sum = values_[bias_ + o];
            for (std::size_t i = 0; i < inputs_; ++i) sum += weight[i] * static_cast<double>(z[i]);
            y[o] = sum;
        }
    }

    /// From dy to dz; what L and c get is added to the flat gradient.
    template <class Real>
    void pullback(const Real* z, std::span<const double> dy, Real* dz, Real* gradient) const {
        for (std::size_t o = 0; o < outputs_; ++o) {
            Real* const by_weight = gradient + weight_ + o * inputs_;
            for (std::size_t i = 0; i < inputs_; ++i)
                by_weight[i] += static_cast<Real>(dy[o] * static_cast<double>(z[i]));
            gradient[bias_ + o] += static_cast<Real>(dy[o]);
        }
        for (std::size_t i = 0; i < inputs_; ++i) {
            double sum = 0.0;
            for (std::size_t o = 0; o < outputs_; ++o)
                sum += dy[o] * values_[weight_ + o * inputs_ + i];
            dz[i] = static_cast<Real>(sum);
        }
    }

private:
    std::size_t inputs_, outputs_, weight_ = 0, bias_ = 0;  // offsets in the flat vector
    std::span<const double> values_;
};

}  // namespace deepsl::model
