#include "train/checkpoint_keeper.h"

#include <utility>
#include <vector>

#include "deepsl/error.h"
#include "deepsl/text.h"

namespace deepsl::train {

CheckpointKeeper::CheckpointKeeper(model::Predictor& model, Matrix<double> some_rows,
                                   Checkpointing checkpointing, Fingerprint run,
                                   std::function<void(const std::string&)> warning)
    : model_(model),
      some_rows_(std::move(some_rows)),
      checkpointing_(std::move(checkpointing)),
      run_(std::move(run)),
      warning_(std::move(warning)) {}

std::string CheckpointKeeper::predictions() const { return hash_of(model_.predict(some_rows_)); }

void CheckpointKeeper::expect_same_predictions(const TrainingState& state) {
    const auto own = model_.parameters().values();
    model_.set_values(state.values);
    if (predictions() == state.predictions) return;
    model_.set_values(own);
    throw argument_error(in_quotes(checkpointing_.path) +
                         " belongs to another run: its model predicts something else with the same "
                         "values; resume with the same options of the model and the same program, "
                         "or start afresh");
}

void CheckpointKeeper::begin(const TrainingRecord& record) {
    if (active() && !checkpointing_.resume) save(record);
}

void CheckpointKeeper::save_if_due(const TrainingRecord& record, bool over) {
    if (!active()) return;
    const auto& [path, every_epochs, every_seconds, resume] = checkpointing_;
    const auto epochs = static_cast<std::int64_t>(record.epochs.size());
    const bool due = over || (every_epochs > 0 && epochs % every_epochs == 0) ||
                     (every_seconds > 0.0 && since_saved_.seconds() >= every_seconds);
    if (!due) return;
    since_saved_ = Stopwatch();
    try {
        save(record);
    } catch (const Error& error) {
        if (!warning_) throw;
        if (!warned_) warning_(error.what());
        warned_ = true;
    }
}

void CheckpointKeeper::save(const TrainingRecord& record) {
    state_.epochs = record.epochs;
    if (!record.interrupted) {
        state_.predictions = predictions();
        return save_state(checkpointing_.path, state_, run_);
    }
    // The last epoch was cut short, and the model has moved on since the state was remembered.
    state_.epochs.pop_back();
    const auto now = model_.parameters().values();
    model_.set_values(state_.values);
    state_.predictions = predictions();
    model_.set_values(now);
    save_state(checkpointing_.path, state_, run_);
}

}  // namespace deepsl::train
