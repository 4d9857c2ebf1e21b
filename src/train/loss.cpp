#include "deepsl/train/loss.h"

#include <string>

#include "deepsl/option.h"

namespace deepsl::train {
namespace {

using torch::Tensor;
namespace functional = torch::nn::functional;

/// Labels 0 and 1 as -1 and 1, in the type of y.
Tensor signs(const Tensor& y, const Tensor& labels) { return 2 * labels.to(y.scalar_type()) - 1; }

Tensor hinge(const Tensor& y, const Tensor& labels) {
    if (y.size(1) > 1) {
        const auto own = torch::one_hot(labels, y.size(1)).to(y.scalar_type());
        const auto worst = std::get<0>((y + (1 - own)).max(1));
        return (worst - y.gather(1, labels.unsqueeze(1)).squeeze(1)).mean();
    }
    return torch::relu(1 - signs(y, labels) * y.squeeze(1)).mean();
}

Tensor cross_entropy(const Tensor& y, const Tensor& labels) {
    if (y.size(1) > 1) return functional::cross_entropy(y, labels);
    return torch::binary_cross_entropy_with_logits(y.squeeze(1), labels.to(y.scalar_type()));
}

}  // namespace

std::string_view name(Loss loss) {
    switch (loss) {
        case Loss::hinge: return "hinge";
        case Loss::cross_entropy: return "cross_entropy";
        case Loss::squared: return "squared";
    }
    return "";
}

Loss loss_of(std::string_view option, bool labels) {
    if (option == "auto") return labels ? Loss::cross_entropy : Loss::squared;
    for (const auto loss : {Loss::hinge, Loss::cross_entropy, Loss::squared}) {
        if (name(loss) != option) continue;
        if ((loss == Loss::squared) != labels) return loss;
        throw OptionError("loss '" + std::string(option) + "' does not fit " +
                          (labels ? "classes; use hinge or cross_entropy"
                                  : "targets that are numbers; use squared"));
    }
    throw OptionError("there is no loss '" + std::string(option) +
                      "'; use auto, hinge, cross_entropy or squared");
}

Tensor data_loss(Loss loss, const Tensor& y, const Tensor& target) {
    switch (loss) {
        case Loss::hinge: return hinge(y, target);
        case Loss::cross_entropy: return cross_entropy(y, target);
        case Loss::squared: return torch::mse_loss(y, target.to(y.scalar_type()));
    }
    return {};
}

Tensor spectral_term(const Tensor& lambda) { return lambda.to(torch::kFloat64).abs().mean(); }

BatchLoss total_loss(Loss loss, const model::Prediction& prediction, const Tensor& target,
                     double alpha) {
    BatchLoss batch;
    batch.kept = prediction.ok.sum().item<std::int64_t>();
    if (batch.kept == 0) {
        batch.total = torch::zeros({}, prediction.y.options());
        return batch;
    }
    // Rows are selected, not multiplied by zero: whatever stands in a failed one cannot leak.
    const bool all = batch.kept == prediction.ok.numel();
    const auto kept = [&](const Tensor& rows) { return all ? rows : rows.index({prediction.ok}); };

    batch.total = data_loss(loss, kept(prediction.y), kept(target));
    batch.data = batch.total.item<double>();
    if (alpha > 0.0 && prediction.lambda.defined()) {
        const auto spectral = alpha * spectral_term(kept(prediction.lambda));
        batch.spectral = spectral.item<double>();
        batch.total = batch.total + spectral;
    }
    return batch;
}

}  // namespace deepsl::train
