#include "train.h"

#include <filesystem>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "deepsl/io/model_report.h"
#include "deepsl/train/folds.h"
#include "deepsl/train/progress.h"
#include "file.h"
#include "machine.h"
#include "parse.h"
#include "training_display.h"
#include "values.h"

namespace deepsl::cli {
namespace {

constexpr const char* examples = R"text(Examples:
  deepsl train bank.csv --target deposit
  deepsl train adult.csv --target income -o adult.deepsl --checkpoint adult.ckpt
  deepsl train houses.tsv --target price --model mlp --drop address,id --json
  deepsl train --config run.toml --resume adult.ckpt --seed 1

Ctrl-C ends the training: the best model so far is saved, exit code 130.
Exit codes: 0 trained, 1 failed, 2 the command is wrong, 3 the data are wrong, 130 Ctrl-C.)text";

const std::vector<OwnFlag> own_flags = {
    {"-o,--output", "MODEL",
     "The model file (default: the name of the table, of the model if not\n"
     "dsl, and .deepsl)"},
    {"--validation-data", "FILE", "Rows to choose the best epoch by (default: a share of DATA)"},
    {"--checkpoint", "FILE", "Keep the state of the training here, to go on after an accident"},
    {"--checkpoint-seconds", "N", "At the end of an epoch, at most every N seconds (default 60)"},
    {"--checkpoint-epochs", "N", "At the end of every N-th epoch, instead"},
    {"--resume", "FILE", "Go on from this checkpoint, and keep it up to date"},
};

/// "bank.deepsl", "bank.mlp.deepsl": a comparison does not replace what is compared.
std::string default_output(const std::string& data, const std::string& kind) {
    const auto name = data.substr(data.rfind('/') + 1);
    return name.substr(0, name.rfind('.')) + (kind == "dsl" ? "" : "." + kind) + ".deepsl";
}

void keep_record(const LearnTask& task, table::Learned& learned) {
    auto& record = learned.model.record;
    train::visit_train(task.task.train, [&](const Option& option, const auto& value) {
        record[std::string(option.name)] = option_text(value);
    });
    record["data"] = task.table.path.substr(task.table.path.rfind('/') + 1);
    record["rows"] = fmt::format("{}", task.table.rows());
    record["preset"] = task.preset;
    record["scale"] = task.task.encoding.scale;
    record["relevance"] = fmt::format("{}", task.task.relevance);
    record["epoch-folds"] = fmt::format("{}", task.task.epoch_folds);
    record["epochs run"] = fmt::format("{}", learned.record.epochs.size());
    record["best epoch"] = fmt::format("{}", learned.record.best_epoch);
    record[(learned.record.validation_rows > 0 ? "validation " : "training ") +
           learned.record.metric_name] = fmt::format("{}", learned.record.best_metric);
    if (learned.record.folds > 0)
        record[fmt::format("{} in {} folds", learned.record.metric_name, learned.record.folds)] =
            fmt::format("{}", learned.record.fold_metric);
    record["failed lines"] = fmt::format("{}", learned.record.failed_lines);
}

std::string json_text(const LearnTask& task, table::Learned& learned, const std::string& output) {
    using Json = nlohmann::ordered_json;
    const auto& record = learned.record;
    Json out;
    out[(record.validation_rows > 0 ? "validation_" : "training_") + record.metric_name] =
        record.best_metric;
    out["seconds"] = record.seconds;
    out["epochs"] = record.epochs.size();
    out["best_epoch"] = record.best_epoch;
    if (record.folds > 0) {
        out["folds"] = record.folds;
        out["fold_epoch"] = record.fold_epoch;
        out["fold_" + record.metric_name] = record.fold_metric;
    }
    out["rows"] = task.table.rows();
    out["training_rows"] = record.training_rows;
    out["validation_rows"] = record.validation_rows;
    out["inputs"] = learned.model.predictor().inputs();
    out["classes"] = learned.model.classes;
    out["model_kind"] = task.task.kind;
    out["parameters"] = learned.model.predictor().parameter_count();
    out["failed_lines"] = record.failed_lines;
    out["seed"] = task.task.train.seed;
    out["threads"] = task.threads;
    out["interrupted"] = record.interrupted;
    out["model"] = output;
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string result_text(const LearnTask& task, const table::Learned& learned,
                        const std::string& output) {
    const auto& record = learned.record;
    const bool share = record.metric_name == "accuracy", folds = record.folds > 0;
    const bool held_out = record.validation_rows > 0;
    const double value = folds ? record.fold_metric : record.best_metric;
    const auto rows =
        grouped(static_cast<std::size_t>(held_out ? record.validation_rows : record.training_rows));
    auto text =
        fmt::format("{} {} ", share ? "accuracy" : "R2",
                    share ? fmt::format("{:.1f} %", 100.0 * value) : fmt::format("{:.4f}", value));
    text += folds ? fmt::format(
                        "on rows left out, in {} folds after epoch {}; then all {} rows were "
                        "learned from for {} epochs\n",
                        record.folds, record.fold_epoch, rows, record.epochs.size())
                  : fmt::format("on {} {} rows, epoch {} of {}\n", rows,
                                held_out ? "validation" : "training", record.best_epoch,
                                record.epochs.size());
    if (!held_out && !folds)
        text += "All rows were learned from; 'deepsl cv' measures how well new ones are met.\n";
    if (record.interrupted)
        text += task.task.epoch_folds > 0 && held_out
                    ? "stopped by Ctrl-C among the folds; the model of the first one was kept\n"
                    : "stopped by Ctrl-C; the best epoch so far was kept\n";
    text += fmt::format("\nThe model is in {}. Next:\n", output);
    text += fmt::format("  deepsl evaluate {} test.csv\n", output);
    text += fmt::format("  deepsl predict {} new.csv -o out.csv\n", output);
    text += fmt::format("  deepsl inspect {} {} --row 1\n", output, task.table.path);
    return text;
}

/// How it is decided how long to train.
std::string stopping_line(const LearnTask& task, std::size_t validation_rows) {
    const auto& train = task.task.train;
    if (validation_rows == 0 && task.task.epoch_folds > 0)
        return fmt::format(
            "few rows: {} folds choose the number of epochs, then all are learned from",
            task.task.epoch_folds);
    std::string chosen_by = "the training loss: no rows are held out";
    if (validation_rows > 0)
        chosen_by = fmt::format("{} other rows", grouped(validation_rows));
    else if (train.validation > 0.0)
        chosen_by = fmt::format("{:g} % of the rows, held out", 100.0 * train.validation);
    return fmt::format(
        "at most {} epochs, the best one by {}{}", train.epochs, chosen_by,
        train.patience > 0 ? fmt::format("; {} without a better one end it", train.patience) : "");
}

/// Better known now than after the folds.
void check_checkpoint(const train::Checkpointing& checkpointing) {
    const auto& path = checkpointing.path;
    if (!std::filesystem::exists(path)) {
        // Broken off among the folds, a run has no other.
        if (std::filesystem::exists(train::fold_checkpoint(checkpointing, 1))) return;
        throw data_error("cannot read " + in_quotes(path) +
                         ": there is no such file; name the checkpoint of a run that was broken "
                         "off, or start with --checkpoint");
    }
    try {
        train::check_state(path);
    } catch (const io::FileError& error) {
        throw data_error(error.what());
    }
}

/// Hours of training are not lost for a disk that is full.
std::string saved_elsewhere(const std::string& output, io::TrainedModel& model) {
    try {
        const auto name = std::filesystem::path(output);
        auto path = std::filesystem::temp_directory_path() / name.filename();
        for (int k = 2; std::filesystem::exists(path); ++k)
            path.replace_filename(
                fmt::format("{}-{}{}", name.stem().string(), k, name.extension().string()));
        io::save_model(path.string(), model);
        return "; the model was written to " + in_quotes(path.string()) + " instead";
    } catch (const std::exception&) {
        return "";
    }
}

train::Checkpointing checkpointing_of(const LearnTask& task) {
    train::Checkpointing result;
    result.path = task.value("resume", task.value("checkpoint"));
    if (!task.value("resume").empty() && !task.value("checkpoint").empty() &&
        task.value("checkpoint") != result.path)
        throw usage_error(
            "--resume keeps its own file up to date; leave out --checkpoint, or name the same");
    result.resume = !task.value("resume").empty();
    const auto epochs = task.value("checkpoint-epochs"), seconds = task.value("checkpoint-seconds");
    if (!epochs.empty() && !seconds.empty())
        throw usage_error("--checkpoint-epochs and --checkpoint-seconds exclude each other");
    if (epochs.empty())
        result.every_seconds = static_cast<double>(
            whole("--checkpoint-seconds", seconds.empty() ? "60" : seconds, 0, 1000000));
    // No seconds between two of them: after every epoch.
    result.every_epochs = result.every_seconds > 0.0 ? 0 : 1;
    if (!epochs.empty())
        result.every_epochs =
            static_cast<std::int64_t>(whole("--checkpoint-epochs", epochs, 1, 1000000));
    return result;
}

}  // namespace

CLI::App* add_train(CLI::App& app, LearnArguments& arguments) {
    auto* verb = app.add_subcommand("train", "Train a model on a table");
    verb->footer(examples);
    add_learn_flags(verb, arguments, own_flags);
    return verb;
}

ExitCode run_train(const CLI::App& verb, const LearnArguments& arguments) {
    const auto task = read_learn_task(verb, arguments);
    if (arguments.print_config) {
        print(printed_config(task));
        return ExitCode::ok;
    }
    const auto output = task.value("output", default_output(task.table.path, task.task.kind));
    const auto checkpointing = checkpointing_of(task);
    const std::vector<std::string> read{task.table.path, task.value("validation-data"),
                                        task.value("config")};
    check_distinct("--output", output, read);
    check_writable(output);
    if (!checkpointing.path.empty()) {
        const auto* flag = checkpointing.resume ? "--resume" : "--checkpoint";
        check_distinct(flag, checkpointing.path, read);
        check_distinct(flag, checkpointing.path, {output});
        check_writable(checkpointing.path);
        if (checkpointing.resume) check_checkpoint(checkpointing);
    }
    data::Table validation;
    if (const auto path = task.value("validation-data"); !path.empty())
        validation =
            read_table(path, task.table_flags, task.texts,
                       task.table.header ? task.table.names() : std::vector<std::string>{});

    at::set_num_threads(task.threads);
    const Interrupt interrupt;
    using Show = TrainingDisplay::Show;
    table::Learned learned;
    try {
        const auto encoding = data::Encoding::fit(task.table, task.task.target, task.task.encoding);
        const auto target = data::read_target(task.table, task.task.target, task.task.target_kind);
        const bool labels = !target.classes.empty();
        TrainingDisplay display(task.quiet ? Show::nothing : Show::epochs,
                                labels ? "accuracy" : "R2");
        for (const auto& line : task_lines(task, encoding)) display.line(line);
        display.line(
            fmt::format("  {} ({}) from {} inputs by '{}'", task.task.target,
                        labels ? fmt::format("{} classes", target.classes.size()) : "a number",
                        encoding.inputs(), task.task.kind));
        display.line("  " + stopping_line(task, validation.rows()));
        learned =
            table::learn(task.table, validation, task.task, display.callbacks(), checkpointing);
        if (const auto inputs = table::stretched_inputs(learned.model, 3); !inputs.empty())
            display.line(fmt::format(
                "  inputs stretched by their correlation with the target: most of all {}",
                fmt::join(inputs, ", ")));
        for (const auto& line : notes_lines(learned.notes)) display.line("  " + line);
        display.line(train::summary_line(learned.record));
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
    keep_record(task, learned);
    try {
        io::save_model(output, learned.model);
    } catch (const io::FileError& error) {
        throw Error(ExitCode::failure, error.what() + saved_elsewhere(output, learned.model));
    }
    print(task.json ? json_text(task, learned, output)
                    : (task.quiet ? "" : "\n") + result_text(task, learned, output));
    return learned.record.interrupted ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace deepsl::cli
