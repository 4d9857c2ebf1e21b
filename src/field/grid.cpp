// Cells on field lines, and their derivatives. Along one side of a line, with pieces j = 0..K of
// step h_j and pace w_j, start times t_j and the exit at share phi of the last piece:
//
//     pace to the exit  S = w_0 + .. + w_{K-1} + phi w_K
//     edge e = 0..m     t_e = t_j + h_j (S e/m - s_j) / w_j,   s_j = w_0 + .. + w_{j-1}
//     node              z(t) = z_j + h_j sum_i b_i(f) k_i,     f = (t - t_j) / h_j
//
// phi is the root of g(z) = 0 on piece K, and is differentiated as such.
#include "deepsl/field/grid.h"

#include <algorithm>
#include <cmath>

#include "deepsl/error.h"
#include "field/row_kernel.h"

namespace deepsl::field {
namespace {

/// Where a time lies: on which piece, and where on it.
struct Spot {
    std::size_t piece = 0;
    double share = 0.0;
};

template <class Real>
struct Piece {
    const Real* z;
    const Real* k;       // of the first stage; the others follow at a distance
    std::size_t stride;  // between stages
    double h, pace;
    double t = 0.0, s = 0.0;  // time and pace where it starts
};

/// One side of one line: its pieces, edges and nodes. Kept from line to line for its memory.
template <class Real>
struct Side {
    const DenseTable* dense = nullptr;
    std::vector<Piece<Real>> pieces;
    double phi = 0.0, sign = 1.0;
    std::vector<double> t;    // edges, from the sample outwards
    std::vector<Spot> spots;  // of the edges

    void prepare(const Lines<Real>& lines, const DenseTable& table, std::size_t line,
                 std::size_t cells) {
        const auto n = lines.n;
        dense = &table;
        sign = line < lines.samples ? 1.0 : -1.0;
        phi = lines.exit[line];
        pieces.clear();
        for (const auto& place : lines.pieces[line]) {
            const auto& round = lines.rounds[place.round];
            Piece<Real> piece{round.points.data() + place.row * n, round.k.data() + place.row * n,
                              round.rows * n, round.h[place.row], round.pace[place.row]};
            if (!pieces.empty()) {
                piece.t = pieces.back().t + pieces.back().h;
                piece.s = pieces.back().s + pieces.back().pace;
            }
            pieces.push_back(piece);
        }
        const auto last = pieces.size() - 1;
        const double total = pieces[last].s + phi * pieces[last].pace;
        spots.clear();
        t.clear();
        std::size_t j = 0;
        for (std::size_t e = 0; e < cells; ++e) {
            const double s = total * static_cast<double>(e) / static_cast<double>(cells);
            while (j < last && pieces[j + 1].s <= s) ++j;
            spots.push_back({j, (s - pieces[j].s) / pieces[j].pace});
        }
        spots.push_back({last, phi});
        for (const auto& spot : spots)
            t.push_back(pieces[spot.piece].t + spot.share * pieces[spot.piece].h);
    }

    /// The node at share c of the cell that follows edge e.
    Spot node(std::size_t e, double c) const {
        const double time = t[e] + c * (t[e + 1] - t[e]);
        std::size_t j = spots[e].piece;
        while (j + 1 < pieces.size() && sign * (time - pieces[j + 1].t) >= 0.0) ++j;
        return {j, (time - pieces[j].t) / pieces[j].h};
    }

    void position(const Spot& spot, std::size_t n, Real* out) const {
        const auto& piece = pieces[spot.piece];
        const DenseWeights weights(*dense, spot.share);
        const Real* k[Method::max_stages];
        Real factor[Method::max_stages];
        for (std::size_t s = 0; s < dense->stages; ++s) {
            k[s] = piece.k + s * piece.stride;
            factor[s] = static_cast<Real>(piece.h * weights.b[s]);
        }
        row_kernel<Real>().combine(piece.z, k, factor, dense->stages, n, out);
    }
};

/// Where the numbers of a side stand in the arrays of the grid.
template <class Real>
struct Layout {
    const Grid<Real>& grid;
    std::span<const double> shares;  // nodes of the unit cell
    std::size_t m;                   // cells a side

    Layout(const Grid<Real>& g, sturm::Scheme scheme)
        : grid(g), shares(sturm::nodes(scheme)), m(g.cells / 2) {}

