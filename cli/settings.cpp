#include "settings.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "error.h"
#include "parse.h"
#include "text.h"

namespace deepsl::cli {
namespace {

/// The name of a value in the help.
std::string type_of(const Option& option) {
    switch (option.kind) {
        case Option::Kind::whole: return "N";
        case Option::Kind::number: return "X";
        case Option::Kind::flag: return "true|false";
        case Option::Kind::choice: return "NAME";
        case Option::Kind::sizes: return "N-N-...";
    }
    return "VALUE";
}

}  // namespace

Settings preset(const std::string& name) {
    if (name != "default" && name != "paper") {
        throw usage_error(
            fmt::format("--preset takes default or paper, but {} was given{}", shown(name),
                        nearest(name, {"default", "paper"}).empty()
                            ? ""
                            : "; did you mean '" + nearest(name, {"default", "paper"}) + "'?"));
    }
    return {model::model_preset(name), train::train_preset(name)};
}

Settings demo_preset(const std::string& name) {
    auto settings = preset(name);
    settings.train.epochs = 100;
    settings.train.batch = 64;
    if (name == "paper") return settings;
    // Found on other seeds than 0 to 2: two fields, across each other, learn a checkerboard with
    // every one of them, one field does not; and with so little noise no decay is needed.
    settings.model.fields = 2;
    settings.train.learning_rate = 1e-2;
    settings.train.weight_decay = 0.0;
    settings.train.patience = 0;
    return settings;
}

std::vector<std::pair<std::string, std::string>> listed(const Settings& settings) {
    std::vector<std::pair<std::string, std::string>> list;
    visit(settings, [&](const Option& option, const auto& value) {
        list.emplace_back(option.name, option_text(value));
    });
    return list;
}

void add_settings(CLI::App* verb, Given& given, const Settings& usual, const Settings& paper,
                  const std::vector<std::string>& by_table) {
    constexpr std::size_t text_width = 66;  // beside the names, in 100 columns
    const auto own = flag_names(*verb);
    const auto papers = listed(paper);
    const auto* group = "Model";
    std::size_t number = 0;
    const auto add = [&](const Option& option, const auto& value) {
        const auto name = "--" + std::string(option.name);
        const auto paper_text = papers[number++].second;
        const bool follows =
            std::find(by_table.begin(), by_table.end(), option.name) != by_table.end();
        const auto usual_text = follows ? "by the table" : option_text(value);
        if (std::find(own.begin(), own.end(), name) != own.end()) return;
        const auto text =
            fmt::format("{}; {} (default {}{})", option.about, allowed(option), usual_text,
                        paper_text == usual_text ? "" : ", paper " + paper_text);
        add_value(verb, name, given[std::string(option.name)], type_of(option),
                  fmt::format("{}", fmt::join(wrapped(text, text_width), "\n")), group);
    };
    model::visit_model(usual.model, add);
    group = "Training";
    train::visit_train(usual.train, add);
}

void apply(const Given& given, Settings& settings) {
    visit(settings, [&](const Option& option, auto& value) {
        const auto found = given.find(std::string(option.name));
        if (found == given.end() || found->second.empty()) return;
        try {
            parse_option(option, trimmed(found->second), value);
        } catch (const OptionError& error) {
            const auto similar = nearest(found->second, option.choices);
            throw usage_error(
                fmt::format("--{}{}", error.what(),
                            similar.empty() ? "" : "; did you mean '" + similar + "'?"));
        }
    });
    try {
        model::check_model(settings.model);
    } catch (const OptionError& error) {
        throw usage_error(fmt::format("--{}", error.what()));
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
