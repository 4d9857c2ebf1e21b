#include "deepsl/model/theory_check.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <limits>

namespace deepsl::model {
namespace {

using torch::Tensor;
using torch::indexing::Slice;

double largest(const Tensor& values) {
    return values.numel() == 0 ? 0.0 : values.max().item<double>();
}

/// The larger one; unlike std::max it keeps a NaN, which must not pass for a small number.
double worse(double a, double b) { return std::isnan(a) || a > b ? a : b; }

/// The rows whose lines and eigenvalues are all ok.
Tensor good_rows(const std::vector<Outcome>& outcomes) {
    std::vector<std::int64_t> rows;
    for (std::size_t b = 0; b < outcomes.size(); ++b)
        if (outcomes[b].ok()) rows.push_back(static_cast<std::int64_t>(b));
    return torch::tensor(rows, torch::kInt64);
}

/// One field's lines on the fine grid, good rows only. Functions are [B, d, ..], the rest [B, ..].
struct Lines {
    Tensor z, length, P, q, w, lambda, u, f, residual;
    Tensor scale;  // makes u and f alike in size: (scale u)^2 + f^2 is the square of a length

    Lines(const Inspection& all, const Tensor& rows) {
        const auto kept = [&](const Tensor& t) { return t.index_select(0, rows); };
        z = kept(all.grid.z), length = kept(all.grid.length), residual = kept(all.grid.residual);
        P = kept(all.P), q = kept(all.q), w = kept(all.w);
        lambda = kept(all.lambda), u = kept(all.u_edges), f = kept(all.f_edges);
        const auto rate = lambda.unsqueeze(2).unsqueeze(3) * w.unsqueeze(1) - q.unsqueeze(1);
        const auto sum_P = (P.mean(2) * length).sum(1, true);  // [B, 1]
        const auto sum_rate = (rate.abs().mean(3) * length.unsqueeze(1)).sum(2);
        scale = (sum_rate / sum_P + 1.0 / sum_P.square()).sqrt().unsqueeze(2);
    }
    std::int64_t cells() const { return length.size(1); }
    std::int64_t d() const { return lambda.size(1); }
};

/// Along each line, the end values against the largest one.
double end_values(const Lines& lines) {
    const auto size = lines.u.abs();
    const auto ends = torch::maximum(size.select(2, 0), size.select(2, lines.cells()));
    return largest(ends / size.amax(2));
}

/// exp(Omega) of Magnus' method of order 4 applied to (u, f), forwards or backwards over cell c;
/// of the solver's own scheme, which splits a cell in two, it knows nothing.
void cross(const Lines& lines, std::int64_t c, double direction, Tensor& u, Tensor& f) {
    const auto h = direction * lines.length.select(1, c).unsqueeze(1);
    const auto at = [&](const Tensor& t, std::int64_t node) {
        return t.select(1, c).select(1, node).unsqueeze(1);
    };
    const auto last = lines.P.size(2) - 1;  // 0: one node a cell
    const auto g = [&](std::int64_t node) {
        return at(lines.q, node) - lines.lambda * at(lines.w, node);
    };
    const auto P1 = at(lines.P, 0), P2 = at(lines.P, last), g1 = g(0), g2 = g(last);
    const auto a = h * (P1 + P2) / 2.0, b = h * (g1 + g2) / 2.0;
    // Backwards the nodes change places, which turns the commutator's sign.
    const auto d = direction * std::sqrt(3.0) / 12.0 * h * h * (P2 * g1 - P1 * g2);
    const auto Y = d * d + a * b, root = Y.abs().sqrt();
    const auto small = root < 1e-4;
    const auto safe = torch::where(small, torch::ones_like(root), root);
    const auto C = torch::where(Y > 0.0, root.cosh(), root.cos());
    const auto S =
        torch::where(small, 1.0 + Y / 6.0, torch::where(Y > 0.0, safe.sinh(), safe.sin()) / safe);
    const auto next = C * u + S * (d * u + a * f);
    f = C * f + S * (b * u - d * f);
    u = next;
    const auto size = ((lines.scale.squeeze(2) * u).square() + f * f).sqrt();
    u = u / size, f = f / size;
}

/// The size of the paper's mapping H: solutions shot from either end with the eigenvalue found
/// must be one function. Returns the sine of the angle between them where the function is
/// largest: elsewhere, inside a barrier, shooting amplifies rounding.
double mismatch(const Lines& lines) {
    const auto cells = lines.cells();
    std::vector<Tensor> u_left, f_left, u_right, f_right;
    const auto shoot = [&](double direction, std::vector<Tensor>& us, std::vector<Tensor>& fs) {
        auto u = torch::zeros_like(lines.lambda), f = torch::ones_like(lines.lambda);
        us.push_back(u), fs.push_back(f);
        for (std::int64_t c = 0; c < cells; ++c) {
            cross(lines, direction > 0.0 ? c : cells - 1 - c, direction, u, f);
            us.push_back(u), fs.push_back(f);
        }
    };
    shoot(1.0, u_left, f_left);
    shoot(-1.0, u_right, f_right);
    std::reverse(u_right.begin(), u_right.end());
    std::reverse(f_right.begin(), f_right.end());
    const auto size = (lines.scale * lines.u).square() + lines.f.square();
    const auto where = size.argmax(2, true);
    const auto angle = (torch::stack(u_left, 2) * torch::stack(f_right, 2) -
                        torch::stack(f_left, 2) * torch::stack(u_right, 2))
                           .abs() *
                       lines.scale;
    return largest(angle.gather(2, where));
}

/// How many functions do not have their i - 1 zeros, told by changes of sign from edge to edge.
double wrong_counts(const Lines& lines) {
    const auto inside = lines.u.index({Slice(), Slice(), Slice(1, lines.cells())});
    const auto sign = inside > 0.0;
    const auto edges = sign.size(2);
    const auto changes =
        sign.narrow(2, 1, edges - 1).ne(sign.narrow(2, 0, edges - 1)).sum(2);  // [B, d]
    return changes.ne(torch::arange(lines.d())).sum().item<double>();
}

double smallest_gap(const Lines& lines) {
    if (lines.d() == 1) return std::numeric_limits<double>::infinity();
    const auto& l = lines.lambda;
    return (l.narrow(1, 1, lines.d() - 1) - l.narrow(1, 0, lines.d() - 1)).min().item<double>();
}

/// u at the share s of every cell, by the cubics that have u and u' = P f at both edges.
struct Cubic {
    Tensor u;  // [B, d, cell]

