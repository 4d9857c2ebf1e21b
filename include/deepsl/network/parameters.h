// All numbers of a model, as one flat vector with named parts. Networks enrol their tensors here;
// optimiser, checkpoint and model file work on the flat vector.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace deepsl::network {

/// "field1" and "P" make "field1.P"; nothing and "P" make "P".
inline std::string joined(const std::string& owner, const std::string& name) {
    return owner.empty() ? name : owner + "." + name;
}

enum class Role : std::uint8_t {
    matrix,    // learns, and decays
    vector,    // learns: biases, directions
    linear,    // learns: the last linear map, at a rate of its own
    measured,  // figures taken from data once, which do not learn
};

struct Parameter {
    std::string name;                // "field1.P.weight1"
    std::vector<std::size_t> shape;  // [out, in] for a matrix
    Role role = Role::matrix;
    std::size_t offset = 0;  // in the flat vector

    std::size_t size() const;
};

class Parameters {
public:
    /// Appends a tensor of zeros; returns its offset.
    std::size_t add(std::string name, std::vector<std::size_t> shape, Role role);

    const std::vector<Parameter>& list() const { return list_; }
    std::vector<double>& values() { return values_; }
    const std::vector<double>& values() const { return values_; }
    std::size_t size() const { return values_.size(); }
    /// How many numbers learn.
    std::size_t learned() const;

    /// Each number to the nearest one that float holds: models of this precision have no others.
    void round_to_float();

private:
    std::vector<Parameter> list_;
    std::vector<double> values_;
};

}  // namespace deepsl::network
