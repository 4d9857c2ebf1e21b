#include "deepsl/train/evaluation.h"

#include <string>

namespace deepsl::train {

Evaluation evaluate(const model::Predictor& model, const Dataset& data, Loss loss) {
    check_dataset(model, data, "evaluation data");
    loss = loss_for(loss, data.has_labels());
    return evaluate(predict(model, data), data.targets(), loss);
}

Evaluation evaluate(const model::Prediction& prediction, const Targets& targets, Loss loss) {
    Evaluation result;
    result.samples = static_cast<std::int64_t>(prediction.size());
    result.failed = count_failures(prediction.outcomes, result.failures);
    result.loss = loss_sums(loss, prediction, targets, 0.0).mean_data();
    result.metrics = metrics(prediction.y, targets, prediction.outcomes);
    result.metric = result.metrics.front();
    result.majority = majority_share(targets.labels);
    return result;
}

std::int64_t count_failures(std::span<const model::Outcome> outcomes, Failures& failures) {
    std::int64_t failed = 0;
    for (const auto& outcome : outcomes) {
        if (outcome.ok()) continue;
        ++failures[std::string(outcome.name())];
        ++failed;
    }
    return failed;
}

}  // namespace deepsl::train
