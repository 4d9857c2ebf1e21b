#include "deepsl/model/pass.h"

#include <algorithm>

#include "model/pieces.h"

namespace deepsl::model {
namespace {

using torch::Tensor;
using torch::autograd::variable_list;

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

Pass::Pass(PredictorImpl& model, const Tensor& x) : terms_(model.terms()) {
    for (const auto& p : model.parameters())
        if (p.requires_grad()) parameters_.push_back(p);
    const auto rows =
        cut(x, std::max<std::int64_t>(x.size(0), 1), static_cast<std::int64_t>(terms_));
    parts_.resize(rows.size() * terms_);
    side_by_side(parts_.size(),
                 [&](std::size_t i) { parts_[i] = model.term(i % terms_, rows[i / terms_]); });

    std::vector<Prediction> pieces;
    for (auto part = parts_.begin(); part != parts_.end();) {
        std::vector<Prediction> detached;
        for (std::size_t m = 0; m < terms_; ++m, ++part) {
            detached.push_back(*part);
            detached.back().y = part->y.detach();
            if (part->lambda.defined()) detached.back().lambda = part->lambda.detach();
        }
        pieces.push_back(sum(detached));
    }
    joined_ = join(pieces);
    joined_.y.set_requires_grad(true);
    if (joined_.lambda.defined()) joined_.lambda.set_requires_grad(true);
}

void Pass::backward() {
    const torch::NoGradGuard no_grad;
    // Where another term failed, this one has no say either.
    const auto kept = joined_.ok.unsqueeze(1);
    const auto seed = [&](const Tensor& leaf) {
        const auto gradient = leaf.defined() ? leaf.grad() : Tensor();
        return gradient.defined() ? torch::where(kept, gradient, torch::zeros_like(gradient))
                                  : gradient;
    };
    const auto dy = seed(joined_.y), dlambda = seed(joined_.lambda);
    std::vector<std::int64_t> first_row(parts_.size(), 0), first_value(parts_.size(), 0);
    for (std::size_t i = 1; i < parts_.size(); ++i) {
        const auto& before = parts_[i - 1];
        const bool same_rows = i % terms_ != 0;
        first_row[i] = first_row[i - 1] + (same_rows ? 0 : before.y.size(0));
        if (same_rows && before.lambda.defined())
            first_value[i] = first_value[i - 1] + before.lambda.size(1);
    }
    std::vector<variable_list> found(parts_.size());
    side_by_side(parts_.size(), [&](std::size_t i) {
        const auto& part = parts_[i];
        const auto rows = [&](const Tensor& all) {
            return all.defined() ? all.narrow(0, first_row[i], part.y.size(0)) : all;
        };
        auto own_lambda = rows(dlambda);
        if (own_lambda.defined())
            own_lambda = own_lambda.narrow(1, first_value[i], part.lambda.size(1));
        found[i] = pull_back(part, rows(dy), own_lambda, parameters_);
    });
    for (const auto& part : found) {
        for (std::size_t k = 0; k < parameters_.size(); ++k) {
            if (!part[k].defined()) continue;
            auto& total = parameters_[k].mutable_grad();
            if (total.defined()) {
                total += part[k];
            } else {
                total = part[k].clone();
            }
        }
    }
}

}  // namespace deepsl::model
