// Small text tools of the command line: numbers read without regard to the locale, lists split
// at their own commas, and the nearest known word for "did you mean".
#pragma once

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cstddef>
#include <numeric>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace deepsl::cli {

inline std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

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

/// Splits at the commas outside parentheses, so that "0,pow(2,3)" has two items.
inline std::vector<std::string> split_list(std::string_view text) {
    std::vector<std::string> items(1);
    int depth = 0;
    for (const char c : text) {
        if (c == '(') ++depth;
        if (c == ')') --depth;
        if (c == ',' && depth == 0) {
            items.emplace_back();
        } else {
            items.back() += c;
        }
    }
    for (auto& item : items) item = std::string(trimmed(item));
    return items;
}

/// Text from outside, fit for one line of a message.
inline std::string shown(std::string_view text, std::size_t longest = 60) {
    std::string result = "'";
    for (const char c : text.substr(0, longest)) {
        const auto code = static_cast<unsigned char>(c);
        result += code < 0x20 || code == 0x7f ? '?' : c;
    }
    // A cut must not leave half a UTF-8 character behind.
    if (text.size() > longest) {
        std::size_t cut = longest;
        while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
        result.resize(1 + cut);
        result += "...";
    }
    return result + "'";
}

/// Letters to change, insert, delete, or swap with their neighbour.
inline std::size_t edit_distance(std::string_view left, std::string_view right) {
    using Row = std::vector<std::size_t>;
    Row row(right.size() + 1), above(row.size()), two_above(row.size());
    std::iota(row.begin(), row.end(), std::size_t{0});
    for (std::size_t i = 1; i <= left.size(); ++i) {
        two_above = std::exchange(above, row);
        row[0] = i;
        for (std::size_t j = 1; j <= right.size(); ++j) {
            const std::size_t change = left[i - 1] == right[j - 1] ? 0 : 1;
            row[j] = std::min({above[j] + 1, row[j - 1] + 1, above[j - 1] + change});
            const bool swapped =
                i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1];
            if (swapped) row[j] = std::min(row[j], two_above[j - 2] + 1);
        }
    }
    return row.back();
}

/// The candidate that `word` was probably meant to be, or an empty string.
inline std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    const auto lower = [](std::string_view text) {
        std::string result(text);
        for (auto& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return result;
    };
    const auto given = lower(word);
    const auto dashes = std::min(given.find_first_not_of('-'), given.size());
    std::size_t best = std::max<std::size_t>(1, (given.size() - dashes) / 3) + 1;
    std::string result;
    for (const auto& candidate : candidates) {
        const auto known = lower(candidate);
        auto distance = edit_distance(given, known);
        // "--tolerance" for "--tol", "--eigen" for "--eigenfunctions".
        const bool long_enough = std::min(given.size(), known.size()) >= dashes + 3;
        if (long_enough && (given.starts_with(known) || known.starts_with(given)))
            distance = std::min<std::size_t>(distance, 1);
        const bool all_changed = distance >= known.size() || distance + dashes >= given.size();
        if (distance >= best || (all_changed && distance > 0)) continue;
        best = distance;
        result = candidate;
    }
    return result;
}

/// The second half of a message about an unknown word.
inline std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                                const std::string& otherwise) {
    const auto similar = nearest(word, candidates);
    return similar.empty() ? otherwise : "did you mean '" + similar + "'?";
}

}  // namespace deepsl::cli
