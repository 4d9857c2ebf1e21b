#include "deepsl/learner/apply.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>
#include <utility>

#include <fmt/format.h>

#include "deepsl/data/target.h"
#include "deepsl/error.h"
#include "deepsl/learner/image_rows.h"
#include "deepsl/text.h"
#include "deepsl/train/evaluation.h"
#include "learner/vote.h"

namespace deepsl::learner {
namespace {

const data::Encoding& encoding_of(const TrainedModel& model) {
    if (!model.encoding)
        throw data_error(
            "the model was not trained on a table, and cannot read one; make one with "
            "'deepsl train'");
    return *model.encoding;
}

Matrix<double> matrix_of(data::Encoded& encoded) {
    return {encoded.rows, encoded.inputs, std::move(encoded.x)};
}

Score score_of(const TrainedModel& model, const model::Prediction& prediction,
               const train::Targets& targets) {
    Score score;
    score.samples = static_cast<std::int64_t>(prediction.size());
    score.failed = train::count_failures(prediction.outcomes, score.failures);
    score.metrics = train::metrics(prediction.y, targets, prediction.outcomes);
    if (model.predicts_classes()) {
        score.confusion = train::confusion(prediction.y, targets.labels, prediction.outcomes);
        score.majority = train::majority_share(targets.labels);
    }
    return score;
}

/// Labels, probabilities and failures of what a model has predicted.
Predictions finished(const TrainedModel& model, model::Prediction prediction) {
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    Predictions result;
    result.prediction = std::move(prediction);
    auto& y = result.prediction.y;
    auto& outcomes = result.prediction.outcomes;
    result.failed = train::count_failures(outcomes, result.failures);
    if (!model.predicts_classes()) {
        for (std::size_t b = 0; b < outcomes.size(); ++b)
            if (!outcomes[b].ok()) std::fill(y.row(b).begin(), y.row(b).end(), nan);
        return result;
    }
    result.label.assign(outcomes.size(), 0);
    result.probability = Matrix<double>(outcomes.size(), model.classes.size(), nan);
    for (std::size_t b = 0; b < outcomes.size(); ++b) {
        if (!outcomes[b].ok()) continue;
        result.label[b] = train::guess(y.row(b));
        class_probabilities(y.row(b), result.probability.row(b));
    }
    return result;
}

/// Images of the model's size.
train::Dataset rows_for(const TrainedModel& model, std::shared_ptr<const data::Images> images) {
    const auto shape = model.image();
    if (!shape || *shape != images->shape)
        throw data_error(
            fmt::format("{} has images of {}, but the model takes {}", in_quotes(images->path),
                        data::shown_shape(images->shape),
                        shape ? "images of " + data::shown_shape(*shape) : "rows of a table"));
    return dataset_of(std::move(images));
}

/// All voters, on rows that are made when they are read.
model::Prediction predict_rows(const TrainedModel& model, train::Dataset& rows) {
    std::vector<model::Prediction> votes;
    for (std::size_t v = 0; v < model.voters(); ++v) {
        rows.scaling = model.voter(v).scaling;
        votes.push_back(train::predict(*model.voter(v).predictor, rows));
    }
    return vote(std::move(votes), model.weights(), model.predicts_classes());
}

}  // namespace

void class_probabilities(std::span<const double> scores, std::span<double> result) {
    if (scores.size() == 1) {
        result[1] = 1.0 / (1.0 + std::exp(-scores[0]));
        result[0] = 1.0 / (1.0 + std::exp(scores[0]));
        return;
    }
    const double most = *std::max_element(scores.begin(), scores.end());
    double sum = 0.0;
    for (std::size_t k = 0; k < scores.size(); ++k) sum += result[k] = std::exp(scores[k] - most);
    for (double& value : result) value /= sum;
}

data::Table read_table_for(const TrainedModel& model, const std::string& path,
                           const data::TableOptions& options) {
    const auto& encoding = encoding_of(model);
    auto own = options;
    own.expected = encoding.expected_names();
    auto table = data::read_table(path, own);
    const bool numbers = std::any_of(table.columns.begin(), table.columns.end(),
                                     [](const data::Column& column) { return column.numeric; });
    // Training had no header: a line of texts over texts is a row here, too.
    if (own.expected.empty() && table.header && table.header_found && !numbers) {
        own.header = false;
        return data::read_table(path, own);
    }
    own.texts.clear();
    for (const auto& column : encoding.columns()) {
        const auto* found = table.find(column.name);
        if (column.role == data::Role::category && found != nullptr && found->numeric)
            own.texts.push_back(column.name);
    }
    // As numbers, 01 and 1 are the same.
    return own.texts.empty() ? table : data::read_table(path, own);
}

Matrix<double> inputs_of(const TrainedModel& model, const data::Table& table, bool strict) {
    auto encoded = encoding_of(model).apply(table, strict);
    return matrix_of(encoded);
}

std::shared_ptr<const data::Images> read_images_for(const TrainedModel& model,
                                                    const std::string& path,
                                                    data::ImageOptions options) {
    options.shape = model.image();
    if (!options.shape)
        throw data_error("the model was not trained on images, and cannot read them");
    return std::make_shared<const data::Images>(data::read_images(path, options));
}

Predictions predict(const TrainedModel& model, std::shared_ptr<const data::Images> images) {
    auto rows = rows_for(model, std::move(images));
    return finished(model, predict_rows(model, rows));
}

Predictions predict(const TrainedModel& model, MatrixView<const double> x) {
    return finished(model, model.predict(x));
}

Predictions predict(const TrainedModel& model, const data::Table& table, bool strict) {
    auto encoded = encoding_of(model).apply(table, strict);
    auto notes = std::move(encoded.notes);
    auto result = predict(model, matrix_of(encoded));
    result.notes = std::move(notes);
    return result;
}

Score evaluate(const TrainedModel& model, const data::Table& table, bool strict) {
    const auto& encoding = encoding_of(model);
    const auto target = data::read_measured_target(table, encoding.target_in(table), model.classes);
    auto encoded = encoding.apply(table, strict);
    auto notes = std::move(encoded.notes);
    const auto prediction = model.predict(matrix_of(encoded));
    auto score = score_of(
        model, prediction,
        {target.labels, MatrixView<const double>(target.numbers.data(), target.numbers.size(), 1)});
    score.notes = std::move(notes);
    return score;
}

Score evaluate(const TrainedModel& model, std::shared_ptr<const data::Images> images) {
    auto rows = rows_for(model, labelled(std::move(images), model.classes));
    return score_of(model, predict_rows(model, rows), rows.targets());
}

Score evaluate(const TrainedModel& model, const train::Dataset& rows) {
    if (rows.has_labels() != model.predicts_classes())
        throw argument_error(model.predicts_classes()
                                 ? "the model predicts classes, but the data have numbers"
                                 : "the model predicts numbers, but the data have classes");
    train::check_dataset(*model.predictor, rows, "the data");
    return score_of(model, model.predict(rows.x), rows.targets());
}

}  // namespace deepsl::learner
