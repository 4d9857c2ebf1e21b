// The samples of a report, and what the plane and the samples share: verdicts and lines.
#pragma once

#include <cstdint>
#include <vector>

#include <torch/torch.h>

#include "deepsl/io/model_report.h"
#include "deepsl/model/model.h"

namespace deepsl::io::detail {

/// A tensor of any type and one dimension as numbers.
std::vector<double> numbers(const torch::Tensor& values);

/// Points [N, 2] as a curve.
Curve curve_of(const torch::Tensor& points);

/// What a classifier decides, by sample.
struct Verdict {
    std::vector<int> winner;         // -1: failed
    std::vector<double> margin;      // the best score less the second best
    std::vector<double> confidence;  // 0 undecided .. 1 certain
};

/// Empty for a regression.
Verdict verdict_of(const model::Prediction& prediction, const TrainedModel& trained);

/// One field's view of points z of the domain, on a finer grid than the model's own.
model::Inspection inspect_finer(TrainedModel& trained, const torch::Tensor& z, int finer,
                                std::int64_t field);

/// The line of row b, in the data's units, from t- to t+ through z[b]; two inputs only.
Curve line_curve(const data::Scaling& scaling, const model::Inspection& seen,
                 const torch::Tensor& z, std::int64_t b);

/// A few samples of the test data that tell most: well inside, near the boundary, and wrong.
std::vector<Sample> chosen_samples(TrainedModel& trained, const ReportData& test,
                                   const model::Prediction& prediction, const Verdict& verdict,
                                   int finer);

}  // namespace deepsl::io::detail
