// Settings: values of options by name, as text, from a command line, a configuration file or
// another program; and from them to a task.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "deepsl/data/images.h"
#include "deepsl/data/table.h"
#include "deepsl/learner/task.h"

namespace deepsl::learner {

/// Empty texts count as not given. Names that are no options of a task are left aside, but for
/// "validation-data", which says that there are rows to choose the best epoch by.
using Settings = std::map<std::string, std::string>;

/// All options of the task, its model and its training with their values; the lists of columns
/// only if they are not empty.
std::vector<std::pair<std::string, std::string>> settings_of(const Task& task);

/// Puts the given values into the task. Throws Error (argument) whose sentence begins with the
/// option's name.
void apply_settings(const Settings& settings, Task& task);

/// A command over a configuration file. Folds that choose the number of epochs and rows held out
/// contradict each other: the command wins over the file, both in one place are an Error
/// (argument) whose sentence begins with "epoch-folds".
Settings merge_settings(const Settings& command, const Settings& file);

/// How a table has to be read for these settings: which columns are texts though they look like
/// numbers, and which names tell that there is a header.
data::TableOptions table_options(const Settings& settings);

/// The options given here that the task's model does not read, in the order of its options, and
/// those of training that are about lines or spectra, where it has none.
std::vector<std::string> idle_options(const Settings& settings, const Task& task);

/// The options given here that are about folds, or about models that vote, where there are none.
std::vector<std::string> idle_about_folds(const Settings& settings, const Task& task);

/// The options given here that are about tables where the data are images, or the other way.
std::vector<std::string> foreign_options(const Settings& settings, bool images);

/// The task that these settings ask for: the preset and its rules for this table, how long to train
/// (see merge_settings), and then every value that is given. Throws Error.
Task make_task(const data::Table& table, const Settings& settings);
Task make_task(const data::Images& images, const Settings& settings);

}  // namespace deepsl::learner
