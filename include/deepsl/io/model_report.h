// From a trained model and data to an io::Report: the plane with its regions and lines, a few
// samples followed from their line to their scores, spectra. Whoever trained adds the training.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "deepsl/io/model_file.h"
#include "deepsl/io/report.h"
#include "deepsl/model/predictor.h"
#include "deepsl/train/record.h"

namespace deepsl::io {

/// In the data's own units.
struct ReportData {
    torch::Tensor x;       // [N, inputs]
    torch::Tensor target;  // labels, int64 [N], or numbers [N, 1]
};

struct ReportOptions {
    std::int64_t map_cells = 220;    // of the decision map, each way
    std::int64_t lines = 40;         // field lines in the plane, of all fields together
    std::int64_t test_points = 600;  // drawn; all of them are counted
    int finer = 4;                   // how much finer than the model's own grid curves are drawn
};

/// Points, map, lines, outline, samples and spectra; with one input and numbers as targets the
/// fitted curve instead of the plane. With more than two inputs the plane is left out.
/// `training` may be empty, `test` not.
Report model_report(TrainedModel& trained, const ReportData& training, const ReportData& test,
                    const ReportOptions& options = {});

/// Another model that was trained in the same coordinates, and what it says about the same plane.
Baseline baseline_report(const std::string& name, model::PredictorImpl& other,
                         const TrainedModel& trained, const train::TrainingRecord& record,
                         const Report& report);

/// The epochs as the report draws them.
std::vector<Epoch> history_of(const train::TrainingRecord& record);

}  // namespace deepsl::io
