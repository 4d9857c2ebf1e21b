// A multilayer perceptron, evaluated layer after layer on rows in cache.
//
//     h_0 = scale (z - shift),   h_l = act(W_l h_{l-1} + b_l),   y = head(W_L h_{L-1} + b_L)
//
// A row has the same bits alone and in any batch.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "deepsl/network/network.h"

namespace deepsl::network {

enum class Activation { leaky_relu, tanh };
constexpr std::array<std::string_view, 2> names(Activation) { return {"leaky_relu", "tanh"}; }

enum class Initialiser { glorot, orthogonal, he };
constexpr std::array<std::string_view, 3> names(Initialiser) {
    return {"glorot", "orthogonal", "he"};
}

/// Keeps an output between two bounds: y = centre + radius tanh(slope (r - shift)).
struct BoundedHead {
    double centre = 0.0, radius = 1.0, shift = 0.0, slope = 1.0;

    /// low + (high - low) sigmoid(r - shift)
    static BoundedHead sigmoid(double low, double high, double shift = 0.0) {
        return {0.5 * (low + high), 0.5 * (high - low), shift, 0.5};
    }
};

struct MlpOptions {
    std::size_t inputs = 1;
    std::vector<std::size_t> hidden{32, 16};
    std::size_t outputs = 1;
    Activation activation = Activation::leaky_relu;
    Initialiser initialiser = Initialiser::glorot;
    double last_gain = 1.0;  // factor on the initial weights of the last layer
    double shift = 0.0;      // centre and scale of the inputs, the same for all of them
    double scale = 1.0;
    std::vector<BoundedHead> heads;  // none: outputs are not bounded; one for all; one for each
};

/// How many numbers such a network learns.
double parameter_count(const MlpOptions& options);

template <class Real>
struct Packed;

template <class Real>
class Mlp final : public Network<Real> {
public:
    /// Throws Error if a layer has no units, or the heads do not fit the outputs.
    explicit Mlp(MlpOptions options);
    ~Mlp() override;

    std::size_t inputs() const override { return options_.inputs; }
    std::size_t outputs() const override { return options_.outputs; }
    /// weight1, bias1, weight2, ..; biases start at 0.
    void enrol(Parameters& parameters, const std::string& name, Random& random) override;
    void load(std::span<const double> values) override;
    void forward(const Real* x, std::size_t rows, Real* y, Tape* tape) const override;
    void pullback(const Real* x, std::size_t rows, const Real* dy, Tape& tape, Real* dx,
                  Real* gradient) const override;
    std::size_t flops_per_row() const override;

    const MlpOptions& options() const { return options_; }

private:
    MlpOptions options_;
    std::vector<std::size_t> sizes_;  // inputs, hidden layers, outputs
    std::size_t offset_ = 0;          // of weight1 in the flat vector; the rest follows
    std::unique_ptr<Packed<Real>> packed_;
};

/// How many numbers a unit hears, and by how many it is heard.
struct Fan {
    std::size_t in = 1, out = 1;
};

/// Fills weight [out, in] with the initialiser's values times a gain.
void initialise(std::span<double> weight, std::size_t out, std::size_t in, Fan fan,
                Initialiser initialiser, double gain, Random& random);

extern template class Mlp<float>;
extern template class Mlp<double>;

}  // namespace deepsl::network
