#include "deepsl/model/node.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "deepsl/error.h"
#include "deepsl/field/domain.h"
#include "deepsl/network/mlp.h"
#include "model/baseline_pass.h"
#include "model/flow.h"
#include "model/linear_map.h"
#include "model/networks.h"

namespace deepsl::model {
namespace {

template <class Real>
struct NodeParts {
    std::unique_ptr<network::Network<Real>> f;
    LinearMap linear;
    Real shift, scale;  // of x
    FlowOptions flow;
};

template <class Real>
class NodePass final : public BaselinePass<Real> {
public:
    NodePass(const Predictor& model, const NodeParts<Real>& parts)
        : BaselinePass<Real>(model),
          parts_(parts),
          flow_(*parts.f, parts.flow),
          n_(parts.f->inputs()),
          outputs_(model.outputs()) {}

    const Prediction& forward(MatrixView<const double> x, bool keep) override {
        this->begin(x, outputs_, 0);
        start_.assign(rows_.size() * n_, Real(0));
        for (std::size_t r = 0; r < rows_.size(); ++r)
            for (std::size_t i = 0; i < inputs_; ++i)
                start_[r * n_ + i] = parts_.scale * (this->sample(rows_[r])[i] - parts_.shift);
        flow_.forward(start_.data(), rows_.size(), keep ? &this->tape_ : nullptr);
        for (std::size_t r = 0; r < rows_.size(); ++r) {
            const auto y = prediction_.y.row(rows_[r]);
            this->set_status(rows_[r], flow_.status(r));
            if (ok(r)) parts_.linear.forward(flow_.end(r), y);
            if (std::ranges::all_of(y, [](double c) { return std::isfinite(c); })) continue;
            this->set_status(rows_[r], field::LineStatus::not_finite);
            std::ranges::fill(y, 0.0);
        }
        return prediction_;
    }

    void backward(MatrixView<const double> dy, MatrixView<const double>,
                  Matrix<double>* dx) override {
        dend_.assign(start_.size(), Real(0));
        dstart_.resize(start_.size());
        for (std::size_t r = 0; r < rows_.size(); ++r)
            if (ok(r))
                parts_.linear.pullback(flow_.end(r), dy.row(rows_[r]), dend_.data() + r * n_,
                                       this->gradient_.data());
        flow_.pullback(dend_.data(), this->tape_, dstart_.data(), this->gradient_.data());
        if (dx == nullptr) return;
        this->begin_dx(*dx);
        for (std::size_t r = 0; r < rows_.size(); ++r)
            for (std::size_t i = 0; i < inputs_; ++i)
                (*dx)(rows_[r], i) = static_cast<double>(parts_.scale * dstart_[r * n_ + i]);
    }

private:
    using BaselinePass<Real>::inputs_, BaselinePass<Real>::rows_;
    using BaselinePass<Real>::prediction_;

    bool ok(std::size_t r) const { return prediction_.outcomes[rows_[r]].ok(); }

    const NodeParts<Real>& parts_;
    Flow<Real> flow_;
    std::size_t n_, outputs_;                  // of the state; of the model
    std::vector<Real> start_, dend_, dstart_;  // [row, n]
};

template <class Real>
class Node final : public Predictor {
public:
    /// Without an f of the caller's: the one that the options ask for.
    Node(std::size_t inputs, std::size_t outputs, const ModelOptions& options,
         std::unique_ptr<network::Network<Real>> own, std::uint64_t seed)
        : Predictor(inputs, outputs),
          options_(options),
          built_in_(own == nullptr),
          parts_(parts(inputs, outputs, options, std::move(own))) {
        Random random(seed);
        parts_.f->enrol(parameters_, "f", random);
        parts_.linear.enrol(parameters_, "L");
        set_values(parameters_.values());
    }

    Kind kind() const override { return Kind::node; }
    ModelOptions options() const override { return options_; }
    bool built_in() const override { return built_in_; }
    double flops_per_sample() const override {
        const auto evaluations = 1 + parts_.flow.steps * (parts_.flow.method->stages() - 1);
        return static_cast<double>(evaluations * parts_.f->flops_per_row() +
                                   2 * parts_.f->inputs() * outputs());
    }
    std::unique_ptr<Pass> make_pass() const override {
        return std::make_unique<NodePass<Real>>(*this, parts_);
    }

private:
    static NodeParts<Real> parts(std::size_t inputs, std::size_t outputs, const ModelOptions& o,
                                 std::unique_ptr<network::Network<Real>> f) {
        const double centre = field::make_domain(o.domain, inputs)->centre();
        // Centre and scale act on x, not on the state.
        if (f == nullptr) f = make_network<Real>(field_plan(inputs, o, centre).unscaled());
        const FlowOptions flow{&field::method_of(o.method), static_cast<std::size_t>(o.steps),
                               o.tolerance, o.max_steps};
        const LinearMap linear(f->inputs(), outputs);
        return {std::move(f), linear, static_cast<Real>(centre), static_cast<Real>(o.input_scale),
                flow};
    }
    void load(std::span<const double> values) override {
        parts_.f->load(values);
        parts_.linear.load(values);
    }

    ModelOptions options_;
    bool built_in_;
    NodeParts<Real> parts_;
};

}  // namespace

std::unique_ptr<Predictor> make_node(std::size_t inputs, std::size_t outputs,
                                     const ModelOptions& options, std::uint64_t seed) {
    check_model(options);
    switch (options.precision) {
        case Precision::float32:
            return std::make_unique<Node<float>>(inputs, outputs, options, nullptr, seed);
        case Precision::float64:
            return std::make_unique<Node<double>>(inputs, outputs, options, nullptr, seed);
    }
    throw argument_error("there is no such precision");
}

template <class Real>
std::unique_ptr<Predictor> make_node(std::size_t inputs, std::size_t outputs,
                                     std::unique_ptr<network::Network<Real>> f,
                                     const ModelOptions& options, std::uint64_t seed) {
    if (f == nullptr || f->inputs() < inputs || f->outputs() != f->inputs())
        throw argument_error(
            "the f of a neural ODE needs as many outputs as inputs, and at least " +
            std::to_string(inputs) + " of them, those of the model");
    const auto own = with_precision<Real>(options);
    return std::make_unique<Node<Real>>(inputs, outputs, own, std::move(f), seed);
}

template std::unique_ptr<Predictor> make_node(std::size_t, std::size_t,
                                              std::unique_ptr<network::Network<float>>,
                                              const ModelOptions&, std::uint64_t);
template std::unique_ptr<Predictor> make_node(std::size_t, std::size_t,
                                              std::unique_ptr<network::Network<double>>,
                                              const ModelOptions&, std::uint64_t);

}  // namespace deepsl::model
