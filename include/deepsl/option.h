// What is known about an option: its name, what it may be, and a sentence about it. Options are
// plain structs; a visit function per struct ties each field to its Option, and that is the only
// place where names, ranges and explanations are written.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "deepsl/error.h"

namespace deepsl {

struct Option {
    enum class Kind { whole, number, flag, choice, sizes, text, list };

    std::string_view name;
    Kind kind;
    double least = 0.0, most = 0.0;
    std::vector<std::string> choices;
    std::string_view about;
};

inline Option whole_number(std::string_view name, std::int64_t least, std::int64_t most,
                           std::string_view about) {
    return {name, Option::Kind::whole, static_cast<double>(least), static_cast<double>(most), {},
            about};
}
inline Option number(std::string_view name, double least, double most, std::string_view about) {
    return {name, Option::Kind::number, least, most, {}, about};
}
inline Option flag(std::string_view name, std::string_view about) {
    return {name, Option::Kind::flag, 0.0, 1.0, {}, about};
}
inline Option sizes(std::string_view name, std::string_view about) {
    return {name, Option::Kind::sizes, 1.0, 65536.0, {}, about};
}
/// Any text, such as the name of a column.
inline Option text(std::string_view name, std::string_view about) {
    return {name, Option::Kind::text, 0.0, 0.0, {}, about};
}
/// Texts between commas, such as the names of columns. Commas in parentheses belong to a text; one
/// that begins with a double quote goes on to the next, and "" in it stands for a quote.
inline Option list(std::string_view name, std::string_view about) {
    return {name, Option::Kind::list, 0.0, 0.0, {}, about};
}

/// An enumeration 0, 1, .. whose values have names: a function names(E) beside it gives them.
template <class E>
concept Choice = std::is_enum_v<E> && requires(E e) {
    names(e).size();
};

template <Choice E>
Option choice(std::string_view name, std::string_view about) {
    Option option{name, Option::Kind::choice, 0.0, 0.0, {}, about};
    for (const auto text : names(E{})) option.choices.emplace_back(text);
    return option;
}

/// The name of a value.
template <Choice E>
std::string_view name(E value) {
    return names(value)[static_cast<std::size_t>(value)];
}

/// The value of that name, if there is one.
template <Choice E>
std::optional<E> named(std::string_view text) {
    const auto all = names(E{});
    for (std::size_t i = 0; i < all.size(); ++i)
        if (all[i] == text) return static_cast<E>(i);
    return {};
}

/// Reads a value from text; throws Error that names the option and what it may be.
void parse_option(const Option& option, std::string_view text, std::int64_t& value);
void parse_option(const Option& option, std::string_view text, double& value);
void parse_option(const Option& option, std::string_view text, bool& value);
void parse_option(const Option& option, std::string_view text, std::string& value);
void parse_option(const Option& option, std::string_view text, std::vector<std::int64_t>& value);
void parse_option(const Option& option, std::string_view text, std::vector<std::string>& value);
/// The place of the text among the option's choices.
std::size_t parse_choice(const Option& option, std::string_view text);
template <Choice E>
void parse_option(const Option& option, std::string_view text, E& value) {
    value = static_cast<E>(parse_choice(option, text));
}

/// The value as text that parse_option reads back to the same value.
std::string option_text(std::int64_t value);
std::string option_text(double value);
std::string option_text(bool value);
std::string option_text(const std::string& value);
std::string option_text(const std::vector<std::int64_t>& value);
std::string option_text(const std::vector<std::string>& value);
template <Choice E>
std::string option_text(E value) {
    return std::string(name(value));
}

/// For a visit function: throws Error if a value is not what its option may be.
struct CheckOption {
    template <class Value>
    void operator()(const Option& option, const Value& value) const {
        auto read = value;
        parse_option(option, option_text(value), read);
    }
};

/// What the option may be, for a person: "a whole number from 1 to 64".
std::string allowed(const Option& option);

}  // namespace deepsl
