// The eigenproblem as a differentiable operation on tensors: B problems on cells, d pairs each.
//
//     -(p u')' + q u = lambda w u,   u = 0 at both ends,   u' = v at the left end
//
// Gradients go to P = 1/p, q, w, the cells' lengths, P at the left end, and v; they are exact for
// the discrete problem, and no search is differentiated.
#pragma once

#include <cstdint>

#include <torch/torch.h>

#include "deepsl/sturm/cells.h"

namespace deepsl::model {

struct LineProblems {
    torch::Tensor P, q, w;  // at the nodes       [B, cell, node]
    torch::Tensor length;   // of the cells       [B, cell]
    torch::Tensor P_start;  // P at the left end  [B]
    torch::Tensor v;        // [B, d]; undefined: 1
    sturm::Scheme scheme = sturm::Scheme::magnus4;
};

/// Always in double, whatever the type of the inputs.
struct Eigenpairs {
    torch::Tensor lambda;   // [B, d]
    torch::Tensor u;        // at the edge in the middle of the cells  [B, d]
    torch::Tensor status;   // sturm::Status, uint8          [B, d]
    torch::Tensor passes;   // sweeps over the cells, int32  [B, d]
    torch::Tensor u_edges;  // if asked for: at all edges, no gradient  [B, d, cell + 1]
    torch::Tensor f_edges;  // p u' there
};

/// NaN where the status is not ok; such an entry passes no gradient on.
Eigenpairs eigenpairs(const LineProblems& problems, std::int64_t d, bool all_edges = false);

}  // namespace deepsl::model
