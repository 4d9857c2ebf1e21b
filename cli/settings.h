// The settings of a model and of its training, as flags: made from the options' own descriptions,
// which are also the model file's and those of docs/options.md.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "deepsl/model/options.h"
#include "deepsl/train/options.h"

namespace deepsl::cli {

struct Settings {
    model::ModelOptions model;
    train::TrainOptions train;
};

/// "default" or "paper"; throws Error for anything else.
Settings preset(const std::string& name);

/// The presets as the demo uses them, which has a minute for two thousand samples.
Settings demo_preset(const std::string& name);

/// visitor(option, value) for all of them, in order.
template <class AnySettings, class Visitor>
void visit(AnySettings& settings, Visitor&& visitor) {
    model::visit_model(settings.model, visitor);
    train::visit_train(settings.train, visitor);
}

/// Names and values, as text.
std::vector<std::pair<std::string, std::string>> listed(const Settings& settings);

/// The values that were typed, by the option's name.
using Given = std::map<std::string, std::string>;

/// A flag --name for each option but those the verb has itself. Their help tells the defaults of
/// both presets, which are those given here, but for those that follow the table.
void add_settings(CLI::App* verb, Given& given, const Settings& usual, const Settings& paper,
                  const std::vector<std::string>& by_table = {});

/// Throws Error that names the flag, the value and what is allowed.
void apply(const Given& given, Settings& settings);

/// Broken into lines of at most `width` characters, at blanks.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace deepsl::cli
