// The inner loops: sweeps of four eigenvalue indices at a time (SIMD lanes) along one line.
//
// They are compiled twice, for any x86-64 and for AVX2 with FMA; kernel() picks by asking the
// processor once. Lanes are indices of one problem, so a result cannot depend on the batch.
#pragma once

#include <cstddef>
#include <vector>

#include "line.h"

namespace deepsl::sturm::detail {

inline constexpr std::size_t lanes = 4;

struct alignas(32) Lanes {
    double at[lanes];
    double& operator[](std::size_t i) { return at[i]; }
    double operator[](std::size_t i) const { return at[i]; }
};

/// u and f = p u' at the K + 1 edges of a line's pieces.
struct EdgeStates {
    std::vector<Lanes> u, f;
    std::size_t twist[lanes];  // the edge, per index, where left and right solution meet
    std::vector<Lanes> E,
        F;  // series of the pieces, unless one is too long for them: see sweep.inl
    std::vector<Lanes> right_u, right_f, left_scale, right_scale;  // for the making of them

    void resize(std::size_t edges) {
        for (auto* v : {&u, &f, &E, &F, &right_u, &right_f, &left_scale, &right_scale})
            v->resize(edges);
    }
};

/// Derivatives of a loss by lambda, and by u and f at some edges, for four indices.
struct SensitivitySeeds {
    Lanes lambda;
    std::size_t first = 0, stride = 1;  // the edges: first, first + stride, ...
    std::vector<Lanes> u, f;            // at each of them
};

/// What one pass over the line tells about four trial eigenvalues.
struct Pass {
    Lanes lambda{};    // the trial eigenvalues
    Lanes angle{};     // Pruefer angles from both ends, added up at the match edge
    Lanes slope{};     // its derivative by lambda
    Lanes u{}, f{};    // the solution from the left, at the match edge
    Lanes du{}, df{};  // its derivative by lambda
    Lanes rescaled{};  // how often that solution had to be scaled down; 0: never
};

struct Kernel {
    const char* name;

    /// Fills the line's figures, for lines of any content.
    void (*measure)(Line&);

    /// One pass, for angles with tan(theta) = scale u / f. The angle increases with lambda; the
    /// n-th eigenvalue is where it is n pi, whatever the scale.
    void (*pass)(const Line&, std::size_t match, const Lanes& scale, Pass&);

    /// The solution from the left, at one edge.
    void (*from_left)(const Line&, std::size_t edge, const Lanes& lambda, Lanes& u, Lanes& f);

    /// The eigenfunctions at all edges, from the left up to a twist edge and from the right
    /// beyond it; the twist is where both solutions together are largest, so that neither is
    /// followed into a region where it ought to decay. Scaled to length one at the twist.
    void (*trace)(const Line&, const Lanes& lambda, EdgeStates&);

    /// The integral of w u^2 along the line.
    void (*norm)(const Line&, const Lanes& lambda, const EdgeStates&, Lanes& norm);

    /// Adds, piece by piece, the derivatives by a, g0, g1, summed over the lanes.
    void (*sensitivity)(const Line&, const Lanes& lambda, const EdgeStates&,
                        const SensitivitySeeds&, Pieces& gradient);
};

const Kernel& kernel();

/// The two builds, for tests that compare them; kernel_avx2() may be called only where has_avx2().
const Kernel& kernel_portable();
const Kernel& kernel_avx2();
bool has_avx2();

}  // namespace deepsl::sturm::detail
