#include "deepsl/train/metrics.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "deepsl/train/loss.h"

namespace deepsl::train {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

bool ok(Outcomes outcomes, std::size_t row) { return outcomes.empty() || outcomes[row].ok(); }

std::size_t classes_of(Rows y) { return std::max<std::size_t>(y.columns(), 2); }

/// The mean of value(row) over rows that did not fail.
template <class Value>
double mean_over_kept(std::size_t rows, Outcomes outcomes, const Value& value) {
    double sum = 0.0, kept = 0.0;
    for (std::size_t row = 0; row < rows; ++row) {
        if (!ok(outcomes, row)) continue;
        sum += value(row);
        kept += 1.0;
    }
    return kept > 0.0 ? sum / kept : infinity;
}

/// The same over outputs, too.
template <class Value>
double mean_over_outputs(Rows y, Rows numbers, Outcomes outcomes, const Value& value) {
    return mean_over_kept(y.rows(), outcomes, [&](std::size_t row) {
        double sum = 0.0;
        for (std::size_t j = 0; j < y.columns(); ++j) sum += value(y(row, j) - numbers(row, j));
        return sum / static_cast<double>(y.columns());
    });
}

/// A score, and whether the sample is of the class in question.
using Scored = std::pair<double, bool>;

/// NaN, which has no place in an order, as the smallest number.
double ordered(double score) { return std::isnan(score) ? -infinity : score; }

/// The share of pairs, one of the class and one not, in which the first has the larger score; ties
/// count half. NaN without such pairs.
double area(std::vector<Scored>& scores) {
    std::sort(scores.begin(), scores.end(),
              [](const Scored& a, const Scored& b) { return a.first < b.first; });
    double below = 0.0, members = 0.0, pairs = 0.0;
    for (std::size_t i = 0; i < scores.size();) {
        double tied_in = 0.0, tied_out = 0.0;
        const double here = scores[i].first;
        for (; i < scores.size() && scores[i].first == here; ++i)
            (scores[i].second ? tied_in : tied_out) += 1.0;
        pairs += tied_in * (below + 0.5 * tied_out);
        below += tied_out;
        members += tied_in;
    }
    return pairs / (members * below);
}

/// The share of class c among the exponentials of a row.
double softmax(std::span<const double> y, std::size_t c) {
    const double largest = *std::max_element(y.begin(), y.end());
    double sum = 0.0;
    for (const double value : y) sum += std::exp(value - largest);
    return std::exp(y[c] - largest) / sum;
}

/// 1 - error / spread of one output.
double r2_of(Rows y, Rows numbers, Outcomes outcomes, std::size_t output) {
    double mean = 0.0, error = 0.0, spread = 0.0;
    for (std::size_t row = 0; row < y.rows(); ++row) mean += numbers(row, output);
    mean /= static_cast<double>(y.rows());
    for (std::size_t row = 0; row < y.rows(); ++row) {
        const double target = numbers(row, output);
        const double guess = ok(outcomes, row) ? y(row, output) : mean;
        error += (guess - target) * (guess - target);
        spread += (target - mean) * (target - mean);
    }
    if (spread > 0.0) return 1.0 - error / spread;
    return error == 0.0 ? 1.0 : 0.0;
}

}  // namespace

std::int64_t guess(std::span<const double> y) {
    if (y.size() == 1) return y[0] > 0.0 ? 1 : 0;
    return std::max_element(y.begin(), y.end()) - y.begin();
}

std::string metric_title(std::string_view name) {
    std::string title(name);
    std::replace(title.begin(), title.end(), '_', ' ');
    constexpr std::string_view r2 = "r2";
    const auto is_end = [&](std::size_t at) { return at >= title.size() || title[at] == ' '; };
    const auto at = title.find(r2);
    if (at != std::string::npos && (at == 0 || is_end(at - 1)) && is_end(at + r2.size()))
        title.replace(at, r2.size(), "R²");
    return title;
}

std::vector<std::int64_t> guesses(Rows y) {
    std::vector<std::int64_t> result;
    result.reserve(y.rows());
    for (std::size_t row = 0; row < y.rows(); ++row) result.push_back(guess(y.row(row)));
    return result;
}

Matrix<std::int64_t> confusion(Rows y, Labels labels, Outcomes outcomes) {
    Matrix<std::int64_t> counts(classes_of(y), classes_of(y));
    for (std::size_t row = 0; row < y.rows(); ++row)
        if (ok(outcomes, row))
            ++counts(static_cast<std::size_t>(labels[row]),
                     static_cast<std::size_t>(guess(y.row(row))));
    return counts;
}

