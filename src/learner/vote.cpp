#include "learner/vote.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <utility>

namespace deepsl::learner {
namespace {

/// log(exp a + exp b + ..)
class LogSum {
public:
    void add(double value) {
        if (value > largest_) {
            sum_ = sum_ * std::exp(largest_ - value) + 1.0;
            largest_ = value;
        } else if (value > -std::numeric_limits<double>::infinity()) {
            sum_ += std::exp(value - largest_);
        }
    }
    double value() const { return largest_ + std::log(sum_); }

private:
    double largest_ = -std::numeric_limits<double>::infinity(), sum_ = 0.0;
};

/// Logarithms of the probabilities of all classes; a single score makes two of them.
std::vector<double> log_probabilities(std::span<const double> y) {
    if (y.size() == 1) {
        const auto log_sigmoid = [](double s) {
            return std::min(s, 0.0) - std::log1p(std::exp(-std::fabs(s)));
        };
        return {log_sigmoid(-y[0]), log_sigmoid(y[0])};
    }
    LogSum all;
    for (const double score : y) all.add(score);
    std::vector<double> logs;
    for (const double score : y) logs.push_back(score - all.value());
    return logs;
}

/// Of the mean over the voters that are ok.
std::vector<double> mean_log_probabilities(const std::vector<model::Prediction>& votes,
                                           std::span<const double> weights, std::size_t row) {
    std::vector<LogSum> sums;
    double total = 0.0;
    for (std::size_t v = 0; v < votes.size(); ++v) {
        if (!votes[v].outcomes[row].ok()) continue;
        const auto logs = log_probabilities(votes[v].y.row(row));
        sums.resize(logs.size());
        for (std::size_t k = 0; k < logs.size(); ++k) sums[k].add(logs[k] + std::log(weights[v]));
        total += weights[v];
    }
    std::vector<double> means;
    means.reserve(sums.size());
    for (const auto& sum : sums) means.push_back(sum.value() - std::log(total));
    return means;
}

void mean_numbers(const std::vector<model::Prediction>& votes, std::span<const double> weights,
                  std::size_t row, std::span<double> y) {
    std::fill(y.begin(), y.end(), 0.0);
    double total = 0.0;
    for (std::size_t v = 0; v < votes.size(); ++v) {
        if (!votes[v].outcomes[row].ok()) continue;
        for (std::size_t k = 0; k < y.size(); ++k) y[k] += weights[v] * votes[v].y(row, k);
        total += weights[v];
    }
    for (double& value : y) value /= total;
}

}  // namespace

model::Prediction vote(std::vector<model::Prediction> votes, std::span<const double> weights,
                       bool classes) {
    if (votes.size() == 1) return std::move(votes.front());
    model::Prediction result = votes.front();
    for (std::size_t row = 0; row < result.size(); ++row) {
        const auto ok = std::find_if(votes.begin(), votes.end(),
                                     [&](const auto& each) { return each.outcomes[row].ok(); });
        if (ok == votes.end()) continue;
        result.outcomes[row] = ok->outcomes[row];
        const auto y = result.y.row(row);
        if (!classes) {
            mean_numbers(votes, weights, row, y);
            continue;
        }
        const auto logs = mean_log_probabilities(votes, weights, row);
        if (y.size() == 1)
            y[0] = logs[1] - logs[0];
        else
            std::copy(logs.begin(), logs.end(), y.begin());
    }
    return result;
}

void vote_gradient(const std::vector<model::Prediction>& votes, std::span<const double> weights,
                   bool classes, std::size_t row, std::size_t k, std::size_t voter,
                   std::span<double> result) {
    std::fill(result.begin(), result.end(), 0.0);
    const double say = weights[voter] / std::accumulate(weights.begin(), weights.end(), 0.0);
    if (!classes || votes.size() == 1) {
        result[k] = say;
        return;
    }
    const auto all = mean_log_probabilities(votes, weights, row);
    const auto own = log_probabilities(votes[voter].y.row(row));
    // Its share of the mean probability of a class.
    const auto share = [&](std::size_t c) { return say * std::exp(own[c] - all[c]); };
    if (result.size() == 1) {
        result[0] = share(1) * std::exp(own[0]) + share(0) * std::exp(own[1]);
        return;
    }
    for (std::size_t j = 0; j < result.size(); ++j)
        result[j] = share(k) * ((j == k ? 1.0 : 0.0) - std::exp(own[j]));
}

}  // namespace deepsl::learner
