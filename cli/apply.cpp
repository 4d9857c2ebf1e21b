#include "apply.h"

#include <algorithm>
#include <cmath>

#include <ATen/Parallel.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "deepsl/table/learner.h"
#include "file.h"
#include "machine.h"
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

std::string number_cell(double value) { return std::isnan(value) ? "" : fmt::format("{}", value); }

std::string csv_of(const io::TrainedModel& model, const table::Answers& answers, bool proba) {
    const auto target = model.record.find("target");
    std::string out = cell(target == model.record.end() ? "prediction" : target->second);
    const bool labels = !model.classes.empty();
    if (proba && labels)
        for (const auto& name : model.classes)
            out += fmt::format(",{}", cell(fmt::format("p({})", name)));
    out += "\n";
    const auto& prediction = answers.prediction;
    const auto y = prediction.y.to(torch::kFloat64).contiguous();
    for (std::int64_t b = 0; b < y.size(0); ++b) {
        const bool ok = prediction.outcomes[static_cast<std::size_t>(b)].ok();
        if (!labels) {
            out += number_cell(y[b][0].item<double>());
        } else if (ok) {
            out += cell(
                model.classes[static_cast<std::size_t>(answers.label[b].item<std::int64_t>())]);
        }
        for (std::int64_t c = 0; proba && labels && c < y.size(1); ++c)
            out += fmt::format(",{}", number_cell(answers.probability[b][c].item<double>()));
        out += "\n";
    }
    return out;
}

std::string failures_line(const train::Failures& failures, std::int64_t failed, std::int64_t rows) {
    std::vector<std::string> parts;
    for (const auto& [name, count] : failures) parts.push_back(fmt::format("{} {}", name, count));
    return fmt::format("{} of {} rows failed ({}); docs/failures.md tells what that means", failed,
                       rows, fmt::join(parts, ", "));
}

/// Classes; more do not fit a terminal's width.
constexpr std::size_t most_shown = 12;

std::string confusion_text(const io::TrainedModel& model, const torch::Tensor& counts) {
    std::size_t width = 5, name_width = 0;
    for (const auto& name : model.classes) {
        name_width = std::max(name_width, std::min<std::size_t>(name.size(), 20));
        width = std::max(width, std::min<std::size_t>(name.size(), 12) + 2);
    }
    auto out = fmt::format("\nrows: the true class, columns: what it was taken for\n{:{}}", "",
                           name_width + 2);
    for (const auto& name : model.classes) out += fmt::format("{:>{}.12}", name, width);
    for (std::int64_t i = 0; i < counts.size(0); ++i) {
        out += fmt::format("\n{:<{}.20}  ", model.classes[static_cast<std::size_t>(i)], name_width);
        for (std::int64_t j = 0; j < counts.size(1); ++j)
            out += fmt::format("{:>{}}", counts[i][j].item<std::int64_t>(), width);
    }
    return out + "\n";
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
    verb->add_option("data", arguments.data, needs_data ? "The table" : "A table, for --row")
        ->type_name("DATA")
        ->multi_option_policy(CLI::MultiOptionPolicy::Join);
    const auto* group = "Run";
    add_value(verb, "--threads", arguments.threads, "N", "Default: as many as there are cores",
              group);
    verb->add_flag("--strict", arguments.strict,
                   "Refuse texts and ranges that training did not have")
        ->group(group);
    verb->add_flag("--quiet", arguments.quiet, "No remarks on standard error")->group(group);
    add_table_flags(verb, arguments.table);
    return verb;
}

io::TrainedModel open_model(const CLI::App& verb, const ApplyArguments& arguments) {
    check_words(verb, "a model and a table are enough");
    if (arguments.model.empty())
        throw usage_error(
            fmt::format("the model file is missing; try 'deepsl {} model.deepsl "
                        "data.csv'",
                        verb.get_name()));
    at::set_num_threads(arguments.threads.empty()
                            ? available_threads()
                            : static_cast<int>(whole("--threads", arguments.threads, 1, 1024)));
    return load_table_model(arguments.model);
}

