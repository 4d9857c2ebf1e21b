// Cells on field lines, and their derivatives. Along one side of a line, with pieces j = 0..K of
// step h_j and pace w_j, start times t_j and the exit at share phi of the last piece:
//
//     pace to the exit  S = w_0 + .. + w_{K-1} + phi w_K
//     edge e = 0..m     t_e = t_j + h_j (S e/m - s_j) / w_j,   s_j = w_0 + .. + w_{j-1}
//     node              z(t) = z_j + h_j sum_i b_i(f) k_i,     f = (t - t_j) / h_j
//
// phi is the root of g(z) = 0 on piece K, and is differentiated as such.
#include <cmath>
#include <memory>
#include <utility>

#include <ATen/Parallel.h>

#include "deepsl/field/trace.h"
#include "field/piece.h"
#include "network/real.h"

namespace deepsl::field {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// Where a time lies: on which piece, and where on it.
struct Spot {
    std::size_t piece;
    double share;
};

template <class Real>
struct PieceData {
    const Real* z;
    const Real* k[8];
    double h, pace;
    double t = 0.0, s = 0.0;  // time and pace where it starts
};

/// One side of one line: its pieces, edges and nodes.
template <class Real>
struct Side {
    const FieldLines& lines;
    std::size_t line;
    std::vector<PieceData<Real>> pieces;
    double phi = 0.0, total = 0.0, sign = 1.0;
    std::vector<double> t;    // edges, from the sample outwards
    std::vector<Spot> spots;  // of the edges

    Side(const FieldLines& all, std::size_t number, std::size_t cells) : lines(all), line(number) {
        const auto n = static_cast<std::size_t>(lines.x.size(1));
        sign = line < static_cast<std::size_t>(lines.samples()) ? 1.0 : -1.0;
        phi = lines.exit[line];
        for (const auto& place : lines.pieces[line]) {
            const auto& step = lines.steps[static_cast<std::size_t>(place.step)];
            const auto row = static_cast<std::size_t>(place.row);
            PieceData<Real> piece{};
            piece.z = step.z.template data_ptr<Real>() + row * n;
            for (std::size_t i = 0; i < step.k.size(); ++i)
                piece.k[i] = step.k[i].template data_ptr<Real>() + row * n;
            piece.h = step.h.template data_ptr<double>()[row];
            piece.pace = step.pace[row];
            if (!pieces.empty()) {
                piece.t = pieces.back().t + pieces.back().h;
                piece.s = pieces.back().s + pieces.back().pace;
            }
            pieces.push_back(piece);
        }
        const auto last = pieces.size() - 1;
        total = pieces[last].s + phi * pieces[last].pace;
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
        const DenseWeights weights(*lines.method, spot.share);
        std::copy_n(piece.z, n, out);
        for (std::size_t s = 0; s < lines.method->stages(); ++s) {
            const Real factor = static_cast<Real>(piece.h * weights.b[s]);
            for (std::size_t i = 0; i < n; ++i) out[i] += factor * piece.k[s][i];
        }
    }
};

/// Everything that the two sweeps share.
struct Layout {
    FieldLines lines;
    std::size_t cells;  // a side
    std::vector<double> nodes;

