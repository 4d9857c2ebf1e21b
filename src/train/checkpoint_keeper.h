// Keeps a run's checkpoint up to date: remembers the state after the last complete epoch, and
// writes it when that is due.
#pragma once

#include <functional>
#include <string>

#include "deepsl/model/predictor.h"
#include "deepsl/train/checkpoint.h"
#include "deepsl/train/record.h"
#include "train/stopwatch.h"

namespace deepsl::train {

class CheckpointKeeper {
public:
    /// `some_rows` are those whose predictions tell models apart. `warning` may be empty.
    CheckpointKeeper(model::Predictor& model, Matrix<double> some_rows, Checkpointing checkpointing,
                     Fingerprint run, std::function<void(const std::string&)> warning);

    bool active() const { return !checkpointing_.path.empty(); }

    /// Throws Error if the model does not predict with the state's values what it did then; the
    /// model is left as it was. Otherwise it has these values.
    void expect_same_predictions(const TrainingState& state);

    /// The state after a complete epoch, or before the first; its epochs and predictions are filled
    /// in when it is written.
    void remember(TrainingState state) { state_ = std::move(state); }

    /// A file that cannot be written is better known at the start than after hours.
    void begin(const TrainingRecord& record);

    /// After an epoch. If the record ends with one that was cut short, that is not written.
    void save_if_due(const TrainingRecord& record, bool over);

private:
    std::string predictions() const;
    void save(const TrainingRecord& record);

    model::Predictor& model_;
    Matrix<double> some_rows_;
    Checkpointing checkpointing_;
    Fingerprint run_;
    std::function<void(const std::string&)> warning_;
    TrainingState state_;
    Stopwatch since_saved_;
    bool warned_ = false;
};

}  // namespace deepsl::train
