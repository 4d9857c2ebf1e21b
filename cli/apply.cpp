#include "apply.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>
#include <unistd.h>

#include "deepsl/io/file.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/describe.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/parallel.h"
#include "deepsl/text.h"
#include "deepsl/train/metrics.h"
#include "file.h"
#include "parse.h"
#include "values.h"

namespace deepsl::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* codes =
    "Exit codes: 0 done, 1 failed, 2 the command is wrong, 3 the model or the data are wrong.";

/// A cell of a CSV file.
std::string cell(const std::string& text) {
    if (text.find_first_of(",\"\n\r") == std::string::npos && trimmed(text) == text) return text;
    std::string quoted = "\"";
    for (const char c : text) {
        if (c == '"') quoted += c;
        quoted += c;
    }
    quoted += '"';
    return quoted;
}

void add_number(std::string& out, double value) {
    if (!std::isnan(value)) fmt::format_to(std::back_inserter(out), "{}", value);
}

/// `files` [N] names each row's picture; there may be none.
std::string csv_of(const learner::TrainedModel& model, const learner::Predictions& predictions,
                   const std::vector<std::string>& files, bool proba) {
    const auto target = model.record.find("target");
    std::string out = files.empty() ? "" : "file,";
    out += cell(target == model.record.end() ? "prediction" : target->second);
    const bool with_shares = proba && model.predicts_classes();
    std::vector<std::string> classes;
    for (const auto& name : model.classes) classes.push_back(cell(name));
    if (with_shares)
        for (const auto& name : model.classes) out += "," + cell(fmt::format("p({})", name));
    out += "\n";
    for (std::size_t b = 0; b < predictions.size(); ++b) {
        if (!files.empty()) out += cell(files[b]) + ",";
        if (!model.predicts_classes()) {
            add_number(out, predictions.prediction.y(b, 0));
        } else if (predictions.prediction.outcomes[b].ok()) {
            out += classes[static_cast<std::size_t>(predictions.label[b])];
        }
        for (std::size_t c = 0; with_shares && c < classes.size(); ++c) {
            out += ",";
            add_number(out, predictions.probability(b, c));
        }
        out += "\n";
    }
    return out;
}

std::string failures_text(const train::Failures& failures) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : failures) parts.push_back(fmt::format("{} {}", name, count));
    return fmt::format("({}); docs/failures.md explains what that means", fmt::join(parts, ", "));
}

/// Classes; more do not fit a terminal's width.
constexpr std::size_t most_shown = 12;

std::string confusion_text(const learner::TrainedModel& model, const Matrix<std::int64_t>& counts) {
    std::vector<std::string> names;
    std::size_t width = 5, name_width = 0;
    for (const auto& name : model.classes) {
        names.push_back(printable(name));
        name_width = std::max(name_width, std::min<std::size_t>(names.back().size(), 20));
        width = std::max(width, std::min<std::size_t>(names.back().size(), 12) + 2);
    }
    for (const auto count : counts.values())
        width = std::max(width, std::to_string(count).size() + 2);
    auto out = fmt::format("\nrows: the true class, columns: what it was taken for\n{:{}}", "",
                           name_width + 2);
    for (const auto& name : names) out += fmt::format("{:>{}.12}", name, width);
    for (std::size_t i = 0; i < counts.rows(); ++i) {
        out += fmt::format("\n{:<{}.20}  ", names[i], name_width);
        for (const auto count : counts.row(i)) out += fmt::format("{:>{}}", count, width);
    }
    return out + "\n";
}

/// A result without a single row is none.
ExitCode tell_failures(std::int64_t failed, std::int64_t rows, const std::string& failures) {
    if (failed == 0) return ExitCode::ok;
    if (failed < rows) {
        warn(fmt::format("{} of {} rows failed {}", failed, rows, failures));
        return ExitCode::ok;
    }
    tell(fmt::format("deepsl: error: no row could be predicted: {} failed {}\n",
                     rows == 1 ? "it" : fmt::format("all {}", rows), failures));
    return ExitCode::failure;
}

std::string json_text(const learner::TrainedModel& model, const learner::Score& score) {
    Json out;
    for (const auto& metric : score.metrics) out[metric.name] = metric.value;
    if (model.predicts_classes()) out["majority_share"] = score.majority;
    out["samples"] = score.samples;
    out["failed"] = score.failed;
    if (model.predicts_classes()) {
        out["classes"] = model.classes;
        out["confusion"] = Json::array();
        for (std::size_t i = 0; i < score.confusion.rows(); ++i)
            out["confusion"].push_back(score.confusion.row(i));
    }
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

std::string score_text(const learner::TrainedModel& model, const learner::Score& score) {
    std::string text;
    for (const auto& metric : score.metrics) {
        const auto title = train::metric_title(metric.name);
        text += std::isnan(metric.value)
                    ? fmt::format("  {:<18} cannot be measured on these rows\n", title)
                    : fmt::format("  {:<18} {:.4f}\n", title, metric.value);
    }
    if (model.predicts_classes()) {
        text += fmt::format("Always guessing the most frequent class has the accuracy {:.4f}.\n",
                            score.majority);
        text += model.classes.size() <= most_shown
                    ? confusion_text(model, score.confusion)
                    : fmt::format("  --json has the {0} x {0} confusion matrix\n",
                                  model.classes.size());
    }
    return text;
}

}  // namespace