double accuracy(Rows y, Labels labels, Outcomes outcomes) {
    std::size_t right = 0;
    for (std::size_t row = 0; row < y.rows(); ++row)
        if (ok(outcomes, row) && guess(y.row(row)) == labels[row]) ++right;
    return static_cast<double>(right) / static_cast<double>(y.rows());
}

double balanced_accuracy(Rows y, Labels labels, Outcomes outcomes) {
    std::vector<double> samples(classes_of(y)), right(classes_of(y));
    for (std::size_t row = 0; row < y.rows(); ++row) {
        const auto label = static_cast<std::size_t>(labels[row]);
        samples[label] += 1.0;
        if (ok(outcomes, row) && guess(y.row(row)) == labels[row]) right[label] += 1.0;
    }
    double sum = 0.0, classes = 0.0;
    for (std::size_t c = 0; c < samples.size(); ++c) {
        if (samples[c] == 0.0) continue;
        sum += right[c] / samples[c];
        classes += 1.0;
    }
    return sum / classes;
}

double f1(Rows y, Labels labels, Outcomes outcomes) {
    const auto table = confusion(y, labels, outcomes);
    double all = 0.0, classes = 0.0, last = 0.0;
    for (std::size_t c = 0; c < table.rows(); ++c) {
        std::int64_t sum = 0;
        for (std::size_t j = 0; j < table.rows(); ++j) sum += table(c, j) + table(j, c);
        last = sum > 0 ? 2.0 * static_cast<double>(table(c, c)) / static_cast<double>(sum) : 0.0;
        all += last;
        classes += sum > 0 ? 1.0 : 0.0;
    }
    return table.rows() == 2 ? last : all / classes;
}

double auc(Rows y, Labels labels, Outcomes outcomes) {
    std::vector<Scored> scores;
    const auto area_of = [&](std::int64_t c, const auto& score) {
        scores.clear();
        for (std::size_t row = 0; row < y.rows(); ++row)
            if (ok(outcomes, row))
                scores.emplace_back(ordered(score(y.row(row))), labels[row] == c);
        return area(scores);
    };
    if (classes_of(y) == 2)
        return area_of(1, [](auto row) { return row.size() == 1 ? row[0] : row[1] - row[0]; });
    double sum = 0.0, count = 0.0;
    for (std::size_t c = 0; c < y.columns(); ++c) {
        const double one = area_of(static_cast<std::int64_t>(c),
                                   [&](std::span<const double> row) { return softmax(row, c); });
        if (std::isnan(one)) continue;
        sum += one;
        count += 1.0;
    }
    return sum / count;
}

double log_loss(Rows y, Labels labels, Outcomes outcomes) {
    return mean_over_kept(y.rows(), outcomes, [&](std::size_t row) {
        return sample_loss(Loss::cross_entropy, y.row(row), labels[row], {});
    });
}

double r2(Rows y, Rows numbers, Outcomes outcomes) {
    double sum = 0.0;
    for (std::size_t j = 0; j < y.columns(); ++j) sum += r2_of(y, numbers, outcomes, j);
    return sum / static_cast<double>(y.columns());
}

double mae(Rows y, Rows numbers, Outcomes outcomes) {
    return mean_over_outputs(y, numbers, outcomes, [](double error) { return std::abs(error); });
}

double rmse(Rows y, Rows numbers, Outcomes outcomes) {
    return std::sqrt(
        mean_over_outputs(y, numbers, outcomes, [](double error) { return error * error; }));
}

double majority_share(Labels labels) {
    if (labels.empty()) return std::numeric_limits<double>::quiet_NaN();
    std::vector<std::size_t> counts(
        static_cast<std::size_t>(*std::max_element(labels.begin(), labels.end())) + 1);
    for (const auto label : labels) ++counts[static_cast<std::size_t>(label)];
    return static_cast<double>(*std::max_element(counts.begin(), counts.end())) /
           static_cast<double>(labels.size());
}

Metric main_metric(Rows y, const Targets& targets, Outcomes outcomes) {
    if (targets.has_labels()) return {"accuracy", accuracy(y, targets.labels, outcomes), true};
    return {"r2", r2(y, targets.numbers, outcomes), true};
}

std::vector<Metric> metrics(Rows y, const Targets& targets, Outcomes outcomes) {
    const auto main = main_metric(y, targets, outcomes);
    const auto& [labels, numbers] = targets;
    if (targets.has_labels())
        return {main,
                {"balanced_accuracy", balanced_accuracy(y, labels, outcomes), true},
                {"log_loss", log_loss(y, labels, outcomes), false},
                {"auc", auc(y, labels, outcomes), true},
                {"f1", f1(y, labels, outcomes), true}};
    return {main,
            {"mae", mae(y, numbers, outcomes), false},
            {"rmse", rmse(y, numbers, outcomes), false}};
}

}  // namespace deepsl::train
