#include "learner/model_file_checks.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deepsl/data/target.h"
#include "deepsl/option.h"
#include "deepsl/text.h"

namespace deepsl::learner {
namespace {

using Complaint = std::optional<std::string>;

Complaint check_names(const TrainedModel& trained) {
    const auto inputs = trained.predictor->inputs(), outputs = trained.predictor->outputs();
    if (!trained.features.empty() && trained.features.size() != inputs)
        return fmt::format("it names {}, but has {}", counted(trained.features.size(), "input"),
                           inputs);
    if (trained.encoding && trained.features != trained.encoding->input_names())
        return "its inputs have other names than those its encoding gives";
    const auto kind = trained.record.find("task"), old_kind = trained.record.find("target kind");
    const auto is_classes = [&](const auto& found) {
        return found != trained.record.end() && found->second == name(data::TargetKind::classes);
    };
    if (!trained.predicts_classes()) {
        if (is_classes(kind) || is_classes(old_kind) || (trained.encoding && outputs != 1))
            return "it predicts classes, but names none";
        return {};
    }
    const auto classes = trained.classes.size();
    // One output tells two classes apart by its sign.
    if (classes != outputs && !(classes == 2 && outputs == 1))
        return fmt::format("it names {}, but has {}", counted(classes, "class"),
                           counted(outputs, "output"));
    auto sorted = trained.classes;
    std::sort(sorted.begin(), sorted.end());
    if (const auto twice = std::adjacent_find(sorted.begin(), sorted.end()); twice != sorted.end())
        return fmt::format("it has two classes {}", in_quotes(*twice, 40));
    return {};
}

std::pair<double, double> number_range(const data::EncodedColumn& column) {
    const auto scaled = [&](double value) { return (value - column.mean) / column.deviation; };
    switch (column.scale) {
        case data::ColumnScale::rank:
        case data::ColumnScale::normal: return {column.ranks.front(), column.ranks.back()};
        case data::ColumnScale::none: return {column.low, column.high};
        case data::ColumnScale::automatic:
        case data::ColumnScale::zscore:
        case data::ColumnScale::minmax: return {scaled(column.low), scaled(column.high)};
    }
    return {};
}

/// The least and the largest value that each input had in training, up to rows held out.
std::vector<std::pair<double, double>> input_ranges(const data::Encoding& encoding) {
    std::vector<std::pair<double, double>> ranges;
    for (const auto& column : encoding.columns()) {
        switch (column.role) {
            case data::Role::number: ranges.push_back(number_range(column)); break;
            case data::Role::category:
                for (const double share : column.shares) ranges.emplace_back(-share, 1.0 - share);
                if (column.missing_share > 0.0)
                    ranges.emplace_back(-column.missing_share, 1.0 - column.missing_share);
                break;
            case data::Role::constant:
            case data::Role::identifier:
            case data::Role::dropped: break;
        }
    }
    return ranges;
}

Complaint check_scaling(const TrainedModel& trained, const Voter& voter) {
    const auto& domain = voter.scaling.domain;
    const auto& placement = voter.scaling.placement;
    const double spread = voter.scaling.spread;
    if (const auto i = impossible_input(voter.scaling))
        return fmt::format("its scaling has the factor {:g} and the shift {:g}, which no data give",
                           placement.factor[*i], placement.shift[*i]);
    // What goes into an encoder may lie anywhere.
    if (domain == nullptr)
        return spread == 1.0 ? Complaint{}
                             : fmt::format("the spread of its pixels is {:g}", spread);
    // No root mean square of points in a domain is larger than the domain.
    const auto [low, high] = domain->bounds();
    if (!(spread >= 0.0 && spread <= high - low))
        return fmt::format("the spread of its training data in the domain is {:g}", spread);
    if (!trained.encoding) return {};
    const auto ranges = input_ranges(*trained.encoding);
    double widest = 0.0;
    for (std::size_t i = 0; i < ranges.size(); ++i) {
        const auto place = [&](double x) {
            return (x - placement.shift[i]) * placement.factor[i] - domain->centre();
        };
        const double first = place(ranges[i].first), last = place(ranges[i].second);
        const double rounding = 1e-6 * (1.0 + std::fabs(first) + std::fabs(last));
        // Training data lie around the centre of the domain they were scaled for.
        if (!(first <= rounding && last >= -rounding))
            return fmt::format("its scaling of {} does not belong to its domain",
                               in_quotes(trained.features[i], 40));
        widest = std::max(widest, last - first);
    }
    // Far outliers are pulled in; but the data as a whole were made to fill the domain.
    if (!ranges.empty() && !(widest >= 1e-6 * (high - low) && widest <= 1e9 * (high - low)))
        return fmt::format("its scaling makes the training data {:g} wide, but the domain is {:g}",
                           widest, high - low);
    return {};
}

Complaint check_target(const TrainedModel& trained) {
    const double mean = trained.target_mean, scale = trained.target_scale;
    if (!std::isfinite(mean) || !std::isfinite(scale) || !(scale > 0.0))
        return fmt::format("its target has the mean {:g} and the scale {:g}", mean, scale);
    if (trained.predicts_classes() && (mean != 0.0 || scale != 1.0))
        return fmt::format("its scores of classes have the mean {:g} and the scale {:g}", mean,
                           scale);
    return {};
}

/// Functions are divided by their measured scale.
Complaint check_measured(const Voter& voter) {
    const auto& parameters = voter.predictor->parameters();
    for (const auto& parameter : parameters.list()) {
        if (!parameter.name.ends_with("u_scale")) continue;
        for (std::size_t i = 0; i < parameter.size(); ++i)
            if (!(parameters.values()[parameter.offset + i] > 0.0))
                return fmt::format("its tensor {} holds a scale that is not positive",
                                   in_quotes(parameter.name, 40));
    }
    return {};
}

}  // namespace

std::optional<std::size_t> impossible_input(const field::Scaling& scaling) {
    // Squares of what lies beyond would overflow, or vanish.
    constexpr double largest = 1e150;
    const auto& [shift, factor] = scaling.placement;
    for (std::size_t i = 0; i < factor.size(); ++i)
        if (!(factor[i] >= 1.0 / largest && factor[i] <= largest) ||
            !(std::fabs(shift[i]) * factor[i] <= largest))
            return i;
    return {};
}

std::optional<std::string> nonsense_in(const TrainedModel& trained) {
    for (const auto check : {check_names, check_target})
        if (auto complaint = check(trained)) return complaint;
    for (std::size_t v = 0; v < trained.voters(); ++v) {
        const auto& voter = trained.voter(v);
        if (!(voter.weight > 0.0 && std::isfinite(voter.weight)))
            return fmt::format("the weight of model {} is {:g}", v + 1, voter.weight);
        if (auto complaint = check_scaling(trained, voter)) return complaint;
        if (auto complaint = check_measured(voter)) return complaint;
    }
    return {};
}

}  // namespace deepsl::learner
