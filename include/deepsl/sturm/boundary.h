// Separated boundary conditions: alpha1*u + alpha2*(p u') = 0 at one end of the interval.
#pragma once

namespace deepsl::sturm {

struct BoundaryCondition {
    double alpha1 = 1.0;
    double alpha2 = 0.0;

    static constexpr BoundaryCondition dirichlet() { return {1.0, 0.0}; }
    static constexpr BoundaryCondition neumann() { return {0.0, 1.0}; }

    constexpr bool is_dirichlet() const { return alpha2 == 0.0; }
};

}  // namespace deepsl::sturm
