// What tests of the verbs about tables share: a small table, and a quick training on it.
#pragma once

#include <algorithm>
#include <string>
#include <utility>

#include "directory.h"
#include "expect.h"
#include "process.h"

namespace deepsl::test {

/// Class b where x + (colour is red) > 1; every seventh size is missing.
inline std::string small_table(bool with_target = true, int rows = 80) {
    std::string text = with_target ? "id,size,colour,kind\n" : "colour,extra,size\n";
    for (int i = 0; i < rows; ++i) {
        const double size = (i * 37 % 100) / 50.0;
        const bool red = i % 3 == 0;
        const auto cell = i % 7 == 0 ? std::string("?") : std::to_string(size);
        const std::string colour = red ? "red" : "blue";
        const std::string kind = size + (red ? 1.0 : 0.0) > 1.0 ? "b" : "a";
        text += with_target ? std::to_string(i + 1) + "," + cell + ", " + colour + "," + kind + "\n"
                            : colour + ",7," + cell + "\n";
    }
    return text;
}

class TableVerbs : public InDirectory {
protected:
    std::string data() const { return write("data.csv", small_table()); }

    Outcome train(const std::string& table, const Words& more = {}) const {
        const std::pair<const char*, std::string> usual[] = {{"--output", path("m.deepsl")},
                                                             {"--epochs", "8"},
                                                             {"--threads", "1"},
                                                             {"--validation", "0.2"}};
        Words words{"train", table};
        for (const auto& [flag, value] : usual)
            if (std::find(more.begin(), more.end(), flag) == more.end() &&
                !(std::string(flag) == "--validation" &&
                  std::find(more.begin(), more.end(), "--epoch-folds") != more.end()))
                words.insert(words.end(), {flag, value});
        words.insert(words.end(), more.begin(), more.end());
        return run_program(words);
    }
};

}  // namespace deepsl::test
