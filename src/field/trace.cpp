#include "deepsl/field/trace.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include <ATen/Parallel.h>

#include "field/piece.h"
#include "network/real.h"

namespace deepsl::field {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

/// z + h sum_j weights_j k_j in one pass over memory; h is double, [rows].
class Combine : public torch::autograd::Function<Combine> {
public:
    static Tensor forward(AutogradContext* context, const Tensor& z, const Tensor& h,
                          at::TensorList k, const std::vector<double>& weights) {
        const auto y = torch::empty_like(z);
        with_real(z.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            const auto n = z.size(1);
            const auto from = pointers<Real>(k);
            const Real* start = z.data_ptr<Real>();
            const double* step = h.data_ptr<double>();
            Real* to = y.data_ptr<Real>();
            at::parallel_for(0, z.size(0), grain(n), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t r = begin; r < end; ++r) {
                    std::copy_n(start + r * n, n, to + r * n);
                    for (std::size_t j = 0; j < from.size(); ++j) {
                        const Real factor = static_cast<Real>(step[r] * weights[j]);
                        for (std::int64_t i = r * n; i < (r + 1) * n; ++i)
                            to[i] += factor * from[j][i];
                    }
                    // A line that is lost must not lead the field, and its gradient, to NaN.
                    if (!std::all_of(to + r * n, to + (r + 1) * n,
                                     [](Real c) { return std::isfinite(c); }))
                        std::copy_n(start + r * n, n, to + r * n);
                }
            });
        });
        variable_list kept{h};
        kept.insert(kept.end(), k.begin(), k.end());
        context->save_for_backward(kept);
        context->saved_data["weights"] = weights;
        return y;
    }

    static variable_list backward(AutogradContext* context, const variable_list& seeds) {
        const auto kept = context->get_saved_variables();
        const auto weights = context->saved_data["weights"].toDoubleVector();
        const auto seed = seeds[0].contiguous();
        const variable_list k(kept.begin() + 1, kept.end());
        const auto dh = torch::empty_like(kept[0]);
        variable_list dk;
        for (const auto& slope : k) dk.push_back(torch::empty_like(slope));
        with_real(seed.scalar_type(), [&](auto zero) {
            using Real = decltype(zero);
            const auto n = seed.size(1);
            const auto slopes = pointers<Real>(k);
            const auto to = pointers<Real>(dk);
            const Real* from = seed.data_ptr<Real>();
            const double* step = kept[0].data_ptr<double>();
            double* d_step = dh.data_ptr<double>();
            at::parallel_for(0, seed.size(0), grain(n), [&](std::int64_t begin, std::int64_t end) {
                for (std::int64_t r = begin; r < end; ++r) {
                    d_step[r] = 0.0;
                    // Nothing is wanted of this row; its slopes may be infinite.
                    if (std::all_of(from + r * n, from + (r + 1) * n,
                                    [](Real c) { return c == Real(0); })) {
                        for (auto* slope : to) std::fill_n(slope + r * n, n, Real(0));
                        continue;
                    }
                    for (std::size_t j = 0; j < to.size(); ++j) {
                        const Real factor = static_cast<Real>(step[r] * weights[j]);
                        Real sum = 0;
                        for (std::int64_t i = r * n; i < (r + 1) * n; ++i) {
                            to[j][i] = factor * from[i];
                            sum += slopes[j][i] * from[i];
                        }
                        d_step[r] += weights[j] * static_cast<double>(sum);
                    }
                }
            });
        });
        variable_list result{seed, dh};
        result.insert(result.end(), dk.begin(), dk.end());
        result.emplace_back();
        return result;
    }
};

Tensor combine(const Tensor& z, const Tensor& h, const std::vector<Tensor>& k,
               const std::vector<double>& weights) {
    std::vector<Tensor> used;
    std::vector<double> factors;
    for (std::size_t j = 0; j < weights.size(); ++j) {
        if (weights[j] == 0.0) continue;
        used.push_back(k[j]);
        factors.push_back(weights[j]);
    }
    return Combine::apply(z, h, at::TensorList(used), factors);
}

