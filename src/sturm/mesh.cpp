#include "mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "discretise.h"

namespace deepsl::sturm::detail {

namespace {

constexpr double rough_share = 0.01;  // of the tolerance, for a cell that extrapolation cannot help

// A cell with its coefficients, and with those of its two halves.
struct Halved {
    double left, middle, right;
    CellPieces whole;
    SampledCell first, second;
};

// What the guides are at both ends of a cell.
struct EndStates {
    std::vector<PointState> left, right;
};

class Refiner {
public:
    Refiner(const std::vector<Guide>& guides, double share, std::size_t max_cells,
            Coefficients& coefficients, Mesh& out)
        : guides_(guides),
          share_(share),
          max_cells_(max_cells),
          coefficients_(coefficients),
          out_(out),
          shift_(guides.size()) {}

    /// Appends the cell [left, right] to the new mesh, split as needed; `pending` is the number
    /// of cells still to come.
    void cell(double left, double right, bool rough, const CellPieces& whole,
              const EndStates& ends, std::size_t pending) {
        const Halved h = halve(left, right, whole);
        std::vector<PointState> mid(guides_.size());
        const double trouble = error(h, ends, mid);
        const bool good = trouble <= (rough ? rough_share : share_);
        if (good || !divisible(h, pending)) {
            if (rough || !good) result.unresolved += trouble;
            return keep(right, rough);
        }
        ++result.splits;
        const EndStates one{ends.left, mid}, two{mid, ends.right};
        const Halved h1 = halve(left, h.middle, h.first.pieces);
        const Halved h2 = halve(h.middle, right, h.second.pieces);
        // In smooth cells of order 4, both halves together keep 1/16 of the error.
        const bool now_rough = error(h1, one, mid) + error(h2, two, mid) > trouble / 6.0;
        if (sensitive(h)) {
            // The guides will look different on the finer mesh: look again in the next round.
            keep(h.middle, now_rough);
            keep(right, now_rough);
            return;
        }
        cell(left, h.middle, now_rough, h.first.pieces, one, pending + 1);
        cell(h.middle, right, now_rough, h.second.pieces, two, pending);
    }

    Refinement result;

private:
    Halved halve(double left, double right, const CellPieces& whole) {
        const double middle = left + 0.5 * (right - left);
        return {left,  middle, right, whole, coefficients_.cell(left, middle),
                coefficients_.cell(middle, right)};
    }

    void keep(double right, bool rough) {
        out_.edges.push_back(right);
        out_.rough.push_back(rough);
    }

    bool divisible(const Halved& h, std::size_t pending) const {
        constexpr double narrowest = 1e-14;  // so that later halvings stay possible
        const double width = h.right - h.left;
        return width > narrowest * std::max(std::fabs(h.left), std::fabs(h.right)) &&
               out_.edges.size() + pending + 2 < max_cells_;
    }

    // Whether a solution may turn or grow much within the cell.
    bool sensitive(const Halved& h) const {
        for (const Guide& g : guides_) {
            for (const Piece& c : h.whole) {
                if (std::fabs(c.a * (c.g0 - g.lambda * c.g1)) > 1.0) return true;
            }
        }
        return false;
    }

    // The largest error of any guide's eigenvalue, in tolerances, that the cell is seen to make;
    // and the guides' states at its middle.
    double error(const Halved& h, const EndStates& ends, std::vector<PointState>& mid) {
        splitting_error(h, ends, mid);
        hidden_error(h, ends);
        double worst = 0.0;
        for (std::size_t i = 0; i < guides_.size(); ++i)
            worst = std::max(worst, shift_[i] / guides_[i].tolerance);
        return worst;
    }

    static double size2(const Piece& c, double lambda, const PointState& y) {
        return std::fabs(c.g0 - lambda * c.g1) * y.u * y.u + c.a * y.f * y.f;
    }

    // What the whole cell makes against its two halves. A guide is followed from the end where it
    // is small to the end where it is large: the stable direction.
    void splitting_error(const Halved& h, const EndStates& ends, std::vector<PointState>& mid) {
        constexpr double nothing = 1e-60;  // u^2 so small moves no eigenvalue
        for (std::size_t i = 0; i < guides_.size(); ++i) {
            const double lambda = guides_[i].lambda;
            const double from = size2(h.whole[0], lambda, ends.left[i]);
            const double to = size2(h.whole[1], lambda, ends.right[i]);
            PointState fine, coarse;
            if (std::max(from, to) < nothing) {
                mid[i] = fine = coarse = {0.0, 0.0};
            } else if (from <= to) {
                mid[i] = advance(h.first.pieces, lambda, ends.left[i]);
                fine = advance(h.second.pieces, lambda, mid[i]);
                coarse = advance(h.whole, lambda, ends.left[i]);
            } else {
                mid[i] = retreat(h.second.pieces, lambda, ends.right[i]);
                fine = retreat(h.first.pieces, lambda, mid[i]);
                coarse = retreat(h.whole, lambda, ends.right[i]);
            }
            shift_[i] = std::fabs(fine.u * coarse.f - fine.f * coarse.u);
            if (!std::isfinite(shift_[i])) shift_[i] = 1e100;
        }
    }

