#include "deepsl/learner/image_report.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/image_rows.h"
#include "deepsl/model/encoded.h"
#include "deepsl/text.h"
#include "deepsl/train/metrics.h"
#include "learner/image_report_lines.h"

namespace deepsl::learner {
namespace {

using Rows = std::vector<std::size_t>;

/// The largest probability, and what it has more than the second.
struct Verdict {
    double probability, margin;
};

Verdict verdict_of(std::span<const double> probability) {
    double first = 0.0, second = 0.0;
    for (const double p : probability) {
        if (p > first)
            second = std::exchange(first, p);
        else
            second = std::max(second, p);
    }
    return {first, first - second};
}

/// Rows in the order of a number, the smallest first.
template <class Number>
Rows ordered(Rows rows, Number number) {
    std::stable_sort(rows.begin(), rows.end(),
                     [&](std::size_t a, std::size_t b) { return number(a) < number(b); });
    return rows;
}

Rows first_of(const Rows& rows, std::size_t count) {
    return {rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(std::min(count, rows.size()))};
}

/// The usual case: of different classes, as long as there are more, with a margin in the middle.
Rows usual_of(const Rows& rows, const Rows& taken, const Predictions& predictions,
              const std::vector<Verdict>& verdicts, std::size_t count) {
    const auto by_margin = ordered(rows, [&](std::size_t b) { return verdicts[b].margin; });
    if (by_margin.empty()) return {};
    const double middle = verdicts[by_margin[by_margin.size() / 2]].margin;
    const auto candidates =
        ordered(rows, [&](std::size_t b) { return std::fabs(verdicts[b].margin - middle); });
    Rows chosen;
    std::set<std::int64_t> classes;
    for (const auto b : candidates) {
        if (chosen.size() == count) break;
        if (std::find(taken.begin(), taken.end(), b) != taken.end()) continue;
        if (classes.insert(predictions.label[b]).second) chosen.push_back(b);
    }
    return chosen;
}

std::string percent(double share) { return fmt::format("{:.2f} %", 100.0 * share); }

void add_figures(report::ImageReport& report, const Predictions& predictions,
                 const data::Images& images) {
    const auto count = predictions.size();
    if (images.labels.empty()) {
        report.facts.push_back({"images", grouped(count), "without labels"});
    } else {
        const auto& y = predictions.prediction.y;
        const auto& outcomes = predictions.prediction.outcomes;
        const train::Targets targets{images.labels, {}};
        report.confusion = train::confusion(y, images.labels, outcomes);
        const auto right =
            count - report.wrong_in_all - static_cast<std::size_t>(predictions.failed);
        for (const auto& metric : train::metrics(y, targets, outcomes)) {
            if (metric.name == "accuracy")
                report.facts.push_back(
                    {"accuracy", percent(metric.value),
                     fmt::format("{} of {}", grouped(right), counted(count, "image"))});
            if (metric.name == "log_loss" && std::isfinite(metric.value))
                report.facts.push_back({"log loss", fmt::format("{:.4g}", metric.value),
                                        "0: sure of every right answer"});
        }
        report.facts.insert(report.facts.begin() + 1,
                            {"wrong answers", grouped(report.wrong_in_all), ""});
        report.facts.push_back({"by always guessing one class",
                                percent(train::majority_share(images.labels)),
                                "the most frequent"});
    }
    if (predictions.failed > 0)
        report.facts.push_back({"failed", grouped(predictions.failed), "images without an answer"});
}

void add_group(report::ImageReport& report, const detail::LineDrawing& drawing, const Rows& rows,
               const char* title, const char* lead) {
    report::ImageGroup group{title, lead, {}};
    for (const auto row : rows) group.samples.push_back(image_sample(drawing, row, false));
    if (!group.samples.empty()) report.groups.push_back(std::move(group));
}

/// All images are predicted; wrong answers first.
void add_chosen(report::ImageReport& report, const detail::LineDrawing& drawing,
                const std::shared_ptr<const data::Images>& images,
                const ImageReportOptions& options) {
    const auto predictions = predict(drawing.model, images);
    std::vector<Verdict> verdicts;
    Rows wrong, right;
    const bool labels = !images->labels.empty();
    for (std::size_t b = 0; b < predictions.size(); ++b) {
        verdicts.push_back(verdict_of(predictions.probability.row(b)));
        if (!predictions.prediction.outcomes[b].ok()) continue;
        (labels && predictions.label[b] != images->labels[b] ? wrong : right).push_back(b);
    }
    wrong = ordered(wrong, [&](std::size_t b) { return -verdicts[b].probability; });
    report.wrong_in_all = wrong.size();
    add_figures(report, predictions, *images);
    for (const auto b : first_of(wrong, options.gallery)) {
        auto& sample = report.wrong.emplace_back();
        sample.number = b;
        if (!images->names.empty()) sample.name = images->names[b];
        sample.picture = drawing.painter.paint(*images, b);
        sample.predicted = static_cast<int>(predictions.label[b]);
        sample.actual = static_cast<int>(images->labels[b]);
        sample.probabilities.assign(predictions.probability.row(b).begin(),
                                    predictions.probability.row(b).end());
    }
    const auto close =
        first_of(ordered(right, [&](std::size_t b) { return verdicts[b].margin; }), options.close);
    const auto usual = usual_of(right, close, predictions, verdicts, options.right);
    add_group(report, drawing, first_of(wrong, options.wrong), "Wrong answers",
              "Those that the model is surest of.");
    add_group(report, drawing, close, labels ? "Right, but close" : "Close decisions",
              labels
                  ? "Right answers with the smallest margin: another class is nearly as probable."
                  : "Answers with the smallest margin: another class is nearly as probable.");
    add_group(report, drawing, usual, labels ? "Right answers" : "Usual answers",
              "As sure as half of them are, each of another class.");
}

}  // namespace

report::ImageReport image_report(const TrainedModel& model,
                                 std::shared_ptr<const data::Images> images,
                                 const ImageReportOptions& options) {
    const auto* const lines = model.with_lines();
    if (lines == nullptr)
        throw argument_error(
            "report draws lines and eigenfunctions, which only models of the kind dsl have");
    if (model.image() != images->shape)
        throw data_error(fmt::format("{} has images of {}, which the model does not take",
                                     in_quotes(images->path), data::shown_shape(images->shape)));
    if (!images->labels.empty()) images = labelled(std::move(images), model.classes);
    report::ImageReport report;
    report.classes = model.classes;
    report.fields = lines->fields();
    report.latent = dynamic_cast<const model::Encoded*>(model.predictor.get()) != nullptr;

    const detail::Painter painter(*images);
    std::optional<detail::Neighbours> neighbours;
    if (options.image && *options.image >= images->size())
        throw data_error(fmt::format("{} has {}, but image {} was asked for",
                                     in_quotes(images->path), counted(images->size(), "image"),
                                     *options.image + 1));
    if (report.latent) {
        neighbours.emplace(model, *images, options.compared);
        report.compared = neighbours->size();
        report.usual_distance = neighbours->usual_distance();
    }
    const detail::LineDrawing drawing{model, *images, painter, neighbours ? &*neighbours : nullptr,
                                      options.finer};
    if (!options.image) {
        add_chosen(report, drawing, images, options);
        return report;
    }
    report::ImageGroup group{"The image and its lines", "", {}};
    if (report.fields == 1) group.title = "The image and its line";
    group.samples.push_back(image_sample(drawing, *options.image, true));
    report.groups.push_back(std::move(group));
    return report;
}

}  // namespace deepsl::learner
