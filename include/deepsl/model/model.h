// Deep Sturm-Liouville: a line through every sample, an eigenproblem along it, and the first few
// eigenfunctions at the sample, combined linearly.
//
//     F(x) = sum over fields of L (u_1(x), .., u_d(x))
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/branch.h"
#include "deepsl/model/options.h"
#include "deepsl/model/predictor.h"

namespace deepsl::model {

/// Everything about some samples through one field: for looking. Arrays by sample, in double.
struct Inspection {
    std::size_t samples = 0, inputs = 0, cells = 0, nodes = 0, d = 0, outputs = 0;
    std::vector<double> z;                          // [B, cell, node, input]
    Matrix<double> entry, exit;                     // where the line begins and ends  [B, input]
    std::vector<double> t_minus, t_plus, residual;  // [B]
    Matrix<double> length;                          // of the cells  [B, cell]
    Matrix<double> t_edges;                         // [B, cell + 1]
    Matrix<double> t_nodes;                         // [B, cell * node]
    Matrix<double> P, q, w;                         // at the nodes  [B, cell * node]
    Matrix<double> lambda, u, basis;                // u at the sample, and scaled  [B, d]
    std::vector<double> u_edges, f_edges;           // u and p u' along the line  [B, d, cell + 1]
    std::vector<double> contributions;  // of each basis function to each output  [B, output, d]
    std::vector<double> sum_edges;  // of all basis functions, along the line  [B, output, cell + 1]
    std::vector<double> constant;   // what the linear map adds to them  [output]
    Matrix<int> passes;             // [B, d]
    std::vector<int> steps;         // of the line, both ways  [B]
    std::vector<Outcome> outcomes;  // [B]

    std::span<const double> u_along(std::size_t b, std::size_t i) const {
        return {u_edges.data() + (b * d + i) * (cells + 1), cells + 1};
    }
    std::span<const double> f_along(std::size_t b, std::size_t i) const {
        return {f_edges.data() + (b * d + i) * (cells + 1), cells + 1};
    }
    std::span<const double> contribution(std::size_t b, std::size_t output) const {
        return {contributions.data() + (b * outputs + output) * d, d};
    }
    /// What the field adds to an output at the edges: there the line's points read off the same
    /// functions as the sample does.
    std::span<const double> sum_along(std::size_t b, std::size_t output) const {
        return {sum_edges.data() + (b * outputs + output) * (cells + 1), cells + 1};
    }
    std::span<const double> node(std::size_t b, std::size_t index) const {
        return {z.data() + (b * cells * nodes + index) * inputs, inputs};
    }
};

/// 1/p, q and w at some points  [rows]
struct CoefficientValues {
    std::vector<double> P, q, w;
};

/// The model whatever its precision.
class Model : public Predictor {
public:
    Kind kind() const override { return Kind::dsl; }
    ModelOptions options() const override;

    const Numerics& numerics() const { return numerics_; }
    /// Another fineness, for all samples from now on; `options` tells it.
    void set_numerics(const Numerics& numerics);
    const field::DomainPointer& domain() const { return domain_; }
    virtual std::size_t fields() const = 0;

    /// Samples x [B, inputs] along one of the fields.
    virtual Inspection inspect(MatrixView<const double> x, std::size_t field,
                               const Numerics& numerics) const = 0;
    Inspection inspect(MatrixView<const double> x, std::size_t field = 0) const {
        return inspect(x, field, numerics_);
    }

    /// The field a [rows, inputs] and the coefficients at points z [rows, inputs].
    virtual Matrix<double> field_at(MatrixView<const double> z, std::size_t field) const = 0;
    virtual CoefficientValues coefficients_at(MatrixView<const double> z,
                                              std::size_t field) const = 0;

protected:
    Model(std::size_t inputs, std::size_t outputs, const ModelOptions& options,
          field::DomainPointer domain);

    ModelOptions options_;
    Numerics numerics_;
    field::DomainPointer domain_;
};

/// As the options say. Throws Error.
std::unique_ptr<Model> make_model(std::size_t inputs, std::size_t outputs,
                                  const ModelOptions& options, std::uint64_t seed);

/// With parts of your own, one set for each field; the numerics are those of the options.
template <class Real>
std::unique_ptr<Model> make_model(std::size_t outputs, std::vector<BranchParts<Real>> parts,
                                  const ModelOptions& options, std::uint64_t seed);

/// The parts that the options ask for.
template <class Real>
BranchParts<Real> make_parts(std::size_t inputs, const ModelOptions& options);

}  // namespace deepsl::model
