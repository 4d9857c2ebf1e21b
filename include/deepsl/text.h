// Small text tools: numbers read without regard to the locale, texts from outside made fit for a
// message, and the nearest known word for "did you mean".
#pragma once

#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace deepsl {

/// Without blanks at its ends.
std::string_view trimmed(std::string_view text);

/// The whole of `text` as a number, or nothing.
template <class Number>
std::optional<Number> to_number(std::string_view text) {
    text = trimmed(text);
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    Number value{};
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (failed != std::errc{} || end != text.data() + text.size() || text.empty()) return {};
    return value;
}

/// Bytes of the UTF-8 character that `text` begins with; 0 if it begins with none.
std::size_t character_length(std::string_view text);

/// Text from outside, harmless on a terminal and in one line: what would move the cursor, change
/// colours, start a new line or turn the direction of writing is shown as ?, and so are bytes that
/// are not UTF-8.
std::string printable(std::string_view text);

/// The same where line breaks are our own, as in an error that points at its place.
std::string printable_lines(std::string_view text);

/// Printable and in quotes; what is longer, in bytes, is cut.
std::string in_quotes(std::string_view text, std::size_t longest = 4096);

/// "812 bytes", "3.2 GB".
std::string shown_size(std::uint64_t bytes);

/// 12345 as "12,345".
std::string grouped(std::int64_t value);
inline std::string grouped(std::size_t value) { return grouped(static_cast<std::int64_t>(value)); }

/// "1 epoch", "2 epochs", "12,345 rows".
std::string counted(std::int64_t number, std::string_view what);
template <std::integral Number>
std::string counted(Number number, std::string_view what) {
    return counted(static_cast<std::int64_t>(number), what);
}

/// The number in small digits below the line.
std::string subscript(std::size_t index);

/// The candidate that `word` was probably meant to be, or an empty string.
std::string nearest(std::string_view word, const std::vector<std::string>& candidates);

/// The second half of a message about an unknown word.
std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise);

}  // namespace deepsl
