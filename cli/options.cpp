#include "options.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/learner/generated.h"
#include "deepsl/learner/rules.h"
#include "deepsl/learner/task.h"
#include "file.h"
#include "option_flags.h"
#include "parse.h"

namespace deepsl::cli {
namespace {

/// An option with its values in the presets, and in those of the demo.
struct Row {
    std::string name, usual, paper, usual_demo, paper_demo, about, may_be;
};

struct Tables {
    std::vector<Row> task, model, train;
};

std::vector<std::string> values_of(const learner::Task& task) {
    std::vector<std::string> values;
    learner::visit_all(
        task, [&](const Option&, const auto& value) { values.push_back(option_text(value)); });
    return values;
}

Tables tables() {
    using model::Preset;
    Tables result;
    const auto usual = learner::preset_task(Preset::standard);
    const auto papers = values_of(learner::preset_task(Preset::paper));
    const auto set = data::GeneratedSet::spirals;
    const auto usual_demos = values_of(learner::generated_task(set, Preset::standard)),
               paper_demos = values_of(learner::generated_task(set, Preset::paper));
    std::size_t number = 0;
    auto* rows = &result.task;
    const auto add = [&](const Option& option, const auto& value) {
        rows->push_back({std::string(option.name), option_text(value), papers[number],
                         usual_demos[number], paper_demos[number], std::string(option.about),
                         allowed(option)});
        ++number;
    };
    learner::visit_task(usual, add);
    rows = &result.model;
    model::visit_model(usual.model, add);
    rows = &result.train;
    train::visit_train(usual.train, add);
    return result;
}

/// Where the demo differs from a preset: "epochs 100, patience 0".
std::string differences(const Tables& all, std::string Row::*of_preset, std::string Row::*of_demo) {
    std::string text;
    for (const auto* rows : {&all.model, &all.train})
        for (const auto& row : *rows)
            if (row.*of_demo != row.*of_preset)
                text += fmt::format("{}`{}` {}", text.empty() ? "" : ", ", row.name, row.*of_demo);
    return text;
}

std::string usual_differences(const Tables& all) {
    return differences(all, &Row::usual, &Row::usual_demo);
}
std::string paper_differences(const Tables& all) {
    return differences(all, &Row::paper, &Row::paper_demo);
}

/// The options that follow a table.
std::string by_rule(const char* between) {
    return fmt::format("{}", fmt::join(learner::options_by_rule(), between));
}

std::string without_ticks(std::string text) {
    std::erase(text, '`');
    return text;
}

std::string text_table(const std::string& title, const std::vector<Row>& rows) {
    constexpr std::size_t about_width = 56;
    std::size_t name = 0, usual = 7, paper = 5;
    for (const auto& row : rows) {
        name = std::max(name, row.name.size() + 2);
        usual = std::max(usual, row.usual.size());
        paper = std::max(paper, row.paper.size());
    }
    auto out =
        fmt::format("{:<{}}  {:<{}}  {:<{}}\n", title, name + 2, "default", usual, "paper", paper);
    for (const auto& row : rows) {
        auto lines = wrapped(row.about, about_width);
        for (auto& line : wrapped(row.may_be, about_width)) lines.push_back(std::move(line));
        for (std::size_t i = 0; i < lines.size(); ++i) {
            const bool first = i == 0;
            out +=
                fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}\n", first ? "--" + row.name : "", name,
                            first ? row.usual : "", usual, first ? row.paper : "", paper, lines[i]);
        }
    }
    return out;
}

/// A bar would end the cell.
std::string in_cell(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '|' ? "\\|" : std::string(1, c);
    return out;
}

std::string in_ticks(const std::string& value) {
    return value.empty() ? "" : fmt::format("`{}`", value);
}

std::string markdown_table(const std::vector<Row>& rows) {
    std::string out = "| option | default | paper | may be | meaning |\n|---|---|---|---|---|\n";
    for (const auto& row : rows)
        out += fmt::format("| `{}` | {} | {} | {} | {} |\n", row.name, in_ticks(row.usual),
                           in_ticks(row.paper), in_cell(row.may_be), in_cell(row.about));
    return out;
}

std::string paragraph(const std::string& text) {
    constexpr std::size_t line_width = 98;
    return fmt::format("{}\n\n", fmt::join(wrapped(text, line_width), "\n"));
}

std::string markdown(const Tables& all) {
    return "# Options\n\n" +
           paragraph(
               "Every option of a task, of its model and of its training, with its value in both "
               "presets: `default`, what learns best by measurement, and `paper`, the paper's "
               "settings where it states them (the theory page lists what is ours in it). On the "
               "command line an option is a flag, as in `deepsl train bank.csv --cells 16`, in a "
               "configuration file a key, in a model file an entry of the header. This page is "
               "what `deepsl options --markdown` prints.") +
           paragraph(fmt::format(
               "On a table, `deepsl train` and `deepsl cv` with the preset `default` set `{}` by "
               "its size and its target, as the page on tables explains.",
               by_rule("`, `"))) +
           paragraph(
               "On images both presets have other values than in these tables: the page on images "
               "has them, and `deepsl train DIR --print-config` prints what comes out.") +
           paragraph(fmt::format(
               "`deepsl demo` has the options of model and training, and starts from the same "
               "presets, but for {} in `default`, and {} in `paper`.",
               usual_differences(all), paper_differences(all))) +
           fmt::format("## The task\n\n{}\n## The model\n\n{}\n## The training\n\n{}",
                       markdown_table(all.task), markdown_table(all.model),
                       markdown_table(all.train));
}

}  // namespace

CLI::App* add_options(CLI::App& app, OptionsArguments& arguments) {
    auto* verb = app.add_subcommand("options", "List every option of tasks, models and training");
    verb->allow_extras();
    verb->add_flag("--markdown", arguments.markdown, "As in docs/options.md");
    return verb;
}

ExitCode run_options(const CLI::App& verb, const OptionsArguments& arguments) {
    check_words(verb, "the list takes no arguments");
    const auto all = tables();
    if (arguments.markdown) {
        print(markdown(all));
        return ExitCode::ok;
    }
    print(text_table("Task", all.task) + "\n" + text_table("Model", all.model) + "\n" +
          text_table("Training", all.train) +
          fmt::format("\nThe demo has {} by default, and with the preset paper {}.\n"
                      "For a table, train and cv set {} by its size and target.\n"
                      "For images, see 'deepsl train DIR --print-config'.\n",
                      without_ticks(usual_differences(all)), without_ticks(paper_differences(all)),
                      by_rule(", ")));
    return ExitCode::ok;
}

}  // namespace deepsl::cli
