// What the theory promises, measured on a model: on each line of each sample
//
//     u_i(t-) = u_i(t+) = 0,  u_i has i - 1 zeros inside,  lambda_1 < lambda_2 < ..,
//     integral of w u_i u_j = 0 for i != j,  and the spectrum belongs to the line, not to x
//
// and how far answers are from those of a finer grid. Nothing here is trained or changed.
#pragma once

#include <string_view>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/model.h"

namespace deepsl::model {

/// One promise: the worst value seen, and what it may be.
struct Figure {
    std::string_view name;   // for programs: "zeros"
    std::string_view title;  // for people: "wrong numbers of zeros"
    double value = 0.0;
    double bound = 0.0;
    bool at_least = false;  // the value must be above the bound instead of at most the bound
    std::string_view meaning;

    /// NaN is never in bounds.
    bool ok() const { return at_least ? value > bound : value <= bound; }
};

/// x [B, inputs], inside the domain. Functions along lines are looked at on a grid `finer` times
/// as fine as the model's own. If no line at all succeeds, that is the only figure. Throws Error
/// if there are no samples, of another width, or finer < 1.
std::vector<Figure> check_theory(const Model& model, MatrixView<const double> x, int finer = 8);

}  // namespace deepsl::model
