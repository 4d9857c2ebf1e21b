// The coefficients of Sturm-Liouville problems as functions on the domain: P = 1/p, q and w, from
// three networks (the paper), or from one trunk with three heads.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>

#include "deepsl/model/options.h"
#include "deepsl/network/network.h"

namespace deepsl::model {

/// Arrays of P, q and w, or of derivatives by them  [rows]
template <class Real>
struct CoefficientRows {
    Real *P, *q, *w;
};

/// Any coefficients: derive from it. P and w must be positive and, like q, bounded.
template <class Real>
class Coefficients {
public:
    virtual ~Coefficients() = default;
    virtual void enrol(network::Parameters& parameters, const std::string& name,
                       Random& random) = 0;
    virtual void load(std::span<const double> values) = 0;
    /// At z [rows, n].
    virtual void forward(const Real* z, std::size_t rows, CoefficientRows<Real> out,
                         network::Tape* tape) const = 0;
    virtual void pullback(const Real* z, std::size_t rows, CoefficientRows<const Real> seeds,
                          network::Tape& tape, Real* dz, Real* gradient) const = 0;
    virtual std::size_t flops_per_row() const { return 0; }
};

/// As the options say, with heads that keep every problem regular. `inputs` may have a time beside
/// the coordinates of the sample.
template <class Real>
std::unique_ptr<Coefficients<Real>> make_coefficients(std::size_t inputs,
                                                      const ModelOptions& options, double centre);

/// With a network of your own for each of P, q and w, whose outputs are bounded as they must be.
template <class Real>
std::unique_ptr<Coefficients<Real>> make_coefficients(std::unique_ptr<network::Network<Real>> P,
                                                      std::unique_ptr<network::Network<Real>> q,
                                                      std::unique_ptr<network::Network<Real>> w);

}  // namespace deepsl::model
