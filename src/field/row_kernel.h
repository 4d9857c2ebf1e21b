// Sums of rows, the inner loops of field lines: short vectors of coordinates, combined with a few
// factors, and back. Chosen at run time by what the processor can do.
#pragma once

#include <cstddef>
#include <vector>

#include "deepsl/field/method.h"
#include "simd.h"

namespace deepsl::field {

/// Factors of the slopes of a step, from a seed back to them.
template <class Real>
struct Spread {
    Real factor[Method::max_stages] = {}, first[Method::max_stages] = {},
         second[Method::max_stages] = {};
};

/// Those stages of a method that count in a sum of slopes.
struct StepWeights {
    std::size_t count = 0, stage[Method::max_stages] = {};
    double weight[Method::max_stages] = {};

    explicit StepWeights(const std::vector<double>& weights) {
        for (std::size_t j = 0; j < weights.size(); ++j) {
            if (weights[j] == 0.0) continue;
            stage[count] = j;
            weight[count++] = weights[j];
        }
    }
};

template <class Real>
struct RowSums {
    Real first, second;
};

template <class Real>
struct RowKernel {
    /// out = start + sum_j factor_j k_j, of n numbers; whether all of them are finite.
    bool (*combine)(const Real* start, const Real* const* k, const Real* factor, std::size_t count,
                    std::size_t n, Real* out);
    /// dk_j += factor_j seed; returns seed . sum_j first_j k_j and seed . sum_j second_j k_j.
    RowSums<Real> (*spread)(const Real* seed, const Real* const* k, const Spread<Real>& weights,
                            std::size_t count, std::size_t n, Real* const* dk);
    Real (*dot)(const Real* a, const Real* b, std::size_t n);
    /// The sum of the squares, in double precision.
    double (*squares)(const Real* a, std::size_t n);
    /// to += from
    void (*add)(const Real* from, std::size_t n, Real* to);
    /// out = a x + b y; out may be x or y.
    void (*blend)(Real a, const Real* x, Real b, const Real* y, std::size_t n, Real* out);

    // All rows of a round at once:

    /// out = z + h sum_j weight_j k_j, where k_j is `stage_j` times `stride` behind k; z where that
    /// is not finite.
    void (*step)(const Real* z, const double* h, const Real* k, std::size_t stride,
                 const StepWeights& weights, std::size_t rows, std::size_t n, Real* out);
    /// From seeds on `out` to those on z, k and h (or null), added to what is there.
    void (*step_pullback)(const Real* seed, const double* h, const Real* k, std::size_t stride,
                          const StepWeights& weights, std::size_t rows, std::size_t n, Real* dz,
                          Real* dk, double* dh);
    /// a, first some b, becomes unit + bending b / sqrt(1 + |b|^2).
    void (*bend)(const Real* unit, Real bending, std::size_t rows, std::size_t n, Real* a);
    /// From seeds on a: b becomes the seed on it, and sum, that on `unit`, is added to.
    void (*bend_pullback)(const Real* da, Real bending, std::size_t rows, std::size_t n, Real* b,
                          Real* sum);
};

/// The fastest kernel this processor can run.
template <class Real>
const RowKernel<Real>& row_kernel();

/// All kernels this processor can run, slowest first, to compare them with each other.
template <class Real>
std::vector<simd::Named<RowKernel<Real>>> row_kernels();

}  // namespace deepsl::field
