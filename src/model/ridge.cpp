#include "model/ridge.h"

#include <cmath>
#include <limits>

namespace deepsl::model {

using torch::Tensor;

Tensor ridge_weights(const Tensor& x, const Tensor& y) {
    const auto rows = static_cast<double>(x.size(0));
    const auto inputs = x - x.mean(0), targets = y - y.mean(0);
    const auto [squares, axes] = torch::linalg_eigh(inputs.t().mm(inputs), "L");
    const auto turned = inputs.mm(axes);
    const auto along = turned.t().mm(targets);
    const double unit = squares.sum().item<double>() / static_cast<double>(x.size(1));
    Tensor best;
    double least = std::numeric_limits<double>::infinity();
    for (int half_decade = -8; half_decade <= 8; ++half_decade) {
        const double strength = unit * std::pow(10.0, 0.5 * half_decade) + 1e-300;
        const auto damping = 1.0 / (squares.clamp_min(0.0) + strength);
        const auto weights = damping.unsqueeze(1) * along;
        // A row left out is missed by its residual over 1 - its leverage.
        const auto leverage = (turned.square() * damping).sum(1, true) + 1.0 / rows;
        const auto missed = (targets - turned.mm(weights)) / (1.0 - leverage).clamp_min(1e-9);
        const double error = missed.square().sum().item<double>();
        if (best.defined() && !(error < least)) continue;
        least = error;
        best = axes.mm(weights);
    }
    return best;
}

}  // namespace deepsl::model
