#include "deepsl/table/learner.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>
#include <random>
#include <system_error>
#include <utility>

#include <fmt/format.h>

#include "deepsl/io/file.h"
#include "deepsl/model/kinds.h"
#include "deepsl/text.h"
#include "deepsl/train/evaluation.h"
#include "deepsl/train/folds.h"
#include "deepsl/train/loss.h"
#include "train/snapshot.h"

namespace deepsl::table {
namespace {

using torch::Tensor;

/// Inputs as encoded; numbers to be learned with mean 0 and deviation 1.
train::Dataset dataset(const io::TrainedModel& model, const Tensor& x, const data::Target& target) {
    return {x,
            target.classes.empty()
                ? ((truth_of(target) - model.target_mean) / model.target_scale).to(torch::kFloat32)
                : truth_of(target)};
}

data::Scaling scaling_of(const train::Dataset& known, const Task& task) {
    Tensor worth;
    if (task.relevance > 0.0) {
        // So much, about, any input seems to tell by chance.
        const auto by_chance = 1.0 / static_cast<double>(known.size());
        worth = (data::association(known.x, known.target) + by_chance).pow(0.5 * task.relevance);
    }
    return data::fit_uniform_scaling(known.x, task.model.domain, worth);
}

/// Inputs in the domain.
void scale(const data::Scaling& scaling, train::Dataset& rows) {
    rows.x = scaling.forward(rows.x).to(torch::kFloat32);
}

/// Such a run has left the checkpoints of its folds, but not yet its own.
bool broken_among_folds(const train::Checkpointing& checkpointing) {
    return !std::filesystem::exists(checkpointing.path) &&
           std::filesystem::exists(train::fold_checkpoint(checkpointing, 1));
}

/// Of an earlier run, which this one replaces: resumed among its folds, it must not find them.
void remove_old(const train::Checkpointing& checkpointing) {
    std::error_code ignored;
    std::filesystem::remove(checkpointing.path, ignored);
    for (std::int64_t k = 1;
         std::filesystem::remove(train::fold_checkpoint(checkpointing, k), ignored); ++k)
        continue;
}

}  // namespace

Tensor inputs_of(const data::Encoded& encoded) {
    return torch::tensor(encoded.x, torch::kFloat64)
        .reshape(
            {static_cast<std::int64_t>(encoded.rows), static_cast<std::int64_t>(encoded.inputs)});
}

Tensor truth_of(const data::Target& target) {
    return target.classes.empty() ? torch::tensor(target.numbers, torch::kFloat64).unsqueeze(1)
                                  : torch::tensor(target.labels, torch::kInt64);
}

Learned learn(const data::Table& training, const data::Table& validation, const Task& task,
              const train::Callbacks& callbacks, const train::Checkpointing& checkpointing) {
    const auto target = data::read_target(training, task.target, task.target_kind);
    Learned learned;
    auto& model = learned.model;
    model.encoding = data::Encoding::fit(training, task.target, task.encoding);
    auto encoded = model.encoding->apply(training);
    learned.notes = std::move(encoded.notes);
    const auto x = inputs_of(encoded);
    model.features = model.encoding->input_names();
    model.classes = target.classes;
    model.kind = task.kind;
    model.architecture = task.model;
    model.record["target"] = task.target;
    model.record["target kind"] = target.classes.empty() ? "numbers" : "classes";
    if (target.classes.empty()) {
        const auto numbers = truth_of(target);
        model.target_mean = numbers.mean().item<double>();
        model.target_scale = numbers.std(0, false).item<double>();
        if (!std::isfinite(model.target_mean) || !std::isfinite(model.target_scale))
            throw data::InputError(fmt::format(
                "{}, column {}: the target's numbers are as large as {:.3g}, too large to be "
                "squared; divide the column by something, or correct it",
                in_quotes(training.path), in_quotes(task.target, 60),
                numbers.abs().max().item<double>()));
    }

    const auto outputs =
        target.classes.empty() ? 1 : static_cast<std::int64_t>(target.classes.size());
    const auto make = [&] {
        return model::make_predictor(task.kind, x.size(1), outputs, task.model);
    };
    torch::manual_seed(static_cast<std::uint64_t>(task.train.seed));
    if (task.kind == "dsl") {
        model.model = model::Model(x.size(1), outputs, task.model);
    } else {
        model.baseline = make();
    }
    auto known_rows = dataset(model, x, target);
    train::Dataset held_out;
    if (validation.rows() > 0) {
        const auto known = data::read_measured_target(validation, task.target, model.classes);
        held_out = dataset(model, inputs_of(model.encoding->apply(validation)), known);
    } else if (task.epoch_folds < 2 && task.relevance > 0.0) {
        // Rows held out must not say what inputs are worth.
        std::mt19937_64 random(static_cast<std::uint64_t>(task.train.seed));
        auto parts = train::split(known_rows, task.train.validation, random);
        known_rows = std::move(parts.training);
        held_out = std::move(parts.validation);
    }
    model.scaling = scaling_of(known_rows, task);
    auto options = task.train;
    train::EpochChoice choice;
    auto keeping = checkpointing;
    const auto folds = std::min(task.epoch_folds, known_rows.size() / 2);
    if (validation.rows() == 0 && folds >= 2) {
        if (!checkpointing.resume && !checkpointing.path.empty()) remove_old(checkpointing);
        keeping.resume = checkpointing.resume && !broken_among_folds(checkpointing);
        data::Scaling of_first;
        const auto prepare = [&](std::int64_t fold, train::Dataset& known,
                                 train::Dataset& left_out) {
            const auto scaling = scaling_of(known, task);
            scale(scaling, known);
            scale(scaling, left_out);
            if (fold == 0) of_first = scaling;
        };
        auto in_folds = options;
        in_folds.cool_down = 0.0;  // every epoch is a candidate there, not the last alone
        choice = train::choose_epoch(make, prepare, known_rows, folds, in_folds, callbacks,
                                     checkpointing);
        if (choice.interrupted) {
            train::restore(choice.weights, model.predictor());
            model.scaling = of_first;
            learned.record = std::move(choice.record);
            return learned;
        }
        // Longer by what the cool-down takes away: the sum of the rates stays about the same.
        const auto most =
            options.stop_epoch > 0 ? std::min(options.stop_epoch, options.epochs) : options.epochs;
        const double longer = static_cast<double>(choice.epoch) / (1.0 - 0.5 * options.cool_down);
        options.stop_epoch = std::min(most, static_cast<std::int64_t>(std::llround(longer)));
        options.validation = 0.0;
    }
    scale(model.scaling, known_rows);
    if (!held_out.empty()) scale(model.scaling, held_out);
    learned.record =
        train::train(model.predictor(), known_rows, held_out, options, callbacks, keeping);
    if (choice.epoch > 0) {
        std::error_code ignored;  // what cannot be removed does no harm
        for (std::int64_t k = 1; k <= folds && !checkpointing.path.empty(); ++k)
            std::filesystem::remove(train::fold_checkpoint(checkpointing, k), ignored);
        learned.record.folds = folds;
        learned.record.fold_epoch = choice.epoch;
        learned.record.fold_metric = choice.metric;
        learned.record.seconds += choice.seconds;
    }
    return learned;
}

Answers predict(io::TrainedModel& model, const data::Table& table, bool strict) {
    auto encoded = model.encoding->apply(table, strict);
    Answers answers;
    answers.prediction = model.predict(inputs_of(encoded));
    answers.notes = std::move(encoded.notes);
    auto& y = answers.prediction.y;
    const auto failed = answers.prediction.ok.logical_not().unsqueeze(1);
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    if (model.classes.empty()) {
        y = y.to(torch::kFloat64).masked_fill(failed, nan);
    } else {
        answers.label = train::guesses(y);
        answers.probability = torch::softmax(y.to(torch::kFloat64), 1).masked_fill(failed, nan);
    }
    return answers;
}

std::vector<std::string> stretched_inputs(const io::TrainedModel& model, std::int64_t most) {
    const auto& factor = model.scaling.factor;
    // The box has its factors by the columns' ranges, too; and without relevance all are the same.
    if (!model.scaling.ball || factor.min().equal(factor.max())) return {};
    const auto order = factor.argsort(0, true);
    std::vector<std::string> names;
    for (std::int64_t i = 0; i < std::min(most, order.size(0)); ++i)
        names.push_back(model.features[static_cast<std::size_t>(order[i].item<std::int64_t>())]);
    return names;
}

Score evaluate(io::TrainedModel& model, const data::Table& table, bool strict) {
    const bool labels = !model.classes.empty();
    const auto target =
        data::read_measured_target(table, model.encoding->target_in(table), model.classes);
    auto encoded = model.encoding->apply(table, strict);
    const auto prediction = model.predict(inputs_of(encoded));
    const auto truth = truth_of(target);
    Score score;
    score.notes = std::move(encoded.notes);
    score.samples = truth.size(0);
    score.failed = train::count_failures(prediction.outcomes, score.failures);
    score.metrics = train::metrics(prediction.y, truth, prediction.ok);
    if (labels) score.confusion = train::confusion(prediction.y, truth, prediction.ok);
    return score;
}

}  // namespace deepsl::table
