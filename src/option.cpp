#include "deepsl/option.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "deepsl/text.h"

namespace deepsl {
namespace {

[[noreturn]] void reject(const Option& option, std::string_view text) {
    auto sentence =
        fmt::format("{} takes {}, but {} was given", option.name, allowed(option), in_quotes(text));
    if (const auto similar = nearest(text, option.choices); !similar.empty())
        sentence += fmt::format("; did you mean {}?", in_quotes(similar));
    throw argument_error(sentence);
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

/// Takes an item in quotes off the front; false if the closing quote is missing.
bool take_quoted(std::string_view& rest, std::string& item) {
    rest.remove_prefix(1);
    for (;;) {
        const auto quote = rest.find('"');
        if (quote == std::string_view::npos) return false;
        item += rest.substr(0, quote);
        rest.remove_prefix(quote + 1);
        if (!rest.starts_with('"')) return true;
        item += '"';
        rest.remove_prefix(1);
    }
}

/// Takes an item off the front, up to a comma that is not in parentheses.
std::string take_plain(std::string_view& rest) {
    int depth = 0;
    std::size_t end = 0;
    for (; end < rest.size() && (rest[end] != ',' || depth > 0); ++end) {
        if (rest[end] == '(') ++depth;
        if (rest[end] == ')') --depth;
    }
    std::string item(trimmed(rest.substr(0, end)));
    rest.remove_prefix(end);
    return item;
}

std::string list_item(const std::string& text) {
    const bool plain =
        !text.empty() && trimmed(text) == text && text.find_first_of(",\"()") == std::string::npos;
    if (plain) return text;
    std::string quoted = "\"";
    for (const char c : text) quoted += c == '"' ? "\"\"" : std::string(1, c);
    return quoted + '"';
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
    if (option.kind == Option::Kind::choice) {
        value = option.choices[parse_choice(option, text)];
    } else {
        value = text;
    }
}

void parse_option(const Option& option, std::string_view text, std::vector<std::int64_t>& value) {
    std::vector<std::int64_t> result;
    if (text != "none") {
        if (text.empty()) reject(option, text);
        for (std::size_t begin = 0; begin <= text.size();) {
            const auto end = std::min(text.find('-', begin), text.size());
            result.push_back(
                number_from<std::int64_t>(option, text.substr(begin, end - begin), text));
            begin = end + 1;
        }
        if (result.size() > 20) reject(option, text);
    }
    value = std::move(result);
}

void parse_option(const Option& option, std::string_view text, std::vector<std::string>& value) {
    std::vector<std::string> result;
    auto rest = trimmed(text);
    while (!rest.empty()) {
        std::string item;
        const bool quoted = rest.starts_with('"');
        if (quoted && !take_quoted(rest, item)) reject(option, text);
        if (!quoted) item = take_plain(rest);
        rest = trimmed(rest);
        const bool more = rest.starts_with(',');
        if ((!quoted && item.empty()) || (!more && !rest.empty())) reject(option, text);
        result.push_back(std::move(item));
        if (!more) break;
        rest = trimmed(rest.substr(1));
        if (rest.empty()) reject(option, text);
    }
    value = std::move(result);
}

std::size_t parse_choice(const Option& option, std::string_view text) {
    const auto found = std::find(option.choices.begin(), option.choices.end(), text);
    if (found == option.choices.end()) reject(option, text);
    return static_cast<std::size_t>(found - option.choices.begin());
}

std::string option_text(std::int64_t value) { return fmt::format("{}", value); }
std::string option_text(double value) { return fmt::format("{}", value); }
std::string option_text(bool value) { return value ? "true" : "false"; }
std::string option_text(const std::string& value) { return value; }
std::string option_text(const std::vector<std::int64_t>& value) {
    return value.empty() ? "none" : fmt::format("{}", fmt::join(value, "-"));
}
std::string option_text(const std::vector<std::string>& value) {
    std::vector<std::string> items;
    items.reserve(value.size());
    for (const auto& text : value) items.push_back(list_item(text));
    return fmt::format("{}", fmt::join(items, ","));
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
        case Option::Kind::text: return "a text";
        case Option::Kind::list: return "texts with commas between them, such as a,b,c";
    }
    return "";
}

}  // namespace deepsl
