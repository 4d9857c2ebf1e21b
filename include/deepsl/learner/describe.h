// What there is to say about a task, its data and its result, in sentences for people. The program
// decides where to print them.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "deepsl/data/encoding.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/task.h"
#include "deepsl/learner/turning.h"

namespace deepsl::learner {

/// "at most 60 epochs, the best one chosen by 20 % of the rows, held out; stops after 20 epochs
/// without improvement".
std::string stopping_description(const Task& task, std::size_t validation_rows);

/// "'dsl' behind an encoder of 64 numbers: convolutions 32-32-64-64".
std::string image_description(const Task& task);

/// What may be a mistake: classes without images, values that the scale of pixels does not expect.
std::vector<std::string> image_warnings(const data::Images& images, const Task& task);

/// "accuracy 91.2 % on 200 validation rows, epoch 31 of 51 (always guessing the most frequent
/// class: 53.0 %)".
std::string result_description(const Learned& learned);

/// A sentence if every line failed, so that the model is as it was made; nothing otherwise.
std::optional<std::string> why_nothing_was_learned(const Learned& learned);

/// Why the result should not be trusted: training diverges. One sentence each; may be empty.
std::vector<std::string> result_warnings(const Learned& learned);

/// "The nearest other answer along its lines is 'no', at t = 0.12 of field 1, 0.31 away (1 is how
/// far rows usually are from their middle). Most changes age (from 41 to 52)."  x [1, inputs]
std::string turning_description(const TrainedModel& model, const std::optional<Turning>& turning,
                                MatrixView<const double> x);

/// What is probably not as it was meant: columns that are texts because of a few cells, or because
/// of decimal commas. One sentence each.
std::vector<std::string> table_warnings(const data::Table& table, const data::Encoding& encoding);

/// "missing cells, filled in: age (12)", and so on: one line each for holes, unseen texts, numbers
/// out of range and columns that are not used; may be empty.
std::vector<std::string> notes_lines(const data::EncodingNotes& notes);

}  // namespace deepsl::learner
