// The check of a model, as programs offer it: which samples are looked at, what is measured on
// them, and the verdict. Two kinds: what the theory promises, and the size of the paper's mapping H
// against the tolerance with which lines are followed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "deepsl/field/scaling.h"
#include "deepsl/matrix.h"
#include "deepsl/model/model.h"
#include "deepsl/model/theory_check.h"
#include "deepsl/option.h"

namespace deepsl::model {

struct CheckOptions {
    std::int64_t samples = 256;
    std::int64_t seed = 0;
    std::int64_t finer = 8;
};

/// Calls visitor(option, value) for each option.
template <class Options, class Visitor>
void visit_check(Options& o, Visitor&& visitor) {
    visitor(whole_number("samples", 32, 100000, "lines to look at"), o.samples);
    visitor(whole_number("seed", 0, 1000000000000000, "of the samples"), o.seed);
    visitor(whole_number("finer", 1, 64, "how many times finer than the model's own grid"),
            o.finer);
}

/// The model as one that has lines and eigenfunctions; throws Error for a baseline.
const Model& checkable(const Predictor& predictor);

/// Normal around the centre of the domain, as widely spread as the training data; what falls
/// outside is pulled in as data are.  [samples, dimensions]
Matrix<double> check_samples(const field::Domain& domain, double spread,
                             const CheckOptions& options);

/// The same where an encoder gives normal numbers.
Matrix<double> check_encoded_samples(const field::Domain& domain, const CheckOptions& options);

struct Check {
    std::size_t lines = 0;        // samples looked at, along every field
    std::vector<Figure> figures;  // name, title, value, bound, ok() and meaning

    /// Whether all figures are in bounds.
    bool ok() const;
    /// For people: what it means, and what to try.
    std::string_view verdict() const;
};

/// What the theory promises, on samples x [B, inputs] of the domain: drawn, or rows of a table.
Check check(const Model& model, MatrixView<const double> x, const CheckOptions& options = {});

/// The size of H at one tolerance, over all fields and samples that did not fail.
struct MappingRow {
    double tolerance = 0.0;
    std::size_t cells = 0;                       // a side, which go with the tolerance
    double exit_median = 0.0, exit_worst = 0.0;  // |g| at both ends of lines
    double end_median = 0.0, end_worst = 0.0;    // |u_i(t+)| against the largest |u_i|
    std::size_t failed = 0;                      // lines
};

/// The largest tolerance that makes sense; the smallest is `least_tolerance` of the numerics.
inline constexpr double largest_tolerance = 0.1;

/// Throws Error for a tolerance that the model's precision cannot hold, or above the largest.
std::vector<MappingRow> check_mapping(const Model& model, MatrixView<const double> x,
                                      std::span<const double> tolerances);

}  // namespace deepsl::model
