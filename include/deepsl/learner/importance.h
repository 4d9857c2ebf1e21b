// How much a model relies on each column: what it loses on given rows when the column's cells are
// dealt out to the rows anew, by chance, while all others stay where they are (permutation
// importance: Breiman 2001). A column whose content another one repeats loses little.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "deepsl/data/table.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/train/dataset.h"

namespace deepsl::learner {

struct ImportanceOptions {
    std::size_t repeats = 5;
    std::uint64_t seed = 0;
    std::size_t most_rows = 2000;  // of more, as many are taken evenly
    /// Called after each column; true ends the work, and columns that are missing are left out.
    std::function<bool(std::size_t done, std::size_t all)> progress{};
};

/// Means over the repeats, and the deviation between them.
struct ColumnImportance {
    std::string column;
    double metric = 0.0, metric_deviation = 0.0;  // how much lower accuracy or R² is
    double loss = 0.0, loss_deviation = 0.0;      // how much higher log loss or squared error is
};

struct Importance {
    std::string metric_name;          // "accuracy" or "r2"
    std::string loss_name;            // "log_loss" or "mse"
    double metric = 0.0, loss = 0.0;  // with the rows as they are
    std::size_t rows = 0;
    std::vector<ColumnImportance> columns;  // the largest loss first
};

/// Rows with targets, in the data's units. Throws Error for a model of images, or if the rows do
/// not fit the model.
Importance importance(const TrainedModel& model, const train::Dataset& rows,
                      const ImportanceOptions& options = {});

/// The same of a table that has the target.
Importance importance(const TrainedModel& model, const data::Table& table, bool strict = false,
                      const ImportanceOptions& options = {});

}  // namespace deepsl::learner
