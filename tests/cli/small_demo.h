// A demo that takes a second: few samples, small networks, a few epochs.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "expect.h"
#include "process.h"

namespace deepsl::test {

/// `more` may hold other values for the same flags.
inline Words small_demo(const std::string& model, const std::string& report, const Words& more) {
    const std::pair<const char*, std::string> usual[] = {
        {"--samples", "40"},       {"--epochs", "2"},  {"--hidden", "8"},   {"--field-hidden", "8"},
        {"--eigenfunctions", "3"}, {"--threads", "1"}, {"--output", model}, {"--report", report}};
    Words words{"demo"};
    for (const auto& [flag, value] : usual)
        if (std::find(more.begin(), more.end(), flag) == more.end())
            words.insert(words.end(), {flag, value});
    words.insert(words.end(), more.begin(), more.end());
    return words;
}

}  // namespace deepsl::test
