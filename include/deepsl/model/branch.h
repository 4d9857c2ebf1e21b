// One field with its coefficients, its basis and its linear map: the paper's algorithm, forwards
// and backwards.
//
//     x -> trace -> grid -> coefficients -> eigenpairs -> basis -> linear map -> y
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "deepsl/field/grid.h"
#include "deepsl/field/vector_field.h"
#include "deepsl/model/basis.h"
#include "deepsl/model/coefficients.h"
#include "deepsl/model/eigenpairs.h"
#include "deepsl/model/options.h"
#include "deepsl/network/tape.h"

namespace deepsl::model {

/// How finely lines are followed and problems are solved. May be changed after training.
struct Numerics {
    field::TraceOptions trace;
    std::size_t cells = 8;
    sturm::Scheme scheme = sturm::Scheme::magnus4;
    double least_tolerance = 1e-13;  // that the networks' precision can hold

    Numerics finer(int factor) const;
};
Numerics numerics_of(const ModelOptions& options);

/// The parts of a branch; any of them may be given from outside.
template <class Real>
struct BranchParts {
    field::DomainPointer domain;
    std::unique_ptr<field::VectorField<Real>> field;
    std::unique_ptr<Coefficients<Real>> coefficients;
    std::unique_ptr<network::Network<Real>> start;  // v - 1 at the entry, d outputs; null: v = 1
    std::size_t eigenfunctions = 10;
    bool normalise = false;  // eigenfunctions along their lines
    BasisScale basis_scale = BasisScale::centred;
    LinearStart linear_start{};
};

/// Everything about a chunk on one branch, between the forward and the backward sweep.
template <class Real>
struct BranchMemory {
    field::Lines<Real> lines;
    field::Grid<Real> grid;
    Eigenpairs pairs;
    std::vector<Outcome> outcomes;  // [B]
    std::vector<Real> P, q, w, v;   // as the networks gave them, and their derivatives
    std::vector<Real> dP, dq, dw, dv, dz, dentry;
    std::vector<double> du, dlambda, du_edges, dlength;
    network::Tape tape;
};

template <class Real>
class Branch {
public:
    Branch(BranchParts<Real> parts, std::size_t outputs);

    void enrol(network::Parameters& parameters, const std::string& name, Random& random);
    void load(std::span<const double> values);

    /// Samples x [B, inputs]: eigenpairs and outcomes in memory.
    void forward(const Real* x, std::size_t samples, const Numerics& numerics,
                 BranchMemory<Real>& memory, bool keep, bool all_edges = false) const;

    /// Adds F of row b to y [outputs].
    void add_output(const BranchMemory<Real>& memory, std::size_t b, std::span<double> y) const;

    /// The energy of F along the line of row b, if all edges were asked for.
    double energy(const BranchMemory<Real>& memory, std::size_t b) const;

    /// From dy [B, outputs] and dlambda [B, d] (no rows: zero) of the samples that are `ok`, and
    /// the weight of their energies, to the flat gradient and dx [B, inputs], which it overwrites
    /// if it is not null.
    void backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                  double energy_weight, std::span<const char> ok, const Numerics& numerics,
                  BranchMemory<Real>& memory, Real* dx, Real* gradient) const;

    const field::VectorField<Real>& field() const { return *parts_.field; }
    const Coefficients<Real>& coefficients() const { return *parts_.coefficients; }
    const field::Domain& domain() const { return *parts_.domain; }
    const Basis& basis() const { return basis_; }
    double flops_per_sample(const Numerics& numerics) const;

private:
    BranchParts<Real> parts_;
    Basis basis_;
};

}  // namespace deepsl::model
