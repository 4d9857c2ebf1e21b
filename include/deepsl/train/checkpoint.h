// Checkpoints: the state of a run at the end of an epoch, in a file from which the run continues
// as if it had never been interrupted. Interrupted and resumed or not, the final weights have the
// same bits, and so has the record but for its times, given the same binary; the number of threads
// does not matter.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "deepsl/model/predictor.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/optimiser.h"
#include "deepsl/train/options.h"
#include "deepsl/train/record.h"

namespace deepsl::train {

/// When and where a run is saved: at the start, after epochs that are due by either rule, and at
/// the end. When the caller's stop ends it, that is its state after the last complete epoch.
struct Checkpointing {
    std::string path;               // empty: nowhere
    std::int64_t every_epochs = 1;  // 0: not by number
    double every_seconds = 0.0;     // since the last time; 0: not by time
    bool resume = false;            // start from the file, which must exist
};

/// Throws Error for the first value that is not allowed.
void check_checkpointing(const Checkpointing& checkpointing);

/// All that a run needs to go on. Best epoch, patience and totals follow from the reports.
struct TrainingState {
    std::vector<double> values;  // of the model's flat vector
    std::vector<double> best;    // the same of the best epoch; empty before the first
    OptimiserState optimiser;
    std::string random;  // the engine, as its operator << writes it
    std::vector<EpochReport> epochs;
    double seconds = 0.0;  // spent so far
    /// A hash of what the model predicts for some rows with these values: it tells models apart
    /// that have the same tensors, but other activations, cells, ..
    std::string predictions;
};

/// What a run is a run of; it continues only with the same.
struct Fingerprint {
    std::map<std::string, std::string> options;  // of training: values by name
    std::string data;                            // a hash of all data
    std::string kind, precision;                 // of the model
    std::vector<std::string> tensors;            // "field1.P.weight1 [64, 16]"
    std::size_t parameters = 0;                  // how many numbers these are
    bool moments = true;                         // whether the optimiser has some
};

Fingerprint fingerprint(const model::Predictor& model, const Dataset& training,
                        const Dataset& validation, const TrainOptions& options);

/// Of all numbers and outcomes, in hexadecimal digits.
std::string hash_of(const model::Prediction& prediction);

/// Replaces the file, or leaves it alone and throws Error.
void save_state(const std::string& path, const TrainingState& state, const Fingerprint& run);

/// Throws Error for a file that is missing, damaged or of another kind.
void check_state(const std::string& path);

/// Throws Error for a file that is missing, damaged or of another kind (data), or for that of
/// another run (argument).
TrainingState load_state(const std::string& path, const Fingerprint& run);

}  // namespace deepsl::train
