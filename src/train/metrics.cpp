#include "deepsl/train/metrics.h"

#include <algorithm>
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

std::int64_t classes_of(const Tensor& y) { return std::max<std::int64_t>(y.size(1), 2); }

/// The share of pairs, one of the class and one not, in which the first has the larger score; ties
/// count half. NaN without such pairs.
double area(const Tensor& score, const Tensor& of_class) {
    const auto [sorted, order] = score.to(torch::kFloat64).contiguous().sort();
    const auto member = of_class.index_select(0, order).contiguous();
    const double* value = sorted.data_ptr<double>();
    const bool* inside = member.data_ptr<bool>();
    double below = 0.0, members = 0.0, pairs = 0.0;
    for (std::int64_t i = 0, n = sorted.size(0); i < n;) {
        double tied_in = 0.0, tied_out = 0.0;
        const double here = value[i];
        for (; i < n && value[i] == here; ++i) (inside[i] ? tied_in : tied_out) += 1.0;
        pairs += tied_in * (below + 0.5 * tied_out);
        below += tied_out;
        members += tied_in;
    }
    return pairs / (members * below);
}

}  // namespace

Tensor guesses(const Tensor& y) {
    return y.size(1) > 1 ? y.argmax(1) : y.squeeze(1).gt(0).to(torch::kInt64);
}

Tensor confusion(const Tensor& y, const Tensor& target, const Tensor& ok) {
    const torch::NoGradGuard no_grad;
    const auto classes = classes_of(y);
    const auto pairs = kept(target, ok) * classes + guesses(kept(y, ok));
    return torch::bincount(pairs, {}, classes * classes).reshape({classes, classes});
}

double balanced_accuracy(const Tensor& y, const Tensor& target, const Tensor& ok) {
    const auto samples = torch::bincount(target, {}, classes_of(y)).to(torch::kFloat64);
    const auto right = confusion(y, target, ok).diagonal().to(torch::kFloat64);
    return (right / samples).index({samples > 0}).mean().item<double>();
}

double f1(const Tensor& y, const Tensor& target, const Tensor& ok) {
    const auto table = confusion(y, target, ok).to(torch::kFloat64);
    const auto right = table.diagonal(), sum = table.sum(0) + table.sum(1);
    const auto each = torch::where(sum > 0, 2.0 * right / sum.clamp_min(1.0), right);
    if (table.size(0) == 2) return each[1].item<double>();
    return each.index({sum > 0}).mean().item<double>();
}

double auc(const Tensor& y, const Tensor& target, const Tensor& ok) {
    const torch::NoGradGuard no_grad;
    const auto scores = kept(y, ok), labels = kept(target, ok);
    if (classes_of(y) == 2) {
        const auto score =
            y.size(1) == 1 ? scores.squeeze(1) : scores.select(1, 1) - scores.select(1, 0);
        return area(score, labels.eq(1));
    }
    const auto share = torch::softmax(scores, 1);
    double sum = 0.0, count = 0.0;
    for (std::int64_t c = 0; c < y.size(1); ++c) {
        const double one = area(share.select(1, c), labels.eq(c));
        if (std::isnan(one)) continue;
        sum += one;
        count += 1.0;
    }
    return sum / count;
}

double accuracy(const Tensor& y, const Tensor& target, const Tensor& ok) {
    const torch::NoGradGuard no_grad;
    auto right = guesses(y).eq(target);
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
                {"balanced_accuracy", balanced_accuracy(y, target, ok), true},
                {"log_loss", log_loss(y, target, ok), false},
                {"auc", auc(y, target, ok), true},
                {"f1", f1(y, target, ok), true}};
    return {{"r2", r2(y, target, ok), true},
            {"mae", mae(y, target, ok), false},
            {"rmse", rmse(y, target, ok), false}};
}

}  // namespace deepsl::train
