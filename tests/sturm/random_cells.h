// Random problems on cells, of every kind that has ever made a solver stumble.
#pragma once

#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "deepsl/sturm/cells.h"

namespace deepsl::sturm::testing {

enum class Kind { smooth, kinked, jumping, strong, deep, constant };
inline constexpr Kind all_kinds[] = {Kind::smooth, Kind::kinked, Kind::jumping,
                                     Kind::strong, Kind::deep,   Kind::constant};

/// The arrays that a CellProblems looks at.
struct OwnedCells {
    std::size_t problems = 0, cells = 0;
    Scheme scheme = Scheme::magnus4;
    std::vector<double> P, q, w, length;
    BoundaryCondition left, right;

    CellProblems view() const { return {problems, cells, scheme, P, q, w, length, left, right}; }
    /// One problem of the batch, by itself.
    OwnedCells only(std::size_t b) const {
        const std::size_t per = cells * nodes_per_cell(scheme);
        const auto cut = [](const std::vector<double>& x, std::size_t from, std::size_t size) {
            const auto begin = x.begin() + static_cast<std::ptrdiff_t>(from);
            return std::vector<double>(begin, begin + static_cast<std::ptrdiff_t>(size));
        };
        return {1,
                cells,
                scheme,
                cut(P, b * per, per),
                cut(q, b * per, per),
                cut(w, b * per, per),
                cut(length, b * cells, cells),
                left,
                right};
    }
};

/// A random function on [0, 1] with values of order one.
class RandomFunction {
public:
    RandomFunction(Kind kind, std::mt19937_64& random) : kind_(kind) {
        std::normal_distribution<double> normal;
        std::uniform_real_distribution<double> uniform;
        for (double& x : wave_) x = normal(random);
        for (double& x : knot_) x = uniform(random);
        for (double& x : height_) x = normal(random);
    }

    double operator()(double t) const {
        if (kind_ == Kind::constant) return height_[0];
        double sum = 0.0;
        for (int k = 0; k < 3; ++k)
            sum += wave_[2 * k] * std::sin((2 * k + 2) * t + wave_[2 * k + 1]);
        for (int k = 0; k < 3; ++k) {
            if (kind_ == Kind::kinked) sum += 3.0 * height_[k] * std::fabs(t - knot_[k]);
            if (kind_ == Kind::jumping && t > knot_[k]) sum += 1.5 * height_[k];
        }
        return sum;
    }

private:
    Kind kind_;
    double wave_[6], knot_[3], height_[3];
};

inline OwnedCells random_cells(Kind kind, std::size_t problems, std::size_t cells, Scheme scheme,
                               std::mt19937_64& random) {
    OwnedCells c{problems, cells, scheme, {}, {}, {}, {}, {}, {}};
    std::uniform_real_distribution<double> uniform(0.5, 1.5);
    const double size_q = kind == Kind::deep ? 2000.0 : kind == Kind::strong ? 100.0 : 10.0;
    const double spread = kind == Kind::strong ? 3.0 : 1.0;
    for (std::size_t b = 0; b < problems; ++b) {
        const RandomFunction P(kind, random), q(kind, random), w(kind, random);
        std::vector<double> h(cells);
        double sum = 0.0;
        for (double& x : h) sum += x = uniform(random);
        double t = 0.0;
        for (std::size_t k = 0; k < cells; ++k) {
            h[k] /= sum;
            for (double node : nodes(scheme)) {
                const double at = t + node * h[k];
                c.P.push_back(std::exp(spread * std::tanh(P(at))));
                c.q.push_back(size_q * std::tanh(q(at)));
                c.w.push_back(std::exp(spread * std::tanh(w(at))));
            }
            c.length.push_back(h[k]);
            t += h[k];
        }
    }
    return c;
}

/// Dirichlet, Neumann, and Robin of either sign.
inline const std::vector<BoundaryCondition>& all_conditions() {
    static const std::vector<BoundaryCondition> conditions{
        BoundaryCondition::dirichlet(), BoundaryCondition::neumann(), {2.0, 1.0}, {-1.5, 1.0}};
    return conditions;
}

}  // namespace deepsl::sturm::testing
