// How far a row is, along its own lines, from another answer. A field's line through a row is what
// the model has to say about rows like it: walking along it from the row in both directions, the
// whole model is asked anew at every point.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "deepsl/learner/columns.h"
#include "deepsl/learner/inspect.h"
#include "deepsl/learner/trained_model.h"

namespace deepsl::learner {

/// What a column is at the point, over what it is in the row.
struct ColumnChange {
    std::size_t column = 0;  // of columns_of
    double share = 0.0;      // of the squared distance
    /// Of a column of numbers: there, in the table's units; else NaN.
    double number = 0.0;
};

/// Where the answer changes first.
struct Turning {
    std::size_t voter = 0, field = 0;  // of that voter
    double t = 0.0;                    // on that field's line; the row is at 0
    double distance = 0.0;   // along the line; 1 is how far training rows are from their middle
    std::int64_t label = 0;  // the answer beyond
    std::vector<double> z;   // in the coordinates of that voter
    std::vector<ColumnChange> changes;  // the largest first
};

/// The nearest turning of all lines, by its distance; nothing if the answer is the same all along
/// them, for models that predict numbers, for baselines, and for rows that failed.
std::optional<Turning> nearest_turning(const TrainedModel& model, const RowInspection& row);

}  // namespace deepsl::learner
