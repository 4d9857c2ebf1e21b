#include "deepsl/field/step.h"

#include <algorithm>
#include <vector>

#include "field/row_kernel.h"

namespace deepsl::field {
namespace {

/// Those slopes of a row that have a weight, and what they are multiplied with.
template <class Real>
struct Slopes {
    std::size_t count = 0, stage[Method::max_stages] = {};
    double weight[Method::max_stages] = {};
    const Real* k[Method::max_stages] = {};
    Real factor[Method::max_stages] = {};

    explicit Slopes(const std::vector<double>& weights) {
        for (std::size_t j = 0; j < weights.size(); ++j) {
            if (weights[j] == 0.0) continue;
            stage[count] = j;
            weight[count++] = weights[j];
        }
    }
    void at(const StepRows<Real>& step, std::size_t r) {
        for (std::size_t j = 0; j < count; ++j) {
            k[j] = step.slope(stage[j]) + r * step.n;
            factor[j] = static_cast<Real>(step.h[r] * weight[j]);
        }
    }
};

/// z + h sum_j weights_j k_j of each row.
template <class Real>
void combine(const StepRows<Real>& step, const std::vector<double>& weights, Real* out) {
    const auto n = step.n;
    const auto& kernel = row_kernel<Real>();
    Slopes<Real> slopes(weights);
    for (std::size_t r = 0; r < step.rows; ++r) {
        const Real* const start = step.points + r * n;
        slopes.at(step, r);
        // A line that is lost must not lead the field, and its gradient, to NaN.
        if (!kernel.combine(start, slopes.k, slopes.factor, slopes.count, n, out + r * n))
            std::copy_n(start, n, out + r * n);
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
    const auto& kernel = row_kernel<Real>();
    thread_local std::vector<Real> by_point;
    by_point.resize(std::max(by_point.size(), rows * n));
    for (std::size_t i = stages; i-- > 1;) {
        f.pullback(step.point(i), rows, seeds.dk + i * rows * n, tape, by_point.data(), gradient);
        if (i + 1 == stages) kernel.add(seeds.dend, rows * n, by_point.data());
        Slopes<Real> slopes(method.a[i]);
        Real* dk[Method::max_stages];
        Spread<Real> spread;
        for (std::size_t j = 0; j < slopes.count; ++j)
            spread.first[j] = static_cast<Real>(slopes.weight[j]);
        for (std::size_t r = 0; r < rows; ++r) {
            const Real* const seed = by_point.data() + r * n;
            // Nothing is wanted of this row; its slopes may be infinite.
            if (kernel.all_zero(seed, n)) continue;
            kernel.add(seed, n, seeds.dz + r * n);
            slopes.at(step, r);
            for (std::size_t j = 0; j < slopes.count; ++j) {
                dk[j] = seeds.dk + (slopes.stage[j] * rows + r) * n;
                spread.factor[j] = slopes.factor[j];
            }
            const auto sums = kernel.spread(seed, slopes.k, spread, slopes.count, n, dk);
            if (seeds.dh != nullptr) seeds.dh[r] += static_cast<double>(sums.first);
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
