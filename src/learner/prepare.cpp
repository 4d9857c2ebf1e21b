#include "deepsl/learner/prepare.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "deepsl/data/target.h"
#include "deepsl/error.h"
#include "deepsl/learner/image_rows.h"
#include "deepsl/text.h"

namespace deepsl::learner {
namespace {

/// Mean and deviation of the numbers to be learned. `column` says whose numbers these are.
void measure_target(const train::Dataset& rows, TrainedModel& model, const std::string& column) {
    const auto& values = rows.numbers.values();
    const auto count = static_cast<double>(values.size());
    double mean = 0.0, squares = 0.0, largest = 0.0;
    for (const double value : values) mean += value / count;
    for (const double value : values) {
        squares += (value - mean) * (value - mean);
        largest = std::max(largest, std::fabs(value));
    }
    const double deviation = std::sqrt(squares / count);
    if (!std::isfinite(mean) || !std::isfinite(deviation))
        throw data_error(fmt::format(
            "{}: the target's numbers are as large as {:.3g}, too large to be squared; divide the "
            "column by something, or correct it",
            column, largest));
    model.target_mean = mean;
    model.target_scale = deviation > 0.0 ? deviation : 1.0;
}

void to_model_units(const TrainedModel& model, train::Dataset& rows) {
    for (double& value : rows.numbers.values())
        value = (value - model.target_mean) / model.target_scale;
}

/// The rows of a table with their target, in the data's units. The memory is taken over.
train::Dataset dataset_of(data::Encoded& encoded, data::Target& target) {
    train::Dataset rows;
    rows.x = Matrix<double>(encoded.rows, encoded.inputs, std::move(encoded.x));
    if (target.classes.empty()) {
        rows.numbers = Matrix<double>(encoded.rows, 1, std::move(target.numbers));
    } else {
        rows.labels = std::move(target.labels);
    }
    return rows;
}

std::string file_name(const std::string& path) { return path.substr(path.rfind('/') + 1); }

void check_samples(const Samples& samples, std::string_view what) {
    const auto& rows = samples.rows;
    const auto refuse = [&](const std::string& problem) {
        throw argument_error(fmt::format("{}: {}", what, problem));
    };
    if (rows.targets().size() != rows.size())
        refuse(fmt::format("{} rows need as many targets, but have {}", rows.size(),
                           rows.targets().size()));
    if (!rows.has_labels() && rows.numbers.columns() != 1)
        refuse(fmt::format("one number is learned from each row, but {} are given",
                           rows.numbers.columns()));
    if (!rows.has_labels() &&
        !std::all_of(rows.numbers.values().begin(), rows.numbers.values().end(),
                     [](double value) { return std::isfinite(value); }))
        refuse("a number to be learned is not finite; remove its row");
    const auto classes = static_cast<std::int64_t>(samples.classes.size());
    for (const auto label : rows.labels)
        if (label < 0 || label >= classes)
            refuse(fmt::format("there is a label {}, but there are {} classes", label, classes));
    if (!samples.features.empty() && samples.features.size() != rows.x.columns())
        refuse(fmt::format("{} names for {} inputs", samples.features.size(), rows.x.columns()));
}

/// Classes are called by their numbers, where nobody has named them.
std::vector<std::string> class_names(const train::Dataset& rows) {
    std::int64_t most = -1;
    for (const auto label : rows.labels) most = std::max(most, label);
    std::vector<std::string> names;
    for (std::int64_t k = 0; k <= std::min<std::int64_t>(most, 1'000'000); ++k)
        names.push_back(std::to_string(k));
    return names;
}

}  // namespace

Prepared prepare(const data::Table& training, const data::Table& validation, const Task& task) {
    check_task(task);
    if (training.columns.empty())
        throw data_error(fmt::format("{} has no columns", in_quotes(training.path)));
    const auto column = task.target.empty() ? training.columns.back().name : task.target;
    auto target = data::read_target(training, column, task.target_kind);
    Prepared prepared;
    auto& model = prepared.model;
    model.encoding = data::Encoding::fit(training, column, task.encoding());
    model.features = model.encoding->input_names();
    model.classes = target.classes;
    model.record["target"] = column;
    model.record["data"] = file_name(training.path);
    auto encoded = model.encoding->apply(training);
    prepared.notes = std::move(encoded.notes);
    prepared.training = dataset_of(encoded, target);
    if (validation.rows() > 0) {
        auto known = data::read_measured_target(validation, model.encoding->target_in(validation),
                                                model.classes);
        auto rows = model.encoding->apply(validation);
        prepared.validation = dataset_of(rows, known);
    }
    if (!model.predicts_classes()) {
        measure_target(
            prepared.training, model,
            fmt::format("{}, column {}", in_quotes(training.path), in_quotes(column, 60)));
        to_model_units(model, prepared.training);
        to_model_units(model, prepared.validation);
    }
    return prepared;
}

Prepared prepare(std::shared_ptr<const data::Images> training,
                 std::shared_ptr<const data::Images> validation, const Task& task) {
    check_task(task);
    Prepared prepared;
    auto& model = prepared.model;
    model.classes = training->classes;
    model.record["target"] = "class";
    model.record["data"] = file_name(training->path);
    if (validation != nullptr) {
        if (validation->shape != training->shape)
            throw data_error(
                fmt::format("{} has images of {}, but {} of {}", in_quotes(validation->path),
                            data::shown_shape(validation->shape), in_quotes(training->path),
                            data::shown_shape(training->shape)));
        prepared.validation = dataset_of(labelled(std::move(validation), model.classes));
    }
    const Variation variation{task.flip, static_cast<std::size_t>(task.crop),
                              static_cast<std::uint64_t>(task.train.seed)};
    prepared.training = dataset_of(std::move(training), variation);
    return prepared;
}

Prepared prepare(Samples training, Samples validation, const Task& task) {
    check_task(task);
    if (training.classes.empty() && training.rows.has_labels())
        training.classes = class_names(training.rows);
    check_samples(training, "the training data");
    validation.classes = training.classes;
    if (validation.size() > 0) check_samples(validation, "the validation data");
    Prepared prepared;
    auto& model = prepared.model;
    model.features = std::move(training.features);
    model.classes = std::move(training.classes);
    prepared.training = std::move(training.rows);
    prepared.validation = std::move(validation.rows);
    if (!model.predicts_classes()) {
        measure_target(prepared.training, model, "the training data");
        to_model_units(model, prepared.training);
        to_model_units(model, prepared.validation);
    }
    return prepared;
}

}  // namespace deepsl::learner