Tensor rows_of(const Tensor& tensor, const std::vector<std::int64_t>& rows) {
    return tensor.index_select(0, torch::tensor(rows, torch::kInt64));
}

/// Whether each row goes on, and how its steps should change: data of the loop, not of autograd.
struct Judgement {
    std::vector<double> exit;         // where the piece leaves, or -1; NaN if it is not finite
    std::vector<double> error_ratio;  // local error over tolerance; 0 for fixed steps
};

Judgement judge(const Step& step, const Domain& domain, const Method& method, double tolerance) {
    const auto rows = step.z.size(0), n = step.z.size(1);
    Judgement result;
    result.exit.assign(static_cast<std::size_t>(rows), -1.0);
    result.error_ratio.assign(static_cast<std::size_t>(rows), 0.0);
    with_real(step.z.scalar_type(), [&](auto zero) {
        using Real = decltype(zero);
        const auto k = pointers<Real>(step.k);
        const Real* z = step.z.data_ptr<Real>();
        const double* h = step.h.data_ptr<double>();
        at::parallel_for(0, rows, grain(8 * n), [&](std::int64_t begin, std::int64_t end) {
            ExitFinder finder(domain, method.degree());
            for (std::int64_t r = begin; r < end; ++r) {
                const auto at = static_cast<std::size_t>(r);
                for (std::int64_t i = 0; i < n; ++i)
                    finder.coefficient(0)[i] = static_cast<double>(z[r * n + i]);
                for (std::size_t j = 0; j < method.degree(); ++j) {
                    double* c = finder.coefficient(j + 1);
                    std::fill_n(c, n, 0.0);
                    for (std::size_t s = 0; s < method.stages(); ++s) {
                        const double factor = h[r] * method.dense[s][j];
                        if (factor == 0.0) continue;
                        for (std::int64_t i = 0; i < n; ++i)
                            c[i] += factor * static_cast<double>(k[s][r * n + i]);
                    }
                }
                double worst = 0.0;
                for (std::int64_t i = 0; method.adaptive() && i < n; ++i) {
                    double sum = 0.0;
                    for (std::size_t s = 0; s < method.stages(); ++s)
                        sum += method.error[s] * static_cast<double>(k[s][r * n + i]);
                    worst = std::max(worst, std::fabs(h[r] * sum));
                }
                // A stage that only leads to others leaves no trace in the sums above.
                Real lost = 0;
                for (std::size_t s = 0; method.adaptive() && s < method.stages(); ++s)
                    for (std::int64_t i = 0; i < n; ++i) lost += Real(0) * k[s][r * n + i];
                result.error_ratio[at] = worst / tolerance;
                if (std::isnan(lost)) {
                    result.error_ratio[at] = 0.0;
                    result.exit[at] = std::nan("");
                } else if (result.error_ratio[at] <= 1.0) {
                    result.exit[at] = finder.first_exit().value_or(-1.0);
                }
            }
        });
    });
    return result;
}

/// Status of the samples before any step.
std::vector<LineStatus> start_status(const Tensor& x, const Domain& domain) {
    const auto wide = x.detach().to(torch::kFloat64).contiguous();
    const auto n = static_cast<std::size_t>(x.size(1));
    std::vector<LineStatus> status(static_cast<std::size_t>(x.size(0)), LineStatus::ok);
    for (std::size_t b = 0; b < status.size(); ++b) {
        const std::span<const double> z(wide.data_ptr<double>() + b * n, n);
        if (!std::all_of(z.begin(), z.end(), [](double c) { return std::isfinite(c); })) {
            status[b] = LineStatus::not_finite;
        } else if (domain.level(z) >= 0.0) {
            status[b] = LineStatus::outside;
        }
    }
    return status;
}

