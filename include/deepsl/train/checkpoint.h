// Checkpoints: the state of a run at the end of an epoch, in a file from which the run continues
// as if it had never been broken off. Broken and resumed or not, the final weights have the same
// bits, and so has the record but for its times, given the same binary and number of threads.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <torch/torch.h>

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

/// Throws OptionError for the first value that is not allowed.
void check_checkpointing(const Checkpointing& checkpointing);

/// All that a run needs to go on. Best epoch, patience and totals follow from the reports.
struct TrainingState {
    std::vector<torch::Tensor> weights;  // parameters, then buffers
    std::vector<torch::Tensor> best;     // the same of the best epoch; empty before the first
    OptimiserState optimiser;
    std::string random;  // the engine, as its operator << writes it
    std::vector<EpochReport> epochs;
    double seconds = 0.0;  // spent so far
    /// A hash of what the model predicts for some rows with these weights: it tells models apart
    /// that have the same tensors, but other activations, cells, ..
    std::string answer;
};

/// What a run is a run of; it continues only with the same.
struct Fingerprint {
    std::map<std::string, std::string> options;  // values by name
    std::string data;                            // a hash of the bytes of all data
    std::vector<std::string> tensors;            // names of the model's, as TrainingState::weights
    std::vector<torch::Tensor> examples;         // of what type and shape these are
    std::size_t parameters = 0;                  // how many of them learn: the first ones
};

Fingerprint fingerprint(const model::PredictorImpl& model, const Dataset& training,
                        const Dataset& validation, const TrainOptions& options);

/// FNV-1a of the tensors' types, shapes and bytes, in hexadecimal digits. Undefined ones count.
std::string hash_of(const std::vector<torch::Tensor>& tensors);

/// Replaces the file, or leaves it alone and throws io::FileError.
void save_state(const std::string& path, const TrainingState& state, const Fingerprint& run);

/// Throws io::FileError for a file that is missing, damaged or of another kind.
void check_state(const std::string& path);

/// Throws io::FileError for a file that is missing, damaged or of another kind, and OptionError for
/// that of another run.
TrainingState load_state(const std::string& path, const Fingerprint& run);

}  // namespace deepsl::train