    Cubic(const Lines& lines, double s) {
        const auto cells = lines.cells();
        const auto P1 = lines.P.select(2, 0), P2 = lines.P.select(2, lines.P.size(2) - 1);
        // A straight line through the two nodes, which lie at 1/2 -+ sqrt(3)/6.
        const auto slope = std::sqrt(3.0) * (P2 - P1), middle = (P1 + P2) / 2.0;
        const auto h = lines.length.unsqueeze(1);
        const auto u0 = lines.u.narrow(2, 0, cells), u1 = lines.u.narrow(2, 1, cells);
        const auto v0 = lines.f.narrow(2, 0, cells) * (middle - slope / 2.0).unsqueeze(1) * h;
        const auto v1 = lines.f.narrow(2, 1, cells) * (middle + slope / 2.0).unsqueeze(1) * h;
        u = (1.0 + 2.0 * s) * (1.0 - s) * (1.0 - s) * u0 + s * s * (3.0 - 2.0 * s) * u1 +
            s * (1.0 - s) * (1.0 - s) * v0 - s * s * (1.0 - s) * v1;
    }
};

/// max |integral w u_i u_j| / (|u_i| |u_j|), by two Gauss points a cell.
double orthogonality(const Lines& lines) {
    Tensor gram;
    for (const int node : {0, 1}) {
        const double s = 0.5 + (node == 0 ? -1.0 : 1.0) * std::sqrt(3.0) / 6.0;
        const auto u = Cubic(lines, s).u;
        const auto w = lines.w.select(2, std::min<std::int64_t>(node, lines.w.size(2) - 1));
        const auto part = torch::einsum("bic,bjc,bc->bij", {u, u, w * lines.length / 2.0});
        gram = gram.defined() ? gram + part : part;
    }
    const auto norm = gram.diagonal(0, 1, 2).sqrt();
    const auto cosine = gram / (norm.unsqueeze(1) * norm.unsqueeze(2));
    return largest((cosine - torch::eye(lines.d(), torch::kFloat64)).abs());
}

Tensor relative_change(const Tensor& from, const Tensor& to) {
    return (to - from).abs() / torch::maximum(to.abs(), torch::ones_like(to));
}

/// Eigenvalues and functions from a point half way to the exit: they belong to the line, not to
/// the sample. The functions are compared there, against their largest value.
double seen_from_elsewhere(BranchImpl& branch, const Lines& lines, const Numerics& numerics) {
    const auto cell = lines.cells() * 3 / 4;
    const auto there = branch.inspect(lines.z.select(1, cell).select(1, 0).contiguous(), numerics);
    const auto rows = good_rows(there.outcomes);
    // A line that cannot be followed from there is as far from the same as can be.
    if (rows.size(0) < there.u.size(0)) return std::numeric_limits<double>::infinity();
    const auto kept = [&](const Tensor& t) { return t.index_select(0, rows); };
    const auto here = Cubic(lines, sturm::nodes(numerics.scheme).front()).u.select(2, cell);
    const auto size = lines.u.abs().amax(2);
    return worse(largest(relative_change(kept(lines.lambda), kept(there.lambda))),
                 largest((kept(here) - kept(there.u)).abs() / kept(size)));
}

/// Numerics set for a while.
class With {
public:
    With(Model& model, const Numerics& numerics) : model_(model), old_(model->numerics()) {
        model_->numerics() = numerics;
    }
    ~With() { model_->numerics() = old_; }
    With(const With&) = delete;
    With& operator=(const With&) = delete;

private:
    Model& model_;
    Numerics old_;
};

struct Change {
    std::int64_t failed = 0;  // on the model's own grid
    double prediction = 0.0, classes = 0.0, lambda = 0.0;
};

/// Between the model's own grid and one twice as fine.
Change when_doubled(Model& model, const Tensor& x) {
    const auto own = model->predict(x);
    const With finer(model, model->numerics().finer(2));
    const auto fine = model->predict(x);
    const auto both = own.ok.logical_and(fine.ok).nonzero().squeeze(1);
    Change change;
    change.failed = own.ok.numel() - own.ok.sum().item<std::int64_t>();
    if (both.size(0) == 0) return change;
    const auto y = own.y.index_select(0, both).to(torch::kFloat64);
    const auto y_fine = fine.y.index_select(0, both).to(torch::kFloat64);
    const auto spread = largest((y_fine - y_fine.mean(0)).square().mean(0).sqrt());
    const auto difference = largest((y_fine - y).abs());
    change.prediction = difference == 0.0 ? 0.0 : difference / spread;
    const auto winner = [](const Tensor& t) {
        return t.size(1) == 1 ? t.squeeze(1).gt(0.0).to(torch::kInt64) : t.argmax(1);
    };
    change.classes = winner(y).ne(winner(y_fine)).to(torch::kFloat64).mean().item<double>();
    // Field by field, against the distance to the neighbours.
    const auto fields = static_cast<std::int64_t>(model->terms());
    for (std::int64_t m = 0; m < fields; ++m) {
        const auto part = [&](const Prediction& p) {
            return p.lambda.index_select(0, both).chunk(fields, 1)[static_cast<std::size_t>(m)];
        };
        const auto l = part(fine);
        const auto difference_l = (part(own) - l).abs();
        const auto d = l.size(1);
        if (d == 1) {
            change.lambda = worse(change.lambda, largest(relative_change(part(own), l)));
            continue;
        }
        const auto gap = l.narrow(1, 1, d - 1) - l.narrow(1, 0, d - 1);
        const auto below = torch::cat({gap.narrow(1, 0, 1), gap}, 1);
        const auto above = torch::cat({gap, gap.narrow(1, d - 2, 1)}, 1);
        change.lambda = worse(change.lambda, largest(difference_l / torch::minimum(below, above)));
    }
    return change;
}

}  // namespace

std::vector<Figure> check_theory(Model& model, const Tensor& x, int finer) {
    TORCH_CHECK(x.dim() == 2 && x.size(1) == model->inputs() && x.size(0) > 0,
                "check_theory takes samples [B, ", model->inputs(), "]");
    TORCH_CHECK(finer >= 1, "check_theory: finer must be at least 1, but is ", finer);
    const torch::NoGradGuard no_grad;
    const auto samples = x.to(model->scalar_type());
    const bool narrow = model->scalar_type() != torch::kFloat64;
    const auto numerics = model->numerics().finer(finer);

    double failed = 0.0, exit = 0.0, ends = 0.0, H = 0.0, zeros = 0.0, angle = 0.0, other = 0.0;
    double gap = std::numeric_limits<double>::infinity();
    std::int64_t good = 0;
    for (auto& branch : model->branches()) {
        const auto seen = branch->inspect(samples, numerics);
        const auto rows = good_rows(seen.outcomes);
        failed += static_cast<double>(samples.size(0) - rows.size(0));
        good += rows.size(0);
        if (rows.size(0) == 0) continue;
        const Lines lines(seen, rows);
        exit = worse(exit, largest(lines.residual));
        ends = worse(ends, end_values(lines));
        H = worse(H, mismatch(lines));
        zeros += wrong_counts(lines);
        gap = -worse(-gap, -smallest_gap(lines));
        angle = worse(angle, orthogonality(lines));
        other = worse(other, seen_from_elsewhere(*branch, lines, numerics));
    }

    const auto change = when_doubled(model, samples);
    failed = std::max(failed, static_cast<double>(change.failed));
    std::vector<Figure> figures;
    figures.push_back({"failed_lines", "failed lines", failed, 0.0, false,
                       "lines that did not leave the domain, or eigenvalues not found"});
    if (good == 0) return figures;
    // The end of a line is a sum of some ten terms of size 1, each rounded in the networks' type:
    // ten units of the last place, and ten times that to be safe.
    figures.push_back({"exit", "exit condition |g|", exit, narrow ? 1e-5 : 1e-14, false,
                       "how far the ends of lines are from the boundary"});
    // Eigenfunctions are computed in double from both ends, whatever the networks' type.
    figures.push_back({"ends", "u at both ends", ends, 1e-12, false,
                       "|u(t-)| and |u(t+)| against the largest |u|: Dirichlet's condition"});
    // The next three compare methods of order 4 on the fine grid, usually 64 cells a side: beyond
    // 1e-3 that grid does not resolve the coefficients. In the third, u is read between edges.
    figures.push_back({"H", "size of H", H, 1e-3, false,
                       "angle between solutions shot from either end with lambda as found"});
    figures.push_back({"orthogonality", "orthogonality", angle, 1e-3, false,
                       "largest cosine between two functions of a line, with weight w"});
    figures.push_back({"same_line", "same line, other point", other, 1e-2, false,
                       "change of lambda and of u when solved from half way to the exit"});
    figures.push_back({"zeros", "wrong numbers of zeros", zeros, 0.0, false,
                       "functions u_i without exactly i - 1 zeros inside"});
    figures.push_back(
        {"gap", "smallest gap", gap, 0.0, true, "lambda_(i+1) - lambda_i must be positive"});

    // If every sample moved by a quarter of the spread, that would cost 6 % of R2; and more than
    // 2 % of samples in another class would show in any test.
    figures.push_back({"prediction", "change of F, grid doubled", change.prediction, 0.25, false,
                       "largest change of an output, against the spread of outputs"});
    if (model->outputs() > 1)
        figures.push_back({"classes", "classes changed", change.classes, 0.02, false,
                           "share of samples that get another class on a grid twice as fine"});
    // At a half one eigenvalue could be taken for its neighbour.
    figures.push_back({"lambda", "change of lambda", change.lambda, 0.5, false,
                       "largest change of an eigenvalue, against the distance to its neighbour"});
    return figures;
}

}  // namespace deepsl::model
