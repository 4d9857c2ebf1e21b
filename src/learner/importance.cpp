#include "deepsl/learner/importance.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "deepsl/data/target.h"
#include "deepsl/error.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/columns.h"
#include "deepsl/random.h"
#include "deepsl/train/loss.h"
#include "deepsl/train/metrics.h"

namespace deepsl::learner {
namespace {

struct Figures {
    double metric = 0.0, loss = 0.0;
};

Figures figures_of(const TrainedModel& model, const train::Dataset& rows,
                   MatrixView<const double> x) {
    const auto prediction = model.predict(x);
    const auto targets = rows.targets();
    const auto loss = train::loss_for(train::Loss::automatic, rows.has_labels());
    return {train::main_metric(prediction.y, targets, prediction.outcomes).value,
            train::loss_sums(loss, prediction, targets, 0.0).mean_data()};
}

/// Mean and deviation of some figures.
struct Spread {
    double mean = 0.0, deviation = 0.0;

    explicit Spread(const std::vector<double>& values) {
        const auto count = static_cast<double>(values.size());
        mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
        for (const double value : values) deviation += (value - mean) * (value - mean);
        deviation = std::sqrt(deviation / std::max(1.0, count - 1.0));
    }
};

train::Dataset some_rows(const train::Dataset& rows, std::size_t most) {
    std::vector<std::size_t> taken;
    const auto count = std::min(most, rows.size());
    taken.reserve(count);
    for (std::size_t i = 0; i < count; ++i) taken.push_back(i * rows.size() / count);
    return rows.rows_at(taken);
}

}  // namespace

Importance importance(const TrainedModel& model, const train::Dataset& rows,
                      const ImportanceOptions& options) {
    if (model.image())
        throw argument_error("importance is that of a table's columns; the model takes images");
    if (options.repeats < 1 || options.most_rows < 1)
        throw argument_error("importance needs at least one repeat and one row");
    train::check_dataset(*model.predictor, rows, "the data");
    const auto known = some_rows(rows, options.most_rows);
    const auto columns = columns_of(model);
    const auto whole = figures_of(model, known, known.x);

    Importance result;
    result.metric_name = known.has_labels() ? "accuracy" : "r2";
    result.loss_name = known.has_labels() ? "log_loss" : "mse";
    result.metric = whole.metric;
    result.loss = whole.loss;
    result.rows = known.size();
    for (std::size_t c = 0; c < columns.size(); ++c) {
        Random random(options.seed);  // the same orders for all columns
        std::vector<double> metric, loss;
        for (std::size_t k = 0; k < options.repeats; ++k) {
            const auto order = permutation(known.size(), random);
            auto x = known.x;
            for (std::size_t r = 0; r < x.rows(); ++r)
                std::copy_n(
                    known.x.row(order[r]).begin() + static_cast<std::ptrdiff_t>(columns[c].first),
                    columns[c].count,
                    x.row(r).begin() + static_cast<std::ptrdiff_t>(columns[c].first));
            const auto without = figures_of(model, known, x);
            metric.push_back(whole.metric - without.metric);
            loss.push_back(without.loss - whole.loss);
        }
        const Spread by_metric(metric), by_loss(loss);
        result.columns.push_back({columns[c].name, by_metric.mean, by_metric.deviation,
                                  by_loss.mean, by_loss.deviation});
        if (options.progress && options.progress(c + 1, columns.size())) break;
    }
    std::stable_sort(result.columns.begin(), result.columns.end(),
                     [](const auto& a, const auto& b) { return a.loss > b.loss; });
    return result;
}

Importance importance(const TrainedModel& model, const data::Table& table, bool strict,
                      const ImportanceOptions& options) {
    if (!model.encoding)
        throw data_error("the model was not trained on a table; make one with 'deepsl train'");
    // Refused where the target is missing, or has a class that the model does not know.
    train::Dataset rows;
    rows.x = inputs_of(model, table, strict);
    auto target =
        data::read_measured_target(table, model.encoding->target_in(table), model.classes);
    rows.labels = std::move(target.labels);
    if (!model.predicts_classes())
        rows.numbers = Matrix<double>(rows.size(), 1, std::move(target.numbers));
    return importance(model, rows, options);
}

}  // namespace deepsl::learner
