#include "deepsl/field/vector_field.h"

#include <algorithm>
#include <utility>

#include "deepsl/error.h"
#include "deepsl/field/gradient_field.h"
#include "field/row_kernel.h"

namespace deepsl::field {

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
    : inputs_(inputs), bend_(std::move(bend)), direction_(inputs), unit_(inputs) {
    if (bend_ != nullptr && (bend_->inputs() != inputs || bend_->outputs() != inputs))
        throw argument_error("the network that bends a field must take and give " +
                             std::to_string(inputs) + " numbers");
}

template <class Real>
void DirectionalField<Real>::enrol(network::Parameters& parameters, const std::string& name,
                                   Random& random) {
    direction_.enrol(parameters, name, random);
    if (bend_ != nullptr) bend_->enrol(parameters, network::joined(name, "network"), random);
}

template <class Real>
void DirectionalField<Real>::load(std::span<const double> values) {
    direction_.load(values);
    std::transform(direction_.unit().begin(), direction_.unit().end(), unit_.begin(),
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
    direction_.pullback(sum.data(), gradient);
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
        case FieldKind::gradient: return std::make_unique<GradientField<Real>>(mlp);
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
