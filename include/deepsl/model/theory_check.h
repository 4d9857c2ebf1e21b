// What the theory promises, measured on a model: on each line of each sample
//
//     u_i(t-) = u_i(t+) = 0,  u_i has i - 1 zeros inside,  lambda_1 < lambda_2 < ..,
//     integral of w u_i u_j = 0 for i != j,  and the spectrum belongs to the line, not to x
//
// and how far answers are from those of a finer grid; in two dimensions also what holds over the
// whole domain: orthogonality, and the rank-1 equation. Nothing here is trained or changed.
#pragma once

#include <string_view>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/model.h"

namespace deepsl::model {

/// What the theory says of a figure.
enum class Promise { at_most, above, nothing };

/// One figure: the worst value seen, and what it may be.
struct Figure {
    std::string_view name;   // for programs: "zeros"
    std::string_view title;  // for people: "wrong numbers of zeros"
    double value = 0.0;
    double bound = 0.0;
    Promise promise = Promise::at_most;
    std::string_view meaning;

    /// NaN is never in bounds, where there are any.
    bool ok() const {
        switch (promise) {
            case Promise::at_most: return value <= bound;
            case Promise::above: return value > bound;
            case Promise::nothing: return true;
        }
        return false;
    }
};

/// x [B, inputs], inside the domain. Functions along lines are looked at on a grid `finer` times
/// as fine as the model's own, and over a domain of two dimensions on one twice as fine. If no line
/// at all succeeds, that is the only figure. Throws Error if there are no samples, of another
/// width, or finer < 1.
std::vector<Figure> check_theory(const Model& model, MatrixView<const double> x, int finer = 8);

}  // namespace deepsl::model