    std::size_t n() const { return static_cast<std::size_t>(lines.x.size(1)); }
    std::size_t samples() const { return static_cast<std::size_t>(lines.samples()); }
    std::size_t sample(std::size_t line) const { return line % samples(); }
    bool backwards(std::size_t line) const { return line >= samples(); }
    bool ok(std::size_t line) const {
        return lines.line_status[sample(line)] == LineStatus::ok &&
               lines.line_status[sample(line) + samples()] == LineStatus::ok;
    }
    /// Cell e from the sample outwards, in the order from t- to t+.
    std::size_t cell(std::size_t line, std::size_t e) const {
        return sample(line) * 2 * cells + (backwards(line) ? cells - 1 - e : cells + e);
    }
    /// Node i's share of its cell, seen from the sample outwards.
    double share(std::size_t line, std::size_t i) const {
        return backwards(line) ? 1.0 - nodes[i] : nodes[i];
    }
    std::size_t node_row(std::size_t line, std::size_t e, std::size_t i) const {
        return (cell(line, e) * nodes.size() + i) * n();
    }
};

template <class F>
void for_lines(const Layout& layout, F f) {
    at::parallel_for(0, static_cast<std::int64_t>(2 * layout.samples()), 8,
                     [&](std::int64_t begin, std::int64_t end) {
                         for (auto line = begin; line < end; ++line)
                             f(static_cast<std::size_t>(line));
                     });
}

/// Derivatives of one side; the tensors' own gradients are written straight away.
template <class Real>
struct SideAdjoint {
    const Layout& layout;
    const Side<Real>& side;
    std::vector<std::vector<Real*>> dk;  // [piece][stage]
    std::vector<Real*> dz;               // [piece]
    std::vector<double> dh, dt_start;    // [piece]
    std::vector<double> dt_edge;         // [edge]
    double d_phi = 0.0;

    /// A seed on the point at `spot`. Returns the seed's product with the velocity dz/dt.
    double add_point(const Spot& spot, const Real* seed, bool share_is_fixed) {
        const auto& method = *layout.lines.method;
        const auto& piece = side.pieces[spot.piece];
        const auto n = layout.n();
        const DenseWeights weights(method, spot.share);
        double along = 0.0, scale = 0.0;
        for (std::size_t i = 0; i < n; ++i) dz[spot.piece][i] += seed[i];
        for (std::size_t s = 0; s < method.stages(); ++s) {
            const Real factor = static_cast<Real>(piece.h * weights.b[s]);
            Real* const to = dk[spot.piece][s];
            Real product = 0;
            for (std::size_t i = 0; i < n; ++i) {
                to[i] += factor * seed[i];
                product += piece.k[s][i] * seed[i];
            }
            along += weights.slope[s] * static_cast<double>(product);
            scale += weights.b[s] * static_cast<double>(product);
        }
        dh[spot.piece] += scale;
        if (!share_is_fixed) {
            dh[spot.piece] -= spot.share * along;
            dt_start[spot.piece] -= along;
        }
        return along;
    }

    void add_node(std::size_t e, double c, const Real* seed) {
        const double along = add_point(side.node(e, c), seed, false);
        dt_edge[e] += (1.0 - c) * along;
        dt_edge[e + 1] += c * along;
    }

    void add_end(const Real* seed) {
        d_phi += side.pieces.back().h * add_point(side.spots.back(), seed, true);
    }

