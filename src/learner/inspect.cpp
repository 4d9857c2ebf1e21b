#include "deepsl/learner/inspect.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/text.h"

namespace deepsl::learner {

namespace {

VoterInspection inspect_voter(const Voter& voter, const TrainedModel& model,
                              MatrixView<const double> x) {
    VoterInspection row;
    row.z = voter.coordinates(x);
    const auto* lines = voter.with_lines();
    if (lines == nullptr) return row;
    // In the target's units; scores have none.
    const bool classes = model.predicts_classes();
    const double unit = classes ? 1.0 : model.target_scale;
    row.constant.assign(lines->outputs(), classes ? 0.0 : model.target_mean);
    for (std::size_t m = 0; m < lines->fields(); ++m) {
        auto field = lines->inspect(row.z, m);
        for (double& part : field.contributions) part *= unit;
        for (std::size_t k = 0; k < row.constant.size(); ++k) {
            field.constant[k] *= unit;
            row.constant[k] += field.constant[k];
        }
        row.fields.push_back(std::move(field));
    }
    return row;
}

}  // namespace

double VoterInspection::contributions(std::size_t output) const {
    double sum = 0.0;
    for (const auto& field : fields)
        for (const double part : field.contribution(0, output)) sum += part;
    return sum;
}

RowInspection inspect_row(const TrainedModel& model, MatrixView<const double> x) {
    if (x.rows() != 1)
        throw argument_error(fmt::format("one row is inspected at a time, but got {}", x.rows()));
    RowInspection row;
    static_cast<VoterInspection&>(row) = inspect_voter(model, model, x);
    for (const auto& other : model.others) row.others.push_back(inspect_voter(other, model, x));
    row.predictions = predict(model, x);
    return row;
}

RowInspection inspect_row(const TrainedModel& model, const data::Table& table, std::size_t row,
                          bool strict) {
    if (row >= table.rows())
        throw data_error(fmt::format("{} has {} rows, but row {} was asked for",
                                     in_quotes(table.path), table.rows(), row + 1));
    if (!model.encoding)
        throw data_error("the model was not trained on a table; make one with 'deepsl train'");
    auto encoded = model.encoding->apply(table.rows_of(std::vector<std::size_t>{row}), strict);
    auto result =
        inspect_row(model, Matrix<double>(encoded.rows, encoded.inputs, std::move(encoded.x)));
    result.predictions.notes = std::move(encoded.notes);
    return result;
}

RowInspection inspect_image(const TrainedModel& model, const data::Images& images,
                            std::size_t image) {
    if (image >= images.size())
        throw data_error(fmt::format("{} has {} images, but image {} was asked for",
                                     in_quotes(images.path), images.size(), image + 1));
    std::vector<float> pixels(images.shape.size());
    images.read(image, pixels);
    return inspect_row(model, Matrix<double>(1, pixels.size(), {pixels.begin(), pixels.end()}));
}

std::vector<std::string> stretched_inputs(const TrainedModel& model, std::size_t most) {
    const auto& factor = model.scaling.placement.factor;
    if (model.features.empty() || model.scaling.domain == nullptr ||
        !model.scaling.domain->factors_compare_columns())
        return {};
    const auto [least, largest] = std::minmax_element(factor.begin(), factor.end());
    if (*least == *largest) return {};
    std::vector<std::size_t> order(factor.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return factor[a] > factor[b]; });
    order.resize(std::min(most, order.size()));
    std::vector<std::string> names;
    names.reserve(order.size());
    for (const auto i : order) names.push_back(model.features[i]);
    return names;
}

}  // namespace deepsl::learner
