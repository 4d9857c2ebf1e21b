#include "deepsl/model/mlp_model.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "deepsl/field/domain.h"
#include "deepsl/network/mlp.h"
#include "model/baseline_pass.h"
#include "model/networks.h"

namespace deepsl::model {
namespace {

template <class Real>
class MlpPass final : public BaselinePass<Real> {
public:
    MlpPass(const Predictor& model, const network::Network<Real>& network)
        : BaselinePass<Real>(model), network_(network) {}

    const Prediction& forward(MatrixView<const double> x, bool keep) override {
        this->begin(x, network_.outputs(), 0);
        do {
            evaluate(keep ? &tape_ : nullptr);
        } while (this->drop_failed());
        return prediction_;
    }

    void backward(MatrixView<const double> dy, MatrixView<const double>,
                  Matrix<double>* dx) override {
        if (dx != nullptr) this->begin_dx(*dx);
        if (rows_.empty()) return;
        const auto n = inputs_, outputs = network_.outputs();
        y_.resize(rows_.size() * outputs);
        for (std::size_t r = 0; r < rows_.size(); ++r)
            for (std::size_t o = 0; o < outputs; ++o)
                y_[r * outputs + o] = static_cast<Real>(dy(rows_[r], o));
        dz_.resize(dx != nullptr ? z_.size() : 0);
        network_.pullback(z_.data(), rows_.size(), y_.data(), tape_,
                          dx != nullptr ? dz_.data() : nullptr, this->gradient_.data());
        for (std::size_t r = 0; dx != nullptr && r < rows_.size(); ++r)
            std::copy_n(dz_.data() + r * n, n, dx->row(rows_[r]).data());
    }

private:
    void evaluate(network::Tape* tape) {
        const auto n = inputs_, outputs = network_.outputs();
        tape_.clear();
        z_.resize(rows_.size() * n);
        y_.resize(rows_.size() * outputs);
        if (rows_.empty()) return;
        for (std::size_t r = 0; r < rows_.size(); ++r)
            std::copy_n(this->sample(rows_[r]), n, z_.data() + r * n);
        network_.forward(z_.data(), rows_.size(), y_.data(), tape);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const Real* const y = y_.data() + r * outputs;
            if (std::all_of(y, y + outputs, [](Real c) { return std::isfinite(c); }))
                std::copy_n(y, outputs, prediction_.y.row(rows_[r]).data());
            else
                this->set_status(rows_[r], field::LineStatus::not_finite);
        }
    }

    using BaselinePass<Real>::inputs_, BaselinePass<Real>::rows_;
    using BaselinePass<Real>::tape_, BaselinePass<Real>::prediction_;

    const network::Network<Real>& network_;
    std::vector<Real> z_, y_, dz_;  // rows of samples, of outputs or derivatives by them
};

template <class Real>
class MlpModel final : public Predictor {
public:
    /// Without a network of the caller's: the one that the options ask for.
    MlpModel(Kind kind, std::size_t inputs, std::size_t outputs, const ModelOptions& options,
             std::unique_ptr<network::Network<Real>> own, std::uint64_t seed)
        : Predictor(inputs, outputs),
          kind_(kind),
          options_(options),
          built_in_(own == nullptr),
          network_(own ? std::move(own) : made(kind, inputs, outputs, options)) {
        Random random(seed);
        network_->enrol(parameters_, "network", random);
        set_values(parameters_.values());
    }

    Kind kind() const override { return kind_; }
    ModelOptions options() const override { return options_; }
    bool built_in() const override { return built_in_; }
    double flops_per_sample() const override {
        return static_cast<double>(network_->flops_per_row());
    }
    std::unique_ptr<Pass> make_pass() const override {
        return std::make_unique<MlpPass<Real>>(*this, *network_);
    }

private:
    static std::unique_ptr<network::Network<Real>> made(Kind kind, std::size_t inputs,
                                                        std::size_t outputs, ModelOptions options) {
        if (kind == Kind::linear) options.hidden.clear(), options.convolutions.clear();
        const double centre = field::make_domain(options.domain, inputs)->centre();
        return make_network<Real>(
            coefficient_plan(inputs, outputs, options, centre).with_last_gain(1.0));
    }
    void load(std::span<const double> values) override { network_->load(values); }

    Kind kind_;  // mlp or linear
    ModelOptions options_;
    bool built_in_;
    std::unique_ptr<network::Network<Real>> network_;
};

std::unique_ptr<Predictor> made_model(Kind kind, std::size_t inputs, std::size_t outputs,
                                      const ModelOptions& options, std::uint64_t seed) {
    check_model(options);
    switch (options.precision) {
        case Precision::float32:
            return std::make_unique<MlpModel<float>>(kind, inputs, outputs, options, nullptr, seed);
        case Precision::float64:
            return std::make_unique<MlpModel<double>>(kind, inputs, outputs, options, nullptr,
                                                      seed);
    }
    throw argument_error("there is no such precision");
}

}  // namespace

std::unique_ptr<Predictor> make_mlp_model(std::size_t inputs, std::size_t outputs,
                                          const ModelOptions& options, std::uint64_t seed) {
    return made_model(Kind::mlp, inputs, outputs, options, seed);
}

std::unique_ptr<Predictor> make_linear_model(std::size_t inputs, std::size_t outputs,
                                             const ModelOptions& options, std::uint64_t seed) {
    return made_model(Kind::linear, inputs, outputs, options, seed);
}

template <class Real>
std::unique_ptr<Predictor> make_mlp_model(std::unique_ptr<network::Network<Real>> network,
                                          const ModelOptions& options, std::uint64_t seed) {
    if (network == nullptr) throw argument_error("a model needs a network, but none was given");
    const auto own = with_precision<Real>(options);
    const auto inputs = network->inputs(), outputs = network->outputs();
    return std::make_unique<MlpModel<Real>>(Kind::mlp, inputs, outputs, own, std::move(network),
                                            seed);
}

template std::unique_ptr<Predictor> make_mlp_model(std::unique_ptr<network::Network<float>>,
                                                   const ModelOptions&, std::uint64_t);
template std::unique_ptr<Predictor> make_mlp_model(std::unique_ptr<network::Network<double>>,
                                                   const ModelOptions&, std::uint64_t);

}  // namespace deepsl::model