    bool backwards(std::size_t line) const { return line >= grid.samples; }
    std::size_t sample(std::size_t line) const { return line % grid.samples; }
    /// Cell e from the sample outwards, in the order from t- to t+.
    std::size_t cell(std::size_t line, std::size_t e) const {
        return sample(line) * grid.cells + (backwards(line) ? m - 1 - e : m + e);
    }
    /// Node i's share of its cell, seen from the sample outwards.
    double share(std::size_t line, std::size_t i) const {
        return backwards(line) ? 1.0 - shares[i] : shares[i];
    }
    std::size_t node(std::size_t line, std::size_t e, std::size_t i) const {
        return (cell(line, e) * grid.nodes + i) * grid.n;
    }
    std::size_t entry(std::size_t sample) const {
        return (grid.samples * grid.cells * grid.nodes + sample) * grid.n;
    }
};

/// Derivatives of one side; those by its steps are written straight into the rounds.
template <class Real>
struct SideAdjoint {
    Lines<Real>* lines = nullptr;
    std::size_t line = 0, n = 0;
    const Side<Real>* side = nullptr;
    std::vector<double> dh, dt_start;  // [piece]
    std::vector<double> dt_edge;       // [edge]
    double d_phi = 0.0;

    void prepare(Lines<Real>& all, std::size_t number, const Side<Real>& own, std::size_t m) {
        lines = &all;
        line = number;
        n = all.n;
        side = &own;
        dh.assign(own.pieces.size(), 0.0);
        dt_start.assign(own.pieces.size(), 0.0);
        dt_edge.assign(m + 1, 0.0);
        d_phi = 0.0;
    }

    /// A seed on the point at `spot`. Returns the seed's product with the velocity dz/dt.
    double add_point(const Spot& spot, const Real* seed, bool share_is_fixed) {
        const auto stages = side->dense->stages;
        const auto& piece = side->pieces[spot.piece];
        const auto& place = lines->pieces[line][spot.piece];
        auto& round = lines->rounds[place.round];
        const DenseWeights weights(*side->dense, spot.share);
        const auto& kernel = row_kernel<Real>();
        kernel.add(seed, n, round.dz.data() + place.row * n);
        const Real* k[Method::max_stages];
        Real* dk[Method::max_stages];
        Spread<Real> spread;
        for (std::size_t s = 0; s < stages; ++s) {
            k[s] = piece.k + s * piece.stride;
            dk[s] = round.dk.data() + (s * round.rows + place.row) * n;
            spread.factor[s] = static_cast<Real>(piece.h * weights.b[s]);
            spread.first[s] = static_cast<Real>(weights.slope[s]);
            spread.second[s] = static_cast<Real>(weights.b[s]);
        }
        const auto sums = kernel.spread(seed, k, spread, stages, n, dk);
        const auto along = static_cast<double>(sums.first);
        dh[spot.piece] += static_cast<double>(sums.second);
        if (!share_is_fixed) {
            dh[spot.piece] -= spot.share * along;
            dt_start[spot.piece] -= along;
        }
        return along;
    }

    void add_node(std::size_t e, double c, const Real* seed) {
        const double along = add_point(side->node(e, c), seed, false);
        dt_edge[e] += (1.0 - c) * along;
        dt_edge[e + 1] += c * along;
    }

    void add_end(const Real* seed) {
        d_phi += side->pieces.back().h * add_point(side->spots.back(), seed, true);
    }

