// Explicit Runge-Kutta methods as tables; the loop that uses them is written once, in trace.
//
//     z_i = z + h sum_j a[i][j] k_j,   k_i = field(z_i),   i = 1..stages
//     z(s) = z + h sum_i b_i(s) k_i,   b_i(s) = dense[i][0] s + dense[i][1] s^2 + ...,  0 <= s <= 1
//
// The last stage lies at the end of the step, so its slope starts the next step (FSAL), and
// the dense output passes through both ends with the field's slope.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace deepsl::field {

struct Method {
    std::string_view name;
    int order = 0;
    std::vector<std::vector<double>> a;      // [stage][earlier stage]; the last row ends the step
    std::vector<std::vector<double>> dense;  // [stage][power]
    std::vector<double> error;               // weights of the local error; empty: steps are fixed

    std::size_t stages() const { return a.size(); }
    std::size_t degree() const { return dense.front().size(); }
    bool adaptive() const { return !error.empty(); }
};

/// The classical method of order 4 with steps of fixed pace; cubic dense output.
const Method& rk4();

/// Dormand and Prince's 5(4), whose steps follow a tolerance; quartic dense output.
const Method& dormand_prince();

std::span<const Method* const> methods();

}  // namespace deepsl::field
