#include "deepsl/field/scaling.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <utility>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/parallel.h"

namespace deepsl::field {
namespace {

void check_columns(MatrixView<const double> x, std::size_t expected) {
    if (x.columns() != expected)
        throw argument_error(fmt::format(
            "the scaling is for rows of {} numbers, but got rows of {}", expected, x.columns()));
}

void check_data(MatrixView<const double> x, const Domain& domain) {
    if (x.rows() == 0 || x.columns() == 0)
        throw data_error("scaling needs at least one row and one column of numbers");
    check_columns(x, domain.dimensions());
    const auto values = x.values();
    if (!std::all_of(values.begin(), values.end(), [](double v) { return std::isfinite(v); }))
        throw data_error("a column holds NaN or infinite numbers; remove or replace them first");
}

/// Root mean square about the means of the columns.
double spread_of(const Matrix<double>& z) {
    std::vector<double> mean(z.columns());
    for (std::size_t r = 0; r < z.rows(); ++r)
        for (std::size_t c = 0; c < z.columns(); ++c) mean[c] += z(r, c);
    for (auto& m : mean) m /= static_cast<double>(z.rows());
    double square = 0.0;
    for (std::size_t r = 0; r < z.rows(); ++r)
        for (std::size_t c = 0; c < z.columns(); ++c) {
            const double off = z(r, c) - mean[c];
            square += off * off;
        }
    return std::sqrt(square / static_cast<double>(z.rows() * z.columns()));
}

Scaling fitted(MatrixView<const double> x, DomainPointer domain, bool by_column,
               std::span<const double> stretch) {
    Scaling s;
    s.placement = domain->place(x, by_column, stretch);
    s.domain = std::move(domain);
    s.spread = spread_of(s.forward(x));
    return s;
}

/// Relevance as factors of at most 1; none if all columns count alike.
std::vector<double> stretch_of(std::span<const double> relevance, std::size_t columns) {
    std::vector<double> stretch(relevance.begin(), relevance.end());
    if (stretch.empty()) return stretch;
    const bool positive = std::all_of(stretch.begin(), stretch.end(),
                                      [](double v) { return v > 0.0 && std::isfinite(v); });
    if (stretch.size() != columns || !positive)
        throw argument_error(
            fmt::format("relevance takes a positive number for each of the {} columns", columns));
    const double most = *std::max_element(stretch.begin(), stretch.end());
    for (auto& s : stretch) s /= most;
    return stretch;
}

void centre(std::vector<double>& numbers) {
    double mean = 0.0;
    for (const double v : numbers) mean += v;
    mean /= static_cast<double>(numbers.size());
    for (auto& v : numbers) v -= mean;
}

double dot(const std::vector<double>& a, const std::vector<double>& b) {
    double sum = 0.0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += a[i] * b[i];
    return sum;
}

/// The share of a variance `all` that regressions on each column and its square explain.
/// `along`(b) is the sum of squares of b' t over the target's centred columns t.
std::vector<double> shares(MatrixView<const double> x, double all,
                           const std::function<double(const std::vector<double>&)>& along) {
    std::vector<double> result(x.columns());
    const auto explained = [&](const std::vector<double>& by, double least) {
        const double size = dot(by, by);
        return size > least ? along(by) / size : 0.0;
    };
    for_each(x.columns(), [&](std::size_t c) {
        std::vector<double> column(x.rows()), squares(x.rows());
        for (std::size_t r = 0; r < x.rows(); ++r) column[r] = x(r, c);
        centre(column);
        for (std::size_t r = 0; r < x.rows(); ++r) squares[r] = column[r] * column[r];
        centre(squares);
        const double least = 1e-9 * dot(squares, squares);
        // Squares without what the column itself says; of 0 and 1 nothing is left.
        const double same = dot(column, squares) / std::max(dot(column, column), 1e-300);
        for (std::size_t r = 0; r < x.rows(); ++r) squares[r] -= same * column[r];
        const double share = (explained(column, 0.0) + explained(squares, least)) / all;
        result[c] = std::isnan(share) ? 0.0 : std::clamp(share, 0.0, 1.0);
    });
    return result;
}

void check_rows(MatrixView<const double> x, std::size_t targets) {
    if (x.rows() != targets)
        throw argument_error(
            fmt::format("{} rows need as many targets, but got {}", x.rows(), targets));
}

}  // namespace

Matrix<double> Scaling::unlimited(MatrixView<const double> x) const {
    check_columns(x, placement.shift.size());
    Matrix<double> z(x.rows(), x.columns());
    for (std::size_t r = 0; r < x.rows(); ++r)
        for (std::size_t c = 0; c < x.columns(); ++c)
            z(r, c) = (x(r, c) - placement.shift[c]) * placement.factor[c];
    return z;
}

Matrix<double> Scaling::forward(MatrixView<const double> x) const {
    auto z = unlimited(x);
    for (std::size_t r = 0; domain && r < z.rows(); ++r) domain->pull_in(z.row(r));
    return z;
}

void Scaling::apply(std::span<double> x) const {
    for (std::size_t c = 0; c < x.size(); ++c)
        x[c] = (x[c] - placement.shift[c]) * placement.factor[c];
    if (domain) domain->pull_in(x);
}

Matrix<double> Scaling::inverse(MatrixView<const double> z) const {
    check_columns(z, placement.shift.size());
    Matrix<double> x(z.rows(), z.columns());
    for (std::size_t r = 0; r < z.rows(); ++r)
        for (std::size_t c = 0; c < z.columns(); ++c)
            x(r, c) = z(r, c) / placement.factor[c] + placement.shift[c];
    return x;
}

std::size_t Scaling::pulled_in(MatrixView<const double> x) const {
    auto z = unlimited(x);
    std::size_t count = 0;
    for (std::size_t r = 0; domain && r < z.rows(); ++r)
        count += domain->pull_in(z.row(r)) ? 1U : 0U;
    return count;
}

Scaling fit_scaling(MatrixView<const double> x, DomainPointer domain,
                    std::span<const double> relevance) {
    check_data(x, *domain);
    return fitted(x, std::move(domain), true, stretch_of(relevance, x.columns()));
}

Scaling fit_uniform_scaling(MatrixView<const double> x, DomainPointer domain,
                            std::span<const double> relevance) {
    check_data(x, *domain);
    return fitted(x, std::move(domain), false, stretch_of(relevance, x.columns()));
}

std::vector<double> association(MatrixView<const double> x, std::span<const std::int64_t> labels) {
    check_rows(x, labels.size());
    std::vector<double> share;  // of each class
    for (const auto label : labels) {
        if (label < 0)
            throw argument_error(fmt::format("labels count from 0, but {} was given", label));
        if (share.size() <= static_cast<std::size_t>(label))
            share.resize(static_cast<std::size_t>(label) + 1);
        share[static_cast<std::size_t>(label)] += 1.0;
    }
    const auto rows = static_cast<double>(labels.size());
    double all = 0.0;
    for (auto& s : share) {
        s /= rows;
        all += rows * s * (1.0 - s);
    }
    return shares(x, all, [&](const std::vector<double>& by) {
        std::vector<double> sums(share.size());
        double total = 0.0;
        for (std::size_t r = 0; r < by.size(); ++r) {
            sums[static_cast<std::size_t>(labels[r])] += by[r];
            total += by[r];
        }
        double square = 0.0;
        for (std::size_t k = 0; k < sums.size(); ++k) {
            const double sum = sums[k] - share[k] * total;
            square += sum * sum;
        }
        return square;
    });
}

std::vector<double> association(MatrixView<const double> x, MatrixView<const double> numbers) {
    check_rows(x, numbers.rows());
    std::vector<std::vector<double>> targets(numbers.columns());
    double all = 0.0;
    for (std::size_t k = 0; k < targets.size(); ++k) {
        targets[k].resize(numbers.rows());
        for (std::size_t r = 0; r < numbers.rows(); ++r) targets[k][r] = numbers(r, k);
        centre(targets[k]);
        all += dot(targets[k], targets[k]);
    }
    return shares(x, all, [&](const std::vector<double>& by) {
        double square = 0.0;
        for (const auto& target : targets) square += std::pow(dot(by, target), 2);
        return square;
    });
}

}  // namespace deepsl::field
