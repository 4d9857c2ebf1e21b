// Data sets of the tests.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <optional>
#include <utility>
#include <vector>

#include "deepsl/data/generated.h"
#include "deepsl/matrix.h"
#include "deepsl/model/outcome.h"
#include "deepsl/train/dataset.h"
#include "deepsl/train/options.h"

namespace deepsl::train {

using data::GeneratedSet;

inline Matrix<double> rows_of(std::vector<double> values, std::size_t columns) {
    const auto rows = values.size() / columns;
    return {rows, columns, std::move(values)};
}
inline Matrix<double> column(std::vector<double> values) { return rows_of(std::move(values), 1); }

inline Dataset labelled(Matrix<double> x, std::vector<std::int64_t> labels) {
    return {std::move(x), std::move(labels), {}};
}
inline Dataset numbered(Matrix<double> x, Matrix<double> numbers) {
    return {std::move(x), {}, std::move(numbers)};
}

/// Outcomes of samples of which some failed.
inline std::vector<model::Outcome> outcomes_of(const std::vector<bool>& ok) {
    std::vector<model::Outcome> outcomes(ok.size());
    for (std::size_t b = 0; b < ok.size(); ++b)
        if (!ok[b]) outcomes[b].line = field::LineStatus::outside;
    return outcomes;
}

/// Points of a generated set, moved into the middle of the unit ball.
inline Dataset generated(GeneratedSet set, std::size_t samples, std::uint64_t seed) {
    const auto made = data::generate(set, {samples, std::nullopt, seed});
    auto x = rows_of(made.x, made.features);
    for (std::size_t r = 0; r < x.rows(); ++r) {
        if (made.features == 2) {
            x(r, 0) = (x(r, 0) - 0.5) / 2.5;
            x(r, 1) = (x(r, 1) - 0.25) / 2.5;
        } else {
            for (auto& value : x.row(r)) value /= 1.5;
        }
    }
    if (made.classes == 0) return numbered(std::move(x), column(made.y));
    return labelled(std::move(x), {made.label.begin(), made.label.end()});
}

inline bool same_bits(const std::vector<double>& a, const std::vector<double>& b) {
    return a.size() == b.size() &&
           (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

/// Ends after so many epochs, and not before.
inline TrainOptions quick(std::int64_t epochs) {
    TrainOptions options;
    options.batch = 25;
    options.epochs = epochs;
    options.patience = 0;
    options.learning_rate = 0.01;
    return options;
}

}  // namespace deepsl::train
