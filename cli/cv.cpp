#include "cv.h"

#include <cmath>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/train/folds.h"
#include "deepsl/train/progress.h"
#include "file.h"
#include "machine.h"
#include "training_display.h"
#include "values.h"

namespace deepsl::cli {
namespace {

const std::vector<OwnFlag> own_flags = {{"--folds", "K", "How many parts (default 5)"}};

/// Row numbers by fold.
std::vector<std::vector<std::size_t>> folds_of(const data::Target& target, std::size_t rows,
                                               std::size_t folds, std::int64_t seed) {
    const auto labels = target.classes.empty() ? torch::Tensor() : table::truth_of(target);
    std::vector<std::vector<std::size_t>> result;
    for (const auto& part : train::fold_rows(static_cast<std::int64_t>(rows), labels,
                                             static_cast<std::int64_t>(folds), seed)) {
        const auto* first = part.data_ptr<std::int64_t>();
        result.emplace_back(first, first + part.numel());
    }
    return result;
}

struct Mean {
    double mean, deviation;

    explicit Mean(const std::vector<double>& values) {
        double sum = 0.0, squares = 0.0;
        const auto n = static_cast<double>(values.size());
        for (const double v : values) sum += v;
        mean = sum / n;
        for (const double v : values) squares += (v - mean) * (v - mean);
        deviation = n > 1.0 ? std::sqrt(squares / (n - 1.0)) : 0.0;
    }
};

}  // namespace

CLI::App* add_cv(CLI::App& app, LearnArguments& arguments) {
    auto* verb =
        app.add_subcommand("cv", "Measure by cross-validation how well a table is learned");
    verb->footer(
        "Each fold is left out once: a model is trained on the others and tested on it. No model "
        "is "
        "kept.\nExit codes: 0 done, 1 failed, 2 the command is wrong, 3 the data are wrong, 130 "
        "Ctrl-C.");
    add_learn_flags(verb, arguments, own_flags);
    return verb;
}

ExitCode run_cv(const CLI::App& verb, const LearnArguments& arguments) {
    const auto task = read_learn_task(verb, arguments);
    if (arguments.print_config) {
        print(printed_config(task));
        return ExitCode::ok;
    }
    const auto folds = whole("--folds", task.value("folds", "5"), 2, 1000);
    if (folds > task.table.rows())
        throw data_error(fmt::format("{}: {} folds of {} rows; ask for fewer", task.table.path,
                                     folds, task.table.rows()));
    at::set_num_threads(task.threads);
    const Interrupt interrupt;
    using Show = TrainingDisplay::Show;
    std::vector<std::string> names;
    std::vector<std::vector<double>> values;  // [metric][fold]
    double seconds = 0.0;
    try {
        const auto target = data::read_target(task.table, task.task.target, task.task.target_kind);
        TrainingDisplay display(task.quiet ? Show::nothing : Show::bar,
                                target.classes.empty() ? "R2" : "accuracy");
        std::vector<std::size_t> rows_of_class(target.classes.size(), 0);
        for (const auto label : target.labels) ++rows_of_class[static_cast<std::size_t>(label)];
        for (std::size_t c = 0; c < rows_of_class.size(); ++c)
            if (rows_of_class[c] == 1)
                throw data_error(fmt::format(
                    "{}: the class {} has one row, which cannot be both learned from and left out; "
                    "remove the row, or bring more of them",
                    task.table.path, in_quotes(target.classes[c], 40)));
        const auto parts = folds_of(target, task.table.rows(), folds, task.task.train.seed);
        for (std::size_t k = 0; k < folds && !Interrupt::asked(); ++k) {
            std::vector<std::size_t> others;
            for (std::size_t j = 0; j < folds; ++j)
                if (j != k) others.insert(others.end(), parts[j].begin(), parts[j].end());
            auto learned =
                table::learn(task.table.rows_of(others), {}, task.task, display.callbacks());
            if (Interrupt::asked()) break;
            seconds += learned.record.seconds;
            const auto score = table::evaluate(learned.model, task.table.rows_of(parts[k]));
            values.resize(score.metrics.size());
            names.clear();
            std::string line = fmt::format("fold {}/{}", k + 1, folds);
            for (std::size_t i = 0; i < score.metrics.size(); ++i) {
                names.push_back(score.metrics[i].name);
                values[i].push_back(score.metrics[i].value);
                line += fmt::format("  {} {:.4f}", names[i], values[i].back());
            }
            display.line(line);
        }
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
    if (values.empty()) throw Error(ExitCode::interrupted, "stopped before the first fold ended");
    if (task.json) {
        nlohmann::ordered_json out;
        for (std::size_t i = 0; i < names.size(); ++i) {
            const Mean all(values[i]);
            out[names[i]] = all.mean;
            out[names[i] + "_deviation"] = all.deviation;
            out[names[i] + "_folds"] = values[i];
        }
        out["folds"] = folds;
        out["seconds"] = seconds;
        print(out.dump(2) + "\n");
    } else {
        auto text = fmt::format("{} folds of {} rows, mean and deviation\n", values[0].size(),
                                grouped(task.table.rows()));
        for (std::size_t i = 0; i < names.size(); ++i) {
            const Mean all(values[i]);
            text +=
                std::isnan(all.mean)
                    ? fmt::format("  {:<18} cannot be told of so few rows\n", names[i])
                    : fmt::format("  {:<18} {:.4f} ± {:.4f}\n", names[i], all.mean, all.deviation);
        }
        print(text);
    }
    return Interrupt::asked() ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace deepsl::cli
