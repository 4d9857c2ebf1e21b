// What every page has: its head and style, the title with the cards, the settings, the end.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "deepsl/report/page.h"

namespace deepsl::report::detail {

/// Up to the start of the body; `more_style` follows the style sheet of all pages.
std::string page_start(std::string_view title, std::string_view more_style);

void append_title(std::string& out, std::string_view title, std::string_view subtitle,
                  const std::vector<Fact>& facts);

/// Name and value, folded; nothing if there are none.
void append_settings(std::string& out,
                     const std::vector<std::pair<std::string, std::string>>& settings);

/// From the footer to the end.
std::string page_end();

/// Throws Error unless `given` is `wanted`; `name` says what has the wrong length.
void check_length(std::string_view name, std::size_t given, std::size_t wanted);
void check_curve(std::string_view name, const Curve& curve);
void check_line(const std::string& name, const SampleLine& line);

}  // namespace deepsl::report::detail
