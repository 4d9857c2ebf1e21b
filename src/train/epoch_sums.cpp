#include "train/epoch_sums.h"

#include <algorithm>

#include "deepsl/train/evaluation.h"
#include "deepsl/train/metrics.h"

namespace deepsl::train {

void EpochSums::clear() {
    sums_ = {};
    first_ = last_ = 0.0;
    has_lambda_ = false;
    seen_ = right_ = 0;
    failed_ = 0;
    failures_.clear();
    y_.clear();
    numbers_.clear();
    outcomes_.clear();
}

void EpochSums::add_spectrum(std::span<const double> lambda) {
    const auto [least, most] = std::minmax_element(lambda.begin(), lambda.end());
    first_ += *least;
    last_ += *most;
    has_lambda_ = true;
}

void EpochSums::add(const model::Prediction& prediction, const Dataset& data,
                    std::span<const std::size_t> rows, const LossSums& sums) {
    const auto& y = prediction.y;
    const auto& lambda = prediction.lambda;
    const auto& outcomes = prediction.outcomes;
    sums_ += sums;
    seen_ += rows.size();
    failed_ += count_failures(outcomes, failures_);
    if (lambda.columns() > 0)
        for (std::size_t b = 0; b < rows.size(); ++b)
            if (outcomes[b].ok()) add_spectrum(lambda.row(b));
    if (data.has_labels()) {
        for (std::size_t b = 0; b < rows.size(); ++b)
            if (outcomes[b].ok() && guess(y.row(b)) == data.labels[rows[b]]) ++right_;
        return;
    }
    y_.insert(y_.end(), y.values().begin(), y.values().end());
    outcomes_.insert(outcomes_.end(), outcomes.begin(), outcomes.end());
    for (const auto row : rows) {
        const auto target = data.numbers.row(row);
        numbers_.insert(numbers_.end(), target.begin(), target.end());
    }
}

double EpochSums::metric() const {
    if (y_.empty()) return static_cast<double>(right_) / static_cast<double>(seen_);
    const auto outputs = y_.size() / seen_;
    return r2({y_.data(), seen_, outputs}, {numbers_.data(), seen_, outputs}, outcomes_);
}

void EpochSums::report_to(EpochReport& report) const {
    report.loss = sums_.mean_data();
    report.spectral = sums_.mean_spectral();
    report.train_metric = metric();
    report.failed_lines = failed_;
    report.failures = failures_;
    if (!has_lambda_) return;
    report.lambda_first = first_ / static_cast<double>(sums_.kept);
    report.lambda_last = last_ / static_cast<double>(sums_.kept);
}

}  // namespace deepsl::train
