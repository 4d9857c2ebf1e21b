// A network is anything with a forward and a pullback: rows in, rows out, what it must remember on
// the tape; gradients by its inputs and its parameters. Fields, coefficients and baselines know
// nothing else about networks.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "deepsl/network/parameters.h"
#include "deepsl/network/tape.h"
#include "deepsl/random.h"

namespace deepsl::network {

template <class Real>
class Network {
public:
    virtual ~Network() = default;

    virtual std::size_t inputs() const = 0;
    virtual std::size_t outputs() const = 0;

    /// Adds its tensors to a model's, "name.tensor", with their first values. Called once.
    virtual void enrol(Parameters&, const std::string& /*name*/, Random&) {}

    /// Takes over the values of the model's flat vector, after they have changed.
    virtual void load(std::span<const double> /*values*/) {}

    /// x [rows, inputs] -> y [rows, outputs]. Row by row: a row has the same bits alone and in any
    /// batch. Without a tape nothing is remembered.
    virtual void forward(const Real* x, std::size_t rows, Real* y, Tape* tape) const = 0;

    /// With the x and the tape of that forward, from dy [rows, outputs]: dx [rows, inputs], or null
    /// if it is not wanted; what the parameters get is added to the model's flat gradient.
    virtual void pullback(const Real* x, std::size_t rows, const Real* dy, Tape& tape, Real* dx,
                          Real* gradient) const = 0;

    /// Multiplications and additions of one row, forward, for figures of speed.
    virtual std::size_t flops_per_row() const { return 0; }
};

}  // namespace deepsl::network
