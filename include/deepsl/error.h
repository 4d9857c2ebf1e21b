// The one exception of deepsl, for its edges: arguments, files, configuration. Inside the numerics
// an outcome is data, a status.
#pragma once

#include <stdexcept>
#include <string>

namespace deepsl {

/// One sentence with where, what, and what to try.
class Error : public std::runtime_error {
public:
    enum class Kind {
        argument,  // an option or an argument that is not allowed
        data,      // what was read makes no sense: a table, a formula, a model, a configuration
        output,    // what was to be written could not be
    };

    Error(Kind kind, const std::string& sentence) : std::runtime_error(sentence), kind_(kind) {}

    Kind kind() const { return kind_; }

private:
    Kind kind_;
};

inline Error argument_error(const std::string& sentence) {
    return {Error::Kind::argument, sentence};
}
inline Error data_error(const std::string& sentence) { return {Error::Kind::data, sentence}; }
inline Error output_error(const std::string& sentence) { return {Error::Kind::output, sentence}; }

}  // namespace deepsl
