#include "mesh.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "discretise.h"

namespace deepsl::sturm::detail {

namespace {

// Of the tolerance, for a cell that extrapolation cannot help.
constexpr double rough_share = 0.01;

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

// How a coefficient runs through a cell, from the values at four nodes and three points between.
struct Course {
    double off = 0.0;     // by how much the points differ from the cubic through the nodes
    double spread = 0.0;  // from the lowest to the highest value

    // Neither smooth nor yet resolved: a jump, a kink, or a wave shorter than the cell.
    bool is_rough(double size) const { return off > 0.01 * spread && spread > 1e-12 * size; }
};

// A cell that was looked at: the guides at its middle, and the largest errors of any guide's
// eigenvalue, in tolerances, that it is seen to make.
struct Seen {
    Halved cell;
    EndStates ends;
    std::vector<PointState> middle;
    double splitting_error;  // against its two halves
    double hidden_error;     // by what may hide between the nodes
    bool rough;

    double error() const { return std::max(splitting_error, hidden_error); }
};

// Whether errors behave as in smooth cells of order 4: both halves together keep 1/16 of them.
bool falls(const Seen& whole, const Seen& one, const Seen& two) {
    const auto less = [](double all, double half, double other) {
        return half + other <= std::max(all / 6.0, rough_share);
    };
    return !whole.rough && less(whole.splitting_error, one.splitting_error, two.splitting_error) &&
           less(whole.hidden_error, one.hidden_error, two.hidden_error);
}

class Refiner {
public:
    Refiner(const std::vector<Guide>& guides, double share, double interval, std::size_t max_cells,
            Coefficients& coefficients, Mesh& out)
        : guides_(guides),
          interval_(interval),
          share_(share),
          max_cells_(max_cells),
          coefficients_(coefficients),
          out_(out) {}

    Seen look(double left, double right, const CellPieces& whole, EndStates ends) {
        Seen s{halve(left, right, whole), std::move(ends), {}, 0.0, 0.0, false};
        s.middle.resize(guides_.size());
        compare_with_halves(s);
        look_between_nodes(s);
        return s;
    }

    /// Appends the cell to the new mesh, split as needed. `known_smooth` spares looking closer, if
    /// an earlier round did; `pending` is the number of cells still to come.
    void place(const Seen& s, bool known_smooth, std::size_t pending) {
        if (s.error() <= rough_share) {
            if (s.rough) result.unresolved += s.error();
            return keep(s.cell.right, known_smooth);
        }
        if (known_smooth && s.error() <= share_) return keep(s.cell.right, true);
        const Seen one = first_half(s), two = second_half(s);
        // A larger error is left to extrapolation, if it falls as it should, and goes on doing so.
        if (s.error() <= share_ && falls(s, one, two) && falls_on(one) && falls_on(two))
            return keep(s.cell.right, true);
        if (!divisible(s.cell, pending)) {
            result.unresolved += s.error();
            return keep(s.cell.right, false);
        }
        ++result.splits;
        if (sensitive(s.cell)) {
            // The guides will look different on the finer mesh: look again in the next round.
            keep(s.cell.middle, false);
            keep(s.cell.right, false);
            return;
        }
        place(one, false, pending + 1);
        place(two, false, pending);
    }

    Refinement result;

private:
    Halved halve(double left, double right, const CellPieces& whole) {
        const double middle = left + 0.5 * (right - left);
        return {left,
                middle,
                right,
                whole,
                coefficients_.cell(left, middle),
                coefficients_.cell(middle, right)};
    }

    void keep(double right, bool smooth) {
        out_.edges.push_back(right);
        out_.smooth.push_back(smooth);
    }

    Seen first_half(const Seen& s) {
        return look(s.cell.left, s.cell.middle, s.cell.first.pieces, {s.ends.left, s.middle});
    }

    Seen second_half(const Seen& s) {
        return look(s.cell.middle, s.cell.right, s.cell.second.pieces, {s.middle, s.ends.right});
    }

    bool falls_on(const Seen& s) {
        return s.error() <= rough_share || falls(s, first_half(s), second_half(s));
    }

