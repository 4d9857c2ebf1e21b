// From the words of a command to a parsed CLI::App, with our own sentences for what is wrong.
#pragma once

#include <algorithm>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "error.h"
#include "text.h"

namespace deepsl::cli {

/// "--interval -pi/2 pi/2" becomes "--interval -pi/2,pi/2", which no parser takes for a flag.
inline std::vector<std::string> join_pairs(const std::vector<std::string>& words) {
    constexpr std::string_view takes_two[] = {"--interval", "--range", "--bc-left", "--bc-right"};
    const auto is_flag = [](const std::string& word) {
        return word.starts_with("--") || word.starts_with("-n") || word == "-h";
    };
    std::vector<std::string> joined;
    for (std::size_t i = 0; i < words.size(); ++i) {
        joined.push_back(words[i]);
        if (std::find(std::begin(takes_two), std::end(takes_two), words[i]) == std::end(takes_two))
            continue;
        if (i + 2 >= words.size() || is_flag(words[i + 1]) || is_flag(words[i + 2])) continue;
        if (split_list(words[i + 1]).size() != 1) continue;
        joined.push_back(words[i + 1] + "," + words[i + 2]);
        i += 2;
    }
    return joined;
}

/// What stands in the help for the value of a switch.
inline constexpr std::string_view switch_type = "true|false";

/// "--flip --crop 4" becomes "--flip true --crop 4": a switch may do without its value.
inline std::vector<std::string> complete_switches(const CLI::App& app,
                                                  const std::vector<std::string>& words) {
    std::vector<std::string> switches;
    for (const auto* verb : app.get_subcommands([](const CLI::App*) { return true; }))
        for (const auto* option : verb->get_options())
            if (option->get_type_name() == switch_type)
                switches.push_back("--" + option->get_lnames().front());
    std::vector<std::string> complete;
    for (std::size_t i = 0; i < words.size(); ++i) {
        complete.push_back(words[i]);
        const bool has_value =
            i + 1 < words.size() && (words[i + 1] == "true" || words[i + 1] == "false");
        if (!has_value && std::find(switches.begin(), switches.end(), words[i]) != switches.end())
            complete.emplace_back("true");
    }
    return complete;
}

/// An error about a word that is neither a flag nor a verb of `command`.
inline Error unknown_word(const std::string& word, const std::vector<std::string>& known,
                          const std::string& command) {
    const bool is_flag = word.starts_with('-');
    // "-json" is one dash short, "--tolerance=1" carries a value.
    const std::string missing_dash = is_flag && word.size() > 2 && word[1] != '-' ? "-" : "";
    const auto name = missing_dash + word.substr(0, word.find('='));
    return argument_error(
        fmt::format("unknown {} {}; {}", is_flag ? "flag" : "verb", shown(word),
                    did_you_mean(name, known, fmt::format("see '{} --help'", command))));
}

/// A flag with a value, taken as it was typed: values are read and refused in our own words.
inline void add_value(CLI::App* verb, const std::string& names, std::string& value,
                      const std::string& type, const std::string& description,
                      const std::string& group) {
    auto* option = verb->add_option(names, value, description);
    // A repeated flag gets through the parser, to be refused later.
    option->type_name(type)->group(group)->multi_option_policy(CLI::MultiOptionPolicy::Join);
}

inline std::vector<std::string> flag_names(const CLI::App& verb) {
    std::vector<std::string> names;
    for (const auto* option : verb.get_options()) {
        for (const auto& name : option->get_lnames()) names.push_back("--" + name);
        for (const auto& name : option->get_snames()) names.push_back("-" + name);
    }
    return names;
}

/// Refuses unknown words, flags given twice, and flags whose value is missing or empty. `hint`
/// says what to do about a word that belongs to no flag.
inline void check_words(const CLI::App& verb, const std::string& hint) {
    const auto names = flag_names(verb);
    if (!verb.remaining().empty()) {
        const auto word = verb.remaining().front();
        if (word.empty() || word[0] != '-')
            throw argument_error(fmt::format("unexpected argument {}; {}", shown(word), hint));
        throw unknown_word(word, names, "deepsl " + verb.get_name());
    }
    for (const auto* option : verb.get_options()) {
        if (option->get_type_size() == 0) continue;
        if (option->results().size() > 1) {
            throw argument_error(fmt::format("{} is given {} times; give it once",
                                             option->get_name(), option->results().size()));
        }
        for (const auto& value : option->results()) {
            if (std::find(names.begin(), names.end(), value) != names.end()) {
                throw argument_error(fmt::format("{} needs a value, but the flag {} follows it",
                                                 option->get_name(), value));
            }
            if (trimmed(value).empty()) {
                throw argument_error(fmt::format("{} is empty; it takes a value, {}",
                                                 option->get_name(), option->get_type_name()));
            }
        }
    }
}

/// Throws Error, and CLI::Success when help or the version is asked for.
inline void parse(CLI::App& app, const std::vector<std::string>& words) {
    auto reversed = complete_switches(app, join_pairs(words));
    std::reverse(reversed.begin(), reversed.end());
    try {
        app.parse(reversed);
    } catch (const CLI::Success&) {
        throw;
    } catch (const CLI::ArgumentMismatch& error) {
        const std::string what = error.what();
        throw argument_error(
            fmt::format("{} needs a value", printable(what.substr(0, what.find(':')))));
    } catch (const CLI::ParseError& error) {
        throw argument_error(
            fmt::format("{}; see '{} --help'", printable(error.what()), app.get_name()));
    }
}

}  // namespace deepsl::cli
