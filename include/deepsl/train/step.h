// A batch of samples through a model and back, on all threads: the loss and its gradient.
//
// The batch is cut into chunks of model::chunk_rows rows, and these are dealt out to at most
// BatchPass::lanes lanes: lane a takes chunks a, a + lanes, .. Each chunk goes forward and back
// while it is in cache. Lanes are independent work; what they learned is added in their order. All
// of this depends on the batch, not on the threads: same bits on any number of them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
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
    static constexpr std::size_t lanes = model::training_passes;

    explicit BatchPass(const model::Predictor& model);
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

    void make_lanes(std::size_t rows);
    /// Calls work(lane, first row, rows) for each chunk.
    template <class Chunk>
    LossSums each_chunk(std::size_t rows, const Chunk& work);

    const model::Predictor& model_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    std::size_t used_ = 0;  // lanes of this batch
    model::Prediction prediction_;
};

}  // namespace deepsl::train
