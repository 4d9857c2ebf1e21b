// Vector fields a(z), whose lines dz/dt = a(z) run through the domain: networks with as many
// outputs as inputs.
#pragma once

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/field/direction.h"
#include "deepsl/network/mlp.h"
#include "deepsl/network/network.h"

namespace deepsl::field {

enum class FieldKind { directional, straight, positive, gradient };
constexpr std::array<std::string_view, 4> names(FieldKind) {
    return {"directional", "straight", "positive", "gradient"};
}

/// How much a field may differ from its direction, of length 1. Less than 1: the direction wins.
inline constexpr double bending = 0.8;

/// Any field: derive from it, or wrap a network in a NetworkField.
template <class Real>
class VectorField : public network::Network<Real> {
public:
    std::size_t outputs() const override { return this->inputs(); }

    /// Whether a(z) is the same everywhere: then lines are straight, and known in closed form.
    virtual bool constant() const { return false; }

    /// Turns the field's lines, on the whole, along a direction [n], if they have one.
    virtual void set_direction(std::span<const double> /*direction*/,
                               std::span<double> /*values*/) const {}
};

/// Any network with as many outputs as inputs. With a sigmoid head between 0.01 and 1 it is the
/// paper's positive field: every coordinate grows along the line, so in a box each line leaves
/// exactly once each way.
template <class Real>
class NetworkField final : public VectorField<Real> {
public:
    explicit NetworkField(std::unique_ptr<network::Network<Real>> network);

    std::size_t inputs() const override { return network_->inputs(); }
    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override;
    void load(std::span<const double> values) override { network_->load(values); }
    void forward(const Real* z, std::size_t rows, Real* a, network::Tape* tape) const override {
        network_->forward(z, rows, a, tape);
    }
    void pullback(const Real* z, std::size_t rows, const Real* da, network::Tape& tape, Real* dz,
                  Real* gradient) const override {
        network_->pullback(z, rows, da, tape, dz, gradient);
    }
    std::size_t flops_per_row() const override { return network_->flops_per_row(); }

private:
    std::unique_ptr<network::Network<Real>> network_;
};

/// a = d + 0.8 h(z), d a learnable unit vector, |h| < 1: then a.d >= 0.2, so each line advances
/// along d and leaves every bounded convex domain. Without a network h = 0: lines are straight.
template <class Real>
class DirectionalField final : public VectorField<Real> {
public:
    /// `bend` gives r(z) [n], and h = r / sqrt(1 + |r|^2); may be null.
    DirectionalField(std::size_t inputs, std::unique_ptr<network::Network<Real>> bend);

    std::size_t inputs() const override { return inputs_; }
    bool constant() const override { return bend_ == nullptr; }
    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override;
    void load(std::span<const double> values) override;
    void forward(const Real* z, std::size_t rows, Real* a, network::Tape* tape) const override;
    void pullback(const Real* z, std::size_t rows, const Real* da, network::Tape& tape, Real* dz,
                  Real* gradient) const override;
    std::size_t flops_per_row() const override;
    void set_direction(std::span<const double> direction, std::span<double> values) const override {
        direction_.set(direction, values);
    }

    /// d, of length 1, in the model's values.
    std::vector<double> direction(std::span<const double> values) const {
        return direction_.of(values);
    }

private:
    std::size_t inputs_;
    std::unique_ptr<network::Network<Real>> bend_;
    Direction direction_;
    std::vector<Real> unit_;  // d
};

/// The paper's field a = 0.01 + 0.99 sigmoid(network), ours, or a GradientField, as the kind says.
/// `mlp` has the layers; inputs, outputs and heads are set here.
template <class Real>
std::unique_ptr<VectorField<Real>> make_field(FieldKind kind, network::MlpOptions mlp,
                                              std::size_t inputs);

extern template class NetworkField<float>;
extern template class NetworkField<double>;
extern template class DirectionalField<float>;
extern template class DirectionalField<double>;

}  // namespace deepsl::field
