// The samples of a report, and what the plane and the samples share: decisions and lines.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/learner/model_report.h"
#include "deepsl/matrix.h"
#include "deepsl/model/model.h"
#include "deepsl/report/page.h"

namespace deepsl::learner::detail {

/// Points [N, 2] as a curve.
report::Curve curve_of(const Matrix<double>& points);

/// What a classifier decides, by sample.
struct Decisions {
    std::vector<int> winner;         // -1: failed
    std::vector<double> margin;      // the best score less the second best
    std::vector<double> confidence;  // 0 undecided .. 1 certain
};

/// Empty for numbers. `record` tells by which loss the model was trained.
Decisions decisions_of(const model::Prediction& prediction, const TrainedModel& trained);

/// One field's view of points z of the domain, on a finer grid than the model's own.
model::Inspection inspect_finer(const TrainedModel& trained, MatrixView<const double> z, int finer,
                                std::size_t field);

/// The line of row b, in the data's units, from t- to t+ through z[b]; two inputs only.
report::Curve line_curve(const field::Scaling& scaling, const model::Inspection& seen,
                         MatrixView<const double> z, std::size_t b);

/// A few samples of the test data that tell most: well inside, near the boundary, and wrong.
std::vector<report::Sample> chosen_samples(const TrainedModel& trained, const train::Dataset& test,
                                           const model::Prediction& prediction,
                                           const Decisions& decisions, int finer);

}  // namespace deepsl::learner::detail
