#include "option_flags.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/model/check.h"
#include "parse.h"

namespace deepsl::cli {
namespace {

/// What stands for a value in the help.
std::string type_of(const Option& option) {
    switch (option.kind) {
        case Option::Kind::whole: return "N";
        case Option::Kind::number: return "X";
        case Option::Kind::flag: return std::string(switch_type);
        case Option::Kind::choice: return "NAME";
        case Option::Kind::sizes: return "N-N-...";
        case Option::Kind::text: return "NAME";
        case Option::Kind::list: return "A,B,...";
    }
    return "VALUE";
}

bool contains(const std::vector<std::string>& names, std::string_view name) {
    return std::find(names.begin(), names.end(), name) != names.end();
}

/// "how lines are followed; one of rk4, dormand_prince (default rk4)". `paper` is empty where it is
/// the same.
std::string help_of(const Option& option, const std::string& usual, const std::string& paper) {
    auto text = std::string(option.about);
    const bool anything = option.kind == Option::Kind::text || option.kind == Option::Kind::list;
    if (!anything) text += "; " + allowed(option);
    if (!usual.empty())
        text += fmt::format(" (default {}{})", usual,
                            paper.empty() ? "" : fmt::format(", paper {}", paper));
    return text;
}

/// Adds a flag for each option that `visit` tells of, with the values of both presets.
class FlagAdder {
public:
    FlagAdder(CLI::App* verb, learner::Settings& given, const learner::Task& paper,
              const std::vector<std::string>& by_table)
        : verb_(verb), given_(given), by_table_(by_table), own_(flag_names(*verb)) {
        learner::visit_all(paper, [&](const Option& option, const auto& value) {
            paper_.emplace(std::string(option.name), option_text(value));
        });
    }

    void set_group(std::string group) { group_ = std::move(group); }

    template <class Value>
    void operator()(const Option& option, const Value& value) {
        constexpr std::size_t text_width = 66;  // beside the names, in 100 columns
        const std::string name(option.name);
        if (contains(own_, "--" + name)) return;
        const auto usual = contains(by_table_, name) ? "by the table" : option_text(value);
        const bool differs = paper_.at(name) != usual && name != "preset";
        const auto paper = differs ? paper_.at(name) : "";
        const auto lines = wrapped(help_of(option, usual, paper), text_width);
        add_value(verb_, "--" + name, given_[name], type_of(option),
                  fmt::format("{}", fmt::join(lines, "\n")), group_);
    }

private:
    CLI::App* verb_;
    learner::Settings& given_;
    const std::vector<std::string>& by_table_;
    std::vector<std::string> own_;
    learner::Settings paper_;
    std::string group_;
};

bool is_option(std::string_view word) {
    bool found = false;
    const auto look = [&](const Option& option, const auto&) {
        found = found || option.name == word;
    };
    const learner::Task task;
    const model::CheckOptions check;
    learner::visit_all(task, look);
    model::visit_check(check, look);
    return found;
}

}  // namespace

void add_model_flags(CLI::App* verb, learner::Settings& given, const learner::Task& usual,
                     const learner::Task& paper, const std::vector<std::string>& by_table) {
    FlagAdder add(verb, given, paper, by_table);
    add.set_group("Model");
    model::visit_model(usual.model, add);
    add.set_group("Training");
    train::visit_train(usual.train, add);
}

void add_task_flags(CLI::App* verb, learner::Settings& given, const learner::Task& usual,
                    const learner::Task& paper, const std::vector<std::string>& by_table) {
    FlagAdder add(verb, given, paper, by_table);
    add.set_group("Task");
    learner::visit_task(usual, add);
}

std::vector<std::pair<std::string, std::string>> model_settings(const learner::Task& task) {
    std::vector<std::pair<std::string, std::string>> list;
    const auto add = [&](const Option& option, const auto& value) {
        list.emplace_back(option.name, option_text(value));
    };
    model::visit_model(task.model, add);
    train::visit_train(task.train, add);
    return list;
}

void with_flag_names(const std::function<void()>& work, std::string_view other) {
    try {
        work();
    } catch (const Error& error) {
        const std::string_view what = error.what();
        const auto word = what.substr(0, what.find(' '));
        if (error.kind() != Error::Kind::argument || (word != other && !is_option(word))) throw;
        throw Error(error.kind(), fmt::format("--{}", what));
    }
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
    std::vector<std::string> lines;
    while (text.size() > width) {
        auto cut = text.rfind(' ', width);
        if (cut == std::string_view::npos) cut = std::min(text.find(' '), text.size());
        lines.emplace_back(text.substr(0, cut));
        text.remove_prefix(std::min(cut + 1, text.size()));
    }
    if (!text.empty()) lines.emplace_back(text);
    return lines;
}

}  // namespace deepsl::cli
