#include "train.h"

#include <cmath>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "deepsl/learner/describe.h"
#include "deepsl/learner/inspect.h"
#include "deepsl/learner/learn.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
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
  deepsl train mnist/ --checkpoint mnist.ckpt        (images: docs/images.md)
  deepsl train --config run.toml --resume adult.ckpt --seed 1

Ctrl-C or SIGTERM ends the training: the best model so far is saved; a second one ends the program
at once.
Exit codes: 0 trained, 1 failed, 2 the command is wrong, 3 the data are wrong, 130 Ctrl-C,
143 SIGTERM.)text";

const std::vector<OwnFlag> own_flags = {
    {"-o,--output", "MODEL",
     "The model file (default: the name of the table, of the model if not\n"
     "dsl, and .deepsl)"},
    {"--labels", "FILE", "Of images in a file of their own: their classes"},
    {"--validation-data", "FILE", "Rows to choose the best epoch by (default: a share of DATA)"},
    {"--checkpoint", "FILE", "Keep the state of the training here, to go on after an accident"},
    {"--checkpoint-seconds", "N", "At the end of an epoch, at most every N seconds (default 60)"},
    {"--checkpoint-epochs", "N", "At the end of every N-th epoch, instead"},
    {"--resume", "FILE", "Go on from this checkpoint, and keep it up to date"},
};

/// "bank.deepsl", "bank.mlp.deepsl": a comparison does not replace what is compared.
std::string default_output(const std::string& data, model::Kind kind) {
    auto whole = data.substr(0, data.find_last_not_of('/') + 1);  // of a folder, too
    std::error_code failed;
    if (whole.ends_with('.'))  // this folder or one above has a name, too
        whole = std::filesystem::canonical(whole, failed).string();
    const auto file = whole.substr(whole.rfind('/') + 1);
    const auto of_kind = kind == model::Kind::dsl ? "" : fmt::format(".{}", name(kind));
    return file.substr(0, file.rfind('.')) + of_kind + ".deepsl";
}

