// The figures of one epoch of training, from the predictions that its steps made anyway.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "deepsl/model/predictor.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/loss.h"
#include "deepsl/train/record.h"

namespace deepsl::train {

/// Gathered batch by batch. Keeps its memory from epoch to epoch.
class EpochSums {
public:
    void clear();

    /// What a batch of these rows of the data gave.
    void add(const model::Prediction& prediction, const Dataset& data,
             std::span<const std::size_t> rows, const LossSums& sums);

    /// Of the data, over samples that did not fail.
    double mean_loss() const { return sums_.mean_data(); }
    /// Samples so far, failed ones included.
    std::size_t seen() const { return seen_; }

    void report_to(EpochReport& report) const;

private:
    void add_spectrum(std::span<const double> lambda);
    double metric() const;

    LossSums sums_;
    double first_ = 0.0, last_ = 0.0;  // sums of the smallest and the largest eigenvalues
    bool has_lambda_ = false;
    std::size_t seen_ = 0;
    std::int64_t failed_ = 0;
    Failures failures_;
    std::size_t right_ = 0;                 // for labels: samples whose class was guessed
    std::vector<double> y_, numbers_;       // for numbers: [seen, outputs], since R2 needs
    std::vector<model::Outcome> outcomes_;  // their mean first
};

}  // namespace deepsl::train
