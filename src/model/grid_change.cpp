#include "model/grid_change.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "model/line_check.h"

namespace deepsl::model {
namespace {

/// The largest standard deviation of a column, over these rows.
double spread(const Matrix<double>& y, std::span<const std::size_t> rows) {
    const auto count = static_cast<double>(rows.size());
    double result = 0.0;
    for (std::size_t o = 0; o < y.columns(); ++o) {
        double mean = 0.0, square = 0.0;
        for (const auto b : rows) mean += y(b, o) / count;
        for (const auto b : rows) square += (y(b, o) - mean) * (y(b, o) - mean) / count;
        result = worse(result, std::sqrt(square));
    }
    return result;
}

std::ptrdiff_t winner(std::span<const double> y) {
    return std::max_element(y.begin(), y.end()) - y.begin();
}

/// Of the eigenvalues of one line.
double change_of_lambda(std::span<const double> own, std::span<const double> fine) {
    const auto d = fine.size();
    if (d == 1) return relative_change(own[0], fine[0]);
    double result = 0.0;
    for (std::size_t i = 0; i < d; ++i) {
        const double below = i > 0 ? fine[i] - fine[i - 1] : fine[1] - fine[0];
        const double above = i + 1 < d ? fine[i + 1] - fine[i] : fine[i] - fine[i - 1];
        result = worse(result, std::fabs(own[i] - fine[i]) / std::min(below, above));
    }
    return result;
}

}  // namespace

void Answers::add(const Inspection& seen, std::size_t field, std::size_t first) {
    for (std::size_t b = 0; b < seen.samples; ++b) {
        const auto row = first + b;
        if (!seen.outcomes[b].ok()) {
            ok[row] = 0;
            continue;
        }
        for (std::size_t o = 0; o < seen.outputs; ++o) {
            double sum = seen.constant[o];
            for (const double c : seen.contribution(b, o)) sum += c;
            y(row, o) += sum;
        }
        const auto lambdas = seen.lambda.row(b);
        std::copy(lambdas.begin(), lambdas.end(), lambda.row(row).subspan(field * seen.d).begin());
    }
}

GridChange grid_change(const Answers& own, const Answers& fine, std::size_t fields) {
    std::vector<std::size_t> both;
    for (std::size_t b = 0; b < own.ok.size(); ++b)
        if (own.ok[b] && fine.ok[b]) both.push_back(b);
    GridChange change;
    if (both.empty()) return change;
    const auto d = own.lambda.columns() / fields;
    double difference = 0.0;
    std::size_t moved = 0;
    for (const auto b : both) {
        const auto y = own.y.row(b), y_fine = fine.y.row(b);
        for (std::size_t o = 0; o < y.size(); ++o)
            difference = worse(difference, std::fabs(y_fine[o] - y[o]));
        if (winner(y) != winner(y_fine)) ++moved;
        for (std::size_t m = 0; m < fields; ++m)
            change.lambda =
                worse(change.lambda, change_of_lambda(own.lambda.row(b).subspan(m * d, d),
                                                      fine.lambda.row(b).subspan(m * d, d)));
    }
    change.prediction = difference == 0.0 ? 0.0 : difference / spread(fine.y, both);
    change.classes = static_cast<double>(moved) / static_cast<double>(both.size());
    return change;
}

}  // namespace deepsl::model
