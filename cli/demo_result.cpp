// What a demo reports: on its page, and on standard output.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "deepsl/data/generated.h"
#include "deepsl/option.h"
#include "deepsl/text.h"
#include "demo_run.h"
#include "machine.h"
#include "option_flags.h"

namespace deepsl::cli {
namespace {

std::string score_text(const DemoResult& result, const Trial& trial) {
    const double value = trial.test_metric();
    return result.trained.predicts_classes() ? fmt::format("{:.1f} %", 100.0 * value)
                                             : fmt::format("{:.4f}", value);
}

std::string_view title_of(data::GeneratedSet set) {
    switch (set) {
        case data::GeneratedSet::moons: return "Two moons";
        case data::GeneratedSet::circles: return "A circle in a circle";
        case data::GeneratedSet::spirals: return "Two spirals";
        case data::GeneratedSet::checkerboard: return "A checkerboard";
        case data::GeneratedSet::wave: return "A wave";
    }
    return "";
}

std::int64_t lines_followed(const train::TrainingRecord& record) {
    return record.training_rows * static_cast<std::int64_t>(record.epochs.size());
}

}  // namespace

void fill_report(const DemoCommand& command, DemoResult& result) {
    auto& report = result.report;
    const auto& dsl = result.dsl;
    const auto& options = command.task.model;
    report.title = title_of(command.set);
    report.subtitle =
        fmt::format("Learned from {} samples, chosen by {} more, tested on {} others.",
                    grouped(dsl.record.training_rows), grouped(dsl.record.validation_rows),
                    grouped(dsl.test.samples));
    const bool classes = result.trained.predicts_classes();
    const auto wrong =
        std::llround((1.0 - dsl.test_metric()) * static_cast<double>(dsl.test.samples));
    report.facts.push_back({classes ? "test accuracy" : "test R²", score_text(result, dsl),
                            classes
                                ? fmt::format("{} of {} new samples wrong", wrong, dsl.test.samples)
                                : fmt::format("on {} new samples", dsl.test.samples)});
    if (result.mlp)
        report.facts.push_back({"an MLP of the same size", score_text(result, *result.mlp),
                                fmt::format("two layers of {}, {} parameters, {}", result.mlp_width,
                                            grouped(result.mlp->parameters),
                                            counted(result.mlp->record.epochs.size(), "epoch"))});
    report.facts.push_back({"parameters", grouped(dsl.parameters),
                            fmt::format("{}, {}", counted(options.eigenfunctions, "eigenfunction"),
                                        counted(options.fields, "field"))});
    report.facts.push_back(
        {"training", fmt::format("{:.0f} s", dsl.record.seconds),
         fmt::format("{} on {}, best {}", counted(dsl.record.epochs.size(), "epoch"),
                     counted(command.threads, "thread"), dsl.record.best_epoch)});
    report.facts.push_back({"failed lines", grouped(dsl.record.failed_lines),
                            fmt::format("of {} followed", grouped(lines_followed(dsl.record)))});
    report.settings = {{"command", command.words},
                       {"set", std::string(name(command.set))},
                       {"samples", fmt::format("{}", command.data.samples)},
                       {"noise", fmt::format("{}", command.noise())},
                       {"preset", std::string(name(command.task.preset))},
                       {"threads", fmt::format("{}", command.threads)}};
    for (auto& setting : model_settings(command.task))
        report.settings.push_back(std::move(setting));
}

std::string demo_text(const DemoCommand& command, const DemoResult& result) {
    auto out = fmt::format("{} {}", result.trained.predicts_classes() ? "test accuracy" : "test R²",
                           score_text(result, result.dsl));
    if (result.mlp)
        out += fmt::format("  (MLP of the same size {})", score_text(result, *result.mlp));
    out += fmt::format("  in {:.0f} s\n", result.seconds);
    if (result.interrupted)
        out += fmt::format("stopped by {} after {} of {}; the best of them was kept\n",
                           Interrupt::name(), result.dsl.record.epochs.size(),
                           counted(command.task.train.epochs, "epoch"));
    if (result.dsl.record.failed_lines > 0)
        out += fmt::format("{} of {} failed in training and were left out\n",
                           grouped(result.dsl.record.failed_lines),
                           counted(lines_followed(result.dsl.record), "line"));
    const auto lines = [](const std::vector<std::pair<std::string, std::string>>& rows) {
        std::size_t width = 0;
        for (const auto& [left, right] : rows) width = std::max(width, left.size());
        std::string text;
        for (const auto& [left, right] : rows)
            text += fmt::format("  {:<{}}  {}\n", left, width, right);
        return text;
    };
    const auto model = printable(command.output);
    out += "\n" + lines({{printable(command.report), "the report: open it in a browser"},
                         {model, "the model"}});
    const auto other = command.set == data::GeneratedSet::checkerboard
                           ? data::GeneratedSet::spirals
                           : data::GeneratedSet::checkerboard;
    out +=
        "\nNext:\n" + lines({{"deepsl check " + model, "does the theory hold for this model?"},
                             {fmt::format("deepsl demo --set {}", name(other)),
                              fmt::format("or {}", fmt::join(names(other), ", "))},
                             {fmt::format("deepsl demo --set {} --preset paper", name(command.set)),
                              "settings close to the paper's"},
                             {"deepsl demo --help", "everything that can be changed"}});
    return out;
}

std::string demo_json(const DemoCommand& command, const DemoResult& result) {
    using Json = nlohmann::ordered_json;
    const std::string key = result.trained.predicts_classes() ? "accuracy" : "r2";
    const auto& record = result.dsl.record;
    Json out;
    out[key] = result.dsl.test_metric();
    out["mlp_" + key] = result.mlp ? Json(result.mlp->test_metric()) : Json();
    out["validation_" + key] = record.best_metric;
    out["seconds"] = result.seconds;
    out["training_seconds"] = record.seconds;
    out["mlp_training_seconds"] = result.mlp ? Json(result.mlp->record.seconds) : Json();
    out["set"] = name(command.set);
    out["samples"] = command.data.samples;
    out["test_samples"] = result.dsl.test.samples;
    out["noise"] = command.noise();
    out["preset"] = name(command.task.preset);
    out["seed"] = command.data.seed;
    out["threads"] = command.threads;
    out["epochs"] = record.epochs.size();
    out["best_epoch"] = record.best_epoch;
    out["parameters"] = result.dsl.parameters;
    out["mlp_epochs"] = result.mlp ? Json(result.mlp->record.epochs.size()) : Json();
    out["mlp_parameters"] = result.mlp ? Json(result.mlp->parameters) : Json();
    out["failed_lines"] = record.failed_lines;
    out["failed_test_lines"] = result.dsl.test.failed;
    out["interrupted"] = result.interrupted;
    out["model"] = command.output;
    out["report"] = command.report;
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace deepsl::cli