    bool divisible(const Halved& h, std::size_t pending) const {
        // Cells stay wide enough to be halved again and again, beside t and beside the interval.
        const double narrowest =
            1e-14 * std::max(std::fabs(h.left), std::fabs(h.right)) + 1e-16 * interval_;
        return h.right - h.left > narrowest && out_.edges.size() + pending + 2 < max_cells_;
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

    double in_tolerances(double shift, std::size_t guide) const {
        const double error = shift / guides_[guide].tolerance;
        return std::isfinite(error) ? error : 1e100;
    }

    static double size2(const Piece& c, double lambda, const PointState& y) {
        return std::fabs(c.g0 - lambda * c.g1) * y.u * y.u + c.a * y.f * y.f;
    }

    // What the whole cell makes against its two halves. A guide is followed from the end where it
    // is small to the end where it is large: the stable direction.
    void compare_with_halves(Seen& s) const {
        const Halved& h = s.cell;
        const EndStates& ends = s.ends;
        std::vector<PointState>& mid = s.middle;
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
            const double shift = std::fabs(fine.u * coarse.f - fine.f * coarse.u);
            s.splitting_error = std::max(s.splitting_error, in_tolerances(shift, i));
        }
    }

    // Nodes leave gaps, at the ends and in the middle, where a jump goes unseen by all of them. So
    // look there: where a value differs from the cubic through the four nodes of the halves, that
    // difference, over the gap, is an error too; in a rough cell, even the whole spread of values.
    void look_between_nodes(Seen& s) {
        constexpr double inside = 1e-9;  // of the cell: a jump right at an edge does no harm
        constexpr double gap = 0.1;      // of the cell: from an end to the first node
        const Halved& h = s.cell;
        const double width = h.right - h.left;
        const Values at[] = {h.first.node[0],
                             h.first.node[1],
                             h.second.node[0],
                             h.second.node[1],
                             coefficients_.at(h.left + inside * width),
                             coefficients_.at(h.middle),
                             coefficients_.at(h.right - inside * width)};
        const Course P = course(at, &Values::P), q = course(at, &Values::q),
                     w = course(at, &Values::w);
        // A small q may have the roundings of a large one that it is the difference of.
        s.rough =
            P.is_rough(at[0].P) || w.is_rough(at[0].w) || q.is_rough(std::fabs(at[0].q) + at[0].w);
        for (std::size_t i = 0; i < guides_.size(); ++i) {
            const double u = std::max(std::fabs(s.ends.left[i].u), std::fabs(s.ends.right[i].u));
            const double f = std::max(std::fabs(s.ends.left[i].f), std::fabs(s.ends.right[i].f));
            const auto moved = [&](double dP, double dq, double dw) {
                const double g = dq + std::fabs(guides_[i].lambda) * dw;
                return gap * width * (dP * f * f + g * u * u);
            };
            const double hidden =
                s.rough ? moved(P.spread, q.spread, w.spread) : moved(P.off, q.off, w.off);
            s.hidden_error = std::max(s.hidden_error, in_tolerances(hidden, i));
        }
    }

    static Course course(const Values (&at)[7], double Values::*member) {
        Course c;
        double low = at[0].*member, high = low;
        for (const Values& v : at) {
            low = std::min(low, v.*member);
            high = std::max(high, v.*member);
        }
        c.spread = high - low;
        for (std::size_t k = 0; k < 3; ++k) {
            const double expected =
                cubic(k, at[0].*member, at[1].*member, at[2].*member, at[3].*member);
            c.off += std::fabs(at[4 + k].*member - expected);
        }
        return c;
    }

    // The cubic through the four nodes of two halves, at the left end (0), the middle (1) or the
    // right end (2) of the cell.
    static double cubic(std::size_t where, double x0, double x1, double x2, double x3) {
        if (where == 2) return cubic(0, x3, x2, x1, x0);
        if (where == 1) return 0.5386751345948129 * (x1 + x2) - 0.0386751345948129 * (x0 + x3);
        return 1.8763883748662837 * (x0 - x1) + 1.2216878364870322 * x2 - 0.2216878364870322 * x3;
    }

