#include "deepsl/data/decoding.h"

#include <algorithm>
#include <cmath>
#include <cstddef>

#include <fmt/format.h>

#include "encoding_number.h"

namespace deepsl::data {
namespace {

/// The place of the most frequent text, or one behind the last for a hole.
std::size_t usual_level(const EncodedColumn& column) {
    const auto most = std::max_element(column.shares.begin(), column.shares.end());
    if (most == column.shares.end() || column.missing_share > *most) return column.shares.size();
    return static_cast<std::size_t>(most - column.shares.begin());
}

/// Where the ranks, which increase with the knots, reach this one.
double number_of_rank(const EncodedColumn& column, double rank) {
    const auto &ranks = column.ranks, &knots = column.knots;
    const auto above = std::upper_bound(ranks.begin(), ranks.end(), rank);
    if (above == ranks.begin()) return knots.front();
    if (above == ranks.end()) return knots.back();
    const auto next = static_cast<std::size_t>(above - ranks.begin());
    const double part = (rank - ranks[next - 1]) / (ranks[next] - ranks[next - 1]);
    return std::lerp(knots[next - 1], knots[next], part);
}

}  // namespace

std::vector<double> usual_inputs(const EncodedColumn& column) {
    switch (column.role) {
        case Role::number: return {scaled(column, column.median)};
        case Role::category: {
            std::vector<double> inputs;
            for (const double share : column.shares) inputs.push_back(-share);
            if (column.missing_share > 0) inputs.push_back(-column.missing_share);
            inputs[usual_level(column)] += 1;
            return inputs;
        }
        case Role::constant:
        case Role::identifier:
        case Role::dropped: break;
    }
    return {};
}

std::string cell_text(const EncodedColumn& column, std::span<const double> inputs) {
    switch (column.role) {
        case Role::number: return fmt::format("{:.6g}", number_at(column, inputs[0]));
        case Role::category: {
            // Its own input is 1 more than that of all other texts.
            for (std::size_t i = 0; i < inputs.size(); ++i) {
                const bool level = i < column.levels.size();
                const double share = level ? column.shares[i] : column.missing_share;
                if (inputs[i] + share > 0.5) return level ? column.levels[i] : "missing";
            }
            return "another text";
        }
        case Role::constant:
        case Role::identifier:
        case Role::dropped: break;
    }
    return "";
}

double number_at(const EncodedColumn& column, double input) {
    const double number = has_ranks(column.scale) ? number_of_rank(column, input)
                          : column.scale == ColumnScale::none
                              ? input
                              : column.mean + column.deviation * input;
    return std::clamp(number, column.low, column.high);
}

}  // namespace deepsl::data
