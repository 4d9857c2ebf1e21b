// From the columns of a table to points of a domain: z = pulled_in((x - shift) factor).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deepsl/field/domain.h"
#include "deepsl/matrix.h"

namespace deepsl::field {

struct Scaling {
    DomainPointer domain;  // null: nothing is pulled in, as in front of an encoder
    Placement placement;
    double spread = 0.25;  // root mean square of the training points about their centre

    /// x [B, n] in the data's units -> points of the domain. Points near or beyond the boundary
    /// are pulled in.
    Matrix<double> forward(MatrixView<const double> x) const;

    /// The same of one row, in place.
    void apply(std::span<double> x) const;

    /// The same without pulling anything in.
    Matrix<double> unlimited(MatrixView<const double> x) const;

    /// The way back, of points that were not pulled in.
    Matrix<double> inverse(MatrixView<const double> z) const;

    /// How many rows of x are pulled in.
    std::size_t pulled_in(MatrixView<const double> x) const;
};

/// Every column brought to the same size, then all into the domain. Constant columns become
/// constant. With `relevance` [n], positive, columns are stretched in proportion to it. Throws
/// Error if x is empty or not finite.
Scaling fit_scaling(MatrixView<const double> x, DomainPointer domain,
                    std::span<const double> relevance = {});

/// The same for columns whose sizes already say what they are worth, as those of an encoding do.
Scaling fit_uniform_scaling(MatrixView<const double> x, DomainPointer domain,
                            std::span<const double> relevance = {});

/// How much each column of x [rows, n] tells about the target by itself: the share of the target's
/// variance that a regression on the column and its square explains. For classes the variance is
/// the sum of those of their indicators; numbers are [rows, k]. From 0 to 1, for a constant 0.  [n]
std::vector<double> association(MatrixView<const double> x, std::span<const std::int64_t> labels);
std::vector<double> association(MatrixView<const double> x, MatrixView<const double> numbers);

}  // namespace deepsl::field
