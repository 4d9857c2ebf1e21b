// Convolutions, layer after layer, on images [height, width, channels] that lie in rows.
//
//     y[p, f] = act(b_f + sum over k in the window, c of W[f, k, c] x[stride p + k - margin, c])
//
// What lies outside of the image counts as the inputs' centre. A transposed layer is the adjoint of
// such a sum, from the small image to the large one. A layer may end with the maximum over squares
// of pixels. A row has the same bits alone and in any batch.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "deepsl/image_shape.h"
#include "deepsl/network/mlp.h"
#include "deepsl/network/network.h"

namespace deepsl::network {

struct ConvolutionLayer {
    std::size_t features = 1;
    std::size_t kernel = 3;  // side of the window, odd
    std::size_t stride = 1;
    std::size_t pool = 1;  // side of the squares whose maximum is taken
    std::optional<Activation> activation{Activation::leaky_relu};
    std::optional<ImageShape> transposed_to{};  // height and width that a transposed layer gives
};

struct ConvolutionOptions {
    ImageShape input;
    std::vector<ConvolutionLayer> layers;
    Initialiser initialiser = Initialiser::glorot;
    double shift = 0.0;  // centre and scale of the inputs, the same for all of them
    double scale = 1.0;
    double last_gain = 1.0;             // factor on the initial weights of the last layer
    std::optional<BoundedHead> head{};  // of all outputs
};

/// The images that the layers give, the input first.
std::vector<ImageShape> shapes_of(const ConvolutionOptions& options);

/// How many numbers such a network learns, and how many a row leaves on the tape.
double parameter_count(const ConvolutionOptions& options);
double taped_per_row(const ConvolutionOptions& options);

template <class Real>
class Convolutions final : public Network<Real> {
public:
    /// Throws Error if there is no layer, or one does not fit the image.
    explicit Convolutions(ConvolutionOptions options);
    ~Convolutions() override;

    std::size_t inputs() const override { return shapes_.front().size(); }
    std::size_t outputs() const override { return shapes_.back().size(); }
    const ImageShape& output_shape() const { return shapes_.back(); }
    /// weight1 [features, kernel, kernel, channels], of transposed layers [channels, kernel,
    /// kernel, features], bias1 [features], weight2, ..
    void enrol(Parameters& parameters, const std::string& name, Random& random) override;
    void load(std::span<const double> values) override;
    void forward(const Real* x, std::size_t rows, Real* y, Tape* tape) const override;
    void pullback(const Real* x, std::size_t rows, const Real* dy, Tape& tape, Real* dx,
                  Real* gradient) const override;
    std::size_t flops_per_row() const override;

private:
    struct Stage;

    std::size_t saved_per_row() const;               // results of stages, then the head's tanh
    std::size_t offset_of(std::size_t stage) const;  // in what a row saves

    ConvolutionOptions options_;
    std::vector<ImageShape> shapes_;  // of the input and of each layer's result
    std::vector<Stage> stages_;       // convolutions and maxima, in turn
    std::size_t offset_ = 0;          // of weight1 in the flat vector; the rest follows
    std::size_t group_ = 1;           // images that go through all layers together
};

extern template class Convolutions<float>;
extern template class Convolutions<double>;

}  // namespace deepsl::network
