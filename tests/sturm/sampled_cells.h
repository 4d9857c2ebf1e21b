// Problems on even cells, from functions.
#pragma once

#include "random_cells.h"

namespace deepsl::sturm::testing {

template <typename P, typename Q, typename W>
OwnedCells sample(P p_inverse, Q q, W w, double a, double b, std::size_t cells, Scheme scheme) {
    OwnedCells c{1, cells, scheme, {}, {}, {}, {}, {}, {}};
    const double h = (b - a) / static_cast<double>(cells);
    for (std::size_t k = 0; k < cells; ++k) {
        c.length.push_back(h);
        for (double node : nodes(scheme)) {
            const double t = a + h * (static_cast<double>(k) + node);
            c.P.push_back(p_inverse(t));
            c.q.push_back(q(t));
            c.w.push_back(w(t));
        }
    }
    return c;
}

inline OwnedCells constant(double P, double q, double w, double length, std::size_t cells,
                           Scheme scheme) {
    const auto value = [](double x) { return [x](double) { return x; }; };
    return sample(value(P), value(q), value(w), 0.0, length, cells, scheme);
}

}  // namespace deepsl::sturm::testing
