// What must hold for a configuration read from any bytes whatever: for the fuzzer and for the
// tests.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "../cli/config.h"
#include "check.h"

namespace deepsl::fuzz {

inline const std::vector<std::string>& known_keys() {
    static const std::vector<std::string> keys = {"data",   "drop",          "epochs",
                                                  "hidden", "learning-rate", "quiet"};
    return keys;
}

/// The same text, or another notation of the same number.
inline bool is_same_value(const std::string& one, const std::string& other) {
    const auto left = to_number<double>(one), right = to_number<double>(other);
    return one == other || (left && right && *left == *right);
}

inline void check_config(std::string_view text) try {
    const auto config = cli::parse_config(std::string(text), "run.toml", known_keys());
    std::vector<std::pair<std::string, std::string>> listed;
    for (const auto& [name, value] : config.values) {
        demand(config.lines.at(name) >= 1, "lines are counted from 1");
        listed.emplace_back(name, value);
    }
    const auto again = cli::parse_config(cli::config_text(listed), "run.toml", known_keys());
    demand(again.values.size() == listed.size(), "what was written has another number of keys");
    for (const auto& [name, value] : listed)
        demand(is_same_value(again.values.at(name), value), "what was written is read otherwise");
} catch (const cli::Error& error) {
    check_message(error.what(), "run.toml, line ");
}

}  // namespace deepsl::fuzz
