#include "inspect_columns.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

#include <fmt/format.h>

#include "deepsl/learner/describe.h"
#include "deepsl/text.h"
#include "deepsl/train/metrics.h"

namespace deepsl::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t most_columns = 12;  // told of in text; --json has all

/// A name or a cell in a column of the terminal.
std::string fitted(const std::string& text, std::size_t width) {
    const auto harmless = printable(text);
    std::size_t end = 0, characters = 0;
    while (end < harmless.size() && characters < width) {
        end += std::max<std::size_t>(1, character_length(std::string_view(harmless).substr(end)));
        ++characters;
    }
    return harmless.substr(0, end) + std::string(width - characters, ' ');
}

/// The columns that add most, either way, first.
std::vector<std::size_t> by_size(std::span<const double> parts) {
    std::vector<std::size_t> order(parts.size());
    std::iota(order.begin(), order.end(), std::size_t{0});
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
        return std::fabs(parts[a]) > std::fabs(parts[b]);
    });
    return order;
}

}  // namespace

std::string importance_text(const std::string& data, const learner::Importance& importance) {
    const bool classes = importance.metric_name == "accuracy";
    const double unit = classes ? 100.0 : 1.0;
    auto out = fmt::format(
        "What is lost on {} of {} when the cells of a column change places by chance\n"
        "(as they are: {} {:.4f}, {} {:.4f}); means and deviations of the repeats\n\n",
        counted(importance.rows, "row"), printable(data),
        train::metric_title(importance.metric_name), importance.metric,
        train::metric_title(importance.loss_name), importance.loss);
    out +=
        fmt::format("  {} {:>20} {:>20}\n", fitted("column", 24),
                    classes ? "accuracy, points" : "R²", train::metric_title(importance.loss_name));
    for (const auto& column : importance.columns)
        out += fmt::format("  {} {:>20} {:>20}\n", fitted(column.column, 24),
                           fmt::format("{:.{}f} ± {:.{}f}", unit * column.metric, classes ? 2 : 4,
                                       unit * column.metric_deviation, classes ? 2 : 4),
                           fmt::format("{:.4f} ± {:.4f}", column.loss, column.loss_deviation));
    return out;
}

Json importance_json(const learner::Importance& importance) {
    Json out;
    out["rows"] = importance.rows;
    out[importance.metric_name] = importance.metric;
    out[importance.loss_name] = importance.loss;
    out["columns"] = Json::array();
    for (const auto& column : importance.columns)
        out["columns"].push_back({{"column", column.column},
                                  {importance.metric_name + "_lost", column.metric},
                                  {importance.metric_name + "_deviation", column.metric_deviation},
                                  {importance.loss_name + "_gained", column.loss},
                                  {importance.loss_name + "_deviation", column.loss_deviation}});
    return out;
}

std::string contributions_text(const learner::TrainedModel& model,
                               const learner::Contributions& all, MatrixView<const double> x,
                               std::size_t output) {
    if (!all.complete)
        return "\nWhat each column adds cannot be told: a line on the way from a usual row "
               "fails.\n";
    const auto parts = all.parts.row(output);
    const auto here = learner::cells_of(model, x),
               usual = learner::cells_of(model, learner::usual_row(model));
    auto out = fmt::format(
        "\nWhat each column adds to {}, {:.4g} here, over {:.4g} for a usual row:\n\n"
        "  {} {} {} {:>10}\n",
        model.predicts_classes()
            ? fmt::format("the score of '{}'",
                          printable(model.classes[all.parts.rows() == 1 ? 1 : output]))
            : std::string("F"),
        all.row[output], all.usual[output], fitted("column", 24), fitted("here", 16),
        fitted("usual", 16), "adds");
    const auto order = by_size(parts);
    const auto shown = std::min(order.size(), most_columns);
    double rest = 0.0;
    for (std::size_t i = 0; i < order.size(); ++i) {
        const auto c = order[i];
        if (i < shown)
            out += fmt::format("  {} {} {} {:>+10.4g}\n", fitted(all.columns[c].name, 24),
                               fitted(here[c], 16), fitted(usual[c], 16), parts[c]);
        else
            rest += parts[c];
    }
    if (shown < order.size())
        out += fmt::format("  {} {} {} {:>+10.4g}\n",
                           fitted(fmt::format("{} more", order.size() - shown), 24), fitted("", 16),
                           fitted("", 16), rest);
    out += fmt::format("  {} {} {} {:>+10.4g}\n", fitted("together", 24), fitted("", 16),
                       fitted("", 16), all.sum(output));
    return out;
}

Json contributions_json(const learner::TrainedModel& model, const learner::Contributions& all,
                        MatrixView<const double> x) {
    Json out;
    out["usual"] = all.usual;
    out["here"] = all.row;
    out["gap"] = all.gap;
    out["complete"] = all.complete;
    out["columns"] = Json::array();
    const auto here = learner::cells_of(model, x),
               usual = learner::cells_of(model, learner::usual_row(model));
    for (std::size_t c = 0; c < all.columns.size(); ++c) {
        std::vector<double> adds;
        for (std::size_t k = 0; k < all.parts.rows(); ++k) adds.push_back(all.parts(k, c));
        out["columns"].push_back({{"column", all.columns[c].name},
                                  {"here", here[c]},
                                  {"usual", usual[c]},
                                  {"adds", adds}});
    }
    return out;
}

std::string turning_text(const learner::TrainedModel& model,
                         const std::optional<learner::Turning>& turning,
                         MatrixView<const double> x) {
    if (!model.predicts_classes() || model.with_lines() == nullptr) return "";
    return "\n" + learner::turning_description(model, turning, x) + "\n";
}

Json turning_json(const learner::TrainedModel& model,
                  const std::optional<learner::Turning>& turning) {
    if (!turning) return nullptr;
    Json out;
    out["voter"] = turning->voter + 1;
    out["field"] = turning->field + 1;
    out["t"] = turning->t;
    out["distance"] = turning->distance;
    if (turning->label >= 0)
        out["answer"] = model.classes[static_cast<std::size_t>(turning->label)];
    const auto columns = learner::columns_of(model);
    out["changes"] = Json::array();
    for (const auto& change : turning->changes) {
        Json entry{{"column", columns[change.column].name}, {"share", change.share}};
        if (!std::isnan(change.number)) entry["number"] = change.number;
        out["changes"].push_back(std::move(entry));
    }
    return out;
}

}  // namespace deepsl::cli
