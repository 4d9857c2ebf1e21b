// Vector fields a(z), whose lines dz/dt = a(z) run through the domain.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include <torch/torch.h>

#include "deepsl/network/mlp.h"

namespace deepsl::field {

/// Any field: derive from it, or wrap a module in a ModuleField, a function in a FunctionField.
class VectorFieldImpl : public torch::nn::Module {
public:
    /// z [rows, n] -> a(z) [rows, n]. Row by row: a line must not depend on its neighbours.
    virtual torch::Tensor forward(const torch::Tensor& z) = 0;

    /// Operations of the networks for one row, for the statistics of speed.
    virtual std::int64_t flops_per_row() const { return 0; }
};

/// The paper's field: a = 0.01 + 0.99 sigmoid(network). Every coordinate grows along the line,
/// so in a box each line leaves exactly once each way.
class PositiveFieldImpl : public VectorFieldImpl {
public:
    explicit PositiveFieldImpl(network::MlpOptions options);
    torch::Tensor forward(const torch::Tensor& z) override;
    std::int64_t flops_per_row() const override { return network_->flops_per_row(); }

private:
    network::Mlp network_{nullptr};
};

/// a = d + 0.8 h(z), d a learnable unit vector, |h| < 1: then a.d >= 0.2, so each line advances
/// along d and leaves every bounded convex domain. Without bending the lines are straight.
class DirectionalFieldImpl : public VectorFieldImpl {
public:
    DirectionalFieldImpl(const network::MlpOptions& options, bool bends);
    torch::Tensor forward(const torch::Tensor& z) override;
    std::int64_t flops_per_row() const override;

    /// d, of length 1.
    torch::Tensor direction() const;
    void set_direction(const torch::Tensor& direction);

private:
    torch::Tensor direction_;  // any length but 0
    network::Mlp network_{nullptr};
    bool bending_;
};

/// Any module that takes one tensor and gives one; its parameters learn with the rest.
///     auto field = std::make_shared<ModuleFieldImpl>(torch::nn::AnyModule(my_module));
class ModuleFieldImpl : public VectorFieldImpl {
public:
    explicit ModuleFieldImpl(torch::nn::AnyModule module) : module_(std::move(module)) {
        register_module("module", module_.ptr());
    }
    torch::Tensor forward(const torch::Tensor& z) override { return module_.forward(z); }

private:
    torch::nn::AnyModule module_;
};

/// A formula; what it captures does not learn.
class FunctionFieldImpl : public VectorFieldImpl {
public:
    using Function = std::function<torch::Tensor(const torch::Tensor&)>;
    explicit FunctionFieldImpl(Function function) : function_(std::move(function)) {}
    torch::Tensor forward(const torch::Tensor& z) override { return function_(z); }

private:
    Function function_;
};

using VectorFieldPointer = std::shared_ptr<VectorFieldImpl>;

}  // namespace deepsl::field
