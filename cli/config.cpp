#include "config.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/io/file.h"
#include "deepsl/text.h"
#include "flat_toml.h"

namespace deepsl::cli {
namespace {

constexpr std::uint64_t largest_config = 1 << 20;

/// A number as TOML knows it, or true or false. Others stand in quotes, where all is allowed.
bool is_plain(const std::string& value) {
    const bool decimal = value.find_first_not_of("0123456789.eE+-") == std::string::npos;
    return value == "true" || value == "false" ||
           (decimal && !value.starts_with('+') && toml_number(value));
}

}  // namespace

Error Config::placed(const Error& error) const {
    const std::string_view what = error.what();
    if (!what.starts_with("--")) return error;
    const auto name = std::string(what.substr(2, what.find(' ') - 2));
    const auto line = lines.find(name);
    if (line == lines.end()) return error;
    return {error.kind(),
            fmt::format("{}, line {}: {}", printable(path), line->second, what.substr(2))};
}

Config parse_config(const std::string& content, const std::string& path,
                    const std::vector<std::string>& known) {
    Config config{path, {}, {}};
    for (const auto& [name, values, line] : read_toml(path, content)) {
        if (std::find(known.begin(), known.end(), name) == known.end()) {
            throw at_line(path, line,
                          fmt::format("there is no option {}; {}", in_quotes(name, 60),
                                      did_you_mean(name, known,
                                                   "see 'deepsl train --help' for all of them")));
        }
        const auto* between = name.ends_with("hidden") ? "-" : ",";
        const auto text = fmt::format("{}", fmt::join(values, between));
        if (!config.values.emplace(name, text).second) {
            throw at_line(path, line,
                          fmt::format("{} is given a second time, after line {}; keep one",
                                      in_quotes(name, 60), config.lines[name]));
        }
        config.lines[name] = line;
    }
    return config;
}

Config read_config(const std::string& path, const std::vector<std::string>& known) {
    return parse_config(io::read_file(path, largest_config), path, known);
}

std::string config_text(const std::vector<std::pair<std::string, std::string>>& values) {
    std::string text;
    for (const auto& [name, value] : values) {
        if (is_plain(value)) {
            text += fmt::format("{} = {}\n", name, value);
            continue;
        }
        std::string quoted;
        for (const char c : value) {
            const auto code = static_cast<unsigned char>(c);
            if (c == '"' || c == '\\') {
                quoted += '\\';
                quoted += c;
            } else if (code < 0x20 || code == 0x7f) {
                quoted += fmt::format("\\u{:04x}", code);
            } else {
                quoted += c;
            }
        }
        text += fmt::format("{} = \"{}\"\n", name, quoted);
    }
    return text;
}

}  // namespace deepsl::cli
