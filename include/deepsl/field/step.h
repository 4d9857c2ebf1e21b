// One Runge-Kutta step of many rows, and back: the only one there is, for field lines and for
// neural ODEs.
//
//     z_i = z + h sum_j a[i][j] k_j,   k_i = f(z_i)
#pragma once

#include <cstddef>

#include "deepsl/field/method.h"
#include "deepsl/network/network.h"

namespace deepsl::field {

/// Arrays of a step. Stage i of row r is at [(i * rows + r) * n].
template <class Real>
struct StepRows {
    std::size_t rows = 0, n = 0;
    const double* h = nullptr;  // [row]
    Real* points = nullptr;     // z_i; the first are given, the last are where the step ends
    Real* k = nullptr;          // k_i; the first are given

    Real* point(std::size_t stage) const { return points + stage * rows * n; }
    Real* slope(std::size_t stage) const { return k + stage * rows * n; }
};

template <class Real>
void take_step(const network::Network<Real>& f, const Method& method, const StepRows<Real>& step,
               network::Tape* tape);

/// Of a step by an adaptive method: the largest coordinate of |h sum_i error_i k_i|, over the
/// tolerance. NaN if a slope is not finite.
template <class Real>
double error_ratio(const Method& method, const StepRows<Real>& step, std::size_t row,
                   double tolerance);

/// The step to try after one of length h > 0, which was accepted if its error ratio is at most 1.
double next_step(double h, double error_ratio, int order);

/// Derivatives by what a step consists of, in the same arrangement.
template <class Real>
struct StepSeeds {
    Real* dz = nullptr;  // by the start   [row, n]: added to
    Real* dk = nullptr;  // by the slopes  [stage, row, n]: read and added to; in the end only
                         // the first stage's are still to be passed on
    const Real* dend = nullptr;  // by the end     [row, n]
    double* dh = nullptr;        // by the step    [row]: added to; may be null
};

template <class Real>
void pull_back_step(const network::Network<Real>& f, const Method& method,
                    const StepRows<Real>& step, const StepSeeds<Real>& seeds, network::Tape& tape,
                    Real* gradient);

}  // namespace deepsl::field