    void finish() {
        const auto m = layout.cells;
        const auto& last = side.pieces.back();
        for (std::size_t e = 1; e <= m; ++e) {
            const auto& spot = side.spots[e];
            const auto& piece = side.pieces[spot.piece];
            dt_start[spot.piece] += dt_edge[e];
            dh[spot.piece] += spot.share * dt_edge[e];
            d_phi += dt_edge[e] * piece.h / piece.pace * last.pace * static_cast<double>(e) /
                     static_cast<double>(m);
        }
        add_exit();
        double later = 0.0;
        for (std::size_t j = side.pieces.size(); j-- > 0;) {
            dh[j] += later;
            later += dt_start[j];
        }
    }

private:
    void add_exit() {
        const auto n = layout.n();
        const auto& last = side.pieces.back();
        const DenseWeights weights(*layout.lines.method, side.phi);
        std::vector<Real> point(n), seed(n);
        std::vector<double> wide(n), gradient(n);
        side.position(side.spots.back(), n, point.data());
        std::copy(point.begin(), point.end(), wide.begin());
        layout.lines.domain->level_gradient(wide, gradient);
        double speed = 0.0;  // of g along the line
        for (std::size_t s = 0; s < layout.lines.method->stages(); ++s)
            for (std::size_t i = 0; i < n; ++i)
                speed += weights.slope[s] * gradient[i] * static_cast<double>(last.k[s][i]);
        const double factor = -d_phi / (last.h * speed);
        if (!std::isfinite(factor)) return;  // a line that only grazes has no derivative here
        for (std::size_t i = 0; i < n; ++i) seed[i] = static_cast<Real>(factor * gradient[i]);
        add_point(side.spots.back(), seed.data(), true);
    }
};

class GridFunction : public torch::autograd::Function<GridFunction> {
public:
    /// tensors: z, h and all k of each step in turn.
    static variable_list forward(AutogradContext* context, at::TensorList tensors,
                                 const std::shared_ptr<const Layout>& layout) {
        const auto& lines = layout->lines;
        const auto samples = lines.samples(), n = lines.x.size(1);
        const auto cells = static_cast<std::int64_t>(2 * layout->cells);
        const auto nodes = static_cast<std::int64_t>(layout->nodes.size());
        const auto real = lines.x.options().requires_grad(false);
        const auto wide = real.dtype(torch::kFloat64);
        const auto z = torch::empty({samples, cells, nodes, n}, real);
        const auto length = torch::full({samples, cells}, 2.0 / static_cast<double>(cells), wide);
        const auto ends = torch::empty({2, samples, n}, real);
        const auto times = torch::ones({2, samples}, wide);
        const auto residual = torch::zeros({2, samples}, wide);
        times[1].neg_();
        with_real(lines.x.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            sweep<Real>(*layout, z.data_ptr<Real>(), length.data_ptr<double>(),
                        ends.data_ptr<Real>(), times.data_ptr<double>(),
                        residual.data_ptr<double>());
        });
        context->save_for_backward(
            variable_list(tensors.begin(), tensors.end()));  // so that changes are noticed
        context->saved_data["layout"] =
            c10::IValue::make_capsule(c10::make_intrusive<Holder>(layout));
        const auto worst = std::get<0>(residual.max(0));
        context->mark_non_differentiable({worst});
        return {z,    length, ends[1].clone(), ends[0].clone(), times[1].clone(), times[0].clone(),
                worst};
    }

    static variable_list backward(AutogradContext* context, const variable_list& seeds) {
        const auto tensors = context->get_saved_variables();
        const auto layout = Holder::from(context->saved_data["layout"]);
        variable_list gradients;
        for (const auto& t : tensors) gradients.push_back(torch::zeros_like(t));
        variable_list given;
        for (const auto& seed : seeds) given.push_back(seed.defined() ? seed.contiguous() : seed);
        with_real(layout->lines.x.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            adjoint<Real>(*layout, given, gradients);
        });
        gradients.emplace_back();
        return gradients;
    }

