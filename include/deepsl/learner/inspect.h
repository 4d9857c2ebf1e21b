// One row through a trained model, from its line to its prediction, in the target's units.
//
//     prediction = constant + sum over fields and basis functions of contributions
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "deepsl/data/images.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/trained_model.h"
#include "deepsl/matrix.h"
#include "deepsl/model/model.h"

namespace deepsl::learner {

/// What a single predictor makes of the row.
struct VoterInspection {
    Matrix<double> z;  // in its domain  [1, inputs]
    /// Of each field; none for a baseline. Contributions are in the target's units; scores of
    /// classes have none.
    std::vector<model::Inspection> fields;
    std::vector<double> constant;  // in the same units  [output]

    /// All fields' contributions to an output.
    double contributions(std::size_t output) const;
};

/// The first voter's, which is mostly the only one, and those of the others.
struct RowInspection : VoterInspection {
    Predictions predictions;  // of this row alone, by all voters
    std::vector<VoterInspection> others;

    const VoterInspection& voter(std::size_t v) const { return v == 0 ? *this : others[v - 1]; }
};

/// x [1, inputs] in the data's units.
RowInspection inspect_row(const TrainedModel& model, MatrixView<const double> x);

/// A row of a table, from 0. Throws Error (data) if there is no such row.
RowInspection inspect_row(const TrainedModel& model, const data::Table& table, std::size_t row,
                          bool strict = false);

/// An image, from 0. Throws Error (data) if there is no such image.
RowInspection inspect_image(const TrainedModel& model, const data::Images& images,
                            std::size_t image);

/// The names of the inputs that relevance has stretched most, the first most of all; none if all
/// are stretched alike, or if the domain gives every column a factor of its own, as the box does.
std::vector<std::string> stretched_inputs(const TrainedModel& model, std::size_t most);

}  // namespace deepsl::learner
