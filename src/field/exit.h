// Where a piece of a field line, a polynomial in s = 0..1, leaves a convex domain.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <vector>

#include "deepsl/field/domain.h"

namespace deepsl::field {

/// Finds where the curve sum_j c_j s^j first leaves a domain. Keeps its working memory.
class ExitFinder {
public:
    void prepare(const Domain& domain, std::size_t degree);

    /// Row j holds c_j, to be filled before `first_exit`.
    double* coefficient(std::size_t j) { return coefficients_.data() + j * n_; }

    /// The first s at which the curve is no longer inside, if there is one; NaN if the curve is
    /// not finite.
    std::optional<double> first_exit();

private:
    void to_control_points();
    std::optional<double> search(const std::vector<double>& control, double begin, double end,
                                 std::size_t halvings);
    bool inside_before(const std::vector<double>& control, double share);
    void halve(std::vector<double>& points, std::vector<double>& left) const;
    double root(double low, double high);
    double evaluate(double s, double& slope);

    const Domain* domain_ = nullptr;
    std::size_t n_ = 0, degree_ = 0;
    std::vector<double> coefficients_, control_, point_, velocity_, gradient_, hull_;
    // Both halves of a piece that has been halved so often; allocated when they are first needed.
    static constexpr std::size_t most_halvings = 30;
    std::array<std::vector<double>, most_halvings> left_, right_;
};

}  // namespace deepsl::field
