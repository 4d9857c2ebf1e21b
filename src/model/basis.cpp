#include "deepsl/model/basis.h"

#include <algorithm>
#include <utility>

#include "model/outcomes.h"

namespace deepsl::model {

using torch::Tensor;

Basis::Basis(torch::nn::Module& owner, std::int64_t outputs, const ModelOptions& options)
    : rule_(options.basis_scale) {
    const auto d = options.eigenfunctions;
    mean_ = owner.register_buffer("u_mean", torch::zeros({d}, torch::kFloat64));
    scale_ = owner.register_buffer("u_scale", torch::ones({d}, torch::kFloat64));
    linear_ = owner.register_module("L", torch::nn::Linear(d, outputs));
    const torch::NoGradGuard no_grad;
    linear_->weight.zero_();
    linear_->bias.zero_();
}

Tensor Basis::scaled(const Tensor& u) const {
    return ((u - mean_) / scale_).to(linear_->weight.scalar_type());
}

void Basis::mark(const Eigenpairs& pairs, std::vector<Outcome>& outcomes) const {
    const auto d = pairs.status.size(1);
    const auto* eigen = pairs.status.data_ptr<std::uint8_t>();
    // Far inside the range of float, so that L and its gradients stay finite, too.
    const auto large = (((pairs.u.detach() - mean_) / scale_).abs() > 1e30).any(1);
    for (std::size_t b = 0; b < outcomes.size(); ++b) {
        const auto* row = eigen + static_cast<std::int64_t>(b) * d;
        const auto* bad = std::find_if(row, row + d, [](std::uint8_t s) { return s != 0; });
        if (bad != row + d) outcomes[b].eigen = static_cast<sturm::Status>(*bad);
        if (outcomes[b].ok() && large.data_ptr<bool>()[b])
            outcomes[b].eigen = sturm::Status::overflow;
    }
}

Prediction Basis::predict(const Eigenpairs& pairs, std::vector<Outcome> outcomes) {
    mark(pairs, outcomes);
    const auto ok = mask_of(outcomes);
    const auto kept = ok.unsqueeze(1);
    const auto zero = torch::zeros({}, torch::kFloat64);
    const auto u = torch::where(kept, pairs.u, zero);
    const auto lambda = torch::where(kept, pairs.lambda, zero);
    const auto y = linear_->forward(scaled(u));
    return {torch::where(kept, y, zero.to(y.scalar_type())), lambda, ok, std::move(outcomes)};
}

void Basis::measure(const Tensor& all, const std::vector<Outcome>& outcomes) {
    if (rule_ == "none") return;
    const torch::NoGradGuard no_grad;
    const auto u = all.index({mask_of(outcomes)});
    if (u.size(0) < 2) return;
    const auto rms = u.square().mean(0).sqrt();
    const auto mean = u.mean(0);
    // Close to constant functions are not blown up beyond four times their size.
    const auto scale = rule_ == "rms" ? rms : torch::maximum(u.std(0), rms / 4.0);
    scale_.copy_(scale.clamp_min(1e-12));
    if (rule_ == "centred") mean_.copy_(mean);
}

}  // namespace deepsl::model
