// From a trained model and data to an report::Report: the plane with its regions and lines, a few
// samples followed from their line to their scores, spectra. Whoever trained adds the training.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/data/table.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/report/page.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/record.h"

namespace deepsl::learner {

struct ReportOptions {
    std::size_t map_cells = 220;    // of the decision map, each way
    std::size_t lines = 40;         // field lines in the plane, of all fields together
    std::size_t test_points = 600;  // drawn; all of them are counted
    int finer = 4;                  // how much finer than the model's own grid curves are drawn
    bool importance = false;        // of columns, on the test data, whose targets are real ones
};

/// Points, map, lines, outline, samples and spectra; with one input and numbers as targets the
/// fitted curve instead of the plane. With more than two inputs the plane is left out. Data are in
/// their own units; `training` may be empty, `test` not. Throws Error (argument) for a baseline,
/// which has no lines.
report::Report model_report(const TrainedModel& trained, const train::Dataset& training,
                            const train::Dataset& test, const ReportOptions& options = {});

/// The rows of a table as data for a report: with the target if the table has it, else with what
/// the model predicts.
train::Dataset report_data(const TrainedModel& trained, const data::Table& table,
                           bool strict = false);

/// Another model of the same data, and what it predicts in the same plane.
report::Baseline baseline_report(const std::string& name, const TrainedModel& other,
                                 const train::TrainingRecord& record, const report::Report& report);

/// The epochs as the report draws them.
std::vector<report::Epoch> report_history(const train::TrainingRecord& record);

}  // namespace deepsl::learner
