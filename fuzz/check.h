// What all fuzzers and their tests share: a promise that is broken is a std::logic_error.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "deepsl/text.h"

namespace deepsl::fuzz {

inline void demand(bool holds, const char* what) {
    if (!holds) throw std::logic_error(what);
}

/// A message is one line that no terminal obeys, whatever it quotes.
inline void check_message(std::string_view message, std::string_view start) {
    demand(message.starts_with(start), "a message that does not name what it is about");
    demand(printable(message) == message, "a message that is not fit for a terminal");
}

}  // namespace deepsl::fuzz
