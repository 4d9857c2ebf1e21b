// Eigenvalues by index: Newton's method on the matched Pruefer angle, kept inside a bracket.
#pragma once

#include <cstddef>
#include <functional>
#include <span>

#include "deepsl/sturm/status.h"
#include "kernel.h"

namespace deepsl::sturm::detail {

struct Root {
    std::size_t index = 1;  // from 1
    double lambda = 0.0;    // in: a guess, or NaN; out: the eigenvalue, to rounding
    Status status = Status::ok;
    int passes = 0;  // over the full line
    // The solution from the left at the match edge; and whether it is accurate there, or so
    // sensitive that it has to be traced from both ends.
    std::size_t match = 0;
    double u = 0.0, f = 0.0;
    bool accurate = false;
};

/// Finds the eigenvalues roots[i].index. Solutions from both ends are matched at `wanted`, if that
/// is a good place. Every `lanes` roots in a row have the same match edge. `found`, if given, is
/// told how many are found so far.
void find_roots(const Kernel& kernel, const Line& line, std::size_t wanted, int max_passes,
                std::span<Root> roots, const std::function<void(std::size_t)>& found = nullptr);

/// How many eigenvalues lie below lambda.
std::size_t count_below(const Kernel& kernel, const Line& line, double lambda);

}  // namespace deepsl::sturm::detail
