#include "learner/weights.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include "deepsl/matrix.h"
#include "deepsl/train/loss.h"

namespace deepsl::learner {
namespace {

constexpr double alike_rows = 20.0;
constexpr int steps = 500;

std::vector<std::size_t> rows_all_have(const std::vector<model::Prediction>& said) {
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < said.front().size(); ++row)
        if (std::ranges::all_of(said, [&](const auto& each) { return each.outcomes[row].ok(); }))
            rows.push_back(row);
    return rows;
}

/// By expectation maximisation: the weight of each is its mean share of the probability.
std::vector<double> of_classes(const std::vector<model::Prediction>& said,
                               const train::Targets& truth, const std::vector<std::size_t>& rows) {
    const auto count = said.size();
    const auto total = static_cast<double>(rows.size()) + alike_rows;
    Matrix<double> probability(rows.size(), count);
    for (std::size_t i = 0; i < rows.size(); ++i)
        for (std::size_t c = 0; c < count; ++c) {
            const double loss = train::sample_loss(
                train::Loss::cross_entropy, said[c].y.row(rows[i]), truth.labels[rows[i]], {});
            probability(i, c) = std::max(std::exp(-loss), 1e-9);
        }
    std::vector<double> weights(count, 1.0 / static_cast<double>(count)), next(count);
    for (int step = 0; step < steps; ++step) {
        std::fill(next.begin(), next.end(), alike_rows / static_cast<double>(count) / total);
        for (std::size_t i = 0; i < rows.size(); ++i) {
            double all = 0.0;
            for (std::size_t c = 0; c < count; ++c) all += weights[c] * probability(i, c);
            for (std::size_t c = 0; c < count; ++c)
                next[c] += weights[c] * probability(i, c) / all / total;
        }
        weights = next;
    }
    return weights;
}

/// What is minimised is a square form w' H w + b' w, by moving weight between two of them at a
/// time, as far as that helps: it can only fall.
std::vector<double> of_numbers(const std::vector<model::Prediction>& said,
                               const train::Targets& truth, const std::vector<std::size_t>& rows) {
    const auto count = said.size();
    const auto n = static_cast<double>(std::max<std::size_t>(rows.size(), 1));
    const double even = 1.0 / static_cast<double>(count);
    double mean = 0.0, variance = 0.0;
    for (const auto row : rows) mean += truth.numbers(row, 0) / n;
    for (const auto row : rows) variance += std::pow(truth.numbers(row, 0) - mean, 2) / n;
    variance = std::max(variance, 1e-300);
    // Of errors, whose weighted mean is the error of the mean.
    Matrix<double> products(count, count, 0.0);
    for (const auto row : rows)
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t d = 0; d < count; ++d)
                products(c, d) += (said[c].y(row, 0) - truth.numbers(row, 0)) *
                                  (said[d].y(row, 0) - truth.numbers(row, 0)) / (n * variance);
    for (std::size_t c = 0; c < count; ++c) products(c, c) += alike_rows / n;
    std::vector<double> weights(count, even);
    const auto slope = [&](std::size_t c) {
        double sum = -alike_rows / n * even;
        for (std::size_t d = 0; d < count; ++d) sum += products(c, d) * weights[d];
        return sum;
    };
    for (int step = 0; step < steps; ++step)
        for (std::size_t c = 0; c < count; ++c)
            for (std::size_t d = 0; d < c; ++d) {
                const double bend = products(c, c) + products(d, d) - 2.0 * products(c, d);
                if (!(bend > 0.0) || !std::isfinite(bend)) continue;
                const double move =
                    std::clamp((slope(d) - slope(c)) / bend, -weights[c], weights[d]);
                weights[c] += move;
                weights[d] -= move;
            }
    return weights;
}

}  // namespace

std::vector<double> vote_weights(const std::vector<model::Prediction>& said,
                                 const train::Targets& truth) {
    if (said.size() == 1) return {1.0};
    const auto rows = rows_all_have(said);
    return truth.has_labels() ? of_classes(said, truth, rows) : of_numbers(said, truth, rows);
}

}  // namespace deepsl::learner
