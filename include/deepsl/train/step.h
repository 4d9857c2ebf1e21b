// A batch of samples through a model and back, on all threads: the loss and its gradient.
//
// The batch is cut into chunks of model::chunk_rows rows, and these are dealt out to at most
// BatchPass::lanes lanes: lane a takes chunks a, a + lanes, .. Each chunk goes forward and back
// while it is in cache. Lanes are independent work; what they learned is added in their order. All
// of this depends on the batch, not on the threads: same bits on any number of them. There are only
// as many tapes as threads, so a batch of any size takes the same memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/loss.h"

namespace deepsl::train {

/// Keeps its memory from batch to batch: after the first one nothing is allocated. One batch at a
/// time; the model must outlive it.
class BatchPass {
public:
    static constexpr std::size_t lanes = model::training_lanes;

    /// `smoothness` is the weight of the energy along lines.
    explicit BatchPass(const model::Predictor& model, double smoothness = 0.0);
    ~BatchPass();
    BatchPass(const BatchPass&) = delete;
    BatchPass& operator=(const BatchPass&) = delete;

    /// These rows of the data, forward and back: the sums of their losses, and the gradient of the
    /// mean of data loss and spectral term over the samples that did not fail, which replaces what
    /// stands in `gradient`, as long as the model's parameters. Zeros if every sample failed. Rows
    /// of a source are read in this draw.
    LossSums gradient(const Dataset& data, std::span<const std::size_t> rows, Loss loss,
                      double alpha, std::span<double> gradient, std::uint64_t draw = 0);

    /// Forward only: the sums of all rows of the data.
    LossSums loss(const Dataset& data, Loss loss);

    /// Of the last batch, its rows in their order.
    const model::Prediction& prediction() const { return prediction_; }

private:
    struct Lane;
    struct Worker;

    void prepare(std::size_t rows);
    Worker& take_worker();
    void give_back(Worker& worker);
    /// Takes the sums of chunk(worker, first row, rows) for all chunks of a lane, then calls
    /// end(worker, lane).
    template <class Chunk, class End>
    LossSums each_lane(std::size_t rows, const Chunk& chunk, const End& end);

    const model::Predictor& model_;
    double smoothness_;
    std::vector<Lane> lanes_;
    std::size_t used_ = 0;  // lanes of this batch
    std::vector<std::unique_ptr<Worker>> workers_;
    std::vector<Worker*> idle_;  // the one that has rested longest first
    std::mutex guard_;
    model::Prediction prediction_;
};

}  // namespace deepsl::train
