// The verb `inspect`: what a model is, and what it sees in one row.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "apply.h"
#include "deepsl/io/model_report.h"
#include "deepsl/table/learner.h"
#include "file.h"
#include "parse.h"
#include "settings.h"
#include "values.h"

namespace deepsl::cli {
namespace {

using Json = nlohmann::ordered_json;
using torch::Tensor;

std::vector<double> numbers(const Tensor& t) {
    const auto wide = t.detach().to(torch::kFloat64).contiguous();
    return {wide.data_ptr<double>(), wide.data_ptr<double>() + wide.numel()};
}

std::string dashed(double value) {
    return std::isfinite(value) ? fmt::format("{:.4g}", value) : "-";
}

model::ModelOptions options_of(io::TrainedModel& model) {
    return model.model.is_empty() ? model.architecture : model.model->options();
}

std::string about_model(const std::string& path, io::TrainedModel& model) {
    auto& predictor = model.predictor();
    auto out = fmt::format("{}: '{}', {} inputs, {} outputs, {} parameters\n", path, model.kind,
                           predictor.inputs(), predictor.outputs(), predictor.parameter_count());
    const auto target = model.record.find("target");
    if (target != model.record.end()) {
        out += model.classes.empty() ? fmt::format("  predicts the number {}\n", target->second)
                                     : fmt::format("  predicts {}: {}\n", target->second,
                                                   fmt::join(model.classes, ", "));
    }
    out += "\nInputs\n";
    for (const auto& column : model.encoding->columns()) {
        if (column.role == data::Role::number) {
            out += fmt::format("  {:<24} number by {}, {:.6g} to {:.6g}, median {:.6g}\n",
                               column.name, column.scale, column.low, column.high, column.median);
        } else if (column.role == data::Role::category) {
            const auto shown_levels = std::min<std::size_t>(column.levels.size(), 6);
            out += fmt::format(
                "  {:<24} category: {}{}\n", column.name,
                fmt::join(column.levels.begin(),
                          column.levels.begin() + static_cast<std::ptrdiff_t>(shown_levels), ", "),
                column.levels.size() > shown_levels
                    ? fmt::format(" and {} more", column.levels.size() - shown_levels)
                    : "");
        } else {
            out += fmt::format("  {:<24} left out: {}\n", column.name, column.why);
        }
    }
    if (const auto inputs = table::stretched_inputs(model, 3); !inputs.empty())
        out += fmt::format("\nStretched most by their relevance: {}\n", fmt::join(inputs, ", "));
    out += "\nModel\n";
    const auto options = options_of(model);
    model::visit_model(options, [&](const Option& option, const auto& value) {
        out += fmt::format("  {:<24} {}\n", option.name, option_text(value));
    });
    out += "\nTraining\n";
    for (const auto& [name, value] : model.record) out += fmt::format("  {:<24} {}\n", name, value);
    return out;
}

Json model_json(const std::string& path, io::TrainedModel& model) {
    Json out;
    out["model"] = path;
    out["kind"] = model.kind;
    out["inputs"] = model.features;
    out["factors"] = numbers(model.scaling.factor);
    out["classes"] = model.classes;
    out["parameters"] = model.predictor().parameter_count();
    const auto options = options_of(model);
    model::visit_model(options, [&](const Option& option, const auto& value) {
        out["architecture"][std::string(option.name)] = option_text(value);
    });
    for (const auto& [name, value] : model.record) out["training"][name] = value;
    return out;
}

/// One row through all fields.
struct Row {
    std::size_t number;  // from 1
    data::Table table;   // that row alone
    Tensor z;            // in the domain  [1, inputs]
    table::Answers answers;
    std::vector<model::Inspection> fields;
    std::vector<double> constant;  // with the contributions, the prediction or the scores [output]
};

std::string prediction_of(const io::TrainedModel& model, const Row& row) {
    if (!row.answers.prediction.outcomes[0].ok())
        return fmt::format("none: {}", row.answers.prediction.outcomes[0].sentence());
    if (model.classes.empty())
        return fmt::format("{:.6g}", row.answers.prediction.y[0][0].item<double>());
    const auto label = row.answers.label[0].item<std::int64_t>();
    return fmt::format("{} ({:.1f} %)", model.classes[static_cast<std::size_t>(label)],
                       100.0 * row.answers.probability[0][label].item<double>());
}

Json prediction_json(const io::TrainedModel& model, const Row& row) {
    Json out;
    const auto& prediction = row.answers.prediction;
    out["status"] = std::string(prediction.outcomes[0].name());
    if (!prediction.outcomes[0].ok()) return out;
    if (model.classes.empty()) {
        out["prediction"] = prediction.y[0][0].item<double>();
        return out;
    }
    out["prediction"] =
        model.classes[static_cast<std::size_t>(row.answers.label[0].item<std::int64_t>())];
    out["scores"] = numbers(prediction.y[0]);
    out["probabilities"] = numbers(row.answers.probability[0]);
    return out;
}

std::string field_text(const io::TrainedModel& model, const Row& row, std::size_t m) {
    const auto& seen = row.fields[m];
    auto out = fmt::format("\nField {} of {}\n", m + 1, row.fields.size());
    if (!seen.outcomes[0].ok())
        return out + fmt::format("  failed: {}\n", seen.outcomes[0].sentence());
    const auto edges = numbers(seen.t_edges[0]);
    out += fmt::format("  line from t = {:.4g} to {:.4g}, {} steps; {} sweeps for {} eigenvalues\n",
                       edges.front(), edges.back(), seen.steps[0],
                       seen.passes[0].sum().item<std::int64_t>(), seen.lambda.size(1));
    const auto t = numbers(seen.t_nodes[0]), P = numbers(seen.P[0]), q = numbers(seen.q[0]),
               w = numbers(seen.w[0]);
    out += fmt::format("\n  {:>10} {:>10} {:>10} {:>10}\n", "t", "p", "q", "w");
    const auto every = std::max<std::size_t>(1, t.size() / 8);
    for (std::size_t i = every / 2; i < t.size(); i += every)
        out += fmt::format("  {:>10.4g} {:>10.4g} {:>10.4g} {:>10.4g}\n", t[i], 1.0 / P[i], q[i],
                           w[i]);
    const auto lambda = numbers(seen.lambda[0]), u = numbers(seen.u[0]),
               basis = numbers(seen.basis[0]);
    const bool labels = !model.classes.empty();
    const auto best = labels ? row.answers.label[0].item<std::int64_t>() : 0;
    const auto part = numbers(seen.contributions[0][best]);
    out += fmt::format("\n  {:>3} {:>12} {:>10} {:>10} {:>14}\n", "i", "lambda", "u(x)", "basis",
                       labels ? "to its score" : "to F");
    for (std::size_t i = 0; i < lambda.size(); ++i)
        out += fmt::format("  {:>3} {:>12.6g} {:>10} {:>10} {:>14}\n", i + 1, lambda[i],
                           dashed(u[i]), dashed(basis[i]), dashed(part[i]));
    return out;
}

/// How the contributions make the prediction.
std::string sum_text(const io::TrainedModel& model, const Row& row) {
    if (row.fields.empty())
        return fmt::format("  The kind {} has no lines; only dsl does.\n", model.kind);
    if (!row.answers.prediction.outcomes[0].ok()) return "";
    const auto best = model.classes.empty() ? 0 : row.answers.label[0].item<std::int64_t>();
    double sum = 0.0;
    for (const auto& field : row.fields) sum += field.contributions[0][best].sum().item<double>();
    const double constant = row.constant[static_cast<std::size_t>(best)];
    return fmt::format("\n{}: contributions {:.4g}, constant {:.4g}, together {:.4g}\n",
                       model.classes.empty() ? "F" : "Its score", sum, constant, sum + constant);
}

Json field_json(const Row& row, std::size_t m) {
    const auto& seen = row.fields[m];
    Json out;
    out["status"] = std::string(seen.outcomes[0].name());
    if (!seen.outcomes[0].ok()) return out;
    std::vector<double> p = numbers(seen.P[0]);
    for (auto& value : p) value = 1.0 / value;
    out["t_edges"] = numbers(seen.t_edges[0]);
    out["t_nodes"] = numbers(seen.t_nodes[0]);
    out["p"] = p;
    out["q"] = numbers(seen.q[0]);
    out["w"] = numbers(seen.w[0]);
    out["lambda"] = numbers(seen.lambda[0]);
    out["u"] = numbers(seen.u[0]);
    out["basis"] = numbers(seen.basis[0]);
    for (std::int64_t i = 0; i < seen.u_edges.size(1); ++i)
        out["u_edges"].push_back(numbers(seen.u_edges[0][i]));
    for (std::int64_t k = 0; k < seen.contributions.size(1); ++k)
        out["contributions"].push_back(numbers(seen.contributions[0][k]));
    out["steps"] = seen.steps[0];
    out["passes"] = numbers(seen.passes[0]);
    return out;
}

Row look(io::TrainedModel& model, const data::Table& table, std::size_t number, bool strict) {
    Row row{number, table.rows_of(std::vector<std::size_t>{number - 1}), {}, {}, {}, {}};
    row.answers = table::predict(model, row.table, strict);
    const auto encoded = model.encoding->apply(row.table, strict);
    row.z = model.scaling.forward(table::inputs_of(encoded));
    if (model.model.is_empty()) return row;
    for (std::size_t m = 0; m < model.model->terms(); ++m)
        row.fields.push_back(model.model->inspect(row.z, static_cast<std::int64_t>(m)));
    // In the target's units; scores have none.
    const bool labels = !model.classes.empty();
    row.constant.assign(static_cast<std::size_t>(model.model->outputs()),
                        labels ? 0.0 : model.target_mean);
    for (auto& field : row.fields) {
        const double unit = labels ? 1.0 : model.target_scale;
        field.contributions = field.contributions * unit;
        const auto constant = numbers(field.constant * unit);
        for (std::size_t k = 0; k < row.constant.size(); ++k) row.constant[k] += constant[k];
    }
    return row;
}

io::Report report_of(io::TrainedModel& model, const data::Table& table,
                     const ApplyArguments& arguments) {
    if (model.model.is_empty())
        throw usage_error(
            "--report draws lines and eigenfunctions, which only models of the kind dsl have");
    const bool labels = !model.classes.empty();
    const auto encoded = model.encoding->apply(table, arguments.strict);
    io::ReportData data;
    data.x = table::inputs_of(encoded);
    const auto target = model.encoding->target_in(table);
    if (table.find(target) != nullptr) {
        data.target = table::truth_of(data::read_measured_target(table, target, model.classes));
    } else {
        const auto answers = table::predict(model, table, arguments.strict);
        data.target = labels ? answers.label : answers.prediction.y;
    }
    auto report = io::model_report(model, {}, data);
    report.title = fmt::format("{} and {}", arguments.model, arguments.data);
    report.subtitle = fmt::format("{} rows.", table.rows());
    for (const auto& [name, value] : model.record) report.settings.emplace_back(name, value);
    return report;
}

}  // namespace

CLI::App* add_inspect(CLI::App& app, ApplyArguments& arguments) {
    auto* verb = add_apply_verb(
        app, arguments, "inspect", "Show what a model is, and what it sees in a row of a table",
        "Exit codes: 0 done, 1 failed, 2 the command is wrong, 3 the model or the data are wrong.",
        false);
    add_value(verb, "--row", arguments.row, "N", "The row to look at, from 1, the header aside",
              "Run");
    add_value(verb, "--finer", arguments.finer, "N",
              "Look on a grid N times finer than the model's own (default 1)", "Run");
    add_value(verb, "--report", arguments.report, "FILE", "A page with pictures of rows of DATA",
              "Run");
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group("Run");
    return verb;
}

ExitCode run_inspect(const CLI::App& verb, const ApplyArguments& arguments) {
    auto model = open_model(verb, arguments);
    if (arguments.data.empty() && (!arguments.row.empty() || !arguments.report.empty()))
        throw usage_error("--row and --report need a table: deepsl inspect model.deepsl data.csv");
    if (!arguments.report.empty()) {
        check_distinct("--report", arguments.report, {arguments.model, arguments.data});
        check_writable(arguments.report);
    }
    const auto finer = static_cast<int>(whole("--finer", arguments.finer, 1, 64));
    if (!model.model.is_empty() && finer > 1)
        model.model->numerics() = model.model->numerics().finer(finer);
    auto json = model_json(arguments.model, model);
    std::string text;
    try {
        data::Table table;
        if (!arguments.data.empty())
            table = read_table_for(*model.encoding, arguments.data, arguments.table);
        if (!arguments.row.empty()) {
            const auto number = whole("--row", arguments.row, 1, 1000000000);
            if (number > table.rows())
                throw data_error(fmt::format("{} has {} rows, but row {} was asked for", table.path,
                                             table.rows(), number));
            const auto row = look(model, table, number, arguments.strict);
            json["row"] = number;
            json.update(prediction_json(model, row));
            if (!row.constant.empty()) json["constant"] = row.constant;
            text = fmt::format("{}, row {} (line {}): {}\n", table.path, number, row.table.lines[0],
                               prediction_of(model, row));
            for (std::size_t m = 0; m < row.fields.size(); ++m) {
                text += field_text(model, row, m);
                json["fields"].push_back(field_json(row, m));
            }
            text += sum_text(model, row);
            tell_notes(arguments, row.answers.notes);
        } else {
            text = about_model(arguments.model, model);
        }
        if (!arguments.report.empty())
            write_file(arguments.report, io::html_report(report_of(model, table, arguments)));
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
    print(arguments.json ? json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n" : text);
    return ExitCode::ok;
}

}  // namespace deepsl::cli
