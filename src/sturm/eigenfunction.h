// What an eigenfunction keeps: its values at the edges of a mesh, and the problem between them.
#pragma once

#include <memory>
#include <vector>

#include "coefficients.h"

namespace deepsl::sturm {

struct Eigenfunction::Data {
    std::shared_ptr<const Problem> problem;
    std::size_t index = 0;
    double lambda = 0.0;
    double error_estimate = 0.0;
    std::vector<double> edges;
    std::vector<detail::PointState> states;  // at the edges
};

}  // namespace deepsl::sturm
