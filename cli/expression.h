// Formulas typed on the command line, such as "t < 0.5 ? 1 : exp(6*t)".
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace deepsl::cli {

/// A function of t. Copies share one parser: call them from one thread at a time. Throws Error: a
/// sentence that begins with the flag, the formula, and a caret under the culprit.
std::function<double(double)> parse_expression(std::string_view flag, const std::string& text);

/// A number, which may be written as a formula: "-pi/2". May be infinite or NaN. Throws Error too.
double parse_constant(std::string_view flag, const std::string& text);

}  // namespace deepsl::cli
