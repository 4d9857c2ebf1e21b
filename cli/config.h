// A configuration file: TOML with one key for each flag of a verb, such as
//
//     data = "bank.csv"
//     target = "deposit"
//     learning-rate = 2e-3
//     hidden = [64, 32]
//
// A flag on the command line wins over the file.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "settings.h"

namespace deepsl::cli {

/// The file's values as text, as they would be typed. Throws Error, exit code 3 if it cannot be
/// read, 2 if it is no TOML or has an unknown key: with its line, and the nearest known key.
Given read_config(const std::string& path, const std::vector<std::string>& known);

/// The text of such a file, in the order given.
std::string config_text(const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace deepsl::cli
