#include "deepsl/field/gradient_field.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "deepsl/error.h"

namespace deepsl::field {
namespace {

network::MlpOptions tied(network::MlpOptions mlp) {
    if (mlp.hidden.empty())
        throw argument_error("a gradient field needs a hidden layer, but none was given");
    if (mlp.activation != network::Activation::tanh)
        throw argument_error("a gradient field takes the activation tanh only, which is bounded");
    mlp.hidden = {mlp.hidden.front()};
    mlp.outputs = mlp.inputs;
    mlp.heads.clear();
    return mlp;
}

}  // namespace

template <class Real>
GradientField<Real>::GradientField(network::MlpOptions mlp)
    : mlp_(tied(std::move(mlp))),
      direction_(mlp_.inputs()),
      units_(mlp_.options().hidden.front()),
      W_(units_ * mlp_.inputs()),
      s_(units_),
      square_(units_),
      root_(units_) {}

template <class Real>
void GradientField<Real>::enrol(network::Parameters& parameters, const std::string& name,
                                Random& random) {
    using network::joined, network::Role;
    const auto n = inputs();
    const auto& options = mlp_.options();
    direction_.enrol(parameters, name, random);
    weight_ = parameters.add(joined(name, "weight"), {units_, n}, Role::matrix);
    network::initialise({parameters.values().data() + weight_, units_ * n}, units_, n, {n, units_},
                        options.initialiser, 1.0, random);
    bias_ = parameters.add(joined(name, "bias"), {units_}, Role::vector);
    // It decays as the weights do: towards straight lines.
    strength_ = parameters.add(joined(name, "strength"), {units_}, Role::matrix);
    network::initialise({parameters.values().data() + strength_, units_}, 1, units_, {units_, 1},
                        options.initialiser, options.last_gain, random);
    layers_ = {};
    Random unused(0);
    mlp_.enrol(layers_, "", unused);
}

template <class Real>
void GradientField<Real>::load(std::span<const double> values) {
    const auto n = inputs(), m = units_;
    const auto W = values.subspan(weight_, m * n), s = values.subspan(strength_, m);
    double N = 0.0;
    for (std::size_t k = 0; k < m; ++k) {
        double square = 0.0;
        for (std::size_t i = 0; i < n; ++i) square += W[k * n + i] * W[k * n + i];
        const double root = std::hypot(1.0 / static_cast<double>(m), s[k] * std::sqrt(square));
        square_[k] = static_cast<Real>(square);
        root_[k] = static_cast<Real>(root);
        s_[k] = static_cast<Real>(s[k]);
        N += root;
    }
    const double factor = bending / N;
    N_ = static_cast<Real>(N);
    factor_ = static_cast<Real>(factor);
    std::transform(W.begin(), W.end(), W_.begin(), [](double c) { return static_cast<Real>(c); });

    direction_.load(values);
    auto to = layers_.values().begin();
    to = std::copy(W.begin(), W.end(), to);
    to = std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(bias_), m, to);
    for (std::size_t i = 0; i < n; ++i)
        for (std::size_t k = 0; k < m; ++k) *to++ = factor * s[k] * W[k * n + i];
    std::copy(direction_.unit().begin(), direction_.unit().end(), to);
    mlp_.load(layers_.values());
}

template <class Real>
void GradientField<Real>::forward(const Real* z, std::size_t rows, Real* a,
                                  network::Tape* tape) const {
    mlp_.forward(z, rows, a, tape);
}

template <class Real>
void GradientField<Real>::pullback(const Real* z, std::size_t rows, const Real* da,
                                   network::Tape& tape, Real* dz, Real* gradient) const {
    const auto n = inputs(), m = units_;
    thread_local std::vector<Real> layers;
    layers.assign(layers_.size(), Real(0));
    mlp_.pullback(z, rows, da, tape, dz, layers.data());
    const Real* from = layers.data();
    for (std::size_t i = 0; i < m * n; ++i) gradient[weight_ + i] += *from++;
    for (std::size_t k = 0; k < m; ++k) gradient[bias_ + k] += *from++;
    pull_back_ties(from, gradient);
    direction_.pullback(from + n * m, gradient);
}

template <class Real>
void GradientField<Real>::pull_back_ties(const Real* second, Real* gradient) const {
    const auto n = inputs(), m = units_;
    thread_local std::vector<Real> by_strength;  // sum_i second_ik W_ki
    by_strength.assign(m, Real(0));
    for (std::size_t k = 0; k < m; ++k) {
        Real sum = 0;
        for (std::size_t i = 0; i < n; ++i) {
            sum += second[i * m + k] * W_[k * n + i];
            gradient[weight_ + k * n + i] += factor_ * s_[k] * second[i * m + k];
        }
        by_strength[k] = sum;
    }
    Real by_N = 0;  // the derivative by -log N
    for (std::size_t k = 0; k < m; ++k) by_N += factor_ * s_[k] * by_strength[k];
    for (std::size_t k = 0; k < m; ++k) {
        const Real share = by_N / N_ * s_[k] / root_[k];
        gradient[strength_ + k] += factor_ * by_strength[k] - share * square_[k];
        for (std::size_t i = 0; i < n; ++i)
            gradient[weight_ + k * n + i] -= share * s_[k] * W_[k * n + i];
    }
}

template class GradientField<float>;
template class GradientField<double>;

}  // namespace deepsl::field