CLI::App* add_apply_verb(CLI::App& app, ApplyArguments& arguments, const std::string& name,
                         const std::string& about, const std::string& footer, bool needs_data) {
    auto* verb = app.add_subcommand(name, about);
    verb->allow_extras();
    verb->footer(footer);
    verb->get_formatter()->column_width(32);
    verb->add_option("model", arguments.model, "The model file")
        ->type_name("MODEL")
        ->multi_option_policy(CLI::MultiOptionPolicy::Join);
    verb->add_option("data", arguments.data,
                     needs_data ? "The table, or images" : "A table or images, for --row")
        ->type_name("DATA")
        ->multi_option_policy(CLI::MultiOptionPolicy::Join);
    const auto* group = "Run";
    add_value(verb, "--threads", arguments.threads, "N", "Default: as many as there are cores",
              group);
    verb->add_flag("--strict", arguments.strict,
                   "Refuse texts and ranges that training did not have")
        ->group(group);
    verb->add_flag("--quiet", arguments.quiet, "No remarks on standard error, only warnings")
        ->group(group);
    add_table_flags(verb, arguments.table);
    add_value(verb, "--part", arguments.part, "PART",
              "Of images in two parts: train or test (default)", "Images");
    add_value(verb, "--labels", arguments.labels, "FILE",
              "Of images in a file of their own: their classes", "Images");
    return verb;
}

learner::TrainedModel open_model(const CLI::App& verb, const ApplyArguments& arguments) {
    check_words(verb, "a model and its data are enough");
    if (arguments.model.empty())
        throw argument_error(fmt::format(
            "the model file is missing; try 'deepsl {} model.deepsl data.csv'", verb.get_name()));
    set_threads(threads_of(arguments.threads));
    auto model = learner::load_model(arguments.model);
    if (!model.encoding && !model.image())
        throw data_error(fmt::format("{} was not trained on a table; make one with 'deepsl train'",
                                     in_quotes(arguments.model)));
    return model;
}

std::shared_ptr<const data::Images> open_images(const learner::TrainedModel& model,
                                                const ApplyArguments& arguments, bool or_whole) {
    data::ImageOptions options{.labels = arguments.labels, .or_whole = or_whole};
    parse_option(choice<data::ImagePart>("--part", ""), arguments.part, options.part);
    return learner::read_images_for(model, arguments.data, options);
}

std::string part_text(const data::Images& images) {
    return images.part ? fmt::format(", the part {}", name(*images.part)) : "";
}

data::Table open_table(const learner::TrainedModel& model, const ApplyArguments& arguments) {
    return learner::read_table_for(model, arguments.data, with_flags(arguments.table));
}

void tell_notes(const ApplyArguments& arguments, const data::EncodingNotes& notes) {
    if (arguments.quiet) return;
    for (const auto& line : learner::notes_lines(notes)) tell(line + "\n");
}

CLI::App* add_predict(CLI::App& app, ApplyArguments& arguments) {
    auto* verb = add_apply_verb(app, arguments, "predict",
                                "Predict the target of a table's rows, or the class of images",
                                std::string("Rows that fail have empty cells; if all do, the exit "
                                            "code is 1.\n") +
                                    codes,
                                true);
    add_value(verb, "-o,--output", arguments.output, "FILE",
              "The predictions, a CSV file (default, and -: standard output)", "Run");
    verb->add_flag("--proba", arguments.proba, "A column with the probability of each class")
        ->group("Run");
    return verb;
}

ExitCode run_predict(const CLI::App& verb, const ApplyArguments& arguments) {
    const auto model = open_model(verb, arguments);
    if (arguments.data.empty())
        throw argument_error("the data are missing; try 'deepsl predict model.deepsl new.csv'");
    if (arguments.proba && !model.predicts_classes())
        throw argument_error("--proba: the model predicts numbers, which have no probabilities");
    const bool to_file = !arguments.output.empty() && arguments.output != "-";
    if (to_file) {
        check_distinct("--output", arguments.output, {arguments.model, arguments.data});
        check_writable(arguments.output);
    }
    const auto images = model.image() ? open_images(model, arguments, true) : nullptr;
    const auto predictions =
        images ? learner::predict(model, images)
               : learner::predict(model, open_table(model, arguments), arguments.strict);
    const auto csv = csv_of(model, predictions, images ? images->names : std::vector<std::string>(),
                            arguments.proba);
    if (to_file) {
        io::write_file(arguments.output, csv);
    } else {
        // Names of classes are what a file says; a terminal must not obey them.
        print(::isatty(STDOUT_FILENO) == 1 ? printable_lines(csv) : csv);
    }
    tell_notes(arguments, predictions.notes);
    return tell_failures(predictions.failed, static_cast<std::int64_t>(predictions.size()),
                         failures_text(predictions.failures));
}

CLI::App* add_evaluate(CLI::App& app, ApplyArguments& arguments) {
    auto* verb =
        add_apply_verb(app, arguments, "evaluate",
                       "Measure a model on a table that has the target, or on images", codes, true);
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group("Run");
    return verb;
}

ExitCode run_evaluate(const CLI::App& verb, const ApplyArguments& arguments) {
    const auto model = open_model(verb, arguments);
    if (arguments.data.empty())
        throw argument_error("the data are missing; try 'deepsl evaluate model.deepsl test.csv'");
    const auto images = model.image() ? open_images(model, arguments, true) : nullptr;
    if (images && !images->part && !images->names.empty() && !arguments.quiet)
        tell(fmt::format("{} has no parts: all its images are measured on\n",
                         printable(arguments.data)));
    const auto score =
        images ? learner::evaluate(model, images)
               : learner::evaluate(model, open_table(model, arguments), arguments.strict);
    tell_notes(arguments, score.notes);
    print(arguments.json
              ? json_text(model, score)
              : fmt::format("{} of {}{}\n{}", counted(score.samples, images ? "image" : "row"),
                            printable(arguments.data), images ? part_text(*images) : "",
                            score_text(model, score)));
    return tell_failures(score.failed, score.samples, failures_text(score.failures));
}

}  // namespace deepsl::cli