double resized(double h, double error_ratio, int order) {
    if (!std::isfinite(error_ratio)) return 0.2 * h;
    const double factor = 0.9 * std::pow(std::max(error_ratio, 1e-10), -1.0 / order);
    return h * std::clamp(factor, 0.2, 5.0);
}

void check(const Domain& domain, const Tensor& x, const TraceOptions& options) {
    if (x.dim() != 2 || x.size(1) != domain.dimensions()) {
        throw sturm::InputError("samples for a domain of " + std::to_string(domain.dimensions()) +
                                " dimensions must be a table with as many columns, but there are " +
                                std::to_string(x.dim() == 2 ? x.size(1) : 0));
    }
    if (options.steps < 1 || options.max_steps < 1)
        throw sturm::InputError("steps and max_steps must be 1 or more");
    const double least = x.scalar_type() == torch::kFloat32 ? 1e-6 : 1e-13;
    if (options.method->adaptive() && !(options.tolerance >= least && options.tolerance <= 0.1)) {
        throw sturm::InputError("the tolerance of field lines must lie between " +
                                std::string(least > 1e-7 ? "1e-6 (float32)" : "1e-13") +
                                " and 0.1; for less use float64");
    }
}

}  // namespace

FieldLines trace(VectorFieldImpl& field, const DomainPointer& domain, const Tensor& x,
                 const TraceOptions& options) {
    check(*domain, x, options);
    const Method& method = *options.method;
    const auto samples = x.size(0);
    FieldLines lines{x, domain, &method, {}, {}, {}, {}, 0};
    lines.line_status = start_status(x, *domain);
    std::vector<std::int64_t> running;
    for (std::int64_t b = 0; b < samples; ++b)
        if (lines.line_status[static_cast<std::size_t>(b)] == LineStatus::ok) running.push_back(b);
    lines.line_status.insert(lines.line_status.end(), lines.line_status.begin(),
                             lines.line_status.begin() + samples);
    lines.pieces.resize(lines.line_status.size());
    lines.exit.assign(lines.line_status.size(), 0.0);
    if (running.empty()) return lines;

    // Both directions at once; they share the slope at the sample.
    auto z = rows_of(x, running);
    auto slope = field.forward(z).contiguous();
    TORCH_CHECK(slope.sizes() == z.sizes() && slope.scalar_type() == z.scalar_type(),
                "a field must give as many numbers as it takes, ", z.sizes(), " of ",
                z.scalar_type(), ", but gives ", slope.sizes(), " of ", slope.scalar_type());
    lines.evaluations += z.size(0);
    z = torch::cat({z, z});
    slope = torch::cat({slope, slope});
    for (std::size_t i = 0, count = running.size(); i < count; ++i)
        running.push_back(running[i] + samples);

    std::vector<double> wanted;  // adaptive steps, unsigned; 0: not yet chosen
    wanted.assign(running.size(), 0.0);
    for (int round = 0; !running.empty() && round < options.max_steps; ++round) {
        Step step;
        step.lines = running;
        step.z = z;
        // Where the field vanishes or is not finite any step will do: 0, infinity and NaN must
        // not meet in a quotient that is differentiated.
        const auto speed_of = domain->pace(slope.detach());
        const auto usable = torch::isfinite(speed_of).logical_and(speed_of > 0).unsqueeze(1);
        const auto pace =
            domain->pace(torch::where(usable, slope, torch::ones_like(slope))).to(torch::kFloat64);
        std::vector<double> signs;
        for (const auto line : running) signs.push_back(line < samples ? 1.0 : -1.0);
        step.h = torch::tensor(signs, torch::kFloat64) / (2.0 * options.steps * pace);
        step.pace.assign(running.size(), 0.5 / options.steps);
        if (method.adaptive()) {
            const auto own = pace.detach().contiguous();
            step.h = step.h.detach().clone();
            for (std::size_t r = 0; r < running.size(); ++r) {
                double& h = step.h.data_ptr<double>()[r];
                const double speed = own.data_ptr<double>()[r];
                if (wanted[r] > 0.0) h = signs[r] * std::min(wanted[r], 0.5 / speed);
                step.pace[r] = std::fabs(h) * speed;
            }
        }
        step.k = {slope};
        for (std::size_t i = 1; i < method.stages(); ++i)
            step.k.push_back(field.forward(combine(z, step.h, step.k, method.a[i])).contiguous());
        lines.evaluations += z.size(0) * static_cast<std::int64_t>(method.stages() - 1);

        const auto verdict = judge(step, *domain, method, options.tolerance);
        std::vector<std::int64_t> onward, repeated;  // rows: accepted and still inside; rejected
        std::vector<double> next_wanted;
        const auto number = static_cast<std::int32_t>(lines.steps.size());
        for (std::size_t r = 0; r < running.size(); ++r) {
            const auto line = static_cast<std::size_t>(running[r]);
            if (!(verdict.error_ratio[r] <= 1.0)) {
                repeated.push_back(static_cast<std::int64_t>(r));
                continue;
            }
            lines.pieces[line].push_back({number, static_cast<std::int32_t>(r)});
            if (std::isnan(verdict.exit[r])) {
                lines.line_status[line] = LineStatus::not_finite;
            } else if (verdict.exit[r] >= 0.0) {
                lines.exit[line] = verdict.exit[r];
            } else {
                onward.push_back(static_cast<std::int64_t>(r));
            }
        }
        const auto end = combine(z, step.h, step.k, method.a.back());
        std::vector<std::int64_t> next;
        for (const auto* rows : {&onward, &repeated}) {
            for (const auto r : *rows) {
                const auto at = static_cast<std::size_t>(r);
                next.push_back(running[at]);
                next_wanted.push_back(method.adaptive()
                                          ? resized(std::fabs(step.h.data_ptr<double>()[r]),
                                                    verdict.error_ratio[at], method.order)
                                          : 0.0);
            }
        }
        // The same even if all lines go on: autograd then adds a line's gradients in an order that
        // does not depend on its neighbours.
        z = torch::cat({rows_of(end, onward), rows_of(z, repeated)});
        slope = torch::cat({rows_of(step.k.back(), onward), rows_of(step.k.front(), repeated)});
        running = std::move(next);
        wanted = std::move(next_wanted);
        lines.steps.push_back(std::move(step));
    }
    for (const auto line : running)
        lines.line_status[static_cast<std::size_t>(line)] = LineStatus::step_limit;
    return lines;
}

