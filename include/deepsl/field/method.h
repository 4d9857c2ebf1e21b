// Explicit Runge-Kutta methods as tables; the step that uses them is written once, in step.h.
//
//     z_i = z + h sum_j a[i][j] k_j,   k_i = field(z_i),   i = 1..stages
//     z(s) = z + h sum_i b_i(s) k_i,   b_i(s) = dense[i][0] s + dense[i][1] s^2 + ...,  0 <= s <= 1
//
// The last stage lies at the end of the step, so its slope starts the next step (FSAL), and
// the dense output passes through both ends with the field's slope.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>
#include <vector>

namespace deepsl::field {

enum class MethodKind { rk4, dormand_prince };
constexpr std::array<std::string_view, 2> names(MethodKind) { return {"rk4", "dormand_prince"}; }

struct Method {
    static constexpr std::size_t max_stages = 8;

    int order = 0;
    std::vector<std::vector<double>> a;      // [stage][earlier stage]; the last row ends the step
    std::vector<std::vector<double>> dense;  // [stage][power]
    std::vector<double> error;               // weights of the local error; empty: steps are fixed

    std::size_t stages() const { return a.size(); }
    std::size_t degree() const { return dense.front().size(); }
    bool adaptive() const { return !error.empty(); }
};

/// Throws Error that says what is wrong with a table: more than max_stages, rows that do not fit.
void check_method(const Method& method);

/// The classical method of order 4 with steps of fixed pace; cubic dense output.
const Method& rk4();

/// Dormand and Prince's 5(4), whose steps follow a tolerance; quartic dense output.
const Method& dormand_prince();

/// One slope for the whole line: exact where the field is constant.
const Method& straight();

const Method& method_of(MethodKind kind);

/// The dense output of a method as a table that is quick to evaluate: made once for many points.
struct DenseTable {
    static constexpr std::size_t max_degree = 6;

    std::size_t stages = 0, degree = 0;
    double power[max_degree][Method::max_stages] = {};    // [j][i] = dense[i][j]
    double control[max_degree][Method::max_stages] = {};  // points that span the curve's hull:
                                                          // z + h sum_i control[j][i] k_i

    explicit DenseTable(const Method& method);
};

/// b_i(s) and b_i'(s) of the dense output.
struct DenseWeights {
    double b[Method::max_stages] = {}, slope[Method::max_stages] = {};

    DenseWeights(const DenseTable& table, double s) {
        for (std::size_t j = table.degree; j-- > 0;) {
            const auto factor = static_cast<double>(j + 1);
            for (std::size_t i = 0; i < Method::max_stages; ++i) {
                slope[i] = slope[i] * s + factor * table.power[j][i];
                b[i] = b[i] * s + table.power[j][i];
            }
        }
        for (auto& weight : b) weight *= s;
    }
    DenseWeights(const Method& method, double s) : DenseWeights(DenseTable(method), s) {}
};

}  // namespace deepsl::field
