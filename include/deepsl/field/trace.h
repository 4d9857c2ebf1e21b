// Field lines: dz/dt = a(z), z(0) = x, both ways until the line leaves the domain.
//
// A line is a chain of polynomial pieces, the dense output of its Runge-Kutta steps; it leaves
// where the first piece crosses the boundary, at t- < 0 and t+ > 0. A piece whose control points
// lie in the (convex) domain lies in it whole, so no exit is stepped over. Lines of a constant
// field have one piece each way, which is exact.
//
// Gradients are exact for this discrete line: through the steps by the chain rule, through the
// exits by the implicit function theorem, dt = -(grad g . dz) / (grad g . z'). Steps of fixed pace,
// h = 1 / (2 steps pace(a)), are differentiated too; steps chosen by a tolerance are constants.
#pragma once

#include <cstddef>
#include <span>
#include <vector>

#include "deepsl/field/domain.h"
#include "deepsl/field/line_status.h"
#include "deepsl/field/method.h"
#include "deepsl/field/vector_field.h"
#include "deepsl/network/tape.h"

namespace deepsl::field {

struct TraceOptions {
    const Method* method = &rk4();
    int steps = 6;            // a side, for a line through the centre; pace of fixed steps
    double tolerance = 1e-5;  // of adaptive steps, per step, in the domain's coordinates
    int max_steps = 1000;     // a side
};

/// Throws Error unless the options make sense; `least_tolerance` is what the numbers can hold.
void check_trace(const TraceOptions& options, double least_tolerance);

/// One Runge-Kutta step of those lines that were still inside. Rows are these lines.
template <class Real>
struct Round {
    std::size_t rows = 0;
    std::vector<std::size_t> lines;  // 0..B-1 forwards, B..2B-1 backwards  [row]
    std::vector<std::size_t> from;   // the row of the round before that goes on  [row]
    std::vector<char> repeated;      // whose step was rejected: the same start again
    std::vector<double> h, pace;     // signed step; widths crossed, about  [row]
    std::vector<Real> points;        // where the stages lie  [stage, row, n]
    std::vector<Real> k;             // slopes there          [stage, row, n]
    std::vector<Real> dz, dk, dend;  // derivatives by the start, the slopes and the end
    std::vector<double> dh;          // and by the step
};

/// Lines through a chunk of samples. Its memory is reused from chunk to chunk.
template <class Real>
struct Lines {
    /// Where a line's pieces are: row `row` of round `round`.
    struct Place {
        std::size_t round, row;
    };

    std::size_t samples = 0, n = 0;
    const Domain* domain = nullptr;
    const Method* method = nullptr;
    double step_pace = 0.0;                // widths that a fixed step crosses
    std::vector<Real> x;                   // the samples  [B, n]
    std::vector<std::size_t> started;      // samples that are finite and inside
    std::vector<Real> start, first_slope;  // these samples, and the field there  [started, n]
    std::size_t rounds_used = 0;
    std::vector<Round<Real>> rounds;
    std::vector<std::vector<Place>> pieces;  // [line]; the last one contains the exit
    std::vector<double> exit;                // where in the last piece, 0..1  [line]
    std::vector<LineStatus> line_status;     // [line]

    /// The worse of both directions.
    LineStatus status(std::size_t sample) const;
    /// Steps of both directions together.
    int step_count(std::size_t sample) const;
};

/// Lines through x [B, n]. Whatever is wrong with one sample is told in its status. Throws Error if
/// field and domain have different dimensions.
template <class Real>
void trace(const VectorField<Real>& field, const Domain& domain, const Real* x, std::size_t samples,
           const TraceOptions& options, Lines<Real>& lines, network::Tape* tape);

/// From the derivatives by rounds, as grid_pullback leaves them, to dx [B, n] (null: not wanted),
/// and to what the field's parameters get.
template <class Real>
void trace_pullback(const VectorField<Real>& field, Lines<Real>& lines, network::Tape& tape,
                    Real* dx, Real* gradient);

}  // namespace deepsl::field
