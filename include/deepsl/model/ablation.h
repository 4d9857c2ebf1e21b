// The paper's ablation: Deep Sturm-Liouville without a field. Each sample has a problem of its own
// along an artificial time, and its basis is taken half way:
//
//     -(p u')' + q u = lambda w u  on [0, 1],   u(0) = u(1) = 0,   u'(0) = 1
//     F(x) = L (u_1(1/2), .., u_d(1/2)),   P = 1/p, q and w functions of (x, t)
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/coefficients.h"
#include "deepsl/model/predictor.h"

namespace deepsl::model {

/// Eigenvalues, and eigenfunctions half way. Where an outcome is not ok they are zeros.
struct Spectrum {
    Matrix<double> lambda, u;       // [B, d]
    std::vector<Outcome> outcomes;  // [B]
};

/// The model whatever its precision.
class Ablation : public Predictor {
public:
    Kind kind() const override { return Kind::ablation; }

    /// Of samples x [B, inputs].
    virtual Spectrum spectrum(MatrixView<const double> x) const = 0;

protected:
    using Predictor::Predictor;
};

/// As the options say. Throws Error.
std::unique_ptr<Ablation> make_ablation(std::size_t inputs, std::size_t outputs,
                                        const ModelOptions& options, std::uint64_t seed);

/// With coefficients of your own. Their rows are (x, t + c - 1/2), c the centre of the domain that
/// the options name: networks shift and scale all inputs alike, so time has its middle where x has
/// its centre.
template <class Real>
std::unique_ptr<Ablation> make_ablation(std::size_t inputs, std::size_t outputs,
                                        std::unique_ptr<Coefficients<Real>> coefficients,
                                        const ModelOptions& options, std::uint64_t seed);

}  // namespace deepsl::model
