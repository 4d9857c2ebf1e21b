#include "deepsl/train/evaluation.h"

#include <limits>
#include <string>

namespace deepsl::train {

Evaluation evaluate(model::PredictorImpl& model, const Dataset& data, Loss loss) {
    check_dataset(model, data, "evaluation data");
    loss_of(name(loss), data.labels());

    const bool was_training = model.is_training();
    model.eval();
    const auto prediction = model.predict(data.x.to(model.scalar_type()));
    model.train(was_training);

    Evaluation result;
    result.samples = data.size();
    result.failed = count_failures(prediction.outcomes, result.failures);
    const auto batch = total_loss(loss, prediction, data.target, 0.0);
    result.loss = batch.kept > 0 ? batch.data : std::numeric_limits<double>::infinity();
    result.metrics = metrics(prediction.y, data.target, prediction.ok);
    result.metric = result.metrics.front();
    return result;
}

std::int64_t count_failures(const std::vector<model::Outcome>& outcomes, Failures& failures) {
    std::int64_t failed = 0;
    for (const auto& outcome : outcomes) {
        if (outcome.ok()) continue;
        ++failures[std::string(outcome.name())];
        ++failed;
    }
    return failed;
}

}  // namespace deepsl::train
