#include "field/step.h"

#include <algorithm>
#include <cmath>
#include <vector>

namespace deepsl::field {
namespace {

template <class Real>
bool all_finite(const Real* row, std::size_t n) {
    Real sum = 0;  // 0 times infinity or NaN is NaN
    for (std::size_t i = 0; i < n; ++i) sum += Real(0) * row[i];
    return sum == Real(0);
}

/// z + h sum_j weights_j k_j of each row.
template <class Real>
void combine(const StepRows<Real>& step, const std::vector<double>& weights, Real* out) {
    const auto n = step.n;
    for (std::size_t r = 0; r < step.rows; ++r) {
        const Real* const start = step.points + r * n;
        Real* const to = out + r * n;
        std::copy_n(start, n, to);
        for (std::size_t j = 0; j < weights.size(); ++j) {
            if (weights[j] == 0.0) continue;
            const Real factor = static_cast<Real>(step.h[r] * weights[j]);
            const Real* const from = step.slope(j) + r * n;
            for (std::size_t i = 0; i < n; ++i) to[i] += factor * from[i];
        }
        // A line that is lost must not lead the field, and its gradient, to NaN.
        if (!all_finite(to, n)) std::copy_n(start, n, to);
    }
}

}  // namespace

template <class Real>
void take_step(const network::Network<Real>& f, const Method& method, const StepRows<Real>& step,
               network::Tape* tape) {
    for (std::size_t i = 1; i < method.stages(); ++i) {
        combine(step, method.a[i], step.point(i));
        f.forward(step.point(i), step.rows, step.slope(i), tape);
    }
}

template <class Real>
double error_ratio(const Method& method, const StepRows<Real>& step, std::size_t row,
                   double tolerance) {
    double worst = 0.0;
    Real lost = 0;  // a stage that only leads to others leaves no trace in the sums
    for (std::size_t i = 0; i < step.n; ++i) {
        double sum = 0.0;
        for (std::size_t s = 0; s < method.stages(); ++s) {
            const Real slope = step.slope(s)[row * step.n + i];
            sum += method.error[s] * static_cast<double>(slope);
            lost += Real(0) * slope;
        }
        worst = std::max(worst, std::fabs(step.h[row] * sum));
    }
    return std::isnan(lost) ? std::nan("") : worst / tolerance;
}

double next_step(double h, double error_ratio, int order) {
    if (!std::isfinite(error_ratio)) return 0.2 * h;
    const double factor = 0.9 * std::pow(std::max(error_ratio, 1e-10), -1.0 / order);
    return h * std::clamp(factor, 0.2, 5.0);
}

template <class Real>
void pull_back_step(const network::Network<Real>& f, const Method& method,
                    const StepRows<Real>& step, const StepSeeds<Real>& seeds, network::Tape& tape,
                    Real* gradient) {
    const auto rows = step.rows, n = step.n, stages = method.stages();
    thread_local std::vector<Real> by_point;
    by_point.resize(std::max(by_point.size(), rows * n));
    for (std::size_t i = stages; i-- > 1;) {
        f.pullback(step.point(i), rows, seeds.dk + i * rows * n, tape, by_point.data(), gradient);
        if (i + 1 == stages)
            for (std::size_t at = 0; at < rows * n; ++at) by_point[at] += seeds.dend[at];
        const auto& weights = method.a[i];
        for (std::size_t r = 0; r < rows; ++r) {
            const Real* const seed = by_point.data() + r * n;
            // Nothing is wanted of this row; its slopes may be infinite.
            if (std::all_of(seed, seed + n, [](Real c) { return c == Real(0); })) continue;
            Real* const dz = seeds.dz + r * n;
            for (std::size_t c = 0; c < n; ++c) dz[c] += seed[c];
            double dh = 0.0;
            for (std::size_t j = 0; j < weights.size(); ++j) {
                if (weights[j] == 0.0) continue;
                const Real factor = static_cast<Real>(step.h[r] * weights[j]);
                const Real* const k = step.slope(j) + r * n;
                Real* const dk = seeds.dk + (j * rows + r) * n;
                Real along = 0;
                for (std::size_t c = 0; c < n; ++c) {
                    dk[c] += factor * seed[c];
                    along += k[c] * seed[c];
                }
                dh += weights[j] * static_cast<double>(along);
            }
            if (seeds.dh != nullptr) seeds.dh[r] += dh;
        }
    }
}

template void take_step(const network::Network<float>&, const Method&, const StepRows<float>&,
                        network::Tape*);
template void take_step(const network::Network<double>&, const Method&, const StepRows<double>&,
                        network::Tape*);
template double error_ratio(const Method&, const StepRows<float>&, std::size_t, double);
template double error_ratio(const Method&, const StepRows<double>&, std::size_t, double);
template void pull_back_step(const network::Network<float>&, const Method&, const StepRows<float>&,
                             const StepSeeds<float>&, network::Tape&, float*);
template void pull_back_step(const network::Network<double>&, const Method&,
                             const StepRows<double>&, const StepSeeds<double>&, network::Tape&,
                             double*);

}  // namespace deepsl::field
