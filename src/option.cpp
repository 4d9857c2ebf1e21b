#include "deepsl/option.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace deepsl {
namespace {

[[noreturn]] void reject(const Option& option, std::string_view text) {
    throw OptionError(
        fmt::format("{} takes {}, but '{}' was given", option.name, allowed(option), text));
}

template <class Number>
Number number_from(const Option& option, std::string_view text, std::string_view whole) {
    Number value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size()) reject(option, whole);
    const auto wide = static_cast<double>(value);
    if (!(wide >= option.least && wide <= option.most)) reject(option, whole);
    return value;
}

}  // namespace

void parse_option(const Option& option, std::string_view text, std::int64_t& value) {
    value = number_from<std::int64_t>(option, text, text);
}

void parse_option(const Option& option, std::string_view text, double& value) {
    value = number_from<double>(option, text, text);
}

void parse_option(const Option& option, std::string_view text, bool& value) {
    if (text != "true" && text != "false") reject(option, text);
    value = text == "true";
}

void parse_option(const Option& option, std::string_view text, std::string& value) {
    if (std::find(option.choices.begin(), option.choices.end(), text) == option.choices.end())
        reject(option, text);
    value = text;
}

void parse_option(const Option& option, std::string_view text, std::vector<std::int64_t>& value) {
    if (text == "none") {
        value.clear();
        return;
    }
    std::vector<std::int64_t> result;
    for (std::string_view rest = text; !rest.empty();) {
        const auto cut = std::min(rest.find('-'), rest.size());
        result.push_back(number_from<std::int64_t>(option, rest.substr(0, cut), text));
        rest.remove_prefix(std::min(cut + 1, rest.size()));
        if (rest.empty() && cut + 1 == text.size()) reject(option, text);
    }
    if (result.empty() || result.size() > 20 || text.back() == '-') reject(option, text);
    value = std::move(result);
}

std::string option_text(std::int64_t value) { return fmt::format("{}", value); }
std::string option_text(double value) { return fmt::format("{}", value); }
std::string option_text(bool value) { return value ? "true" : "false"; }
std::string option_text(const std::string& value) { return value; }
std::string option_text(const std::vector<std::int64_t>& value) {
    return value.empty() ? "none" : fmt::format("{}", fmt::join(value, "-"));
}

std::string allowed(const Option& option) {
    switch (option.kind) {
        case Option::Kind::whole:
            return fmt::format("a whole number from {:.0f} to {:.0f}", option.least, option.most);
        case Option::Kind::number:
            return fmt::format("a number from {:g} to {:g}", option.least, option.most);
        case Option::Kind::flag: return "true or false";
        case Option::Kind::choice: return fmt::format("one of {}", fmt::join(option.choices, ", "));
        case Option::Kind::sizes:
            return "up to 20 layer sizes from 1 to 65536 joined by dashes, such as 128-64-32, or "
                   "none";
    }
    return "";
}

}  // namespace deepsl
