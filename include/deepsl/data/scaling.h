// From the columns of a table to points of the domain: z = pulled_in((x - shift) * factor).
#pragma once

#include <cstdint>
#include <string_view>

#include <torch/torch.h>

namespace deepsl::data {

struct Scaling {
    torch::Tensor shift, factor;  // double  [n]
    bool ball = true;             // else the box
    double spread = 0.25;         // root mean square of the training points about their centre

    /// x [B, n] in the data's units -> points of the domain, double. Points near or beyond the
    /// boundary are pulled in: to a norm of 0.9 in the ball, to [0.02, 0.98] in the box.
    torch::Tensor forward(const torch::Tensor& x) const;

    /// The way back, of points that were not pulled in.
    torch::Tensor inverse(const torch::Tensor& z) const;

    /// How many rows of x are pulled in.
    std::int64_t pulled_in(const torch::Tensor& x) const;
};

/// Ball: z-scores, divided by 1.5 times their largest norm. Box: each column to [0.25, 0.75].
/// Constant columns become constant. Throws OptionError if x is empty or not finite.
Scaling fit_scaling(const torch::Tensor& x, std::string_view domain);

/// For columns whose sizes already say what they are worth, as those of an encoding do. Ball: all
/// are divided by one number, 1.5 times the norm that 99 % of the rows stay below. Box: as above.
/// With `worth` [n], positive, columns are stretched in proportion to it; in the box the one worth
/// most fills [0.25, 0.75].
Scaling fit_uniform_scaling(const torch::Tensor& x, std::string_view domain,
                            const torch::Tensor& worth = {});

/// How much each column of x [rows, n] tells about the target by itself: the share of the target's
/// variance that a regression on the column and its square explains. For classes (labels, int64
/// [rows]) the variance is the sum of those of their indicators; numbers are [rows, 1]. From 0 to
/// 1, for a constant 0; double [n].
torch::Tensor association(const torch::Tensor& x, const torch::Tensor& target);

}  // namespace deepsl::data
