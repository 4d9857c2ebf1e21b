#include "cv.h"

#include <cmath>
#include <cstdint>
#include <numeric>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/learner/cross_validation.h"
#include "deepsl/learner/describe.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
#include "deepsl/train/metrics.h"
#include "file.h"
#include "machine.h"
#include "training_display.h"
#include "values.h"

namespace deepsl::cli {
namespace {

constexpr const char* explanation =
    R"text(Each fold is left out once: a model is trained on the others and tested on it. No model is kept.
Exit codes: 0 done, 1 failed, 2 the command is wrong, 3 the data are wrong, 130 Ctrl-C,
143 SIGTERM.)text";

const std::vector<OwnFlag> own_flags = {{"--folds", "K", "How many parts (default 5)"}};

/// Until a signal ends it.
learner::CrossValidation measure(const LearnCommand& command, std::size_t folds) {
    learner::check_folds(command.table, static_cast<std::int64_t>(folds));
    using Show = TrainingDisplay::Show;
    TrainingDisplay display(command.quiet ? Show::nothing : Show::bar, command.metric());
    const auto& task = command.task;
    const auto encoding = data::Encoding::fit(command.table, task.target, task.encoding());
    for (const auto& text : command.warnings) display.warning(text);
    for (const auto& line : table_lines(command.table, encoding)) display.line(line);
    for (const auto& text : learner::table_warnings(command.table, encoding)) display.warning(text);
    return learner::cross_validate(
        command.table, task, static_cast<std::int64_t>(folds), display.callbacks(),
        [&](std::int64_t fold, const learner::Score& score) {
            auto line = fmt::format("fold {}/{}", fold, folds);
            for (const auto& metric : score.metrics)
                line += fmt::format("  {} {:.4f}", train::metric_title(metric.name), metric.value);
            display.line(line);
        });
}

/// Over the folds; NaN for numbers.
double mean_majority(const learner::CrossValidation& measured) {
    const auto& shares = measured.majority;
    return std::accumulate(shares.begin(), shares.end(), 0.0) / static_cast<double>(shares.size());
}

std::string json_text(const learner::CrossValidation& measured) {
    nlohmann::ordered_json out;
    for (std::size_t i = 0; i < measured.names.size(); ++i) {
        const auto& name = measured.names[i];
        out[name] = measured.mean(i);
        out[name + "_deviation"] = measured.deviation(i);
        out[name + "_folds"] = measured.values[i];
    }
    if (const auto share = mean_majority(measured); !std::isnan(share))
        out["majority_share"] = share;
    out["folds"] = measured.folds();
    out["seconds"] = measured.seconds;
    out["interrupted"] = measured.interrupted;
    return out.dump(2) + "\n";
}

std::string result_text(const learner::CrossValidation& measured, std::size_t rows) {
    auto text = fmt::format("{} of {}, mean and deviation\n", counted(measured.folds(), "fold"),
                            counted(rows, "row"));
    for (std::size_t i = 0; i < measured.names.size(); ++i) {
        text += fmt::format("  {:<18} ", train::metric_title(measured.names[i]));
        text += std::isnan(measured.mean(i))
                    ? "cannot be measured on so few rows\n"
                    : fmt::format("{:.4f} ± {:.4f}\n", measured.mean(i), measured.deviation(i));
    }
    if (const auto share = mean_majority(measured); !std::isnan(share))
        text += fmt::format("Always guessing the most frequent class has the accuracy {:.4f}.\n",
                            share);
    if (measured.interrupted)
        text += fmt::format("stopped by {}; other folds are missing\n", Interrupt::name());
    return text;
}

}  // namespace

CLI::App* add_cv(CLI::App& app, LearnArguments& arguments) {
    auto* verb =
        app.add_subcommand("cv", "Measure by cross-validation how well a table is learned");
    verb->footer(explanation);
    add_learn_flags(verb, arguments, own_flags);
    return verb;
}

ExitCode run_cv(const CLI::App& verb, const LearnArguments& arguments) {
    const auto command = read_learn_command(verb, arguments);
    if (arguments.print_config) {
        print(printed_config(command));
        return ExitCode::ok;
    }
    if (command.images)
        throw argument_error(
            "cv takes tables; measure images by 'deepsl train' and 'deepsl evaluate'");
    const auto folds = whole_number_of("--folds", command.value("folds", "5"), 2, 1000);
    set_threads(command.threads);
    const Interrupt interrupt;
    const auto measured = measure(command, folds);
    if (measured.folds() == 0) throw Interrupted("stopped before the first fold ended");
    print(command.json ? json_text(measured) : result_text(measured, command.table.rows()));
    return measured.interrupted ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace deepsl::cli
