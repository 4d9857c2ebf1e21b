// A learnable direction d of length 1, kept as any vector v [n] but 0 of the flat vector:
//
//     d = v / |v|
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "deepsl/network/parameters.h"
#include "deepsl/random.h"

namespace deepsl::field {

class Direction {
public:
    explicit Direction(std::size_t inputs) : unit_(inputs) {}

    /// Adds "name.direction" [n], a random one.
    void enrol(network::Parameters& parameters, const std::string& name, Random& random);

    /// Makes it this one [n]; throws Error if it is of another width, zero or not finite.
    void set(std::span<const double> direction, std::span<double> values) const;

    void load(std::span<const double> values);

    /// d, as loaded.
    std::span<const double> unit() const { return unit_; }

    /// d, in the model's values.
    std::vector<double> of(std::span<const double> values) const;

    /// From the derivatives by d [n]: those by v are added to the model's flat gradient.
    template <class Real>
    void pullback(const Real* by_unit, Real* gradient) const;

private:
    std::size_t offset_ = 0;  // of v in the flat vector
    std::vector<double> unit_;
    double length_ = 1.0;  // |v|
};

extern template void Direction::pullback(const float*, float*) const;
extern template void Direction::pullback(const double*, double*) const;

}  // namespace deepsl::field
