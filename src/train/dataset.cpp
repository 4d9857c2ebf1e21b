#include "deepsl/train/dataset.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>

#include <fmt/format.h>

#include "deepsl/error.h"

namespace deepsl::train {
namespace {

void check_labels(const Dataset& data, std::size_t outputs, std::string_view name) {
    const auto classes = static_cast<std::int64_t>(std::max<std::size_t>(outputs, 2));
    for (std::size_t row = 0; row < data.labels.size(); ++row) {
        const auto label = data.labels[row];
        if (label >= 0 && label < classes) continue;
        throw data_error(fmt::format(
            "{}: row {} has label {}, but a model with {} output{} takes labels from 0 to {}; "
            "number the classes from 0, or give the model an output for each",
            name, row, label, outputs, outputs == 1 ? "" : "s", classes - 1));
    }
}

void check_numbers(const Dataset& data, std::string_view name) {
    for (std::size_t row = 0; row < data.size(); ++row)
        for (const double number : data.numbers.row(row))
            if (!std::isfinite(number))
                throw data_error(fmt::format(
                    "{}: the target in row {} is {}, but targets must be finite; leave such rows "
                    "out",
                    name, row, number));
}

std::size_t rounded_share(double share, std::size_t rows) {
    return static_cast<std::size_t>(std::llround(share * static_cast<double>(rows)));
}

/// How many rows are held out where classes do not matter.
std::size_t plain_quota(double share, std::size_t rows) {
    if (share <= 0.0 || rows < 2) return 0;
    return std::clamp<std::size_t>(rounded_share(share, rows), 1, rows - 1);
}

std::vector<std::size_t> class_sizes(std::span<const std::int64_t> labels) {
    std::vector<std::size_t> sizes;
    for (const auto label : labels) {
        const auto place = static_cast<std::size_t>(label);
        if (place >= sizes.size()) sizes.resize(place + 1);
        ++sizes[place];
    }
    return sizes;
}

/// How many rows of each class are held out: its share rounded down, and what is missing in all
/// from the classes that lost most by that; then the bounds, one row at least on either side.
std::vector<std::size_t> class_quotas(double share, const std::vector<std::size_t>& sizes) {
    const auto rows = std::accumulate(sizes.begin(), sizes.end(), std::size_t{0});
    std::vector<std::size_t> quota(sizes.size()), order(sizes.size());
    std::vector<double> lost(sizes.size());
    std::size_t held = 0;
    for (std::size_t c = 0; c < sizes.size(); ++c) {
        const double exact = share * static_cast<double>(sizes[c]);
        quota[c] = static_cast<std::size_t>(exact);
        lost[c] = exact - std::floor(exact);
        held += quota[c];
        order[c] = c;
    }
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return lost[a] > lost[b]; });
    const auto wanted = rounded_share(share, rows);
    for (std::size_t i = 0; i < order.size() && held < wanted; ++i, ++held) ++quota[order[i]];
    for (std::size_t c = 0; c < sizes.size(); ++c)
        quota[c] = sizes[c] < 2 ? 0 : std::clamp<std::size_t>(quota[c], 1, sizes[c] - 1);
    return quota;
}

}  // namespace

Dataset Dataset::rows_at(std::span<const std::size_t> rows) const {
    Dataset part;
    if (source) {
        part.source = source;
        part.scaling = scaling;
        part.places.reserve(rows.size());
        for (const auto row : rows) part.places.push_back(places[row]);
    } else {
        part.x = x.rows_at(rows);
    }
    if (!has_labels()) {
        part.numbers = numbers.rows_at(rows);
        return part;
    }
    part.labels.reserve(rows.size());
    for (const auto row : rows) part.labels.push_back(labels[row]);
    return part;
}

void Dataset::read(std::span<const std::size_t> rows, std::uint64_t draw,
                   Matrix<double>& out) const {
    out.resize(rows.size(), inputs());
    for (std::size_t i = 0; i < rows.size(); ++i) {
        const auto to = out.row(i);
        if (!source) {
            std::copy_n(x.row(rows[i]).data(), x.columns(), to.data());
            continue;
        }
        if (draw == 0)
            source->read(places[rows[i]], to);
        else
            source->vary(places[rows[i]], draw, to);
        if (scaling) scaling->apply(to);
    }
}

Matrix<double> Dataset::read(std::span<const std::size_t> rows) const {
    Matrix<double> result;
    read(rows, 0, result);
    return result;
}

model::Prediction predict(const model::Predictor& model, const Dataset& data) {
    if (!data.source) return model.predict(data.x);
    constexpr std::size_t block = 1024;
    model::Prediction all;
    all.resize(data.size(), model.outputs(), model.eigenvalues());
    std::vector<std::size_t> rows;
    for (std::size_t first = 0; first < data.size(); first += block) {
        rows.resize(std::min(block, data.size() - first));
        std::iota(rows.begin(), rows.end(), first);
        all.put(first, model.predict(data.read(rows)));
    }
    return all;
}

void check_dataset(const model::Predictor& model, const Dataset& data, std::string_view name) {
    if (data.empty())
        throw data_error(fmt::format("{}: there are no rows; give at least one sample", name));
    if (data.inputs() != model.inputs())
        throw data_error(fmt::format("{}: x must be [rows, {}], but is [{}, {}]", name,
                                     model.inputs(), data.size(), data.inputs()));
    if (data.has_labels() && !data.numbers.empty())
        throw data_error(fmt::format("{}: targets must be labels or numbers, not both", name));
    if (data.targets().size() != data.size())
        throw data_error(fmt::format("{}: x has {} rows, but the target has {}; give one for each",
                                     name, data.size(), data.targets().size()));
    if (data.has_labels()) return check_labels(data, model.outputs(), name);
    if (data.numbers.columns() != model.outputs())
        throw data_error(fmt::format("{}: the target must be labels or [rows, {}], but is [{}, {}]",
                                     name, model.outputs(), data.numbers.rows(),
                                     data.numbers.columns()));
    check_numbers(data, name);
}

Matrix<double> calibration_targets(const Dataset& data, std::size_t outputs) {
    if (!data.has_labels()) return data.numbers;
    Matrix<double> targets(data.size(), outputs);
    for (std::size_t row = 0; row < data.size(); ++row) {
        if (outputs == 1)
            targets(row, 0) = data.labels[row] == 1 ? 1.0 : -1.0;
        else
            targets(row, static_cast<std::size_t>(data.labels[row])) = 1.0;
    }
    return targets;
}

RowSplit split_rows(const Targets& targets, double share, Random& random) {
    const auto order = permutation(targets.size(), random);
    auto sizes = class_sizes(targets.labels);
    const bool by_class =
        std::any_of(sizes.begin(), sizes.end(), [](std::size_t size) { return size > 1; });
    std::vector<std::size_t> quota{plain_quota(share, order.size())};
    if (by_class && quota[0] > 0) quota = class_quotas(share, sizes);

    RowSplit result;
    for (const auto row : order) {
        auto& left = quota[quota.size() > 1 ? static_cast<std::size_t>(targets.labels[row]) : 0];
        (left > 0 ? result.validation : result.training).push_back(row);
        if (left > 0) --left;
    }
    return result;
}

Split split(const Dataset& data, double share, Random& random) {
    const auto rows = split_rows(data.targets(), share, random);
    Split result{data.rows_at(rows.training), {}};
    if (!rows.validation.empty()) result.validation = data.rows_at(rows.validation);
    return result;
}

}  // namespace deepsl::train
