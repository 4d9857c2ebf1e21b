// What every model is to those who train, save and use it: Deep Sturm-Liouville and the baselines
// beside it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "deepsl/sturm/status.h"

namespace deepsl::model {

/// What became of a sample: its line's status, else its first failed eigenvalue's.
struct Outcome {
    field::LineStatus line = field::LineStatus::ok;
    sturm::Status eigen = sturm::Status::ok;

    bool ok() const { return line == field::LineStatus::ok && eigen == sturm::Status::ok; }
    std::string_view name() const;
    std::string_view sentence() const;
};

/// F, and what the loss needs beside it. Where `ok` is false, y and lambda are zeros that pass no
/// gradient on.
struct Prediction {
    torch::Tensor y;                // [B, outputs]
    torch::Tensor lambda;           // double  [B, eigenvalues]; undefined for baselines
    torch::Tensor ok;               // bool    [B]
    std::vector<Outcome> outcomes;  // [B]
};

/// The prediction of a model that is a sum: outputs add up, spectra stand side by side, and a
/// sample that failed in one term has failed.
Prediction sum(const std::vector<Prediction>& terms);

class PredictorImpl : public torch::nn::Module {
public:
    /// x [B, inputs], in the model's own coordinates.
    virtual Prediction forward(const torch::Tensor& x) = 0;

    /// How many predictions add up to the model's, and one of them; terms may be found side by
    /// side.
    virtual std::size_t terms() const { return 1; }
    virtual Prediction term(std::size_t, const torch::Tensor& x) { return forward(x); }

    /// Before training, once: whatever a model wants to learn from data without gradients.
    /// x [B, inputs], targets [B, outputs].
    virtual void calibrate(const torch::Tensor& x, const torch::Tensor& targets);

    /// The parameters of the last linear map, which may learn at a rate of their own.
    virtual std::vector<torch::Tensor> linear_parameters() = 0;

    /// F without gradients, on all threads, in blocks, so that any number of samples fits into
    /// memory.
    Prediction predict(const torch::Tensor& x, std::int64_t block = 1024);

    std::int64_t inputs() const { return inputs_; }
    std::int64_t outputs() const { return outputs_; }
    std::int64_t parameter_count() const;
    torch::ScalarType scalar_type() const;

protected:
    PredictorImpl(std::int64_t inputs, std::int64_t outputs);

private:
    std::int64_t inputs_, outputs_;
};

}  // namespace deepsl::model
