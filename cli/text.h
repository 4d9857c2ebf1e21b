// Text tools of the command line, beside those of the library.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "deepsl/text.h"

namespace deepsl::cli {

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

/// A word from the command line, for a message.
inline std::string shown(std::string_view text, std::size_t longest = 60) {
    return in_quotes(text, longest);
}

}  // namespace deepsl::cli
