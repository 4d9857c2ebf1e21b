#include "deepsl/field/vector_field.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "deepsl/error.h"
#include "field/row_kernel.h"

namespace deepsl::field {
namespace {

constexpr double bending = 0.8;  // less than 1: the direction always wins

}  // namespace

template <class Real>
NetworkField<Real>::NetworkField(std::unique_ptr<network::Network<Real>> network)
    : network_(std::move(network)) {
    if (network_->inputs() != network_->outputs())
        throw argument_error(
            "a field must give as many numbers as it takes, but its network takes " +
            std::to_string(network_->inputs()) + " and gives " +
            std::to_string(network_->outputs()));
}

template <class Real>
void NetworkField<Real>::enrol(network::Parameters& parameters, const std::string& name,
                               Random& random) {
    network_->enrol(parameters, network::joined(name, "network"), random);
}

template <class Real>
DirectionalField<Real>::DirectionalField(std::size_t inputs,
                                         std::unique_ptr<network::Network<Real>> bend)
    : inputs_(inputs), bend_(std::move(bend)), unit_(inputs) {
    if (bend_ != nullptr && (bend_->inputs() != inputs || bend_->outputs() != inputs))
        throw argument_error("the network that bends a field must take and give " +
                             std::to_string(inputs) + " numbers");
}

template <class Real>
void DirectionalField<Real>::enrol(network::Parameters& parameters, const std::string& name,
                                   Random& random) {
    offset_ = parameters.add(network::joined(name, "direction"), {inputs_}, network::Role::vector);
    std::vector<double> direction(inputs_);
    for (auto& d : direction) d = normal(random);
    set_direction(direction, parameters.values());
    if (bend_ != nullptr) bend_->enrol(parameters, network::joined(name, "network"), random);
}

template <class Real>
void DirectionalField<Real>::set_direction(std::span<const double> direction,
                                           std::span<double> values) const {
    double square = 0.0;
    for (const double d : direction) square += d * d;
    if (direction.size() != inputs_ || !(square > 0.0) || !std::isfinite(square))
        throw argument_error("a direction needs " + std::to_string(inputs_) +
                             " finite numbers that are not all zero");
    for (std::size_t i = 0; i < inputs_; ++i)
        values[offset_ + i] = direction[i] / std::sqrt(square);
}

template <class Real>
std::vector<double> DirectionalField<Real>::direction(std::span<const double> values) const {
    const auto own = values.subspan(offset_, inputs_);
    double square = 0.0;
    for (const double d : own) square += d * d;
    std::vector<double> unit(own.begin(), own.end());
    for (auto& d : unit) d /= std::sqrt(square);
    return unit;
}

template <class Real>
void DirectionalField<Real>::load(std::span<const double> values) {
    const auto unit = direction(values);
    length_ = 0.0;
    for (const double d : values.subspan(offset_, inputs_)) length_ += d * d;
    length_ = std::sqrt(length_);
    std::transform(unit.begin(), unit.end(), unit_.begin(),
                   [](double d) { return static_cast<Real>(d); });
    if (bend_ != nullptr) bend_->load(values);
}

template <class Real>
void DirectionalField<Real>::forward(const Real* z, std::size_t rows, Real* a,
                                     network::Tape* tape) const {
    const auto n = inputs_;
    if (bend_ == nullptr) {
        for (std::size_t r = 0; r < rows; ++r) std::copy(unit_.begin(), unit_.end(), a + r * n);
        return;
    }
    bend_->forward(z, rows, a, tape);
    if (tape != nullptr) std::copy_n(a, rows * n, tape->push<Real>(rows * n));
    row_kernel<Real>().bend(unit_.data(), static_cast<Real>(bending), rows, n, a);
}

template <class Real>
void DirectionalField<Real>::pullback(const Real* z, std::size_t rows, const Real* da,
                                      network::Tape& tape, Real* dz, Real* gradient) const {
    const auto n = inputs_;
    thread_local std::vector<Real> sum;
    sum.assign(n, Real(0));
    if (bend_ != nullptr) {
        Real* const bent = tape.pop<Real>(rows * n);
        row_kernel<Real>().bend_pullback(da, static_cast<Real>(bending), rows, n, bent, sum.data());
        bend_->pullback(z, rows, bent, tape, dz, gradient);
    } else {
        for (std::size_t r = 0; r < rows; ++r) row_kernel<Real>().add(da + r * n, n, sum.data());
        if (dz != nullptr) std::fill_n(dz, rows * n, Real(0));
    }
    // The direction counts by its unit vector only.
    Real along = 0;
    for (std::size_t i = 0; i < n; ++i) along += sum[i] * unit_[i];
    for (std::size_t i = 0; i < n; ++i)
        gradient[offset_ + i] += (sum[i] - along * unit_[i]) / static_cast<Real>(length_);
}

template <class Real>
std::size_t DirectionalField<Real>::flops_per_row() const {
    return bend_ != nullptr ? bend_->flops_per_row() : 0;
}

template <class Real>
std::unique_ptr<VectorField<Real>> make_field(FieldKind kind, network::MlpOptions mlp,
                                              std::size_t inputs) {
    mlp.inputs = mlp.outputs = inputs;
    switch (kind) {
        case FieldKind::directional:
            mlp.heads.clear();
            return std::make_unique<DirectionalField<Real>>(
                inputs, std::make_unique<network::Mlp<Real>>(mlp));
        case FieldKind::straight: return std::make_unique<DirectionalField<Real>>(inputs, nullptr);
        case FieldKind::positive:
            mlp.heads = {network::BoundedHead::sigmoid(0.01, 1.0)};
            return std::make_unique<NetworkField<Real>>(std::make_unique<network::Mlp<Real>>(mlp));
    }
    throw argument_error("there is no such field");
}

template class NetworkField<float>;
template class NetworkField<double>;
template class DirectionalField<float>;
template class DirectionalField<double>;
template std::unique_ptr<VectorField<float>> make_field(FieldKind, network::MlpOptions,
                                                        std::size_t);
template std::unique_ptr<VectorField<double>> make_field(FieldKind, network::MlpOptions,
                                                         std::size_t);

}  // namespace deepsl::field
