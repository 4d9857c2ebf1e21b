// What the passes of all baselines do alike: samples in the model's precision, which of them take
// part, and the sum of gradients. A sample that fails is left out of the rows of the networks, so
// that it costs nothing and passes nothing on.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <vector>

#include "deepsl/model/predictor.h"
#include "deepsl/network/tape.h"
#include "model/shapes.h"
#include "model/usable.h"

namespace deepsl::model {

/// The options of a model with parts of the caller's. Throws Error if they make no sense.
template <class Real>
ModelOptions with_precision(ModelOptions options) {
    options.precision = sizeof(Real) == sizeof(float) ? Precision::float32 : Precision::float64;
    check_model(options);
    return options;
}

template <class Real>
class BaselinePass : public Pass {
public:
    void add_gradient(std::span<double> total) final {
        for (std::size_t i = 0; i < gradient_.size(); ++i)
            total[i] += static_cast<double>(gradient_[i]);
        std::fill(gradient_.begin(), gradient_.end(), Real(0));
    }

    std::size_t tape_bytes() const final { return tape_.capacity(); }

protected:
    explicit BaselinePass(const Predictor& model)
        : inputs_(model.inputs()), gradient_(model.parameters().size(), Real(0)) {}

    /// A prediction of zeros, in which samples that are not usable have failed.
    void begin(MatrixView<const double> x, std::size_t outputs, std::size_t eigenvalues) {
        check_inputs(x, inputs_);
        const auto samples = x.rows();
        x_.assign(x.data(), x.data() + samples * inputs_);
        prediction_.resize(samples, outputs, eigenvalues);
        std::ranges::fill(prediction_.y.values(), 0.0);
        std::ranges::fill(prediction_.lambda.values(), 0.0);
        std::ranges::fill(prediction_.outcomes, Outcome{});
        rows_.clear();
        for (std::size_t b = 0; b < samples; ++b) {
            if (usable(sample(b), inputs_))
                rows_.push_back(b);
            else
                set_status(b, field::LineStatus::not_finite);
        }
    }

    const Real* sample(std::size_t b) const { return x_.data() + b * inputs_; }

    void set_status(std::size_t b, field::LineStatus status) {
        prediction_.outcomes[b].line = status;
    }

    /// Leaves out the samples that have failed; whether there were any. What the tape has was made
    /// with them, so the networks must be asked again then.
    bool drop_failed() {
        return std::erase_if(rows_,
                             [this](std::size_t b) { return !prediction_.outcomes[b].ok(); }) > 0;
    }

    void begin_dx(Matrix<double>& dx) const {
        dx.resize(prediction_.size(), inputs_);
        std::ranges::fill(dx.values(), 0.0);
    }

    std::size_t inputs_;
    std::vector<Real> x_;            // [B, inputs]
    std::vector<std::size_t> rows_;  // the samples that take part, in the order of networks' rows
    std::vector<Real> gradient_;     // as long as the model's parameters
    network::Tape tape_;
    Prediction prediction_;
};

}  // namespace deepsl::model
