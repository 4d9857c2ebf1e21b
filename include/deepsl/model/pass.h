// One training pass through a model, forward and back, on all threads.
#pragma once

#include <cstddef>
#include <vector>

#include <torch/torch.h>

#include "deepsl/model/predictor.h"

namespace deepsl::model {

/// Each thread gets a part of its own: a field of the model, or a piece of the batch. Threads that
/// share single operations would mostly wait for one another.
///
///     Pass pass(model, x);
///     loss(pass.prediction()).backward();   // as far as the prediction
///     pass.backward();                      // from there to the parameters
class Pass {
public:
    Pass(PredictorImpl& model, const torch::Tensor& x);

    /// Of all samples; y and lambda are leaves, so that a loss can be differentiated by them.
    const Prediction& prediction() const { return joined_; }

    /// Adds to the parameters' gradients what follows from those of the prediction. The parts are
    /// summed in their order: the same number of threads gives the same bits.
    void backward();

private:
    std::vector<torch::Tensor> parameters_;
    std::size_t terms_;
    std::vector<Prediction> parts_;  // [piece, term]
    Prediction joined_;
};

}  // namespace deepsl::model
