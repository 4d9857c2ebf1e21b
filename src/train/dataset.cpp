#include "deepsl/train/dataset.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>
#include <utility>

#include <fmt/format.h>

#include "deepsl/option.h"

namespace deepsl::train {
namespace {

using torch::Tensor;

std::string shape(const Tensor& tensor) {
    std::string text = "[";
    for (const auto size : tensor.sizes())
        text += (text.size() > 1 ? ", " : "") + fmt::format("{}", size);
    return text + "]";
}

void check_labels(const Tensor& target, std::int64_t outputs, std::string_view name) {
    const auto classes = std::max<std::int64_t>(outputs, 2);
    const auto wrong = target.lt(0).logical_or(target.ge(classes)).nonzero();
    if (wrong.size(0) == 0) return;
    const auto row = wrong[0][0].item<std::int64_t>();
    throw OptionError(fmt::format(
        "{}: row {} has label {}, but a model with {} output{} takes labels from 0 to {}; number "
        "the classes from 0, or give the model an output for each",
        name, row, target[row].item<std::int64_t>(), outputs, outputs == 1 ? "" : "s",
        classes - 1));
}

void check_numbers(const Tensor& target, std::string_view name) {
    const auto wrong = target.isfinite().logical_not().nonzero();
    if (wrong.size(0) == 0) return;
    throw OptionError(fmt::format(
        "{}: the target in row {} is {}, but targets must be finite; leave such rows out", name,
        wrong[0][0].item<std::int64_t>(), target[wrong[0][0]][wrong[0][1]].item<double>()));
}

/// 0..bound-1, all equally likely.
std::uint64_t below(std::uint64_t bound, std::mt19937_64& random) {
    const auto whole = std::numeric_limits<std::uint64_t>::max() / bound * bound;
    auto value = random();
    while (value >= whole) value = random();
    return value % bound;
}

}  // namespace

Dataset Dataset::rows(const Tensor& numbers) const {
    return {x.index_select(0, numbers), target.index_select(0, numbers)};
}

void check_dataset(const model::PredictorImpl& model, const Dataset& data, std::string_view name) {
    if (data.empty())
        throw OptionError(fmt::format("{}: there are no rows; give at least one sample", name));
    if (!data.x.is_floating_point() || data.x.dim() != 2 || data.x.size(1) != model.inputs())
        throw OptionError(
            fmt::format("{}: x must be floating-point numbers [rows, {}], but is {} {}", name,
                        model.inputs(), c10::toString(data.x.scalar_type()), shape(data.x)));
    const auto& target = data.target;
    if (!target.defined() || target.dim() == 0 || target.size(0) != data.size())
        throw OptionError(fmt::format("{}: x has {} rows, but target has {}; give one for each",
                                      name, data.size(),
                                      target.defined() && target.dim() > 0 ? target.size(0) : 0));
    const bool labels = target.scalar_type() == torch::kInt64 && target.dim() == 1;
    const bool numbers =
        target.is_floating_point() && target.dim() == 2 && target.size(1) == model.outputs();
    if (!labels && !numbers)
        throw OptionError(fmt::format(
            "{}: target must be labels, int64 [rows], or floating-point numbers [rows, {}], but "
            "is {} {}",
            name, model.outputs(), c10::toString(target.scalar_type()), shape(target)));
    if (labels)
        check_labels(target, model.outputs(), name);
    else
        check_numbers(target, name);
}

Tensor calibration_targets(const Dataset& data, std::int64_t outputs) {
    if (!data.labels()) return data.target;
    if (outputs == 1) return (2 * data.target - 1).to(torch::kFloat64).unsqueeze(1);
    return torch::one_hot(data.target, outputs).to(torch::kFloat64);
}

Tensor permutation(std::int64_t n, std::mt19937_64& random) {
    const auto order = torch::arange(n, torch::kInt64);
    auto* value = order.data_ptr<std::int64_t>();
    for (std::int64_t i = n - 1; i > 0; --i)
        std::swap(value[i], value[below(static_cast<std::uint64_t>(i) + 1, random)]);
    return order;
}

Split split(const Dataset& data, double share, std::mt19937_64& random) {
    const auto order = permutation(data.size(), random);
    auto held = std::llround(share * static_cast<double>(data.size()));
    if (share > 0.0) held = std::max<long long>(held, 1);
    held = std::min<long long>(held, data.size() - 1);
    Split result{data.rows(order.narrow(0, held, data.size() - held)), {}};
    if (held > 0) result.validation = data.rows(order.narrow(0, 0, held));
    return result;
}

}  // namespace deepsl::train
