// A multilayer perceptron as a torch module, evaluated layer after layer on rows in cache.
//
//     h_0 = scale (z - shift),   h_l = act(W_l h_{l-1} + b_l),   y = head(W_L h_{L-1} + b_L)
//
// A row has the same bits alone and in any batch; gradients do not depend on the thread count.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include <torch/torch.h>

namespace deepsl::network {

enum class Activation { leaky_relu, tanh };
enum class Initialiser { glorot_uniform, orthogonal };

/// Keeps outputs between two bounds: y = centre + radius tanh(slope (r - shift)).
struct BoundedHead {
    double centre = 0.0, radius = 1.0, shift = 0.0, slope = 1.0;

    /// low + (high - low) sigmoid(r - shift)
    static BoundedHead sigmoid(double low, double high, double shift = 0.0) {
        return {0.5 * (low + high), 0.5 * (high - low), shift, 0.5};
    }
};

struct MlpOptions {
    std::int64_t inputs = 1;
    std::vector<std::int64_t> hidden{32, 16};
    std::int64_t outputs = 1;
    Activation activation = Activation::leaky_relu;
    Initialiser initialiser = Initialiser::glorot_uniform;
    double last_gain = 1.0;  // factor on the initial weights of the last layer
    double shift = 0.0;      // centre and scale of the inputs, the same for all of them
    double scale = 1.0;
    std::optional<BoundedHead> head;  // none: outputs are not bounded
};

class MlpImpl : public torch::nn::Module {
public:
    explicit MlpImpl(const MlpOptions& options);

    /// z [rows, inputs] -> [rows, outputs], in the type of the weights.
    torch::Tensor forward(const torch::Tensor& z);

    const MlpOptions& options() const { return options_; }

    /// Multiplications and additions of one row, forward; activations are not counted.
    std::int64_t flops_per_row() const;

private:
    MlpOptions options_;
};
TORCH_MODULE(Mlp);

/// Fills a matrix with the initialiser's values times a gain.
void initialise(torch::Tensor& weight, Initialiser initialiser, double gain = 1.0);

}  // namespace deepsl::network
