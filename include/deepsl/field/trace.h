// Field lines: dz/dt = a(z), z(0) = x, both ways until the line leaves the domain.
//
// A line is a chain of polynomial pieces, the dense output of its Runge-Kutta steps; it leaves
// where the first piece crosses the boundary, at t- < 0 and t+ > 0. A piece whose control points
// lie in the (convex) domain lies in it whole, so no exit is stepped over.
//
// Gradients are exact for this discrete line: through the steps by autograd, through the exits by
// the implicit function theorem, dt = -(grad g . dz) / (grad g . z'). Steps of fixed pace,
// h = 1 / (2 steps pace(a)), are differentiated too; steps chosen by a tolerance are constants.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include <torch/torch.h>

#include "deepsl/field/domain.h"
#include "deepsl/field/method.h"
#include "deepsl/field/vector_field.h"
#include "deepsl/sturm/cells.h"

namespace deepsl::field {

/// The outcome of one line.
enum class LineStatus : std::uint8_t {
    ok,
    not_finite,  // the sample, or the field on the way, is NaN or infinite
    outside,     // the sample does not lie inside the domain
    step_limit,  // the line had not left the domain after max_steps
};

std::string_view name(LineStatus status);
std::string_view sentence(LineStatus status);

struct TraceOptions {
    const Method* method = &rk4();
    int steps = 6;            // a side, for a line through the centre; pace of fixed steps
    double tolerance = 1e-5;  // of adaptive steps, per step, in the domain's coordinates
    int max_steps = 1000;     // a side
};

/// One Runge-Kutta step of those lines that were still inside. Rows are these lines.
struct Step {
    std::vector<std::int64_t> lines;  // 0..B-1 forwards, B..2B-1 backwards
    torch::Tensor z;                  // where the step starts   [row, n]
    std::vector<torch::Tensor> k;     // slopes at the stages    [stage][row, n]
    torch::Tensor h;                  // signed step, double     [row]
    std::vector<double> pace;         // widths crossed, about   [row]
};

struct FieldLines {
    /// Where a line's pieces are: piece i is row `row` of step `step`.
    struct Place {
        std::int32_t step, row;
    };

    torch::Tensor x;  // the samples  [B, n]
    DomainPointer domain;
    const Method* method = nullptr;
    std::vector<Step> steps;
    std::vector<std::vector<Place>> pieces;  // [line]; the last one contains the exit
    std::vector<double> exit;                // where in the last piece, 0..1  [line]
    std::vector<LineStatus> line_status;     // [line]
    std::int64_t evaluations = 0;            // of the field, in rows

    std::int64_t samples() const { return x.size(0); }
    /// The worse of both directions, by sample.
    std::vector<LineStatus> status() const;
    /// Steps of both directions together, by sample.
    std::vector<int> step_counts() const;
};

/// Lines through x [B, n]. Whatever is wrong with one sample is told in its status.
FieldLines trace(VectorFieldImpl& field, const DomainPointer& domain, const torch::Tensor& x,
                 const TraceOptions& options = {});

/// The cells of a Sturm-Liouville problem on each line: m on [t-, 0] and m on [0, t+], of equal
/// pace through the domain. Differentiable, except for the residual.
struct LineGrid {
    torch::Tensor z;         // nodes, from t- to t+   [B, 2m, node, n]
    torch::Tensor length;    // of the cells in t, double   [B, 2m]
    torch::Tensor entry;     // z(t-)   [B, n]
    torch::Tensor exit;      // z(t+)   [B, n]
    torch::Tensor t_minus;   // double  [B]
    torch::Tensor t_plus;    // double  [B]
    torch::Tensor residual;  // larger |g| at both ends, double  [B]
};

/// Lines that failed get harmless values: all nodes at the centre.
LineGrid grid(const FieldLines& lines, std::int64_t cells_per_side, sturm::Scheme scheme);

}  // namespace deepsl::field
