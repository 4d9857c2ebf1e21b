// One training pass through a model, forward and back, on all threads.
#pragma once

#include <vector>

#include <torch/torch.h>

#include "deepsl/model/predictor.h"

namespace deepsl::model {

/// A batch is cut into one piece for each thread, and each piece goes through the whole model on
/// its own: threads that share single operations would mostly wait for one another.
///
///     Pass pass(model, x);
///     loss(pass.prediction()).backward();   // as far as the prediction
///     pass.backward();                      // from there to the parameters
class Pass {
public:
    Pass(PredictorImpl& model, const torch::Tensor& x);

    /// Of all samples; y and lambda are leaves, so that a loss can be differentiated by them.
    const Prediction& prediction() const { return joined_; }

    /// Adds to the parameters' gradients what follows from those of the prediction. The pieces are
    /// summed in their order: the same number of threads gives the same bits.
    void backward();

private:
    std::vector<torch::Tensor> parameters_;
    std::vector<Prediction> pieces_;
    Prediction joined_;
};

}  // namespace deepsl::model
