// Deep Sturm-Liouville as a module of a LibTorch program, behind any encoder: r [B, inputs] goes
// in, F [B, outputs] comes out, with exact gradients by r and by its parameters.
//
//     r -> z inside the domain -> lines -> eigenfunctions -> F,   and the eigenvalues beside it
//
// Inside works the engine, on deepsl::set_threads threads, in its own precision; tensors may be of
// any precision. Gradients of gradients are not offered.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include <torch/nn/module.h>
#include <torch/nn/pimpl.h>

#include "deepsl/field/domain.h"
#include "deepsl/model/options.h"
#include "deepsl/model/outcome.h"
#include "deepsl/model/predictor.h"
#include "deepsl/network/parameters.h"

namespace deepsl::libtorch {

/// What the module is given: any numbers, of size about 1, which it brings into the domain smoothly
/// (field::Domain::enter), or points of the domain.
enum class Inputs { any, inside };
constexpr std::array<std::string_view, 2> names(Inputs) { return {"any", "inside"}; }

/// What became of a batch. Where a sample failed, F and lambda are zeros without derivatives.
struct Evaluation {
    torch::Tensor y;                       // [B, outputs]
    torch::Tensor lambda;                  // [B, eigenvalues of all fields]
    torch::Tensor ok;                      // [B], false where the sample failed
    std::vector<model::Outcome> outcomes;  // [B], and why
};

class Evaluator;

class DeepSturmLiouvilleImpl : public torch::nn::Module {
public:
    /// As the options say. Throws Error.
    DeepSturmLiouvilleImpl(std::size_t inputs, std::size_t outputs,
                           const model::ModelOptions& options = {}, std::uint64_t seed = 0,
                           Inputs given = Inputs::any);
    /// Any model of the engine: with parts of your own, or a baseline.
    explicit DeepSturmLiouvilleImpl(std::unique_ptr<model::Predictor> predictor,
                                    Inputs given = Inputs::any);
    ~DeepSturmLiouvilleImpl() override;

    /// F.
    torch::Tensor forward(const torch::Tensor& r);
    /// F and the eigenvalues, for a spectral term of the loss, and the outcome of every sample.
    Evaluation evaluate(const torch::Tensor& r);

    /// Before training, once: directions of the fields and scale of the basis, from what the
    /// encoder gives for some samples, r [B, inputs], and targets [B, outputs].
    void calibrate(const torch::Tensor& r, const torch::Tensor& targets);

    /// Of the batch that went through it last.
    const std::vector<model::Outcome>& outcomes() const { return outcomes_; }

    /// The parameters of a role, for groups of an optimiser: matrices decay, the last linear map
    /// likes a rate of its own.
    std::vector<torch::Tensor> parameters_of(network::Role role) const;

    /// The engine's model with the present values, for looking and saving. What has been measured
    /// or is not learned is among the module's buffers, the rest are parameters of the same names.
    const model::Predictor& predictor();

private:
    struct Part {
        torch::Tensor tensor;
        network::Role role = network::Role::matrix;
        std::size_t offset = 0;  // in the flat vector
    };

    void enlist();
    std::vector<double> present_values() const;
    void take_values();

    std::shared_ptr<Evaluator> evaluator_;
    std::vector<Part> learned_, measured_;
    std::vector<model::Outcome> outcomes_;
};
TORCH_MODULE(DeepSturmLiouville);

}  // namespace deepsl::libtorch
