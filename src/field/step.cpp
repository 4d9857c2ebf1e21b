#include "deepsl/field/step.h"

#include <algorithm>
#include <vector>

#include "field/row_kernel.h"

namespace deepsl::field {
template <class Real>
void take_step(const network::Network<Real>& f, const Method& method, const StepRows<Real>& step,
               network::Tape* tape) {
    const auto& kernel = row_kernel<Real>();
    for (std::size_t i = 1; i < method.stages(); ++i) {
        kernel.step(step.points, step.h, step.k, step.rows * step.n, StepWeights(method.a[i]),
                    step.rows, step.n, step.point(i));
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
        kernel.step_pullback(by_point.data(), step.h, step.k, rows * n, StepWeights(method.a[i]),
                             rows, n, seeds.dz, seeds.dk, seeds.dh);
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
