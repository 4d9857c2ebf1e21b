#include "deepsl/field/direction.h"

#include <cmath>

#include "deepsl/error.h"

namespace deepsl::field {
namespace {

double length_of(std::span<const double> v) {
    double square = 0.0;
    for (const double c : v) square += c * c;
    return std::sqrt(square);
}

}  // namespace

void Direction::enrol(network::Parameters& parameters, const std::string& name, Random& random) {
    offset_ =
        parameters.add(network::joined(name, "direction"), {unit_.size()}, network::Role::vector);
    std::vector<double> direction(unit_.size());
    for (auto& d : direction) d = normal(random);
    set(direction, parameters.values());
}

void Direction::set(std::span<const double> direction, std::span<double> values) const {
    const double length = length_of(direction);
    if (direction.size() != unit_.size() || !(length > 0.0) || !std::isfinite(length))
        throw argument_error("a direction needs " + std::to_string(unit_.size()) +
                             " finite numbers that are not all zero");
    for (std::size_t i = 0; i < unit_.size(); ++i) values[offset_ + i] = direction[i] / length;
}

std::vector<double> Direction::of(std::span<const double> values) const {
    const auto own = values.subspan(offset_, unit_.size());
    std::vector<double> unit(own.begin(), own.end());
    const double length = length_of(own);
    for (auto& d : unit) d /= length;
    return unit;
}

void Direction::load(std::span<const double> values) {
    unit_ = of(values);
    length_ = length_of(values.subspan(offset_, unit_.size()));
}

template <class Real>
void Direction::pullback(const Real* by_unit, Real* gradient) const {
    // What points along d only changes the length of v, which counts for nothing.
    Real along = 0;
    for (std::size_t i = 0; i < unit_.size(); ++i)
        along += by_unit[i] * static_cast<Real>(unit_[i]);
    for (std::size_t i = 0; i < unit_.size(); ++i)
        gradient[offset_ + i] +=
            (by_unit[i] - along * static_cast<Real>(unit_[i])) / static_cast<Real>(length_);
}

template void Direction::pullback(const float*, float*) const;
template void Direction::pullback(const double*, double*) const;

}  // namespace deepsl::field
