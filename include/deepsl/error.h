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
        argument,  // an option, also of a configuration file, an argument or a formula that may not
                   // be
        data,      // what was read makes no sense, or cannot be read: a table, a model, any file
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
