// Networks one behind the other are a network.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "deepsl/network/network.h"

namespace deepsl::network {

template <class Real>
class Chain final : public Network<Real> {
public:
    struct Link {
        std::string name;  // its tensors are "chain.name.tensor"
        std::unique_ptr<Network<Real>> network;
    };

    /// Throws Error if there is none, or one does not take what the one before it gives.
    explicit Chain(std::vector<Link> links);

    std::size_t inputs() const override { return links_.front().network->inputs(); }
    std::size_t outputs() const override { return links_.back().network->outputs(); }
    void enrol(Parameters& parameters, const std::string& name, Random& random) override;
    void load(std::span<const double> values) override;
    void forward(const Real* x, std::size_t rows, Real* y, Tape* tape) const override;
    void pullback(const Real* x, std::size_t rows, const Real* dy, Tape& tape, Real* dx,
                  Real* gradient) const override;
    std::size_t flops_per_row() const override;

private:
    std::vector<Link> links_;
};

extern template class Chain<float>;
extern template class Chain<double>;

}  // namespace deepsl::network
