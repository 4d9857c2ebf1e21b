// The verb `inspect`: what a model is, and what it sees in one row.
#include "deepsl/learner/inspect.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apply.h"
#include "deepsl/io/file.h"
#include "deepsl/learner/image_report.h"
#include "deepsl/learner/model_report.h"
#include "deepsl/report/image_page.h"
#include "deepsl/report/page.h"
#include "deepsl/text.h"
#include "deepsl/train/metrics.h"
#include "file.h"
#include "inspect_columns.h"
#include "parse.h"
#include "progress.h"
#include "values.h"

namespace deepsl::cli {
namespace {

using Json = nlohmann::ordered_json;

std::string dashed(double value) {
    return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

std::string names_text(std::span<const std::string> names) {
    std::vector<std::string> harmless;
    for (const auto& name : names) harmless.push_back(printable(name));
    return fmt::format("{}", fmt::join(harmless, ", "));
}

std::string column_text(const data::EncodedColumn& column) {
    constexpr std::size_t most_levels = 6;
    switch (column.role) {
        case data::Role::number:
            return fmt::format("number by {}, {:.6g} to {:.6g}, median {:.6g}", name(column.scale),
                               column.low, column.high, column.median);
        case data::Role::category: {
            const auto shown_levels = std::min(column.levels.size(), most_levels);
            auto text = "category: " + names_text(std::span(column.levels).first(shown_levels));
            if (column.levels.size() > shown_levels)
                text += fmt::format(" and {} more", column.levels.size() - shown_levels);
            return text;
        }
        case data::Role::constant:
        case data::Role::identifier:
        case data::Role::dropped: return "left out: " + printable(column.why);
    }
    return "";
}

std::string about_model(const std::string& path, const learner::TrainedModel& model) {
    const auto& predictor = *model.predictor;
    auto out =
        fmt::format("{}: '{}', {}, {}, {}\n", printable(path), name(predictor.kind()),
                    counted(predictor.inputs(), "input"), counted(predictor.outputs(), "output"),
                    counted(model.learned_numbers(), "parameter"));
    if (!model.others.empty())
        out += fmt::format("  {} vote; what is told of their architecture is the first one's\n",
                           counted(model.voters(), "model"));
    const auto target = model.record.find("target");
    if (target != model.record.end()) {
        const auto column = printable(target->second);
        out += model.predicts_classes()
                   ? fmt::format("  predicts {}: {}\n", column, names_text(model.classes))
                   : fmt::format("  predicts the number {}\n", column);
    }
    const auto add = [&](std::string_view left, std::string_view right) {
        out += fmt::format("  {:<24} {}\n", printable(left), printable(right));
    };
    out += "\nInputs\n";
    if (model.encoding)
        for (const auto& column : model.encoding->columns()) add(column.name, column_text(column));
    if (const auto image = model.image()) add("images", data::shown_shape(*image));
    if (const auto inputs = learner::stretched_inputs(model, 3); !inputs.empty())
        out += fmt::format("\nStretched most by their relevance: {}\n", names_text(inputs));
    out += "\nModel\n";
    const auto options = predictor.options();
    model::visit_model(options, [&](const Option& option, const auto& value) {
        add(option.name, option_text(value));
    });
    out += "\nTraining\n";
    for (const auto& [key, value] : model.record) add(train::metric_title(key), value);
    return out;
}

Json model_json(const std::string& path, const learner::TrainedModel& model) {
    Json out;
    out["model"] = path;
    out["kind"] = name(model.predictor->kind());
    out["inputs"] = model.features;
    out["factors"] = model.scaling.placement.factor;
    out["classes"] = model.classes;
    out["parameters"] = model.learned_numbers();
    out["voters"] = model.voters();
    const auto options = model.predictor->options();
    model::visit_model(options, [&](const Option& option, const auto& value) {
        out["architecture"][std::string(option.name)] = option_text(value);
    });
    for (const auto& [key, value] : model.record) out["training"][key] = value;
    return out;
}

/// The class that is predicted.
std::size_t label_of(const learner::RowInspection& row) {
    return static_cast<std::size_t>(row.predictions.label[0]);
}

/// Its output, or the only one: two classes may have a single score, whose sign decides.
std::size_t output_of(const learner::TrainedModel& model, const learner::RowInspection& row) {
    return model.predictor->outputs() > 1 ? label_of(row) : 0;
}

std::string prediction_text(const learner::TrainedModel& model, const learner::RowInspection& row) {
    const auto& prediction = row.predictions.prediction;
    if (!prediction.outcomes[0].ok())
        return fmt::format("none: {}", prediction.outcomes[0].sentence());
    if (!model.predicts_classes()) return fmt::format("{:.6g}", prediction.y(0, 0));
    const auto label = label_of(row);
    return fmt::format("{} ({:.1f} %)", printable(model.classes[label]),
                       100.0 * row.predictions.probability(0, label));
}

Json prediction_json(const learner::TrainedModel& model, const learner::RowInspection& row) {
    Json out;
    const auto& prediction = row.predictions.prediction;
    out["status"] = prediction.outcomes[0].name();
    if (!prediction.outcomes[0].ok()) return out;
    if (!model.predicts_classes()) {
        out["prediction"] = prediction.y(0, 0);
        return out;
    }
    out["prediction"] = model.classes[label_of(row)];
    out["scores"] = prediction.y.row(0);
    out["probabilities"] = row.predictions.probability.row(0);
    return out;
}

std::string field_text(const learner::TrainedModel& model, const learner::RowInspection& row,
                       std::size_t m) {
    const auto& seen = row.fields[m];
    auto out = fmt::format("\nField {} of {}\n", m + 1, row.fields.size());
    if (!seen.outcomes[0].ok())
        return out + fmt::format("  failed: {}\n", seen.outcomes[0].sentence());
    const auto edges = seen.t_edges.row(0);
    const auto passes = seen.passes.row(0);
    out += fmt::format("  line from t = {:.4g} to {:.4g}, {} steps; {} sweeps for {} eigenvalues\n",
                       edges.front(), edges.back(), seen.steps[0],
                       std::accumulate(passes.begin(), passes.end(), 0), seen.d);
    const auto t = seen.t_nodes.row(0), P = seen.P.row(0), q = seen.q.row(0), w = seen.w.row(0);
    out += fmt::format("\n  {:>10} {:>10} {:>10} {:>10}\n", "t", "p", "q", "w");
    const auto every = std::max<std::size_t>(1, t.size() / 8);
    for (std::size_t i = every / 2; i < t.size(); i += every)
        out += fmt::format("  {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g}\n", t[i], 1.0 / P[i], q[i],
                           w[i]);
    const auto part = seen.contribution(0, output_of(model, row));
    out += fmt::format("\n  {:>3} {:>12} {:>10} {:>10} {:>14}\n", "i", "lambda", "u(x)", "basis",
                       model.predicts_classes() ? "to its score" : "to F");
    for (std::size_t i = 0; i < seen.d; ++i)
        out += fmt::format("  {:>3} {:>12.6g} {:>10} {:>10} {:>14}\n", i + 1, seen.lambda(0, i),
                           dashed(seen.u(0, i)), dashed(seen.basis(0, i)), dashed(part[i]));
    return out;
}

/// More are not told of one by one, but by what each adds.
constexpr std::size_t most_fields = 6;

/// What each of many fields adds to the score of the predicted class.
std::string fields_text(const learner::TrainedModel& model, const learner::RowInspection& row) {
    if (row.fields.size() <= most_fields || !row.predictions.prediction.outcomes[0].ok()) return "";
    auto out = fmt::format("\n  {:>5} {:>10} {:>10} {:>12} {:>12}\n", "field", "t-", "t+",
                           "lambda 1", model.predicts_classes() ? "to its score" : "to F");
    for (std::size_t m = 0; m < row.fields.size(); ++m) {
        const auto& seen = row.fields[m];
        const auto part = seen.contribution(0, output_of(model, row));
        out += fmt::format("  {:>5} {:>10.4g} {:>10.4g} {:>12.6g} {:>12.4g}\n", m + 1,
                           seen.t_minus[0], seen.t_plus[0], seen.lambda(0, 0),
                           std::accumulate(part.begin(), part.end(), 0.0));
    }
    return out + "  --json has p, q, w and the eigenfunctions along every line.\n";
}

/// "mnist, the part test, image 3, which is a 7: "
std::string image_text(const learner::TrainedModel& model, const data::Images& images,
                       std::size_t image) {
    auto out = fmt::format("{}{}, image {}", printable(images.path), part_text(images), image + 1);
    if (!images.names.empty()) out += fmt::format(" ({})", printable(images.names[image]));
    if (!images.labels.empty()) {
        const auto& name = images.classes[static_cast<std::size_t>(images.labels[image])];
        out += fmt::format(", of the class {}", printable(name));
        if (std::find(model.classes.begin(), model.classes.end(), name) == model.classes.end())
            out += ", which the model does not know";
    }
    return out + ": predicted ";
}

/// Of several that vote: what the first one says, whose lines are told of.
std::string voters_text(const learner::TrainedModel& model, const learner::RowInspection& row) {
    if (model.others.empty()) return "";
    auto out = fmt::format("{} vote", counted(model.voters(), "model"));
    if (row.fields.empty()) return out + ".\n";
    std::vector<double> scores;
    for (std::size_t k = 0; k < row.constant.size(); ++k)
        scores.push_back(row.constant[k] + row.contributions(k));
    out += "; what follows is the first one's, which says ";
    if (!model.predicts_classes()) return out + fmt::format("{:.6g}.\n", scores[0]);
    std::vector<double> shares(model.classes.size());
    learner::class_probabilities(scores, shares);
    const auto most = std::max_element(shares.begin(), shares.end());
    return out +
           fmt::format("{} ({:.1f} %). --json has all.\n",
                       printable(model.classes[static_cast<std::size_t>(most - shares.begin())]),
                       100.0 * *most);
}

/// How the contributions make the prediction.
std::string sum_text(const learner::TrainedModel& model, const learner::RowInspection& row) {
    if (row.fields.empty())
        return fmt::format("  The kind {} has no lines; only dsl does.\n",
                           name(model.predictor->kind()));
    if (!row.predictions.prediction.outcomes[0].ok()) return "";
    const auto output = output_of(model, row);
    const double sum = row.contributions(output), constant = row.constant[output];
    return fmt::format("\n{}: contributions {:.4g}, constant {:.4g}, together {:.4g}\n",
                       model.predicts_classes() ? "Its score" : "F", sum, constant, sum + constant);
}

Json field_json(const model::Inspection& seen) {
    Json out;
    out["status"] = seen.outcomes[0].name();
    if (!seen.outcomes[0].ok()) return out;
    std::vector<double> p;
    for (const double value : seen.P.row(0)) p.push_back(1.0 / value);
    out["t_edges"] = seen.t_edges.row(0);
    out["t_nodes"] = seen.t_nodes.row(0);
    out["p"] = p;
    out["q"] = seen.q.row(0);
    out["w"] = seen.w.row(0);
    out["lambda"] = seen.lambda.row(0);
    out["u"] = seen.u.row(0);
    out["basis"] = seen.basis.row(0);
    for (std::size_t i = 0; i < seen.d; ++i) out["u_edges"].push_back(seen.u_along(0, i));
    for (std::size_t k = 0; k < seen.outputs; ++k)
        out["contributions"].push_back(seen.contribution(0, k));
    out["steps"] = seen.steps[0];
    out["passes"] = seen.passes.row(0);
    return out;
}

std::string report_page(const learner::TrainedModel& model, const data::Table& table,
                        const ApplyArguments& arguments) {
    learner::ReportOptions options;
    options.importance = table.find(model.encoding->target_in(table)) != nullptr;
    auto report = learner::model_report(
        model, {}, learner::report_data(model, table, arguments.strict), options);
    report.title = fmt::format("{} and {}", arguments.model, arguments.data);
    report.subtitle = counted(table.rows(), "row") + ".";
    if (!model.others.empty())
        report.subtitle += fmt::format(" {} vote; lines and functions are the first one's.",
                                       counted(model.voters(), "model"));
    for (const auto& [key, value] : model.record) report.settings.emplace_back(key, value);
    return report::html_report(report);
}

std::string image_page(const learner::TrainedModel& model,
                       const std::shared_ptr<const data::Images>& images,
                       const ApplyArguments& arguments, std::optional<std::size_t> image) {
    learner::ImageReportOptions options;
    options.image = image;
    auto report = learner::image_report(model, images, options);
    report.title = fmt::format("{} and {}", arguments.model, arguments.data);
    report.subtitle =
        fmt::format("{}, {}.", counted(images->size(), "image"), data::shown_shape(images->shape));
    if (image) report.subtitle = fmt::format("Image {} of {}", *image + 1, report.subtitle);
    for (const auto& [key, value] : model.record) report.settings.emplace_back(key, value);
    return report::html_image_report(report);
}

/// Constants and fields of a voter.
void put_voter(const learner::VoterInspection& voter, Json& json) {
    if (!voter.constant.empty()) json["constant"] = voter.constant;
    for (const auto& field : voter.fields) json["fields"].push_back(field_json(field));
}

/// What the columns of a table's row say.
std::string about_columns(const learner::TrainedModel& model, const data::Table& table,
                          std::size_t number, const learner::RowInspection& row,
                          const ApplyArguments& arguments, Json& json) {
    if (!row.predictions.prediction.outcomes[0].ok()) return "";
    const auto x = learner::inputs_of(model, table.rows_of(std::vector{number}), arguments.strict);
    const auto contributions = learner::contributions_of(model, x);
    const auto turning = learner::nearest_turning(model, row);
    json["contributions"] = contributions_json(model, contributions, x);
    json["turning"] = turning_json(model, turning);
    return contributions_text(model, contributions, x, output_of(model, row)) +
           turning_text(model, turning, x);
}

learner::Importance importance_of(const learner::TrainedModel& model, const data::Table& table,
                                  const ApplyArguments& arguments) {
    learner::ImportanceOptions options;
    options.repeats = whole_number_of("--repeats", arguments.repeats, 1, 1000);
    const ProgressLine line(!arguments.quiet, "measuring columns");
    return learner::importance(model, table, arguments.strict, options);
}

/// What is known before the model is opened.
void check_arguments(const ApplyArguments& arguments) {
    if (arguments.data.empty() &&
        (!arguments.row.empty() || !arguments.report.empty() || arguments.importance))
        throw argument_error(
            "--row, --report and --importance need the data, a table or images: deepsl inspect "
            "model.deepsl data.csv");
    if (arguments.report.empty()) return;
    check_distinct("--report", arguments.report, {arguments.model, arguments.data});
    check_writable(arguments.report);
}

}  // namespace

CLI::App* add_inspect(CLI::App& app, ApplyArguments& arguments) {
    auto* verb = add_apply_verb(
        app, arguments, "inspect", "Show what a model is, and what it sees in a row or an image",
        "Exit codes: 0 done, 1 failed, 2 the command is wrong, 3 the model or the data are wrong.",
        false);
    add_value(verb, "--row", arguments.row, "N",
              "The row or image to look at, from 1, the header aside", "Run");
    verb->add_flag("--importance", arguments.importance,
                   "How important each column is, on the rows of DATA, which has the target")
        ->group("Run");
    add_value(verb, "--repeats", arguments.repeats, "N",
              "How often a column's cells change places for that (default 5)", "Run");
    add_value(verb, "--finer", arguments.finer, "N",
              "Look on a grid N times finer than the model's own (default 1)", "Run");
    add_value(verb, "--report", arguments.report, "FILE",
              "A page with pictures of rows or images of DATA", "Run");
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group("Run");
    return verb;
}

ExitCode run_inspect(const CLI::App& verb, const ApplyArguments& arguments) {
    auto model = open_model(verb, arguments);
    check_arguments(arguments);
    const auto finer = static_cast<int>(whole_number_of("--finer", arguments.finer, 1, 64));
    auto* lines = model.with_lines();
    if (lines == nullptr && !arguments.report.empty())
        throw argument_error(
            "--report draws lines and eigenfunctions, which only models of the kind dsl have");
    if (lines != nullptr && finer > 1) lines->set_numerics(lines->numerics().finer(finer));
    for (auto& other : model.others)
        if (auto* own = other.with_lines(); own != nullptr && finer > 1)
            own->set_numerics(own->numerics().finer(finer));
    auto json = model_json(arguments.model, model);
    std::string text;
    data::Table table;
    std::shared_ptr<const data::Images> images;
    if (!arguments.data.empty() && model.image())
        images = open_images(model, arguments, true);
    else if (!arguments.data.empty())
        table = open_table(model, arguments);
    std::optional<std::size_t> chosen;
    if (!arguments.row.empty()) {
        const auto number = whole_number_of("--row", arguments.row, 1, 1000000000);
        chosen = number - 1;
        const auto row = images ? learner::inspect_image(model, *images, number - 1)
                                : learner::inspect_row(model, table, number - 1, arguments.strict);
        json["row"] = number;
        json.update(prediction_json(model, row));
        put_voter(row, json);
        for (const auto& other : row.others) put_voter(other, json["other_voters"].emplace_back());
        text = images ? image_text(model, *images, number - 1) + prediction_text(model, row) + "\n"
                      : fmt::format("{}, row {} (line {}): {}\n", printable(table.path), number,
                                    table.lines[number - 1], prediction_text(model, row));
        text += voters_text(model, row) + fields_text(model, row);
        for (std::size_t m = 0; m < row.fields.size() && row.fields.size() <= most_fields; ++m)
            text += field_text(model, row, m);
        text += sum_text(model, row);
        if (!images) text += about_columns(model, table, number - 1, row, arguments, json);
        tell_notes(arguments, row.predictions.notes);
    } else if (arguments.importance) {
        const auto found = importance_of(model, table, arguments);
        json["importance"] = importance_json(found);
        text = importance_text(arguments.data, found);
    } else {
        text = about_model(arguments.model, model);
    }
    if (!arguments.report.empty()) {
        io::write_file(arguments.report, images ? image_page(model, images, arguments, chosen)
                                                : report_page(model, table, arguments));
        if (!chosen) text = fmt::format("The report is in {}.\n", printable(arguments.report));
    }
    print(arguments.json ? json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text);
    return ExitCode::ok;
}

}  // namespace deepsl::cli