    const std::vector<Guide>& guides_;
    double interval_;  // its length
    double share_;
    std::size_t max_cells_;
    Coefficients& coefficients_;
    Mesh& out_;
};

}  // namespace

// Points on both sides of steps that are large beside most others: where a narrow feature may hide
// from the few nodes of the first cells.
std::vector<double> steep_places(const Problem& problem, Coefficients& coefficients) {
    constexpr std::size_t probes = 1000;
    constexpr double unusual = 30.0, relevant = 0.01;
    std::vector<double> t(probes);
    std::vector<Values> at(probes);
    for (std::size_t k = 0; k < probes; ++k) {
        // Even steps, shaken a little, so that no regular pattern falls between them.
        const double shake = 0.5 * std::fmod(static_cast<double>(k) * std::numbers::phi, 1.0);
        t[k] = problem.a + (problem.b - problem.a) *
                               ((static_cast<double>(k) + shake) / static_cast<double>(probes));
        at[k] = coefficients.at(t[k]);
    }
    std::vector<double> places;
    for (double Values::*member : {&Values::P, &Values::q, &Values::w}) {
        std::vector<double> steps(probes - 1);
        double low = at[0].*member, high = low;
        for (std::size_t k = 0; k + 1 < probes; ++k) {
            steps[k] = std::fabs(at[k + 1].*member - at[k].*member);
            low = std::min(low, at[k + 1].*member);
            high = std::max(high, at[k + 1].*member);
        }
        std::vector<double> sorted = steps;
        std::nth_element(sorted.begin(), sorted.begin() + probes / 2, sorted.end());
        const double usual = sorted[probes / 2];
        for (std::size_t k = 0; k + 1 < probes; ++k) {
            if (steps[k] <= unusual * usual || steps[k] <= relevant * (high - low)) continue;
            places.push_back(t[k]);
            places.push_back(t[k + 1]);
        }
    }
    return places;
}

Mesh first_mesh(const Problem& problem, Coefficients& coefficients) {
    constexpr double cells_in_all = 24.0;
    const double length = problem.b - problem.a;
    coefficients.at(problem.a);
    coefficients.at(problem.b);
    std::vector<double> inner = steep_places(problem, coefficients);
    inner.insert(inner.end(), problem.breaks.begin(), problem.breaks.end());
    std::sort(inner.begin(), inner.end());
    std::vector<double> points{problem.a};
    for (double t : inner) {
        // Points that double can hardly tell apart are one.
        const double close = 1e-12 * (std::fabs(t) + length);
        if (t > points.back() + close && t < problem.b - close) points.push_back(t);
    }
    points.push_back(problem.b);
    Mesh mesh;
    mesh.edges.push_back(problem.a);
    for (std::size_t i = 1; i < points.size(); ++i) {
        const double from = points[i - 1], to = points[i];
        const auto steps = static_cast<std::size_t>(std::ceil((to - from) / length * cells_in_all));
        for (std::size_t k = 1; k < steps; ++k) {
            const double t =
                from + (to - from) * static_cast<double>(k) / static_cast<double>(steps);
            if (t > mesh.edges.back() && t < to) mesh.edges.push_back(t);
        }
        mesh.edges.push_back(to);
    }
    mesh.smooth.assign(mesh.cells(), 0);
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

Refinement refine(Mesh& mesh, const std::vector<Guide>& guides, double share, std::size_t max_cells,
                  Coefficients& coefficients) {
    Mesh finer;
    finer.edges.push_back(mesh.edges.front());
    const double interval = mesh.edges.back() - mesh.edges.front();
    Refiner refiner(guides, share, interval, max_cells, coefficients, finer);
    for (std::size_t k = 0; k < mesh.cells(); ++k) {
        EndStates ends;
        for (const Guide& g : guides) {
            ends.left.push_back(g.states[k]);
            ends.right.push_back(g.states[k + 1]);
        }
        const double left = mesh.edges[k], right = mesh.edges[k + 1];
        const CellPieces pieces = coefficients.cell(left, right).pieces;
        refiner.place(refiner.look(left, right, pieces, std::move(ends)), mesh.smooth[k] != 0,
                      mesh.cells() - k);
    }
    mesh = std::move(finer);
    return refiner.result;
}

}  // namespace deepsl::sturm::detail