    // Nodes leave gaps, at the ends and in the middle, where a jump goes unseen by all of them. So
    // look there: where a value differs from the cubic through the four nodes of the halves, that
    // difference, over the gap, is an error too.
    void hidden_error(const Halved& h, const EndStates& ends) {
        constexpr double inside = 1e-9;  // of the cell: a jump right at an edge does no harm
        constexpr double gap = 0.1;      // of the cell: from an end to the first node
        const double width = h.right - h.left;
        const Values seen[] = {coefficients_.at(h.left + inside * width),
                               coefficients_.at(h.middle),
                               coefficients_.at(h.right - inside * width)};
        const Values* x = h.first.node;
        const Values* y = h.second.node;
        Values off{0.0, 0.0, 0.0};
        for (std::size_t k = 0; k < 3; ++k) {
            off.P += std::fabs(seen[k].P - cubic(k, x[0].P, x[1].P, y[0].P, y[1].P));
            off.q += std::fabs(seen[k].q - cubic(k, x[0].q, x[1].q, y[0].q, y[1].q));
            off.w += std::fabs(seen[k].w - cubic(k, x[0].w, x[1].w, y[0].w, y[1].w));
        }
        for (std::size_t i = 0; i < guides_.size(); ++i) {
            const double u = std::max(std::fabs(ends.left[i].u), std::fabs(ends.right[i].u));
            const double f = std::max(std::fabs(ends.left[i].f), std::fabs(ends.right[i].f));
            const double moved = off.q + std::fabs(guides_[i].lambda) * off.w;
            shift_[i] = std::max(shift_[i], gap * width * (off.P * f * f + moved * u * u));
        }
    }

    // The cubic through the four nodes of two halves, at the left end (0), the middle (1) or the
    // right end (2) of the cell.
    static double cubic(std::size_t where, double x0, double x1, double x2, double x3) {
        if (where == 2) return cubic(0, x3, x2, x1, x0);
        if (where == 1) return 0.5386751345948129 * (x1 + x2) - 0.0386751345948129 * (x0 + x3);
        return 1.8763883748662837 * (x0 - x1) + 1.2216878364870322 * x2 - 0.2216878364870322 * x3;
    }

    const std::vector<Guide>& guides_;
    double share_;
    std::size_t max_cells_;
    Coefficients& coefficients_;
    Mesh& out_;
    std::vector<double> shift_;  // of each guide's eigenvalue, by the cell last looked at
};

}  // namespace

Mesh first_mesh(const Problem& problem) {
    constexpr double cells_in_all = 24.0;
    std::vector<double> points{problem.a, problem.b};
    for (double t : problem.breaks) {
        if (t > problem.a && t < problem.b) points.push_back(t);
    }
    std::sort(points.begin(), points.end());
    points.erase(std::unique(points.begin(), points.end()), points.end());
    Mesh mesh;
    mesh.edges.push_back(problem.a);
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double from = points[i - 1], to = points[i];
        const double part = (to - from) / (problem.b - problem.a);
        const auto steps = static_cast<std::size_t>(std::ceil(part * cells_in_all));
        for (std::size_t k = 1; k < steps; ++k) {
            const double t = from + (to - from) * static_cast<double>(k) / static_cast<double>(steps);
            if (t > mesh.edges.back() && t < to) mesh.edges.push_back(t);
        }
        mesh.edges.push_back(to);
    }
    mesh.rough.assign(mesh.cells(), 0);
    return mesh;
}

void make_line(const Problem& problem, const Mesh& mesh, std::size_t parts,
               Coefficients& coefficients, Line& line) {
    line.left = start_left(problem.left);
    line.right = start_right(problem.right);
    line.pieces.resize(2 * parts * mesh.cells());
    std::size_t at = 0;
    for (std::size_t k = 0; k < mesh.cells(); ++k) {
        const double from = mesh.edges[k], step = mesh.edges[k + 1] - from;
        for (std::size_t j = 0; j < parts; ++j) {
            const auto n = static_cast<double>(parts);
            const double left = from + step * (static_cast<double>(j) / n);
            const double right = from + step * (static_cast<double>(j + 1) / n);
            for (const Piece& c : coefficients.cell(left, right).pieces) line.pieces.set(at++, c);
        }
    }
}

Refinement refine(Mesh& mesh, const std::vector<Guide>& guides, double share,
                  std::size_t max_cells, Coefficients& coefficients) {
    Mesh finer;
    finer.edges.push_back(mesh.edges.front());
    Refiner refiner(guides, share, max_cells, coefficients, finer);
    EndStates ends{std::vector<PointState>(guides.size()), std::vector<PointState>(guides.size())};
    for (std::size_t k = 0; k < mesh.cells(); ++k) {
        for (std::size_t i = 0; i < guides.size(); ++i) {
            ends.left[i] = guides[i].states[k];
            ends.right[i] = guides[i].states[k + 1];
        }
        const double left = mesh.edges[k], right = mesh.edges[k + 1];
        refiner.cell(left, right, mesh.rough[k] != 0, coefficients.cell(left, right).pieces, ends,
                     mesh.cells() - k);
    }
    mesh = std::move(finer);
    return refiner.result;
}

}  // namespace deepsl::sturm::detail