void tell_notes(const ApplyArguments& arguments, const data::EncodingNotes& notes) {
    if (arguments.quiet) return;
    for (const auto& line : notes_lines(notes)) tell(line + "\n");
}

CLI::App* add_predict(CLI::App& app, ApplyArguments& arguments) {
    auto* verb = add_apply_verb(app, arguments, "predict", "Predict the target of a table's rows",
                                std::string("Rows that fail have empty cells.\n") + codes, true);
    add_value(verb, "-o,--output", arguments.output, "FILE",
              "The predictions, a CSV file (default: standard output)", "Run");
    verb->add_flag("--proba", arguments.proba, "A column with the probability of each class")
        ->group("Run");
    return verb;
}

ExitCode run_predict(const CLI::App& verb, const ApplyArguments& arguments) {
    auto model = open_model(verb, arguments);
    if (arguments.data.empty())
        throw usage_error("the table is missing; try 'deepsl predict model.deepsl new.csv'");
    if (arguments.proba && model.classes.empty())
        throw usage_error("--proba: the model predicts numbers, which have no probabilities");
    if (!arguments.output.empty()) {
        check_distinct("--output", arguments.output, {arguments.model, arguments.data});
        check_writable(arguments.output);
    }
    const auto table = read_table_for(*model.encoding, arguments.data, arguments.table);
    table::Answers answers;
    try {
        answers = table::predict(model, table, arguments.strict);
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
    const auto csv = csv_of(model, answers, arguments.proba);
    if (arguments.output.empty()) {
        print(csv);
    } else {
        write_file(arguments.output, csv);
    }
    tell_notes(arguments, answers.notes);
    train::Failures failures;
    const auto failed = train::count_failures(answers.prediction.outcomes, failures);
    if (failed > 0) tell(failures_line(failures, failed, answers.prediction.y.size(0)) + "\n");
    return ExitCode::ok;
}

CLI::App* add_evaluate(CLI::App& app, ApplyArguments& arguments) {
    auto* verb = add_apply_verb(app, arguments, "evaluate",
                                "Measure a model on a table that has the target", codes, true);
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group("Run");
    return verb;
}

ExitCode run_evaluate(const CLI::App& verb, const ApplyArguments& arguments) {
    auto model = open_model(verb, arguments);
    if (arguments.data.empty())
        throw usage_error("the table is missing; try 'deepsl evaluate model.deepsl test.csv'");
    const auto table = read_table_for(*model.encoding, arguments.data, arguments.table);
    table::Score score;
    try {
        score = table::evaluate(model, table, arguments.strict);
    } catch (const data::InputError& error) {
        throw data_error(error.what());
    }
    tell_notes(arguments, score.notes);
    if (arguments.json) {
        Json out;
        for (const auto& metric : score.metrics) out[metric.name] = metric.value;
        out["samples"] = score.samples;
        out["failed"] = score.failed;
        if (score.confusion.defined()) {
            out["classes"] = model.classes;
            out["confusion"] = Json::array();
            for (std::int64_t i = 0; i < score.confusion.size(0); ++i) {
                std::vector<std::int64_t> row;
                for (std::int64_t j = 0; j < score.confusion.size(1); ++j)
                    row.push_back(score.confusion[i][j].item<std::int64_t>());
                out["confusion"].push_back(row);
            }
        }
        print(out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
        return ExitCode::ok;
    }
    auto text = fmt::format("{} rows of {}\n", grouped(table.rows()), table.path);
    for (const auto& metric : score.metrics) {
        auto title = metric.name;
        std::replace(title.begin(), title.end(), '_', ' ');
        text += std::isnan(metric.value)
                    ? fmt::format("  {:<18} cannot be told of these rows\n", title)
                    : fmt::format("  {:<18} {:.4f}\n", title, metric.value);
    }
    if (score.confusion.defined())
        text += model.classes.size() <= most_shown
                    ? confusion_text(model, score.confusion)
                    : fmt::format("  --json has the {0} x {0} confusion matrix\n",
                                  model.classes.size());
    if (score.failed > 0) text += failures_line(score.failures, score.failed, score.samples) + "\n";
    print(text);
    return ExitCode::ok;
}

}  // namespace deepsl::cli
