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

/// What was measured on each fold.
struct Folds {
    std::vector<std::string> names;
    std::vector<std::vector<double>> values;  // [metric][fold]
    double seconds = 0.0;

    void add(const table::Score& score) {
        values.resize(score.metrics.size());
        names.resize(score.metrics.size());
        for (std::size_t i = 0; i < score.metrics.size(); ++i) {
            names[i] = score.metrics[i].name;
            values[i].push_back(score.metrics[i].value);
        }
    }

    std::string last() const {
        std::string line;
        for (std::size_t i = 0; i < names.size(); ++i)
            line += fmt::format("  {} {:.4f}", names[i], values[i].back());
        return line;
    }
};

void check_classes(const data::Table& table, const data::Target& target) {
    std::vector<std::size_t> rows(target.classes.size(), 0);
    for (const auto label : target.labels) ++rows[static_cast<std::size_t>(label)];
    for (std::size_t c = 0; c < rows.size(); ++c)
        if (rows[c] == 1)
            throw data_error(fmt::format(
                "{}: the class {} has one row, which cannot be both learned from and left out; "
                "remove the row, or bring more of them",
                table.path, in_quotes(target.classes[c], 40)));
}

/// Until Ctrl-C.
Folds measured(const LearnTask& task, std::size_t folds) {
    using Show = TrainingDisplay::Show;
    const auto target = data::read_target(task.table, task.task.target, task.task.target_kind);
    check_classes(task.table, target);
    TrainingDisplay display(task.quiet ? Show::nothing : Show::bar,
                            target.classes.empty() ? "R2" : "accuracy");
    const auto encoding = data::Encoding::fit(task.table, task.task.target, task.task.encoding);
    for (const auto& line : task_lines(task, encoding)) display.line(line);
    auto callbacks = display.callbacks();
    callbacks.fold = nullptr;  // those that choose the epoch, inside of ours
    const auto parts = folds_of(target, task.table.rows(), folds, task.task.train.seed);
    Folds found;
    for (std::size_t k = 0; k < folds; ++k) {
        std::vector<std::size_t> others;
        for (std::size_t j = 0; j < folds; ++j)
            if (j != k) others.insert(others.end(), parts[j].begin(), parts[j].end());
        try {
            auto learned = table::learn(task.table.rows_of(others), {}, task.task, callbacks);
            if (Interrupt::asked()) break;
            found.seconds += learned.record.seconds;
            found.add(table::evaluate(learned.model, task.table.rows_of(parts[k])));
        } catch (const data::InputError& error) {
            throw data::InputError(
                fmt::format("without fold {} of {}: {}", k + 1, folds, error.what()));
        }
        display.line(fmt::format("fold {}/{}{}", k + 1, folds, found.last()));
    }
    return found;
}

std::string json_text(const Folds& found) {
    nlohmann::ordered_json out;
    for (std::size_t i = 0; i < found.names.size(); ++i) {
        const auto& name = found.names[i];
        const Mean all(found.values[i]);
        out[name] = all.mean;
        out[name + "_deviation"] = all.deviation;
        out[name + "_folds"] = found.values[i];
    }
    out["folds"] = found.values[0].size();
    out["seconds"] = found.seconds;
    return out.dump(2) + "\n";
}

std::string result_text(const Folds& found, std::size_t rows) {
    auto text = fmt::format("{} folds of {} rows, mean and deviation\n", found.values[0].size(),
                            grouped(rows));
    for (std::size_t i = 0; i < found.names.size(); ++i) {
        const Mean all(found.values[i]);
        text += fmt::format("  {:<18} ", found.names[i]);
        text += std::isnan(all.mean) ? "cannot be told of so few rows\n"
                                     : fmt::format("{:.4f} ± {:.4f}\n", all.mean, all.deviation);
    }
    return text;
}

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
    Folds found;
    try {
        found = measured(task, folds);
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
    if (found.values.empty())
        throw Error(ExitCode::interrupted, "stopped before the first fold ended");
    print(task.json ? json_text(found) : result_text(found, task.table.rows()));
    return Interrupt::asked() ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace deepsl::cli
