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

}  // namespace

std::string_view trimmed(std::string_view text) {
    constexpr std::string_view blank = " \t\r\n";
    const auto first = text.find_first_not_of(blank);
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(blank) - first + 1);
}

std::string in_quotes(std::string_view text, std::size_t longest) {
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
    return similar.empty() ? otherwise : "did you mean '" + similar + "'?";
}

}  // namespace deepsl
