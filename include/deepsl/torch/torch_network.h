// A module of LibTorch as a network of the engine: rows x [B, inputs] go in, rows [B, outputs] come
// out, and its parameters stand in the model's flat vector. What the module makes of a row in
// between, an image [C, H, W] for instance, is its own matter.
//
// The graph that torch records in `forward` is kept on the tape until `pullback`. Passes run on
// several threads at once, so nothing is added to the parameters' .grad. Torch's bits may depend on
// how many rows go together: equal seeds and batches give equal bits, a row alone need not.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <torch/nn/modules/container/any.h>
#include <torch/nn/pimpl.h>

#include "deepsl/network/network.h"

namespace deepsl::libtorch {

/// Torch's own threads would compete with those of the engine, which cuts the work into larger
/// pieces: each thread works alone from now on, in OpenBLAS, too. A TorchNetwork calls it when it
/// is made; torch::set_num_threads undoes it, deepsl::set_threads says how many there are.
void use_one_torch_thread();

template <class Real>
class TorchNetwork final : public network::Network<Real> {
public:
    using Rows = std::function<torch::Tensor(const torch::Tensor&)>;

    /// The module, and how rows go through it, which must not change it. It becomes one of this
    /// precision, on the CPU, in evaluation mode: rows do not depend on each other. No other
    /// network may have the same parameters. Throws Error if it does not take rows of so many
    /// numbers, or does not give rows.
    TorchNetwork(const std::shared_ptr<torch::nn::Module>& module, Rows rows, std::size_t inputs);

    std::size_t inputs() const override { return inputs_; }
    std::size_t outputs() const override { return outputs_; }
    /// With the names and the values that the module has: its random numbers are torch's. What has
    /// two dimensions or more is a matrix, what needs no gradient does not learn. A tensor that has
    /// several names is enrolled once. Buffers are no parameters.
    void enrol(network::Parameters& parameters, const std::string& name, Random& random) override;
    void load(std::span<const double> values) override;
    void forward(const Real* x, std::size_t rows, Real* y, network::Tape* tape) const override;
    void pullback(const Real* x, std::size_t rows, const Real* dy, network::Tape& tape, Real* dx,
                  Real* gradient) const override;

private:
    struct Part {
        std::string name;
        torch::Tensor tensor;
        std::size_t offset = 0;  // in the flat vector
    };

    torch::Tensor give(const torch::Tensor& x) const;

    Rows rows_;
    std::shared_ptr<torch::nn::Module> module_;
    std::size_t inputs_, outputs_ = 0;
    std::vector<Part> learned_, fixed_;
};

/// Of a module holder such as torch::nn::Sequential.
template <class Real, class Module>
std::unique_ptr<TorchNetwork<Real>> make_torch_network(torch::nn::ModuleHolder<Module> module,
                                                       std::size_t inputs) {
    auto* const raw = module.get();
    return std::make_unique<TorchNetwork<Real>>(
        module.ptr(), [raw](const torch::Tensor& x) { return raw->forward(x); }, inputs);
}

/// Of a module of any kind.
template <class Real>
std::unique_ptr<TorchNetwork<Real>> make_torch_network(torch::nn::AnyModule module,
                                                       std::size_t inputs) {
    auto pointer = module.ptr();
    return std::make_unique<TorchNetwork<Real>>(
        pointer,
        [any = std::make_shared<torch::nn::AnyModule>(std::move(module))](const torch::Tensor& x) {
            return any->forward(x);
        },
        inputs);
}

extern template class TorchNetwork<float>;
extern template class TorchNetwork<double>;

}  // namespace deepsl::libtorch
