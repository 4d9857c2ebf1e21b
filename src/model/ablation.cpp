#include "deepsl/model/ablation.h"

#include <algorithm>
#include <utility>

#include "model/networks.h"
#include "model/outcomes.h"

namespace deepsl::model {
namespace {

using torch::Tensor;

/// Every sample at every time, as rows (x, t)  [B times, inputs + 1]
Tensor at_times(const Tensor& x, const std::vector<double>& times) {
    const auto count = static_cast<std::int64_t>(times.size());
    const auto t = torch::tensor(times, torch::kFloat64).to(x.scalar_type()).view({1, count, 1});
    const auto rows = {x.unsqueeze(1).expand({x.size(0), count, x.size(1)}),
                       t.expand({x.size(0), count, 1})};
    return torch::cat(rows, 2).view({-1, x.size(1) + 1});
}

}  // namespace

AblationImpl::AblationImpl(std::int64_t inputs, std::int64_t outputs, const ModelOptions& options)
    : PredictorImpl(inputs, outputs),
      cells_(options.cells),
      scheme_(scheme_of(options)),
      centre_(domain_of(inputs, options)->centre()) {
    check_model(options);
    auto mlp = network_options(inputs + 1, 1, options, centre_);
    const Heads heads(options);
    mlp.head = heads.P;
    P_ = register_module("P", network::Mlp(mlp));
    mlp.head = heads.q;
    q_ = register_module("q", network::Mlp(mlp));
    mlp.head = heads.w;
    w_ = register_module("w", network::Mlp(mlp));
    basis_ = Basis(*this, outputs, options);
    set_precision(*this, options);
}

Eigenpairs AblationImpl::pairs(const Tensor& x) {
    const auto samples = x.size(0), cells = 2 * cells_;
    const double length = 1.0 / static_cast<double>(cells);
    // Networks shift and scale all inputs alike: time has its middle where x has its centre.
    const double start = centre_ - 0.5;
    const auto nodes = sturm::nodes(scheme_);
    std::vector<double> times;
    for (std::int64_t c = 0; c < cells; ++c)
        for (const double share : nodes)
            times.push_back(start + length * (static_cast<double>(c) + share));
    const auto inside = at_times(x, times), entry = at_times(x, {start});
    // 1/p is wanted at t = 0, too: there u' = 1 is turned into p u'.
    const auto P = P_->forward(torch::cat({inside, entry})).squeeze(1);
    const std::vector<std::int64_t> shape{samples, cells, static_cast<std::int64_t>(nodes.size())};
    return eigenpairs({P.narrow(0, 0, inside.size(0)).reshape(shape),
                       q_->forward(inside).reshape(shape),
                       w_->forward(inside).reshape(shape),
                       torch::full({samples, cells}, length, torch::kFloat64),
                       P.narrow(0, inside.size(0), samples),
                       {},
                       scheme_},
                      basis_.size());
}

Prediction AblationImpl::forward(const Tensor& x) {
    std::vector<Outcome> outcomes(static_cast<std::size_t>(x.size(0)));
    mark_not_finite(x, outcomes);
    const auto found = pairs(only_ok(x, outcomes).to(scalar_type()));
    return basis_.predict(found, std::move(outcomes));
}

void AblationImpl::calibrate(const Tensor& x, const Tensor&) {
    const torch::NoGradGuard no_grad;
    const auto part = x.narrow(0, 0, std::min<std::int64_t>(x.size(0), 4096));
    if (part.size(0) == 0) return;
    std::vector<Outcome> outcomes(static_cast<std::size_t>(part.size(0)));
    mark_not_finite(part, outcomes);
    const auto found = pairs(only_ok(part, outcomes).to(scalar_type()));
    basis_.mark(found, outcomes);
    basis_.measure(found.u, outcomes);
}

std::vector<Tensor> AblationImpl::linear_parameters() { return basis_.linear()->parameters(); }

}  // namespace deepsl::model