    void finish() {
        const auto m = dt_edge.size() - 1;
        const auto& last = side->pieces.back();
        for (std::size_t e = 1; e <= m; ++e) {
            const auto& spot = side->spots[e];
            const auto& piece = side->pieces[spot.piece];
            dt_start[spot.piece] += dt_edge[e];
            dh[spot.piece] += spot.share * dt_edge[e];
            d_phi += dt_edge[e] * piece.h / piece.pace * last.pace * static_cast<double>(e) /
                     static_cast<double>(m);
        }
        add_exit();
        double later = 0.0;
        for (std::size_t j = side->pieces.size(); j-- > 0;) {
            const auto& place = lines->pieces[line][j];
            lines->rounds[place.round].dh[place.row] += dh[j] + later;
            later += dt_start[j];
        }
    }

private:
    void add_exit() {
        const auto& last = side->pieces.back();
        const DenseWeights weights(*side->dense, side->phi);
        thread_local std::vector<Real> point, seed;
        thread_local std::vector<double> wide, gradient;
        point.resize(n), seed.resize(n), gradient.resize(n);
        side->position(side->spots.back(), n, point.data());
        wide.assign(point.begin(), point.end());
        lines->domain->level_gradient(wide, gradient);
        double speed = 0.0;  // of g along the line
        for (std::size_t s = 0; s < side->dense->stages; ++s)
            for (std::size_t i = 0; i < n; ++i)
                speed += weights.slope[s] * gradient[i] *
                         static_cast<double>(last.k[s * last.stride + i]);
        const double factor = -d_phi / (last.h * speed);
        if (!std::isfinite(factor)) return;  // a line that only grazes has no derivative here
        for (std::size_t i = 0; i < n; ++i) seed[i] = static_cast<Real>(factor * gradient[i]);
        add_point(side->spots.back(), seed.data(), true);
    }
};

template <class Real>
bool failed(const Lines<Real>& lines, std::size_t line) {
    return lines.status(line % lines.samples) != LineStatus::ok;
}

}  // namespace

template <class Real>
void grid(const Lines<Real>& lines, std::size_t cells_per_side, sturm::Scheme scheme,
          Grid<Real>& g) {
    const auto samples = lines.samples, n = lines.n, m = cells_per_side;
    if (m < 1) throw argument_error("a line needs at least one cell a side");
    g.samples = samples, g.n = n, g.cells = 2 * m, g.nodes = sturm::nodes_per_cell(scheme);
    g.z.resize(g.rows() * n);
    g.exit.resize(samples * n);
    g.length.assign(samples * g.cells, 1.0 / static_cast<double>(m));
    g.t_minus.assign(samples, -1.0);
    g.t_plus.assign(samples, 1.0);
    g.residual.assign(samples, 0.0);
    const Layout<Real> layout(g, scheme);
    const DenseTable dense(*lines.method);
    thread_local Side<Real> side;
    thread_local std::vector<double> wide;
    for (std::size_t line = 0; line < 2 * samples; ++line) {
        const auto b = layout.sample(line);
        Real* const end =
            layout.backwards(line) ? g.z.data() + layout.entry(b) : g.exit.data() + b * n;
        if (failed(lines, line)) {
            // Not the sample: far outside, networks overflow, and 0 times infinity is NaN.
            const auto centre = static_cast<Real>(lines.domain->centre());
            for (std::size_t e = 0; e < m; ++e)
                std::fill_n(g.z.data() + layout.node(line, e, 0), g.nodes * n, centre);
            std::fill_n(end, n, centre);
            continue;
        }
        side.prepare(lines, dense, line, m);
        for (std::size_t e = 0; e < m; ++e) {
            for (std::size_t i = 0; i < g.nodes; ++i)
                side.position(side.node(e, layout.share(line, i)), n,
                              g.z.data() + layout.node(line, e, i));
            g.length[layout.cell(line, e)] = side.sign * (side.t[e + 1] - side.t[e]);
        }
        side.position(side.spots.back(), n, end);
        (layout.backwards(line) ? g.t_minus : g.t_plus)[b] = side.t.back();
        wide.assign(end, end + n);
        g.residual[b] = std::max(g.residual[b], std::fabs(lines.domain->level(wide)));
    }
}

template <class Real>
void grid_pullback(Lines<Real>& lines, const Grid<Real>& g, sturm::Scheme scheme,
                   const GridSeeds<Real>& seeds) {
    const auto n = lines.n;
    for (std::size_t i = 0; i < lines.rounds_used; ++i) {
        auto& round = lines.rounds[i];
        round.dz.assign(round.rows * n, Real(0));
        round.dend.assign(round.rows * n, Real(0));
        round.dk.assign(round.k.size(), Real(0));
        round.dh.assign(round.rows, 0.0);
    }
    const Layout<Real> layout(g, scheme);
    const DenseTable dense(*lines.method);
    thread_local Side<Real> side;
    thread_local SideAdjoint<Real> adjoint;
    for (std::size_t line = 0; line < 2 * lines.samples; ++line) {
        if (failed(lines, line)) continue;
        const auto b = layout.sample(line);
        side.prepare(lines, dense, line, layout.m);
        adjoint.prepare(lines, line, side, layout.m);
        for (std::size_t e = 0; e < layout.m; ++e) {
            for (std::size_t i = 0; seeds.z != nullptr && i < g.nodes; ++i)
                adjoint.add_node(e, layout.share(line, i), seeds.z + layout.node(line, e, i));
            if (seeds.length == nullptr) continue;
            const double by_length = side.sign * seeds.length[layout.cell(line, e)];
            adjoint.dt_edge[e] -= by_length;
            adjoint.dt_edge[e + 1] += by_length;
        }
        const bool backwards = layout.backwards(line);
        if (backwards && seeds.z != nullptr) adjoint.add_end(seeds.z + layout.entry(b));
        if (!backwards && seeds.exit != nullptr) adjoint.add_end(seeds.exit + b * n);
        const double* const by_time = backwards ? seeds.t_minus : seeds.t_plus;
        if (by_time != nullptr) adjoint.dt_edge[layout.m] += by_time[b];
        adjoint.finish();
    }
}

template void grid(const Lines<float>&, std::size_t, sturm::Scheme, Grid<float>&);
template void grid(const Lines<double>&, std::size_t, sturm::Scheme, Grid<double>&);
template void grid_pullback(Lines<float>&, const Grid<float>&, sturm::Scheme,
                            const GridSeeds<float>&);
template void grid_pullback(Lines<double>&, const Grid<double>&, sturm::Scheme,
                            const GridSeeds<double>&);

}  // namespace deepsl::field
