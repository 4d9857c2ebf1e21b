#include "deepsl/learner/columns.h"

#include <fmt/format.h>

#include "deepsl/data/decoding.h"

namespace deepsl::learner {

std::vector<ModelColumn> columns_of(const TrainedModel& model) {
    std::vector<ModelColumn> columns;
    std::size_t first = 0;
    const auto add = [&](const std::string& name, std::size_t count) {
        columns.push_back({name, first, count});
        first += count;
    };
    if (model.encoding) {
        for (const auto& column : model.encoding->columns())
            if (column.used()) add(column.name, column.width());
    } else {
        for (std::size_t i = 0; i < model.predictor->inputs(); ++i)
            add(model.features.empty() ? std::to_string(i + 1) : model.features[i], 1);
    }
    return columns;
}

Matrix<double> usual_row(const TrainedModel& model) {
    const auto inputs = model.predictor->inputs();
    if (!model.encoding) {
        const auto& domain = model.scaling.domain;
        const Matrix<double> middle(1, inputs, domain ? domain->centre() : 0.0);
        return model.scaling.inverse(middle);
    }
    std::vector<double> row;
    for (const auto& column : model.encoding->columns()) {
        const auto usual = data::usual_inputs(column);
        row.insert(row.end(), usual.begin(), usual.end());
    }
    return {1, inputs, std::move(row)};
}

std::vector<std::string> cells_of(const TrainedModel& model, MatrixView<const double> x) {
    std::vector<std::string> cells;
    if (!model.encoding) {
        for (const double value : x.row(0)) cells.push_back(fmt::format("{:.6g}", value));
        return cells;
    }
    std::size_t first = 0;
    for (const auto& column : model.encoding->columns()) {
        if (!column.used()) continue;
        cells.push_back(data::cell_text(column, x.row(0).subspan(first, column.width())));
        first += column.width();
    }
    return cells;
}

}  // namespace deepsl::learner
