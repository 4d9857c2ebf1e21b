// The functions of a problem, checked at every point where they are asked for their values.
#pragma once

#include <cstddef>

#include "deepsl/sturm/solver.h"
#include "discretise.h"

namespace deepsl::sturm::detail {

/// P = 1/p, q and w at one point.
struct Values {
    double P, q, w;
};

/// A cell as sampled: the values at its two Gauss nodes, and the two pieces they make.
struct SampledCell {
    Values node[2];
    CellPieces pieces;
};

class Coefficients {
public:
    explicit Coefficients(const Problem& problem) : problem_(problem) {}

    /// Throws Error where p or w is not positive, or anything is not finite.
    Values at(double t);

    /// The cell [left, right], which may also be walked backwards (right < left).
    SampledCell cell(double left, double right);

    /// Points asked for so far.
    std::size_t evaluations() const { return evaluations_; }

private:
    const Problem& problem_;
    std::size_t evaluations_ = 0;
};

struct PointState {
    double u, f;
};

/// Carries a solution over one piece, or one cell, in plain double: for single points.
PointState advance(const Piece& piece, double lambda, PointState y);
PointState advance(const CellPieces& cell, double lambda, PointState y);

/// The same from a cell's right end to its left end.
PointState retreat(const CellPieces& cell, double lambda, PointState y);

}  // namespace deepsl::sturm::detail
