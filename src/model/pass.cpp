#include "deepsl/model/pass.h"

#include "model/pieces.h"

namespace deepsl::model {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

Tensor leaf(const Tensor& value) { return value.detach().set_requires_grad(true); }

/// Gradients by the parameters; undefined where there are none.
variable_list pull_back(const Prediction& piece, const Tensor& dy, const Tensor& dlambda,
                        const variable_list& parameters) {
    variable_list of, seeds;
    const auto add = [&](const Tensor& value, const Tensor& seed) {
        if (!seed.defined() || !value.requires_grad()) return;
        of.push_back(value);
        seeds.push_back(seed);
    };
    add(piece.y, dy);
    add(piece.lambda, dlambda);
    if (of.empty()) return variable_list(parameters.size());
    return torch::autograd::grad(of, parameters, seeds, false, false, true);
}

}  // namespace

Pass::Pass(PredictorImpl& model, const Tensor& x) {
    for (const auto& p : model.parameters())
        if (p.requires_grad()) parameters_.push_back(p);
    const auto rows = cut(x, x.size(0));
    pieces_.resize(rows.size());
    side_by_side(rows.size(), [&](std::size_t i) { pieces_[i] = model.forward(rows[i]); });

    joined_ = join(pieces_);
    joined_.y = leaf(joined_.y);
    if (joined_.lambda.defined()) joined_.lambda = leaf(joined_.lambda);
}

void Pass::backward() {
    std::vector<variable_list> parts(pieces_.size());
    std::vector<std::int64_t> first(pieces_.size(), 0);
    for (std::size_t i = 1; i < first.size(); ++i)
        first[i] = first[i - 1] + pieces_[i - 1].y.size(0);
    const auto dy = joined_.y.grad();
    const auto dlambda = joined_.lambda.defined() ? joined_.lambda.grad() : Tensor();
    side_by_side(pieces_.size(), [&](std::size_t i) {
        const auto own = [&](const Tensor& rows) {
            return rows.defined() ? rows.narrow(0, first[i], pieces_[i].y.size(0)) : rows;
        };
        parts[i] = pull_back(pieces_[i], own(dy), own(dlambda), parameters_);
    });

    const torch::NoGradGuard no_grad;
    for (const auto& part : parts) {
        for (std::size_t k = 0; k < parameters_.size(); ++k) {
            if (!part[k].defined()) continue;
            auto& sum = parameters_[k].mutable_grad();
            if (sum.defined()) {
                sum += part[k];
            } else {
                sum = part[k].clone();
            }
        }
    }
}

}  // namespace deepsl::model
