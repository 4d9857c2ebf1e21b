// What a trained model predicts, and how good that is.
//
//     const auto model = learner::load_model("bank.deepsl");
//     const auto table = learner::read_table_for(model, "new.csv");
//     const auto predictions = learner::predict(model, table);
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deepsl/data/encoding.h"
#include "deepsl/data/images.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/matrix.h"
#include "deepsl/train/metrics.h"
#include "deepsl/train/record.h"

namespace deepsl::learner {

/// Reads a table as the model needs it: what was a category in training stays one, even if all
/// cells are numbers, and names or places are those of the training table. Throws Error for a model
/// that was not trained on a table, and what data::read_table throws.
data::Table read_table_for(const TrainedModel& model, const std::string& path,
                           const data::TableOptions& options = {});

/// Reads images as the model needs them: of its size. Throws Error for a model that was not trained
/// on images, and what data::read_images throws.
std::shared_ptr<const data::Images> read_images_for(const TrainedModel& model,
                                                    const std::string& path,
                                                    data::ImageOptions options = {});

/// The inputs of a table's rows, as its encoding gives them. [rows, inputs]
Matrix<double> inputs_of(const TrainedModel& model, const data::Table& table, bool strict = false);

struct Predictions {
    model::Prediction prediction;     // y in the target's units, or scores of classes
    std::vector<std::int64_t> label;  // [B]; none for numbers
    Matrix<double> probability;       // [B, classes]; none for numbers
    std::int64_t failed = 0;          // rows
    train::Failures failures;         // the same, by name
    data::EncodingNotes notes;

    std::size_t size() const { return prediction.size(); }
};

/// Of scores [k], for each class; of one score, whose sign decides, for two.
void class_probabilities(std::span<const double> scores, std::span<double> result);

/// A row that fails has the class 0, the probability NaN and the number NaN. With `strict`, texts
/// and ranges that training did not have are an Error.
Predictions predict(const TrainedModel& model, const data::Table& table, bool strict = false);

/// Images of the model's size.
Predictions predict(const TrainedModel& model, std::shared_ptr<const data::Images> images);

/// x [B, inputs] in the data's units.
Predictions predict(const TrainedModel& model, MatrixView<const double> x);

struct Score {
    std::vector<train::Metric> metrics;
    Matrix<std::int64_t> confusion;  // [classes, classes]; none for numbers
    /// Of classes: the accuracy of always guessing the most frequent one of these rows; else NaN.
    double majority = train::EpochReport::none;
    std::int64_t samples = 0, failed = 0;
    train::Failures failures;
    data::EncodingNotes notes;
};

/// The metrics on a table that has the target.
Score evaluate(const TrainedModel& model, const data::Table& table, bool strict = false);

/// The metrics on images that have labels.
Score evaluate(const TrainedModel& model, std::shared_ptr<const data::Images> images);

/// The metrics on rows [B, inputs] with targets, all in the data's units.
Score evaluate(const TrainedModel& model, const train::Dataset& rows);

}  // namespace deepsl::learner
