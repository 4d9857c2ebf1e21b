#include "config.h"

#include <algorithm>
#include <cstdint>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <toml++/toml.h>

#include "deepsl/io/file.h"
#include "deepsl/text.h"

namespace deepsl::cli {
namespace {

constexpr std::uint64_t largest_config = 1 << 20;

/// As it would be typed, the items of a list with `between`; nothing if it is a table or a list of
/// lists.
std::optional<std::string> typed(const toml::node& node, std::string_view between) {
    if (const auto* text = node.as_string()) return text->get();
    if (const auto* number = node.as_integer()) return fmt::format("{}", number->get());
    if (const auto* number = node.as_floating_point()) return fmt::format("{}", number->get());
    if (const auto* flag = node.as_boolean()) return flag->get() ? "true" : "false";
    const auto* list = node.as_array();
    if (list == nullptr) return {};
    std::vector<std::string> items;
    for (const auto& item : *list) {
        auto one = item.is_array() ? std::nullopt : typed(item, between);
        if (!one) return {};
        items.push_back(std::move(*one));
    }
    return fmt::format("{}", fmt::join(items, between));
}

}  // namespace

Error Config::placed(const Error& error) const {
    const std::string_view what = error.what();
    if (!what.starts_with("--")) return error;
    const auto name = std::string(what.substr(2, what.find(' ') - 2));
    const auto line = lines.find(name);
    if (line == lines.end()) return error;
    return {error.code(), fmt::format("{}, line {}: {}", path, line->second, what.substr(2))};
}

Config read_config(const std::string& path, const std::vector<std::string>& known) {
    std::string content;
    try {
        content = io::read_file(path, largest_config);
    } catch (const io::FileError& error) {
        throw data_error(error.what());
    }
    try {
        const auto file = toml::parse(content);
        Config config{path, {}, {}};
        for (const auto& [key, value] : file) {
            const std::string name(key.str());
            const auto line = value.source().begin.line;
            if (std::find(known.begin(), known.end(), name) == known.end()) {
                throw usage_error(fmt::format(
                    "{}, line {}: there is no option {}; {}", path, line, in_quotes(name, 60),
                    did_you_mean(name, known, "see 'deepsl train --help' for all of them")));
            }
            const auto text = typed(value, name.ends_with("hidden") ? "-" : ",");
            if (!text) {
                throw usage_error(fmt::format(
                    "{}, line {}: {} is neither a text nor a number nor a list of these; write it "
                    "as on the command line, in quotes",
                    path, line, in_quotes(name, 60)));
            }
            config.values[name] = *text;
            config.lines[name] = line;
        }
        return config;
    } catch (const toml::parse_error& error) {
        throw usage_error(fmt::format("{}, line {}: {}; see toml.io for the format", path,
                                      error.source().begin.line, error.description()));
    }
}

std::string config_text(const std::vector<std::pair<std::string, std::string>>& values) {
    std::string text;
    for (const auto& [name, value] : values) {
        // A name such as 01 is no number of TOML, nor is one with a tab a plain text.
        const auto number = to_number<double>(value);
        const bool plain = value == "true" || value == "false" ||
                           (number && value != "inf" && value != "nan" &&
                            !(value.size() > 1 && value[0] == '0' && value[1] != '.') &&
                            value[0] != '.' && value[0] != '+' && value.back() != '.');
        if (plain) {
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
