#include "deepsl/model/basis.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace deepsl::model {

Basis::Basis(std::size_t functions, std::size_t outputs, BasisScale rule)
    : functions_(functions), outputs_(outputs), rule_(rule) {}

void Basis::enrol(network::Parameters& parameters, const std::string& name) {
    using network::joined;
    using network::Role;
    mean_ = parameters.add(joined(name, "u_mean"), {functions_}, Role::measured);
    scale_ = parameters.add(joined(name, "u_scale"), {functions_}, Role::measured);
    std::fill_n(parameters.values().begin() + static_cast<std::ptrdiff_t>(scale_), functions_, 1.0);
    weight_ = parameters.add(joined(name, "L.weight"), {outputs_, functions_}, Role::linear);
    bias_ = parameters.add(joined(name, "L.bias"), {outputs_}, Role::linear);
}

void Basis::start(network::Parameters& parameters, const LinearStart& start, Random& random) const {
    if (start.gain == 0.0) return;
    network::initialise({parameters.values().data() + weight_, outputs_ * functions_}, outputs_,
                        functions_, {functions_, outputs_}, start.initialiser, start.gain, random);
}

void Basis::scaled(std::span<const double> u, std::span<double> b) const {
    for (std::size_t i = 0; i < functions_; ++i) b[i] = (u[i] - mean()[i]) / scale()[i];
}

void Basis::mark(const sturm::CellSolution& solution, std::span<Outcome> outcomes) const {
    // Far inside the range of float, so that L and its gradients stay finite, too.
    constexpr double large = 1e30;
    for (std::size_t b = 0; b < outcomes.size(); ++b) {
        auto& outcome = outcomes[b];
        const auto* const status = solution.status.data() + b * functions_;
        const auto* const bad = std::find_if(status, status + functions_,
                                             [](auto s) { return s != sturm::Status::ok; });
        if (bad != status + functions_) outcome.eigen = *bad;
        for (std::size_t i = 0; outcome.ok() && i < functions_; ++i)
            if (std::fabs((solution.u[b * functions_ + i] - mean()[i]) / scale()[i]) > large)
                outcome.eigen = sturm::Status::overflow;
    }
}

void Basis::add(std::span<const double> u, std::span<double> y) const {
    for (std::size_t o = 0; o < outputs_; ++o) {
        double sum = bias()[o];
        for (std::size_t i = 0; i < functions_; ++i)
            sum += weight()[o * functions_ + i] * ((u[i] - mean()[i]) / scale()[i]);
        y[o] += sum;
    }
}

template <class Real>
void Basis::pullback(std::span<const double> u, std::span<const double> dy, std::span<double> du,
                     Real* gradient) const {
    std::fill(du.begin(), du.end(), 0.0);
    for (std::size_t o = 0; o < outputs_; ++o) {
        gradient[bias_ + o] += static_cast<Real>(dy[o]);
        Real* const by_weight = gradient + weight_ + o * functions_;
        for (std::size_t i = 0; i < functions_; ++i) {
            by_weight[i] += static_cast<Real>(dy[o] * ((u[i] - mean()[i]) / scale()[i]));
            du[i] += dy[o] * weight()[o * functions_ + i] / scale()[i];
        }
    }
}

double Basis::energy(std::span<const double> u, std::span<const double> length) const {
    const auto cells = length.size(), edges = cells + 1;
    double sum = 0.0, total = 0.0;
    for (std::size_t c = 0; c < cells; ++c) {
        total += length[c];
        for (std::size_t o = 0; o < outputs_; ++o) {
            const double rise = rise_of(u.data() + c, edges, o);
            sum += rise * rise / length[c];
        }
    }
    return sum / total;
}

/// How F_o rises over the cell at whose left edge u begins.
double Basis::rise_of(const double* u, std::size_t edges, std::size_t o) const {
    double rise = 0.0;
    for (std::size_t i = 0; i < functions_; ++i)
        rise += weight()[o * functions_ + i] * (u[i * edges + 1] - u[i * edges]) / scale()[i];
    return rise;
}

template <class Real>
void Basis::energy_pullback(std::span<const double> u, std::span<const double> length,
                            double weight_of_energy, std::span<double> du,
                            std::span<double> dlength, Real* gradient) const {
    const auto cells = length.size(), edges = cells + 1;
    const double total = std::accumulate(length.begin(), length.end(), 0.0);
    const double factor = weight_of_energy / total;
    const double by_total = -factor * energy(u, length);
    for (std::size_t c = 0; c < cells; ++c) {
        dlength[c] += by_total;
        for (std::size_t o = 0; o < outputs_; ++o) {
            const double slope = rise_of(u.data() + c, edges, o) / length[c];
            dlength[c] -= factor * slope * slope;
            for (std::size_t i = 0; i < functions_; ++i) {
                const double by_rise = 2.0 * factor * slope / scale()[i];
                const double l = weight()[o * functions_ + i];
                du[i * edges + c] -= by_rise * l;
                du[i * edges + c + 1] += by_rise * l;
                gradient[weight_ + o * functions_ + i] +=
                    static_cast<Real>(by_rise * (u[i * edges + c + 1] - u[i * edges + c]));
            }
        }
    }
}

void Basis::measure(MatrixView<const double> u, std::span<const Outcome> outcomes,
                    std::span<double> values) const {
    if (rule_ == BasisScale::none) return;
    const auto count = static_cast<double>(std::count_if(
        outcomes.begin(), outcomes.end(), [](const Outcome& outcome) { return outcome.ok(); }));
    if (count < 2.0) return;
    for (std::size_t i = 0; i < functions_; ++i) {
        const auto sum = [&](auto term) {
            double total = 0.0;
            for (std::size_t b = 0; b < outcomes.size(); ++b)
                if (outcomes[b].ok()) total += term(u(b, i));
            return total;
        };
        const double average = sum([](double x) { return x; }) / count;
        const double rms = std::sqrt(sum([](double x) { return x * x; }) / count);
        const double deviation =
            std::sqrt(sum([&](double x) { return (x - average) * (x - average); }) / (count - 1.0));
        switch (rule_) {
            case BasisScale::none: break;
            case BasisScale::mean: values[mean_ + i] = average; break;
            case BasisScale::rms: values[scale_ + i] = std::max(rms, 1e-12); break;
            case BasisScale::centred:
                values[mean_ + i] = average;
                // Close to constant functions are not blown up beyond four times their size.
                values[scale_ + i] = std::max({deviation, rms / 4.0, 1e-12});
                break;
        }
    }
}

template void Basis::energy_pullback(std::span<const double>, std::span<const double>, double,
                                     std::span<double>, std::span<double>, float*) const;
template void Basis::energy_pullback(std::span<const double>, std::span<const double>, double,
                                     std::span<double>, std::span<double>, double*) const;
template void Basis::pullback(std::span<const double>, std::span<const double>, std::span<double>,
                              float*) const;
template void Basis::pullback(std::span<const double>, std::span<const double>, std::span<double>,
                              double*) const;

}  // namespace deepsl::model
