#include "deepsl/learner/learn.h"

#include <cmath>
#include <filesystem>
#include <limits>
#include <system_error>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/error.h"
#include "deepsl/learner/settings.h"
#include "deepsl/text.h"
#include "deepsl/train/metrics.h"
#include "learner/committee.h"
#include "learner/length.h"

namespace deepsl::learner {
namespace {

/// A run that was interrupted among its folds has left their checkpoints, but not yet its own.
bool interrupted_among_folds(const train::Checkpointing& checkpointing) {
    return !std::filesystem::exists(checkpointing.path) &&
           std::filesystem::exists(train::fold_checkpoint(checkpointing, 1));
}

/// Settings and results, as text; nothing that changes from run to run.
void fill_record(const Task& task, std::size_t rows, Learned& learned) {
    auto& record = learned.model.record;
    const auto& training = learned.record;
    auto known = task;
    known.target = record["target"];
    known.target_kind =
        learned.model.predicts_classes() ? TargetKind::classes : TargetKind::numbers;
    visit_task(known, [&](const Option& option, const auto& value) {
        record[std::string(option.name)] = option_text(value);
    });
    train::visit_train(task.train, [&](const Option& option, const auto& value) {
        record[std::string(option.name)] = option_text(value);
    });
    std::erase_if(record, [](const auto& entry) { return entry.second.empty(); });
    record["rows"] = fmt::format("{}", rows);
    if (training.voters == 0) {
        record["epochs run"] = fmt::format("{}", training.epochs.size());
        record["best epoch"] = fmt::format("{}", training.best_epoch);
        record[(training.validation_rows > 0 ? "validation " : "training ") +
               training.metric_name] = fmt::format("{:.6g}", training.best_metric);
    }
    if (training.folds > 0)
        record[fmt::format("{} in {} folds", training.metric_name, training.folds)] =
            fmt::format("{:.6g}", training.fold_metric);
    if (training.voters > 0) record["voters"] = fmt::format("{}", training.voters);
    if (!learned.says.empty())
        record["settings"] = fmt::format("{}", fmt::join(learned.says, "; "));
    record["failed lines"] = fmt::format("{}", training.failed_lines);
}

/// The fold's model that has come furthest, where the caller has stopped among them: that of the
/// smallest loss on its rows left out.
void take_best_fold(Length& length, Learned& learned) {
    train::FoldModel* best = nullptr;
    field::Scaling* scaling = nullptr;
    const auto loss_of = [](const train::FoldModel& model) {
        const auto& [epochs, place] = std::tie(model.record.epochs, model.record.best_epoch);
        const double loss =
            place > 0 ? epochs[static_cast<std::size_t>(place) - 1].validation_loss : 0.0;
        return place > 0 && !std::isnan(loss) ? loss : std::numeric_limits<double>::infinity();
    };
    for (auto& candidate : length.candidates)
        for (std::size_t k = 0; k < candidate.choice.models.size(); ++k) {
            auto& model = candidate.choice.models[k];
            if (best != nullptr && !(loss_of(model) < loss_of(*best))) continue;
            best = &model;
            scaling = &candidate.scalings[k];
        }
    learned.model.scaling = std::move(*scaling);
    learned.model.predictor = std::move(best->predictor);
    learned.record = std::move(best->record);
    learned.record.interrupted = true;
    learned.stopped_in_folds = true;
}

/// Scales the rows and trains on them.
void fit(Prepared& prepared, const Task& task, const Length& length,
         const train::Callbacks& callbacks, const train::Checkpointing& checkpointing,
         Learned& learned) {
    auto& model = learned.model;
    model.scaling = fit_scaling(prepared.training, model, task);
    scale_rows(model.scaling, prepared.training);
    if (!prepared.validation.empty()) scale_rows(model.scaling, prepared.validation);
    learned.record = train::train(*model.predictor, prepared.training, prepared.validation,
                                  length.options, callbacks, checkpointing);
    if (length.folds == 0) return;
    learned.record.folds = length.folds;
    learned.record.fold_epoch = length.choice().epoch;
    learned.record.fold_metric = length.choice().metric;
    learned.record.seconds += length.choice().seconds;
    remove_fold_checkpoints(checkpointing);
}

}  // namespace

Learned learn(Prepared prepared, const Task& task, const train::Callbacks& callbacks,
              const train::Checkpointing& checkpointing) {
    check_task(task);
    train::check_checkpointing(checkpointing);
    Learned learned;
    const auto rows = prepared.training.size();
    auto keeping = checkpointing;
    keeping.resume = checkpointing.resume && !interrupted_among_folds(checkpointing);
    // Made first: what does not fit into memory is refused before hours of folds.
    auto predictor = new_predictor(prepared, task, static_cast<std::uint64_t>(task.train.seed));
    auto length = choose_length(prepared, task, callbacks, checkpointing);
    learned.notes = std::move(prepared.notes);
    learned.model = std::move(prepared.model);
    learned.model.predictor = std::move(predictor);
    const auto& measured = prepared.validation.empty() ? prepared.training : prepared.validation;
    if (learned.model.predicts_classes()) learned.majority = train::majority_share(measured.labels);
    if (length.interrupted()) {
        take_best_fold(length, learned);
    } else if (length.folds > 0 && task.after_folds == AfterFolds::vote) {
        let_folds_vote(length, prepared, learned);
        remove_fold_checkpoints(keeping);
    } else {
        for (auto& candidate : length.candidates) candidate.choice.models.clear();
        fit(prepared, task, length, callbacks, keeping, learned);
    }
    fill_record(task, rows, learned);
    return learned;
}

Learned learn(const data::Table& training, const data::Table& validation, const Task& task,
              const train::Callbacks& callbacks, const train::Checkpointing& checkpointing) {
    return learn(prepare(training, validation, task), task, callbacks, checkpointing);
}

void check_resume(const train::Checkpointing& checkpointing) {
    const auto& path = checkpointing.path;
    if (std::filesystem::exists(path)) {
        train::check_state(path);
    } else if (!interrupted_among_folds(checkpointing)) {
        throw data_error(fmt::format(
            "cannot read {}: there is no such file; name the checkpoint of a run that was "
            "interrupted, or start with a new one",
            in_quotes(path)));
    }
}

}  // namespace deepsl::learner
