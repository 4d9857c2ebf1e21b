#include "deepsl/text.h"

#include <algorithm>
#include <cctype>
#include <numeric>
#include <utility>

#include <fmt/format.h>

namespace deepsl {
namespace {

/// Letters to change, insert, delete, or swap with their neighbour.
std::size_t edit_distance(std::string_view left, std::string_view right) {
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

std::uint32_t code_point(std::string_view character) {
    const auto lead = static_cast<unsigned char>(character[0]);
    if (character.size() == 1) return lead;
    std::uint32_t code = lead & (0x7fU >> character.size());
    for (const char c : character.substr(1))
        code = code << 6 | (static_cast<unsigned char>(c) & 0x3fU);
    return code;
}

bool is_harmless(std::uint32_t code) {
    const auto within = [&](std::uint32_t first, std::uint32_t last) {
        return code >= first && code <= last;
    };
    const bool control = code < 0x20 || within(0x7f, 0x9f);
    const bool line_break = within(0x2028, 0x2029);
    const bool direction =
        code == 0x61c || within(0x200e, 0x200f) || within(0x202a, 0x202e) || within(0x2066, 0x2069);
    return !control && !line_break && !direction;
}

std::string harmless(std::string_view text, bool with_line_breaks) {
    std::string result;
    result.reserve(text.size());
    while (!text.empty()) {
        const auto length = character_length(text);
        const auto character = text.substr(0, std::max<std::size_t>(length, 1));
        const bool kept = length > 0 && (is_harmless(code_point(character)) ||
                                         (with_line_breaks && character == "\n"));
        result += kept ? character : "?";
        text.remove_prefix(character.size());
    }
    return result;
}

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::size_t character_length(std::string_view text) {
    const auto byte = [&](std::size_t i) {
        return i < text.size() ? static_cast<unsigned char>(text[i]) : 0U;
    };
    const auto lead = byte(0);
    if (lead < 0x80) return text.empty() ? 0 : 1;
    if (lead < 0xc2 || lead > 0xf4) return 0;
    // Overlong forms, surrogates, and what lies beyond U+10FFFF show in the second byte.
    const unsigned lowest = lead == 0xe0 ? 0xa0 : lead == 0xf0 ? 0x90 : 0x80;
    const unsigned highest = lead == 0xed ? 0x9f : lead == 0xf4 ? 0x8f : 0xbf;
    if (byte(1) < lowest || byte(1) > highest) return 0;
    const std::size_t length = lead < 0xe0 ? 2 : lead < 0xf0 ? 3 : 4;
    for (std::size_t i = 2; i < length; ++i)
        if ((byte(i) & 0xc0) != 0x80) return 0;
    return length;
}

std::string printable(std::string_view text) { return harmless(text, false); }

std::string printable_lines(std::string_view text) { return harmless(text, true); }

std::string in_quotes(std::string_view text, std::size_t longest) {
    if (text.size() <= longest) return fmt::format("'{}'", printable(text));
    // A cut must not leave half a UTF-8 character behind.
    std::size_t cut = longest;
    while (cut > 0 && (static_cast<unsigned char>(text[cut]) & 0xc0) == 0x80) --cut;
    return fmt::format("'{}...'", printable(text.substr(0, cut)));
}

std::string shown_size(std::uint64_t bytes) {
    if (bytes == 1) return "1 byte";
    if (bytes < 1000) return fmt::format("{} bytes", bytes);
    auto amount = static_cast<double>(bytes) / 1000;
    const std::string_view units = "kMGTPE";
    std::size_t unit = 0;
    for (; amount >= 999.95 && unit + 1 < units.size(); ++unit) amount /= 1000;
    return fmt::format("{:.1f} {}B", amount, units[unit]);
}

std::string grouped(std::int64_t value) {
    const auto digits = fmt::format("{}", value < 0 ? -value : value);
    std::string text = value < 0 ? "-" : "";
    for (std::size_t i = 0; i < digits.size(); ++i) {
        if (i > 0 && (digits.size() - i) % 3 == 0) text += ',';
        text += digits[i];
    }
    return text;
}

std::string counted(std::int64_t number, std::string_view what) {
    if (number == 1) return fmt::format("1 {}", what);
    // "class" and "box" take more than an s, but "epoch" does not; "category" changes.
    const bool hisses = what.ends_with('s') || what.ends_with('x');
    if (what.ends_with('y'))
        return fmt::format("{} {}ies", grouped(number), what.substr(0, what.size() - 1));
    return fmt::format("{} {}{}", grouped(number), what, hisses ? "es" : "s");
}

std::string subscript(std::size_t index) {
    std::string out;
    for (const char digit : std::to_string(index)) {
        out += "\xe2\x82";
        out += static_cast<char>(0x80 + (digit - '0'));
    }
    return out;
}

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
    const auto lower = [](std::string_view text) {
        std::string result(text);
        for (auto& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        return result;
    };
    const auto given = lower(word);
    const auto dashes = std::min(given.find_first_not_of('-'), given.size());
    std::size_t best = std::max<std::size_t>(1, (given.size() - dashes + 1) / 3) + 1;
    std::size_t best_edits = std::string::npos;
    std::string result;
    for (const auto& candidate : candidates) {
        const auto known = lower(candidate);
        const auto edits = edit_distance(given, known);
        auto distance = edits;
        // "--tolerance" for "--tol", "--eigen" for "--eigenfunctions".
        const bool long_enough = std::min(given.size(), known.size()) >= dashes + 3;
        if (long_enough && (given.starts_with(known) || known.starts_with(given)))
            distance = std::min<std::size_t>(distance, 1);
        const bool all_changed = distance >= known.size() || distance + dashes >= given.size();
        const bool nearer = distance < best || (distance == best && edits < best_edits);
        if (!nearer || (all_changed && distance > 0)) continue;
        best = distance;
        best_edits = edits;
        result = candidate;
    }
    return result;
}

std::string did_you_mean(std::string_view word, const std::vector<std::string>& candidates,
                         const std::string& otherwise) {
    const auto similar = nearest(word, candidates);
    return similar.empty() ? otherwise : fmt::format("did you mean {}?", in_quotes(similar));
}

}  // namespace deepsl
