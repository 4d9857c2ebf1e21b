// A configuration file: plain TOML with one key for each flag of a verb, such as
//
//     data = "bank.csv"
//     target = "deposit"
//     learning-rate = 2e-3
//     hidden = [64, 32]
//
// A flag on the command line wins over the file.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "error.h"

namespace deepsl::cli {

struct Config {
    std::string path;
    std::map<std::string, std::string> values;  // as they would be typed
    std::map<std::string, std::size_t> lines;

    /// An error about --name, where it stands in the file; any other as it is.
    Error placed(const Error& error) const;
};

/// Throws Error, exit code 3 if the file cannot be read, 2 if it is no TOML or has an unknown key:
/// with its line, and the nearest known key.
Config read_config(const std::string& path, const std::vector<std::string>& known);

/// The same from text in memory; `path` stands for the file in messages.
Config parse_config(const std::string& content, const std::string& path,
                    const std::vector<std::string>& known);

/// The text of such a file, in the order given.
std::string config_text(const std::vector<std::pair<std::string, std::string>>& values);

}  // namespace deepsl::cli
