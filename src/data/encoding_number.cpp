#include "encoding_number.h"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace deepsl::data {
namespace {

constexpr double largest_score = 1e6;  // n training values stay below sqrt(n)
constexpr double heavy_tails = 6.0;    // a mean fourth power of z-scores; normal numbers have 3

struct Moments {
    double mean = 0.0, deviation = 1.0;
};

/// Of numbers of any size: they are brought near 1 first, so that no square overflows. A deviation
/// of 0 is told as 1, with which all scores are 0.
Moments moments(const std::vector<double>& values) {
    double largest = 0;
    for (const double value : values) largest = std::max(largest, std::fabs(value));
    const int exponent = largest > 0 ? std::ilogb(largest) : 0;
    const auto count = static_cast<double>(values.size());
    double mean = 0, error = 0, squares = 0;
    for (const double value : values) mean += std::scalbn(value, -exponent) / count;
    for (const double value : values) error += (std::scalbn(value, -exponent) - mean) / count;
    mean += error;
    for (const double value : values) {
        const double offset = std::scalbn(value, -exponent) - mean;
        squares += offset * offset / count;
    }
    const bool constant =
        std::adjacent_find(values.begin(), values.end(), std::not_equal_to<>()) == values.end();
    const double deviation = constant ? 0 : std::scalbn(std::sqrt(squares), exponent);
    return {constant ? values.front() : std::scalbn(mean, exponent), deviation > 0 ? deviation : 1};
}

double score(const EncodedColumn& column, double number) {
    const double offset = number - column.mean;
    const double deviations = std::isfinite(offset)
                                  ? offset / column.deviation
                                  : number / column.deviation - column.mean / column.deviation;
    return std::clamp(deviations, -largest_score, largest_score);
}

bool has_heavy_tails(const std::vector<double>& values, const Moments& about) {
    double fourth = 0.0;
    for (const double value : values) {
        const double score = value / about.deviation - about.mean / about.deviation;
        fourth += std::pow(score, 4) / static_cast<double>(values.size());
    }
    return fourth > heavy_tails;
}

/// Where the share p in ]0, 1[ of a normal distribution lies below: a good guess and Halley's
/// steps.
double normal_quantile(double p) {
    double x = 4.91 * (std::pow(p, 0.14) - std::pow(1.0 - p, 0.14));
    for (int step = 0; step < 3; ++step) {
        const double off = 0.5 * std::erfc(-x / std::numbers::sqrt2) - p;
        const double newton = off * std::sqrt(2.0 * std::numbers::pi) * std::exp(0.5 * x * x);
        x -= newton / (1.0 + 0.5 * x * newton);
    }
    return x;
}

/// Linear between the knots; their ends' rank beyond.
double rank_of(const EncodedColumn& column, double number) {
    const auto& knots = column.knots;
    const auto above = std::upper_bound(knots.begin(), knots.end(), number);
    if (above == knots.begin()) return column.ranks.front();
    const auto next = static_cast<std::size_t>(above - knots.begin());
    const double a = knots[next - 1], rank = column.ranks[next - 1];
    if (above == knots.end() || number == a) return rank;
    const double b = *above;
    const double part =
        std::isfinite(b - a) ? (number - a) / (b - a) : (number / 2 - a / 2) / (b / 2 - a / 2);
    return rank + part * (column.ranks[next] - rank);
}

/// From values in order.
void learn_ranks(EncodedColumn& column, const std::vector<double>& values) {
    auto& knots = column.knots;
    std::unique_copy(values.begin(), values.end(), std::back_inserter(knots));
    if (knots.size() > most_knots) {
        knots.clear();
        for (std::size_t i = 0; i < most_knots; ++i) {
            // In floating point i (n - 1) cannot overflow, and the last one is exact.
            const double place = static_cast<double>(i) * static_cast<double>(values.size() - 1) /
                                 static_cast<double>(most_knots - 1);
            const double value = values[static_cast<std::size_t>(place)];
            if (knots.empty() || value > knots.back()) knots.push_back(value);
        }
    }
    for (const double knot : knots) {
        const auto [first, last] = std::equal_range(values.begin(), values.end(), knot);
        const auto twice_below = (first - values.begin()) + (last - values.begin());
        column.ranks.push_back(0.5 * static_cast<double>(twice_below) /
                               static_cast<double>(values.size()));
    }
    if (column.scale == ColumnScale::normal)
        for (double& rank : column.ranks) rank = normal_quantile(rank);
    std::vector<double> ranks;
    ranks.reserve(values.size());
    for (const double value : values) ranks.push_back(rank_of(column, value));
    const auto [mean, deviation] = moments(ranks);
    for (double& rank : column.ranks) rank = (rank - mean) / deviation;
}

}  // namespace

bool has_ranks(ColumnScale scale) {
    switch (scale) {
        case ColumnScale::rank:
        case ColumnScale::normal: return true;
        case ColumnScale::automatic:
        case ColumnScale::zscore:
        case ColumnScale::minmax:
        case ColumnScale::none: return false;
    }
    return false;
}

void learn_number(EncodedColumn& column, std::vector<double> values, ColumnScale scale) {
    const auto rows = values.size();
    std::erase_if(values, [](double value) { return std::isnan(value); });
    std::sort(values.begin(), values.end());
    const auto count = values.size();
    column.missing_share = static_cast<double>(rows - count) / static_cast<double>(rows);
    column.scale = scale;
    column.low = values.front();
    column.high = values.back();
    column.median = std::midpoint(values[(count - 1) / 2], values[count / 2]);
    const auto about = moments(values);
    column.mean = about.mean;
    column.deviation = about.deviation;
    if (scale == ColumnScale::automatic)
        column.scale = has_heavy_tails(values, about) ? ColumnScale::normal : ColumnScale::zscore;
    switch (column.scale) {
        case ColumnScale::normal:
        case ColumnScale::rank: learn_ranks(column, values); break;
        case ColumnScale::minmax: {
            column.mean = std::midpoint(column.low, column.high);
            const double half_width = column.high / 2 - column.low / 2;
            column.deviation = half_width > 0 ? half_width : 1;
            break;
        }
        case ColumnScale::automatic:
        case ColumnScale::zscore:
        case ColumnScale::none: break;
    }
}

double scaled(const EncodedColumn& column, double number) {
    switch (column.scale) {
        case ColumnScale::none: return number;
        case ColumnScale::normal:
        case ColumnScale::rank: return rank_of(column, number);
        case ColumnScale::automatic:
        case ColumnScale::zscore:
        case ColumnScale::minmax: return score(column, number);
    }
    return number;
}

}  // namespace deepsl::data
