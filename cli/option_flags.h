// Options of tasks, models and training as flags: made from the options' own descriptions, which
// are also the model file's and those of docs/options.md.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "deepsl/learner/settings.h"
#include "deepsl/learner/task.h"
#include "error.h"

namespace deepsl::cli {

/// A flag --name for each option of the model and of training but those the verb has itself; they
/// fill `given`. Their help tells the defaults of both presets, which are those given here, but for
/// the options named in `by_table`, which follow the table.
void add_model_flags(CLI::App* verb, learner::Settings& given, const learner::Task& usual,
                     const learner::Task& paper, const std::vector<std::string>& by_table = {});

/// The same for options of the task itself.
void add_task_flags(CLI::App* verb, learner::Settings& given, const learner::Task& usual,
                    const learner::Task& paper, const std::vector<std::string>& by_table);

/// Names and values of the model's and the training's options.
std::vector<std::pair<std::string, std::string>> model_settings(const learner::Task& task);

/// Does something with settings. An Error that begins with the name of an option, or with `other`,
/// begins with its flag afterwards.
void with_flag_names(const std::function<void()>& work, std::string_view other = "");

/// Broken into lines of at most `width` characters, at blanks.
std::vector<std::string> wrapped(std::string_view text, std::size_t width);

}  // namespace deepsl::cli
