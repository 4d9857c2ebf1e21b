// What a demo tells: in the model file, in the report, on standard output.
#include <algorithm>
#include <cmath>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/text.h"
#include "deepsl/train/loss.h"
#include "deepsl/train/progress.h"
#include "demo_run.h"

namespace deepsl::cli {
namespace {

bool is_regression(const DemoResult& result) { return result.trained.classes.empty(); }

std::string score_text(const DemoResult& result, const Trial& trial) {
    const double value = trial.test.metric.value;
    return is_regression(result) ? fmt::format("{:.4f}", value)
                                 : fmt::format("{:.1f} %", 100.0 * value);
}

std::string title_of(const std::string& set) {
    if (set == "moons") return "Two moons";
    if (set == "circles") return "A circle in a circle";
    if (set == "spirals") return "Two spirals";
    if (set == "checkerboard") return "A checkerboard";
    return "A wave";
}

double noise_of(const DemoTask& task) {
    return task.data.noise.value_or(data::default_noise(task.set));
}

std::int64_t lines_followed(const train::TrainingRecord& record) {
    return record.training_rows * static_cast<std::int64_t>(record.epochs.size());
}

}  // namespace

void fill_record(const DemoTask& task, DemoResult& result) {
    auto& record = result.trained.record;
    train::visit_train(task.settings.train, [&](const Option& option, const auto& value) {
        record[std::string(option.name)] = option_text(value);
    });
    record["loss"] = train::name(train::loss_of(task.settings.train.loss, !is_regression(result)));
    record["data"] = task.set;
    record["samples"] = fmt::format("{}", task.data.samples);
    record["noise"] = fmt::format("{}", noise_of(task));
    record["preset"] = task.preset;
    const auto& training = result.dsl.record;
    record["epochs run"] = fmt::format("{}", training.epochs.size());
    record["best epoch"] = fmt::format("{}", training.best_epoch);
    record["validation " + training.metric_name] = fmt::format("{}", training.best_metric);
    record["test " + training.metric_name] = fmt::format("{}", result.dsl.test.metric.value);
    record["failed lines"] = fmt::format("{}", training.failed_lines);
}

void fill_report(const DemoTask& task, DemoResult& result) {
    auto& report = result.report;
    const auto& dsl = result.dsl;
    const auto& options = task.settings.model;
    report.title = title_of(task.set);
    report.subtitle =
        fmt::format("Learned from {} samples, chosen by {} more, tested on {} others.",
                    grouped(dsl.record.training_rows), grouped(dsl.record.validation_rows),
                    grouped(demo_test_samples));
    const bool regression = is_regression(result);
    const auto wrong =
        std::llround((1.0 - dsl.test.metric.value) * static_cast<double>(demo_test_samples));
    report.facts.push_back(
        {regression ? "test R²" : "test accuracy", score_text(result, dsl),
         regression ? fmt::format("on {} new samples", demo_test_samples)
                    : fmt::format("{} of {} new samples wrong", wrong, demo_test_samples)});
    if (result.mlp)
        report.facts.push_back(
            {"an MLP of the same size", score_text(result, *result.mlp),
             fmt::format("two layers of {}, {} parameters, {} epochs", result.mlp_width,
                         grouped(result.mlp->parameters), result.mlp->record.epochs.size())});
    report.facts.push_back({"parameters", grouped(dsl.parameters),
                            fmt::format("{} eigenfunctions, {} field{}", options.eigenfunctions,
                                        options.fields, options.fields == 1 ? "" : "s")});
    report.facts.push_back(
        {"training", fmt::format("{:.0f} s", dsl.record.seconds),
         fmt::format("{} epochs on {} thread{}, best {}", dsl.record.epochs.size(), task.threads,
                     task.threads == 1 ? "" : "s", dsl.record.best_epoch)});
    report.facts.push_back({"failed lines", grouped(dsl.record.failed_lines),
                            fmt::format("of {} followed", grouped(lines_followed(dsl.record)))});
    report.settings = {{"command", task.command},
                       {"set", task.set},
                       {"samples", fmt::format("{}", task.data.samples)},
                       {"noise", fmt::format("{}", noise_of(task))},
                       {"preset", task.preset},
                       {"threads", fmt::format("{}", task.threads)}};
    for (auto& setting : listed(task.settings)) report.settings.push_back(std::move(setting));
}

std::string demo_text(const DemoTask& task, const DemoResult& result) {
    auto out = fmt::format("{} {}", is_regression(result) ? "test R²" : "test accuracy",
                           score_text(result, result.dsl));
    if (result.mlp)
        out += fmt::format("  (MLP of the same size {})", score_text(result, *result.mlp));
    out += fmt::format("  in {:.0f} s\n", result.seconds);
    if (result.interrupted)
        out += fmt::format("stopped by Ctrl-C after {} of {} epochs; the best of them was kept\n",
                           result.dsl.record.epochs.size(), task.settings.train.epochs);
    if (result.dsl.record.failed_lines > 0)
        out += fmt::format("{} of {} lines failed in training and were left out\n",
                           grouped(result.dsl.record.failed_lines),
                           grouped(lines_followed(result.dsl.record)));
    const auto lines = [](const std::vector<std::pair<std::string, std::string>>& rows) {
        std::size_t width = 0;
        for (const auto& [left, right] : rows) width = std::max(width, left.size());
        std::string text;
        for (const auto& [left, right] : rows)
            text += fmt::format("  {:<{}}  {}\n", left, width, right);
        return text;
    };
    out += "\n" +
           lines({{task.report, "the report: open it in a browser"}, {task.output, "the model"}});
    const auto* other = task.set == "checkerboard" ? "spirals" : "checkerboard";
    out += "\nNext:\n" +
           lines({{"deepsl check " + task.output, "does the theory hold for this model?"},
                  {fmt::format("deepsl demo --set {}", other),
                   "or moons, circles, spirals, checkerboard, wave"},
                  {fmt::format("deepsl demo --set {} --preset paper", task.set),
                   "settings close to the paper's"},
                  {"deepsl demo --help", "everything that can be changed"}});
    return out;
}

std::string demo_json(const DemoTask& task, const DemoResult& result) {
    using Json = nlohmann::ordered_json;
    const std::string key = is_regression(result) ? "r2" : "accuracy";
    const auto& record = result.dsl.record;
    Json out;
    out[key] = result.dsl.test.metric.value;
    out["mlp_" + key] = result.mlp ? Json(result.mlp->test.metric.value) : Json();
    out["validation_" + key] = record.best_metric;
    out["seconds"] = result.seconds;
    out["training_seconds"] = record.seconds;
    out["mlp_training_seconds"] = result.mlp ? Json(result.mlp->record.seconds) : Json();
    out["set"] = task.set;
    out["samples"] = task.data.samples;
    out["test_samples"] = demo_test_samples;
    out["noise"] = noise_of(task);
    out["preset"] = task.preset;
    out["seed"] = task.data.seed;
    out["threads"] = task.threads;
    out["epochs"] = record.epochs.size();
    out["best_epoch"] = record.best_epoch;
    out["parameters"] = result.dsl.parameters;
    out["mlp_epochs"] = result.mlp ? Json(result.mlp->record.epochs.size()) : Json();
    out["mlp_parameters"] = result.mlp ? Json(result.mlp->parameters) : Json();
    out["failed_lines"] = record.failed_lines;
    out["failed_test_lines"] = result.dsl.test.failed;
    out["interrupted"] = result.interrupted;
    out["model"] = task.output;
    out["report"] = task.report;
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deepsl::cli
