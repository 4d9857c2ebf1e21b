// What is known about an option: its name, what it may be, and a sentence about it. Options are
// plain structs; a visit function per struct ties each field to its Option, and that is the only
// place where names, ranges and explanations are written.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepsl {

struct Option {
    enum class Kind { whole, number, flag, choice, sizes };

    std::string_view name;
    Kind kind;
    double least = 0.0, most = 0.0;
    std::vector<std::string> choices;
    std::string_view about;
};

inline Option whole(std::string_view name, std::int64_t least, std::int64_t most,
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
inline Option choice(std::string_view name, std::vector<std::string> choices,
                     std::string_view about) {
    return {name, Option::Kind::choice, 0.0, 0.0, std::move(choices), about};
}
inline Option sizes(std::string_view name, std::string_view about) {
    return {name, Option::Kind::sizes, 1.0, 65536.0, {}, about};
}

/// A bad option, file or value: one sentence with where, what, and what to try.
class OptionError : public std::invalid_argument {
    using std::invalid_argument::invalid_argument;
};

/// Reads a value from text; throws OptionError that names the option and what it may be.
void parse_option(const Option& option, std::string_view text, std::int64_t& value);
void parse_option(const Option& option, std::string_view text, double& value);
void parse_option(const Option& option, std::string_view text, bool& value);
void parse_option(const Option& option, std::string_view text, std::string& value);
void parse_option(const Option& option, std::string_view text, std::vector<std::int64_t>& value);

/// The value as text that parse_option reads back to the same value.
std::string option_text(std::int64_t value);
std::string option_text(double value);
std::string option_text(bool value);
std::string option_text(const std::string& value);
std::string option_text(const std::vector<std::int64_t>& value);

/// For a visit function: throws OptionError if a value is not what its option may be.
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
