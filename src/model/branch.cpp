#include "deepsl/model/branch.h"

#include <algorithm>
#include <utility>

namespace deepsl::model {
namespace {

constexpr double least_float_tolerance = 1e-6;  // of an adaptive method, per step

}  // namespace

Numerics numerics_of(const ModelOptions& options) {
    Numerics numerics;
    numerics.trace.method = &field::method_of(options.method);
    numerics.trace.steps = static_cast<int>(options.steps);
    numerics.trace.tolerance = options.tolerance;
    numerics.trace.max_steps = static_cast<int>(options.max_steps);
    numerics.cells = static_cast<std::size_t>(options.cells);
    numerics.least_tolerance =
        options.precision == Precision::float64 ? 1e-13 : least_float_tolerance;
    numerics.scheme = options.scheme;
    return numerics;
}

Numerics Numerics::finer(int factor) const {
    Numerics result = *this;
    result.trace.steps *= factor;
    result.trace.max_steps *= factor;
    result.trace.tolerance =
        std::min(trace.tolerance, std::max(trace.tolerance / factor, least_tolerance));
    result.cells *= static_cast<std::size_t>(factor);
    return result;
}

template <class Real>
Branch<Real>::Branch(BranchParts<Real> parts, std::size_t outputs)
    : parts_(std::move(parts)), basis_(parts_.eigenfunctions, outputs, parts_.basis_scale) {
    const auto n = parts_.domain->dimensions();
    if (parts_.field->inputs() != n)
        throw argument_error("the field takes " + std::to_string(parts_.field->inputs()) +
                             " coordinates, but the domain has " + std::to_string(n));
    const auto* const start = parts_.start.get();
    if (start != nullptr && (start->inputs() != n || start->outputs() != parts_.eigenfunctions))
        throw argument_error("the start network must take " + std::to_string(n) +
                             " coordinates and give " + std::to_string(parts_.eigenfunctions) +
                             " numbers, one for each eigenfunction");
}

template <class Real>
void Branch<Real>::enrol(network::Parameters& parameters, const std::string& name, Random& random) {
    parts_.field->enrol(parameters, network::joined(name, "field"), random);
    parts_.coefficients->enrol(parameters, name, random);
    if (parts_.start) parts_.start->enrol(parameters, network::joined(name, "v"), random);
    basis_.enrol(parameters, name);
    basis_.start(parameters, parts_.linear_start, random);
}

template <class Real>
void Branch<Real>::load(std::span<const double> values) {
    parts_.field->load(values);
    parts_.coefficients->load(values);
    if (parts_.start) parts_.start->load(values);
    basis_.load(values);
}

template <class Real>
void Branch<Real>::forward(const Real* x, std::size_t samples, const Numerics& numerics,
                           BranchMemory<Real>& m, bool keep, bool all_edges) const {
    m.tape.clear();
    auto* const tape = keep ? &m.tape : nullptr;
    field::trace(*parts_.field, *parts_.domain, x, samples, numerics.trace, m.lines, tape);
    field::grid(m.lines, numerics.cells, numerics.scheme, m.grid);

    // 1/p is wanted where the line enters, too: there u' = v is turned into p u'.
    const auto rows = m.grid.rows(), nodes = rows - samples;
    m.P.resize(rows), m.q.resize(rows), m.w.resize(rows);
    parts_.coefficients->forward(m.grid.z.data(), rows, {m.P.data(), m.q.data(), m.w.data()}, tape);

    auto& pairs = m.pairs;
    pairs.problems = samples, pairs.cells = m.grid.cells, pairs.d = basis_.size();
    pairs.scheme = numerics.scheme, pairs.length = m.grid.length;
    pairs.P.assign(m.P.begin(), m.P.end());
    pairs.q.assign(m.q.begin(), m.q.begin() + static_cast<std::ptrdiff_t>(nodes));
    pairs.w.assign(m.w.begin(), m.w.begin() + static_cast<std::ptrdiff_t>(nodes));
    pairs.learns_v = parts_.start != nullptr, pairs.normalised = parts_.normalise;
    if (pairs.learns_v) {
        m.v.resize(samples * basis_.size());
        parts_.start->forward(m.grid.entry(), samples, m.v.data(), tape);
        pairs.v.resize(m.v.size());
        std::transform(m.v.begin(), m.v.end(), pairs.v.begin(),
                       [](Real v) { return 1.0 + static_cast<double>(v); });
    }
    solve(pairs, all_edges);

    m.outcomes.assign(samples, Outcome{});
    for (std::size_t b = 0; b < samples; ++b) m.outcomes[b].line = m.lines.status(b);
    basis_.mark(pairs.solution, m.outcomes);
}

template <class Real>
void Branch<Real>::add_output(const BranchMemory<Real>& m, std::size_t b,
                              std::span<double> y) const {
    basis_.add({m.pairs.solution.u.data() + b * basis_.size(), basis_.size()}, y);
}

template <class Real>
double Branch<Real>::energy(const BranchMemory<Real>& m, std::size_t b) const {
    const auto cells = m.pairs.cells, per_row = basis_.size() * (cells + 1);
    return basis_.energy({m.pairs.solution.u_edges.data() + b * per_row, per_row},
                         m.pairs.length.subspan(b * cells, cells));
}

template <class Real>
void Branch<Real>::backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                            double energy_weight, std::span<const char> ok,
                            const Numerics& numerics, BranchMemory<Real>& m, Real* dx,
                            Real* gradient) const {
    auto& pairs = m.pairs;
    const auto samples = pairs.problems, d = basis_.size(), cells = pairs.cells;
    const auto rows = m.grid.rows(), nodes = rows - samples, n = m.grid.n;
    const auto per_row = d * (cells + 1);
    m.du_edges.assign(energy_weight > 0.0 ? samples * per_row : 0, 0.0);
    m.dlength.assign(energy_weight > 0.0 ? samples * cells : 0, 0.0);
    m.du.assign(samples * d, 0.0);
    m.dlambda.assign(dlambda.empty() ? 0 : samples * d, 0.0);
    for (std::size_t b = 0; b < samples; ++b) {
        if (ok[b] == 0) continue;
        basis_.pullback({pairs.solution.u.data() + b * d, d}, dy.row(b), {m.du.data() + b * d, d},
                        gradient);
        if (!dlambda.empty()) std::copy_n(dlambda.row(b).data(), d, m.dlambda.data() + b * d);
        if (energy_weight > 0.0)
            basis_.energy_pullback({pairs.solution.u_edges.data() + b * per_row, per_row},
                                   pairs.length.subspan(b * cells, cells), energy_weight,
                                   {m.du_edges.data() + b * per_row, per_row},
                                   {m.dlength.data() + b * cells, cells}, gradient);
    }
    pull_back(pairs, m.dlambda, m.du, m.du_edges);
    for (std::size_t i = 0; i < m.dlength.size(); ++i) pairs.gradient.length[i] += m.dlength[i];

    m.dP.resize(rows), m.dq.resize(rows), m.dw.resize(rows), m.dz.resize(rows * n);
    const auto narrowed = [](const std::vector<double>& from, Real* to) {
        std::transform(from.begin(), from.end(), to, [](double x) { return static_cast<Real>(x); });
    };
    narrowed(pairs.gradient.P, m.dP.data());
    narrowed(pairs.gradient.P_start, m.dP.data() + nodes);
    narrowed(pairs.gradient.q, m.dq.data());
    narrowed(pairs.gradient.w, m.dw.data());
    std::fill_n(m.dq.data() + nodes, samples, Real(0));
    std::fill_n(m.dw.data() + nodes, samples, Real(0));

    if (parts_.start) {
        m.dv.resize(samples * d), m.dentry.resize(samples * n);
        narrowed(pairs.gradient.v, m.dv.data());
        parts_.start->pullback(m.grid.entry(), samples, m.dv.data(), m.tape, m.dentry.data(),
                               gradient);
    }
    parts_.coefficients->pullback(m.grid.z.data(), rows, {m.dP.data(), m.dq.data(), m.dw.data()},
                                  m.tape, m.dz.data(), gradient);
    for (std::size_t i = 0; parts_.start && i < samples * n; ++i)
        m.dz[nodes * n + i] += m.dentry[i];

    field::grid_pullback<Real>(m.lines, m.grid, numerics.scheme,
                               {m.dz.data(), pairs.gradient.length.data()});
    field::trace_pullback(*parts_.field, m.lines, m.tape, dx, gradient);
}

template <class Real>
double Branch<Real>::flops_per_sample(const Numerics& numerics) const {
    const auto nodes =
        static_cast<double>(2 * numerics.cells * sturm::nodes_per_cell(numerics.scheme) + 1);
    const auto stages = static_cast<double>(numerics.trace.method->stages() - 1);
    const double evaluations =
        parts_.field->constant() ? 1.0 : 1.0 + 2.0 * numerics.trace.steps * stages;
    return nodes * static_cast<double>(parts_.coefficients->flops_per_row()) +
           evaluations * static_cast<double>(parts_.field->flops_per_row());
}

template class Branch<float>;
template class Branch<double>;

}  // namespace deepsl::model
