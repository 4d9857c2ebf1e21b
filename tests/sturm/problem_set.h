// Named problems with known spectra.
#pragma once

#include <string>
#include <vector>

#include "deepsl/sturm/solver.h"

namespace deepsl::sturm::testing {

struct NamedProblem {
    std::string name;
    Problem problem;
    std::string source;          // where the eigenvalues come from
    std::vector<double> lambda;  // the first ten
};

const std::vector<NamedProblem>& problem_set();

}  // namespace deepsl::sturm::testing