std::string json_text(const LearnCommand& command, const learner::Learned& learned,
                      const std::string& output) {
    using Json = nlohmann::ordered_json;
    const auto& record = learned.record;
    const auto& predictor = *learned.model.predictor;
    Json out;
    if (record.voters == 0)
        out[(record.validation_rows > 0 ? "validation_" : "training_") + record.metric_name] =
            record.best_metric;
    if (!std::isnan(learned.majority)) out["majority_share"] = learned.majority;
    out["seconds"] = record.seconds;
    if (record.voters == 0) {
        out["epochs"] = record.epochs.size();
        out["best_epoch"] = record.best_epoch;
    }
    if (record.folds > 0) {
        out["folds"] = record.folds;
        if (record.voters == 0) out["fold_epoch"] = record.fold_epoch;
        out["fold_" + record.metric_name] = record.fold_metric;
    }
    out["rows"] = command.rows();
    out["training_rows"] = record.training_rows;
    out["validation_rows"] = record.validation_rows;
    out["inputs"] = predictor.inputs();
    out["classes"] = learned.model.classes;
    out["model_kind"] = name(command.task.kind);
    out["parameters"] = learned.model.learned_numbers();
    out["voters"] = learned.model.voters();
    out["failed_lines"] = record.failed_lines;
    out["seed"] = command.task.train.seed;
    out["threads"] = command.threads;
    out["interrupted"] = record.interrupted;
    out["model"] = output;
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string result_text(const LearnCommand& command, const learner::Learned& learned,
                        const std::string& output) {
    const auto& record = learned.record;
    auto text = learner::result_description(learned) + "\n";
    if (record.validation_rows == 0 && record.folds == 0)
        text += fmt::format(
            "All {} were learned from; 'deepsl {}' measures how well new ones are predicted.\n",
            command.images ? "images" : "rows", command.images ? "evaluate" : "cv");
    if (record.interrupted)
        text += fmt::format("stopped by {}{}\n", Interrupt::name(),
                            learned.stopped_in_folds
                                ? " among the folds; the best of their models so far was kept"
                                : "; the best epoch so far was kept");
    const auto file = printable(output);
    text += fmt::format("\nThe model is in {}. Next:\n", file);
    const auto data = printable(command.path());
    std::string test = "test.csv", fresh = "new.csv";
    if (command.images) {
        const bool has_parts = command.images->part.has_value();
        test = has_parts ? data : "TEST-IMAGES";
        if (!command.value("labels").empty()) test += " --labels THEIR-LABELS";
        fresh = has_parts ? data : "NEW-IMAGES";
    }
    text += fmt::format("  deepsl evaluate {} {}\n", file, test);
    text += fmt::format("  deepsl predict {} {} -o out.csv\n", file, fresh);
    text += fmt::format("  deepsl inspect {} {} --row 1\n", file, data);
    return text;
}

train::Checkpointing checkpointing_of(const LearnCommand& command) {
    train::Checkpointing result;
    const auto resumed = command.value("resume"), kept = command.value("checkpoint");
    result.path = resumed.empty() ? kept : resumed;
    if (!kept.empty() && kept != result.path)
        throw argument_error(
            "--resume keeps its own file up to date; leave out --checkpoint, or name the same");
    result.resume = !resumed.empty();
    const auto epochs = command.value("checkpoint-epochs"),
               seconds = command.value("checkpoint-seconds");
    if (!epochs.empty() && !seconds.empty())
        throw argument_error("--checkpoint-epochs and --checkpoint-seconds exclude each other");
    if (epochs.empty())
        result.every_seconds = static_cast<double>(
            whole_number_of("--checkpoint-seconds", seconds.empty() ? "60" : seconds, 0, 1000000));
    // No seconds between two of them: after every epoch.
    result.every_epochs = result.every_seconds > 0.0 ? 0 : 1;
    if (!epochs.empty())
        result.every_epochs =
            static_cast<std::int64_t>(whole_number_of("--checkpoint-epochs", epochs, 1, 1000000));
    return result;
}

/// What can be known before anything is learned.
void check_files(const LearnCommand& command, const std::string& output,
                 const train::Checkpointing& checkpointing) {
    const std::vector<std::string> read{command.path(), command.value("validation-data"),
                                        command.value("labels"), command.value("config")};
    check_distinct("--output", output, read);
    check_writable(output);
    if (checkpointing.path.empty()) return;
    const auto* flag = checkpointing.resume ? "--resume" : "--checkpoint";
    check_distinct(flag, checkpointing.path, read);
    check_distinct(flag, checkpointing.path, {output});
    check_writable(checkpointing.path);
    if (checkpointing.resume) learner::check_resume(checkpointing);
}

data::Table validation_table(const LearnCommand& command) {
    const auto path = command.value("validation-data");
    if (path.empty()) return {};
    data::TableOptions options;
    options.texts = command.task.categories;
    if (command.table.header) options.expected = command.table.names();
    return data::read_table(path, with_flags(command.table_flags, std::move(options)));
}

/// The part test, where there is one: what is learned from cannot choose an epoch.
std::shared_ptr<const data::Images> validation_images(const LearnCommand& command) {
    const auto path = command.value("validation-data");
    if (path.empty()) return nullptr;
    const auto& training = *command.images;
    auto images = std::make_shared<const data::Images>(data::read_images(
        path, {.part = data::ImagePart::test, .shape = training.shape, .or_whole = true}));
    std::error_code unknown;
    if (images->part == training.part && std::filesystem::equivalent(path, training.path, unknown))
        throw data_error(fmt::format(
            "--validation-data: {} has no images but those that are learned from; name others, or "
            "hold some out with --validation 0.1",
            in_quotes(path)));
    return images;
}

learner::Learned learn_images(const LearnCommand& command,
                              const train::Checkpointing& checkpointing) {
    using Show = TrainingDisplay::Show;
    const auto& task = command.task;
    const auto& images = *command.images;
    const auto validation = validation_images(command);
    auto prepared = learner::prepare(command.images, validation, task);
    TrainingDisplay display(command.quiet ? Show::nothing : Show::epochs, command.metric());
    for (const auto& text : command.warnings) display.warning(text);
    display.line(fmt::format("{}: {} of {}, {}", printable(images.path),
                             counted(images.size(), "image"), data::shown_shape(images.shape),
                             counted(images.classes.size(), "class")));
    display.line("  " + learner::image_description(task));
    display.line("  " + learner::stopping_description(task, validation ? validation->size() : 0));
    auto learned = learner::learn(std::move(prepared), task, display.callbacks(), checkpointing);
    display.line(train::summary_line(learned.record));
    for (const auto& text : learner::result_warnings(learned)) display.warning(text);
    return learned;
}

learner::Learned learn(const LearnCommand& command, const train::Checkpointing& checkpointing) {
    if (command.images) return learn_images(command, checkpointing);
    using Show = TrainingDisplay::Show;
    const auto& task = command.task;
    const auto validation = validation_table(command);
    auto prepared = learner::prepare(command.table, validation, task);
    const auto& encoding = *prepared.model.encoding;
    const auto classes = prepared.model.classes.size();
    TrainingDisplay display(command.quiet ? Show::nothing : Show::epochs, command.metric());
    for (const auto& text : command.warnings) display.warning(text);
    for (const auto& line : table_lines(command.table, encoding)) display.line(line);
    for (const auto& text : learner::table_warnings(command.table, encoding)) display.warning(text);
    display.line(fmt::format("  {} ({}) from {} by '{}'", task.target,
                             classes > 0 ? counted(classes, "class") : "a number",
                             counted(encoding.inputs(), "input"), name(task.kind)));
    display.line("  " + learner::stopping_description(task, validation.rows()));
    auto learned = learner::learn(std::move(prepared), task, display.callbacks(), checkpointing);
    if (const auto inputs = learner::stretched_inputs(learned.model, 3); !inputs.empty())
        display.line(fmt::format("  inputs stretched by {}: most of all {}",
                                 task.relevance_by == learner::RelevanceBy::kernel
                                     ? "how a smooth guess changes with them"
                                     : "their correlation with the target",
                                 fmt::join(inputs, ", ")));
    for (const auto& line : learner::notes_lines(learned.notes)) display.line("  " + line);
    for (const auto& say : learned.says) display.line("  " + say);
    display.line(train::summary_line(learned.record));
    for (const auto& text : learner::result_warnings(learned)) display.warning(text);
    return learned;
}

}  // namespace

CLI::App* add_train(CLI::App& app, LearnArguments& arguments) {
    auto* verb = app.add_subcommand("train", "Train a model on a table or on images");
    verb->footer(examples);
    add_learn_flags(verb, arguments, own_flags);
    return verb;
}

ExitCode run_train(const CLI::App& verb, const LearnArguments& arguments) {
    const auto command = read_learn_command(verb, arguments);
    if (arguments.print_config) {
        print(printed_config(command));
        return ExitCode::ok;
    }
    const auto output = command.value("output", default_output(command.path(), command.task.kind));
    const auto checkpointing = checkpointing_of(command);
    check_files(command, output, checkpointing);
    set_threads(command.threads);
    const Interrupt interrupt;
    const auto learned = learn(command, checkpointing);
    if (const auto why = learner::why_nothing_was_learned(learned)) {
        tell(fmt::format("deepsl: error: {}; no model was written\n", *why));
        return ExitCode::failure;
    }
    learner::save_model_or_rescue(output, learned.model);
    print(command.json ? json_text(command, learned, output)
                       : (command.quiet ? "" : "\n") + result_text(command, learned, output));
    return learned.record.interrupted ? ExitCode::interrupted : ExitCode::ok;
}

}  // namespace deepsl::cli
