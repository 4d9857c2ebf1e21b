// A model whose every derivative is known, to see what losses, steps and the loop around them do:
//
//     y = W x + b,   lambda = v for every sample
//
// Samples with x_1 > 100 fail, and so do those that are not finite; those with x_1 < -100 give a
// gradient that is not finite. Calibration keeps what it is given, and measures one figure.
#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <span>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"

namespace deepsl::train {

class LinearModel final : public model::Predictor {
public:
    LinearModel(std::size_t inputs, std::size_t outputs, std::size_t eigenvalues = 0)
        : Predictor(inputs, outputs), eigenvalues_(eigenvalues) {
        using network::Role;
        W_ = parameters_.add("W", {outputs, inputs}, Role::matrix);
        rows_ = parameters_.add("rows", {1}, Role::measured);
        v_ = parameters_.add("v", {eigenvalues}, Role::vector);
        b_ = parameters_.add("b", {outputs}, Role::linear);
    }

    std::size_t eigenvalues() const override { return eigenvalues_; }
    model::Kind kind() const override { return kind_; }
    model::ModelOptions options() const override {
        model::ModelOptions options;
        options.precision = model::Precision::float64;
        return options;
    }
    double flops_per_sample() const override { return 0.0; }
    std::unique_ptr<model::Pass> make_pass() const override;

    void calibrate(MatrixView<const double> x, MatrixView<const double> targets) override {
        calibrated_x = Matrix<double>(x);
        calibrated_targets = Matrix<double>(targets);
        parameters_.values()[rows_] = static_cast<double>(x.rows());
    }

    double W(std::size_t output, std::size_t input) const {
        return parameters_.values()[W_ + output * inputs() + input];
    }
    double b(std::size_t output) const { return parameters_.values()[b_ + output]; }
    double v(std::size_t i) const { return parameters_.values()[v_ + i]; }
    double measured_rows() const { return parameters_.values()[rows_]; }

    /// Predicts something else with the same values.
    void set_offset(double offset) { offset_ = offset; }
    void set_kind(model::Kind kind) { kind_ = kind; }

    Matrix<double> calibrated_x, calibrated_targets;

private:
    class LinearPass;

    void load(std::span<const double>) override {}

    std::size_t eigenvalues_, W_, rows_, v_, b_;
    double offset_ = 0.0;
    model::Kind kind_ = model::Kind::mlp;
};

class LinearModel::LinearPass final : public model::Pass {
public:
    explicit LinearPass(const LinearModel& model)
        : model_(model), gradient_(model.parameters().size()) {}

    const model::Prediction& forward(MatrixView<const double> x, bool) override {
        x_.resize(x.rows(), x.columns());
        std::copy_n(x.data(), x.rows() * x.columns(), x_.data());
        prediction_.resize(x.rows(), model_.outputs(), model_.eigenvalues());
        for (std::size_t r = 0; r < x.rows(); ++r) {
            prediction_.outcomes[r] = outcome_of(x.row(r));
            const bool ok = prediction_.outcomes[r].ok();
            for (std::size_t i = 0; i < model_.eigenvalues(); ++i)
                prediction_.lambda(r, i) = ok ? model_.v(i) : 0.0;
            for (std::size_t j = 0; j < model_.outputs(); ++j) {
                double sum = model_.b(j) + model_.offset_;
                for (std::size_t i = 0; i < x.columns(); ++i) sum += model_.W(j, i) * x(r, i);
                prediction_.y(r, j) = ok ? sum : 0.0;
            }
        }
        return prediction_;
    }

    void backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                  Matrix<double>*) override {
        for (std::size_t r = 0; r < x_.rows(); ++r) {
            if (!prediction_.outcomes[r].ok()) continue;
            for (std::size_t j = 0; j < model_.outputs(); ++j) {
                gradient_[model_.b_ + j] += dy(r, j);
                for (std::size_t i = 0; i < x_.columns(); ++i)
                    gradient_[model_.W_ + j * x_.columns() + i] += dy(r, j) * x_(r, i);
            }
            for (std::size_t i = 0; !dlambda.empty() && i < model_.eigenvalues(); ++i)
                gradient_[model_.v_ + i] += dlambda(r, i);
            if (x_(r, 0) < -100.0) gradient_[model_.W_] = std::numeric_limits<double>::infinity();
        }
    }

    void add_gradient(std::span<double> total) override {
        for (std::size_t i = 0; i < total.size(); ++i) total[i] += gradient_[i];
        std::fill(gradient_.begin(), gradient_.end(), 0.0);
    }

private:
    static model::Outcome outcome_of(std::span<const double> x) {
        model::Outcome outcome;
        if (x[0] > 100.0) outcome.line = field::LineStatus::outside;
        for (const double value : x)
            if (!std::isfinite(value)) outcome.line = field::LineStatus::not_finite;
        return outcome;
    }

    const LinearModel& model_;
    Matrix<double> x_;
    model::Prediction prediction_;
    std::vector<double> gradient_;
};

inline std::unique_ptr<model::Pass> LinearModel::make_pass() const {
    return std::make_unique<LinearPass>(*this);
}

}  // namespace deepsl::train
