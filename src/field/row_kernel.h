// Sums of rows, the inner loops of field lines: short vectors of coordinates, combined with a few
// factors, and back. Chosen at run time by what the processor can do.
#pragma once

#include <cstddef>
#include <vector>

namespace deepsl::field {

template <class Real>
struct RowKernel {
    /// out = start + sum_j factor_j k_j, of n numbers; whether all of them are finite.
    bool (*combine)(const Real* start, const Real* const* k, const Real* factor, std::size_t count,
                    std::size_t n, Real* out);
    /// dk_j += factor_j seed and product_j = k_j . seed.
    void (*spread)(const Real* seed, const Real* const* k, const Real* factor, std::size_t count,
                   std::size_t n, Real* const* dk, Real* product);
    Real (*dot)(const Real* a, const Real* b, std::size_t n);
    /// to += from
    void (*add)(const Real* from, std::size_t n, Real* to);
};

/// The fastest kernel this processor can run.
template <class Real>
const RowKernel<Real>& row_kernel();

template <class Real>
struct NamedRowKernel {
    const char* name;
    RowKernel<Real> kernel;
};

/// All kernels this processor can run, slowest first, to compare them with each other.
template <class Real>
std::vector<NamedRowKernel<Real>> row_kernels();

}  // namespace deepsl::field
