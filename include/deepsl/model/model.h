// Deep Sturm-Liouville: a line through every sample, an eigenproblem along it, and the first few
// eigenfunctions at the sample, combined linearly.
//
//     F(x) = sum over fields of L (u_1(x), .., u_d(x))
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include <torch/torch.h>

#include "deepsl/field/trace.h"
#include "deepsl/field/vector_field.h"
#include "deepsl/model/basis.h"
#include "deepsl/model/eigenpairs.h"
#include "deepsl/model/options.h"
#include "deepsl/model/predictor.h"
#include "deepsl/network/mlp.h"

namespace deepsl::model {

/// Everything about a batch through one field: for looking, without gradients.
struct Inspection {
    field::LineGrid grid;
    torch::Tensor t_edges, t_nodes;  // double  [B, cell + 1], [B, cell, node]
    torch::Tensor P, q, w;           // at the nodes, double  [B, cell, node]
    torch::Tensor lambda;            // [B, d]
    torch::Tensor u_edges, f_edges;  // u and p u' along the line  [B, d, cell + 1]
    torch::Tensor u;                 // at the sample  [B, d]
    torch::Tensor basis;             // u, scaled  [B, d]
    torch::Tensor contributions;     // of each basis function to each output  [B, outputs, d]
    torch::Tensor constant;          // what the linear map adds to them  [outputs]
    torch::Tensor passes;            // [B, d]
    std::vector<int> steps;          // of the line, both ways  [B]
    std::vector<Outcome> outcomes;   // [B]
};

/// How finely lines are followed and problems are solved. May be changed after training.
struct Numerics {
    field::TraceOptions trace;
    std::int64_t cells = 8;
    sturm::Scheme scheme = sturm::Scheme::magnus4;
    double least_tolerance = 1e-13;  // that the networks' precision can hold

    Numerics finer(int factor) const;
};

/// The coefficients of the Sturm-Liouville problems, at points of the domain.
struct Coefficients {
    torch::Tensor P, q, w;  // [rows]
};

/// One field with its coefficients, its basis and its linear map.
class BranchImpl : public torch::nn::Module {
public:
    BranchImpl(std::int64_t inputs, std::int64_t outputs, const ModelOptions& options);

    Prediction forward(const torch::Tensor& x, const Numerics& numerics);
    Inspection inspect(const torch::Tensor& x, const Numerics& numerics);

    /// Measures the scale of the basis on training data.
    void calibrate(const torch::Tensor& x, const Numerics& numerics);

    /// 1/p, q and w at z [rows, n].
    Coefficients coefficients(const torch::Tensor& z);

    field::VectorFieldImpl& field() { return *field_; }
    /// Any field instead of the one that the options ask for; it learns with the rest. A model
    /// with such a field cannot be saved.
    void set_field(field::VectorFieldPointer field);
    const field::DomainPointer& domain() const { return domain_; }
    torch::nn::Linear& linear() { return basis_.linear(); }
    std::int64_t coefficient_flops_per_node() const;

private:
    LineProblems problems(const field::LineGrid& grid, const Numerics& numerics);

    field::DomainPointer domain_;
    field::VectorFieldPointer field_;
    network::Mlp P_{nullptr}, q_{nullptr}, w_{nullptr}, v_{nullptr};
    Basis basis_;
};
TORCH_MODULE(Branch);

class ModelImpl : public PredictorImpl {
public:
    ModelImpl(std::int64_t inputs, std::int64_t outputs, const ModelOptions& options);

    Prediction forward(const torch::Tensor& x) override;
    std::size_t terms() const override { return branches_.size(); }
    Prediction term(std::size_t field, const torch::Tensor& x) override;

    /// One field's view of a batch.
    Inspection inspect(const torch::Tensor& x, std::int64_t field = 0);

    /// Directions of the fields by a ridge regression of the targets on x, and the scale of
    /// each basis.
    void calibrate(const torch::Tensor& x, const torch::Tensor& targets) override;

    std::vector<torch::Tensor> linear_parameters() override;

    /// What makes such a model again, its present numerics included.
    ModelOptions options() const;
    Numerics& numerics() { return numerics_; }
    const field::DomainPointer& domain() const { return domain_; }
    std::vector<Branch>& branches() { return branches_; }

private:
    ModelOptions options_;
    Numerics numerics_;
    field::DomainPointer domain_;
    std::vector<Branch> branches_;
};
TORCH_MODULE(Model);

}  // namespace deepsl::model