std::vector<LineStatus> FieldLines::status() const {
    const auto count = line_status.size() / 2;
    std::vector<LineStatus> result(count);
    for (std::size_t b = 0; b < count; ++b)
        result[b] = std::max(line_status[b], line_status[b + count]);
    return result;
}

std::vector<int> FieldLines::step_counts() const {
    const auto count = pieces.size() / 2;
    std::vector<int> result(count);
    for (std::size_t b = 0; b < count; ++b)
        result[b] = static_cast<int>(pieces[b].size() + pieces[b + count].size());
    return result;
}

std::string_view name(LineStatus status) {
    switch (status) {
        case LineStatus::ok: return "ok";
        case LineStatus::not_finite: return "not_finite";
        case LineStatus::outside: return "outside";
        case LineStatus::step_limit: return "step_limit";
    }
    return "unknown";
}

std::string_view sentence(LineStatus status) {
    switch (status) {
        case LineStatus::ok: return "the line leaves the domain at both ends";
        case LineStatus::not_finite:
            return "the sample or the field along its line is NaN or infinite; check the inputs "
                   "and lower the learning rate";
        case LineStatus::outside:
            return "the sample does not lie inside the domain; scale the inputs into it";
        case LineStatus::step_limit:
            return "the line had not left the domain after the allowed steps; raise max_steps, or "
                   "use a field that advances in one direction";
    }
    return "unknown";
}

}  // namespace deepsl::field
