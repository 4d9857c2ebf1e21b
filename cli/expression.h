// Formulas typed on the command line, such as "t < 0.5 ? 1 : exp(6*t)".
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>

namespace deepsl::cli {

/// A formula that cannot be read. `what()` is one sentence; `pointer()` shows the place.
class ExpressionError : public std::runtime_error {
public:
    /// `position` counts bytes from the start of `text`; `length` is that of the culprit.
    ExpressionError(const std::string& sentence, const std::string& text, std::size_t position,
                    std::size_t length);

    std::size_t position() const { return position_; }

    /// The formula and, on a second line, a caret under the culprit.
    const std::string& pointer() const { return pointer_; }

private:
    std::size_t position_;
    std::string pointer_;
};

/// A function of t. Copies share one parser: call them from one thread at a time.
std::function<double(double)> parse_expression(const std::string& text);

/// A number, which may be written as a formula: "-pi/2". May be infinite or NaN.
double parse_constant(const std::string& text);

}  // namespace deepsl::cli
