// The part of TOML that a list of flags needs, read without trust: lines "key = value", where a
// value is a text, a number, true or false, or a list of these. Tables, dotted keys, lists of lists
// and dates are refused. toml++ 3.3 is no choice for files from anywhere: a key of many dots ends
// its stack, and "[[[" or "a = [}" are undefined behaviour.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/error.h"

namespace deepsl::cli {

struct TomlEntry {
    std::string key;
    std::vector<std::string> values;  // as they would be typed; one, unless it is a list
    std::size_t line = 0;             // from 1
};

/// Something is wrong in a line of the file.
Error at_line(const std::string& path, std::size_t line, std::string_view what);

/// A number in TOML's notation, as C has it; nothing if it is none, or too large.
std::optional<std::string> toml_number(std::string_view word);

/// In the order of the text. `path` is for messages. Throws Error.
std::vector<TomlEntry> read_toml(const std::string& path, std::string_view text);

}  // namespace deepsl::cli