private:
    struct Holder : torch::CustomClassHolder {
        explicit Holder(std::shared_ptr<const Layout> l) : layout(std::move(l)) {}
        static std::shared_ptr<const Layout> from(const c10::IValue& value) {
            return c10::static_intrusive_pointer_cast<Holder>(value.toCapsule())->layout;
        }
        std::shared_ptr<const Layout> layout;
    };

    template <class Real>
    static void sweep(const Layout& layout, Real* z, double* length, Real* ends, double* times,
                      double* residual) {
        const auto n = layout.n(), m = layout.cells;
        for_lines(layout, [&](std::size_t line) {
            if (!layout.ok(line)) {
                // Not the sample: far outside, networks overflow, and 0 times infinity is NaN.
                const auto harmless = [&](Real* to) {
                    std::fill_n(to, n, static_cast<Real>(layout.lines.domain->centre()));
                };
                for (std::size_t e = 0; e < m; ++e)
                    for (std::size_t i = 0; i < layout.nodes.size(); ++i)
                        harmless(z + layout.node_row(line, e, i));
                harmless(ends + line * n);
                return;
            }
            const Side<Real> side(layout.lines, line, m);
            for (std::size_t e = 0; e < m; ++e) {
                for (std::size_t i = 0; i < layout.nodes.size(); ++i)
                    side.position(side.node(e, layout.share(line, i)), n,
                                  z + layout.node_row(line, e, i));
                length[layout.cell(line, e)] = side.sign * (side.t[e + 1] - side.t[e]);
            }
            Real* const end = ends + line * n;
            side.position(side.spots.back(), n, end);
            times[line] = side.t.back();
            const std::vector<double> wide(end, end + n);
            residual[line] = std::fabs(layout.lines.domain->level(wide));
        });
    }

    template <class Real>
    static void adjoint(const Layout& layout, const variable_list& seeds,
                        const variable_list& gradients) {
        const auto n = layout.n(), m = layout.cells;
        const auto stages = layout.lines.method->stages();
        const auto at = [](const Tensor& t) { return t.defined() ? t.data_ptr<Real>() : nullptr; };
        const auto wide = [](const Tensor& t) {
            return t.defined() ? t.data_ptr<double>() : nullptr;
        };
        const Real* dz = at(seeds[0]);
        const double* d_length = wide(seeds[1]);
        for_lines(layout, [&](std::size_t line) {
            if (!layout.ok(line)) return;
            const Side<Real> side(layout.lines, line, m);
            const auto count = side.pieces.size();
            SideAdjoint<Real> adjoint{layout, side, {}, {}, {}, {}, {}, 0.0};
            adjoint.dh.assign(count, 0.0);
            adjoint.dt_start.assign(count, 0.0);
            adjoint.dt_edge.assign(m + 1, 0.0);
            std::vector<double*> dh;
            for (const auto& place : layout.lines.pieces[line]) {
                const auto first = static_cast<std::size_t>(place.step) * (stages + 2);
                const auto row = static_cast<std::size_t>(place.row);
                adjoint.dz.push_back(gradients[first].data_ptr<Real>() + row * n);
                dh.push_back(gradients[first + 1].data_ptr<double>() + row);
                auto& slopes = adjoint.dk.emplace_back();
                for (std::size_t s = 0; s < stages; ++s)
                    slopes.push_back(gradients[first + 2 + s].data_ptr<Real>() + row * n);
            }
            for (std::size_t e = 0; e < m; ++e) {
                for (std::size_t i = 0; dz != nullptr && i < layout.nodes.size(); ++i)
                    adjoint.add_node(e, layout.share(line, i), dz + layout.node_row(line, e, i));
                if (d_length == nullptr) continue;
                adjoint.dt_edge[e] -= side.sign * d_length[layout.cell(line, e)];
                adjoint.dt_edge[e + 1] += side.sign * d_length[layout.cell(line, e)];
            }
            const bool backwards = layout.backwards(line);
            const Real* d_end = at(seeds[backwards ? 2 : 3]);
            const double* d_time = wide(seeds[backwards ? 4 : 5]);
            if (d_end != nullptr) adjoint.add_end(d_end + layout.sample(line) * n);
            if (d_time != nullptr) adjoint.dt_edge[m] += d_time[layout.sample(line)];
            adjoint.finish();
            for (std::size_t j = 0; j < count; ++j) *dh[j] = adjoint.dh[j];
        });
    }
};

}  // namespace

LineGrid grid(const FieldLines& lines, std::int64_t cells_per_side, sturm::Scheme scheme) {
    if (cells_per_side < 1) throw sturm::InputError("a line needs at least one cell a side");
    const auto nodes = sturm::nodes(scheme);
    auto layout = std::make_shared<Layout>(
        Layout{lines, static_cast<std::size_t>(cells_per_side), {nodes.begin(), nodes.end()}});
    std::vector<Tensor> tensors;
    for (auto& step : layout->lines.steps) {
        tensors.push_back(step.z);
        tensors.push_back(step.h);
        tensors.insert(tensors.end(), step.k.begin(), step.k.end());
    }
    const auto out = GridFunction::apply(at::TensorList(tensors),
                                         std::shared_ptr<const Layout>(std::move(layout)));
    return {out[0], out[1], out[2], out[3], out[4], out[5], out[6]};
}

}  // namespace deepsl::field
