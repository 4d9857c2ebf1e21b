#include "deepsl/train/metrics.h"

#include <cmath>
#include <cstdint>
#include <limits>

#include "deepsl/train/loss.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

/// The rows that did not fail, in double unless they are labels.
Tensor kept(const Tensor& rows, const Tensor& ok) {
    const auto result = ok.defined() ? rows.index({ok}) : rows;
    return result.is_floating_point() ? result.to(torch::kFloat64) : result;
}

template <class Mean>
double over_kept(const Tensor& y, const Tensor& target, const Tensor& ok, Mean mean) {
    const torch::NoGradGuard no_grad;
    const auto rows = kept(y, ok);
    if (rows.size(0) == 0) return std::numeric_limits<double>::infinity();
    return mean(rows, kept(target, ok)).template item<double>();
}

}  // namespace

double accuracy(const Tensor& y, const Tensor& target, const Tensor& ok) {
    const torch::NoGradGuard no_grad;
    const auto guess = y.size(1) > 1 ? y.argmax(1) : y.squeeze(1).gt(0).to(torch::kInt64);
    auto right = guess.eq(target);
    if (ok.defined()) right = right.logical_and(ok);
    return right.to(torch::kFloat64).mean().item<double>();
}

double log_loss(const Tensor& y, const Tensor& target, const Tensor& ok) {
    return over_kept(y, target, ok, [](const Tensor& a, const Tensor& b) {
        return data_loss(Loss::cross_entropy, a, b);
    });
}

double r2(const Tensor& y, const Tensor& target, const Tensor& ok) {
    const torch::NoGradGuard no_grad;
    const auto t = target.to(torch::kFloat64);
    const auto mean = t.mean(0, true);
    auto guess = y.to(torch::kFloat64);
    if (ok.defined()) guess = torch::where(ok.unsqueeze(1), guess, mean);
    const auto error = (guess - t).square().sum(0);
    const auto spread = (t - mean).square().sum(0);
    const auto constant = error.eq(0).to(torch::kFloat64);
    return torch::where(spread.gt(0), 1 - error / spread, constant).mean().item<double>();
}

double mae(const Tensor& y, const Tensor& target, const Tensor& ok) {
    return over_kept(y, target, ok,
                     [](const Tensor& a, const Tensor& b) { return (a - b).abs().mean(); });
}

double rmse(const Tensor& y, const Tensor& target, const Tensor& ok) {
    return over_kept(y, target, ok, [](const Tensor& a, const Tensor& b) {
        return (a - b).square().mean().sqrt();
    });
}

std::vector<Metric> metrics(const Tensor& y, const Tensor& target, const Tensor& ok) {
    if (!target.is_floating_point())
        return {{"accuracy", accuracy(y, target, ok), true},
                {"log_loss", log_loss(y, target, ok), false}};
    return {{"r2", r2(y, target, ok), true},
            {"mae", mae(y, target, ok), false},
            {"rmse", rmse(y, target, ok), false}};
}

}  // namespace deepsl::train
