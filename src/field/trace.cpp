// The loop over Runge-Kutta steps. Both directions of all lines run in it at once; a line leaves it
// when it has left the domain.
#include "deepsl/field/trace.h"

#include <algorithm>
#include <cmath>

#include "deepsl/error.h"
#include "deepsl/field/step.h"
#include "field/exit.h"
#include "field/row_kernel.h"

namespace deepsl::field {
namespace {

template <class Real>
std::span<const double> widened(const Real* row, std::size_t n, std::vector<double>& memory) {
    memory.assign(row, row + n);
    return memory;
}

double level_at(const Domain& domain, const float* z) {
    return domain.level_of_floats({z, domain.dimensions()});
}
double level_at(const Domain& domain, const double* z) {
    return domain.level({z, domain.dimensions()});
}
double pace_of(const Domain& domain, const float* a) {
    return domain.pace_of_floats({a, domain.dimensions()});
}
double pace_of(const Domain& domain, const double* a) {
    return domain.pace({a, domain.dimensions()});
}

/// Status of a sample before any step.
template <class Real>
LineStatus start_status(const Real* x, const Domain& domain) {
    if (!std::all_of(x, x + domain.dimensions(), [](Real c) { return std::isfinite(c); }))
        return LineStatus::not_finite;
    return level_at(domain, x) >= 0.0 ? LineStatus::outside : LineStatus::ok;
}

/// Whether a row goes on, and how its steps should change.
struct Judgement {
    double exit = -1.0;        // where the piece leaves, or -1; NaN if it is not finite
    double error_ratio = 0.0;  // local error over tolerance; 0 for fixed steps
};

template <class Real>
class Tracer {
public:
    Tracer(const VectorField<Real>& field, const Domain& domain, const TraceOptions& options,
           Lines<Real>& lines, network::Tape* tape)
        : field_(field),
          domain_(domain),
          options_(options),
          method_(field.constant() ? straight() : *options.method),
          dense_(method_),
          lines_(lines),
          tape_(tape),
          n_(domain.dimensions()) {}

    void run(const Real* x, std::size_t samples) {
        start(x, samples);
        if (lines_.started.empty()) return;
        first_round();
        for (int step = 1;; ++step) {
            auto& round = lines_.rounds[lines_.rounds_used - 1];
            choose_steps(round);
            take_step(field_, method_, rows_of(round), tape_);
            judge_all(round);
            if (onward_.empty()) return;
            if (step == options_.max_steps) break;
            next_round();
        }
        const auto& last = lines_.rounds[lines_.rounds_used - 1];
        for (const auto row : onward_) lines_.line_status[last.lines[row]] = LineStatus::step_limit;
    }

private:
    StepRows<Real> rows_of(Round<Real>& round) const {
        return {round.rows, n_, round.h.data(), round.points.data(), round.k.data()};
    }

    void start(const Real* x, std::size_t samples) {
        lines_.samples = samples;
        lines_.n = n_;
        lines_.domain = &domain_;
        lines_.method = &method_;
        lines_.step_pace = field_.constant() ? 1.0 : 0.5 / options_.steps;
        lines_.x.assign(x, x + samples * n_);
        lines_.rounds_used = 0;
        lines_.started.clear();
        lines_.line_status.resize(2 * samples);
        lines_.exit.assign(2 * samples, 0.0);
        if (lines_.pieces.size() < 2 * samples) lines_.pieces.resize(2 * samples);
        for (std::size_t b = 0; b < samples; ++b) {
            const auto status = start_status(x + b * n_, domain_);
            lines_.line_status[b] = lines_.line_status[b + samples] = status;
            lines_.pieces[b].clear();
            lines_.pieces[b + samples].clear();
            if (status == LineStatus::ok) lines_.started.push_back(b);
        }
    }

    Round<Real>& add_round(std::size_t rows) {
        if (lines_.rounds.size() == lines_.rounds_used) lines_.rounds.emplace_back();
        auto& round = lines_.rounds[lines_.rounds_used++];
        const auto stages = method_.stages();
        round.rows = rows;
        round.lines.resize(rows);
        round.from.resize(rows);
        round.repeated.assign(rows, 0);
        round.h.resize(rows);
        round.pace.resize(rows);
        round.points.resize(stages * rows * n_);
        round.k.resize(stages * rows * n_);
        return round;
    }

    /// Both directions share the slope at the sample.
    void first_round() {
        const auto count = lines_.started.size();
        lines_.start.resize(count * n_);
        lines_.first_slope.resize(count * n_);
        for (std::size_t i = 0; i < count; ++i)
            std::copy_n(lines_.x.data() + lines_.started[i] * n_, n_, lines_.start.data() + i * n_);
        field_.forward(lines_.start.data(), count, lines_.first_slope.data(), tape_);
        auto& round = add_round(2 * count);
        for (std::size_t r = 0; r < round.rows; ++r) {
            const bool backwards = r >= count;
            round.from[r] = r % count;
            round.lines[r] = lines_.started[r % count] + (backwards ? lines_.samples : 0);
            std::copy_n(lines_.start.data() + (r % count) * n_, n_, round.points.data() + r * n_);
            std::copy_n(lines_.first_slope.data() + (r % count) * n_, n_, round.k.data() + r * n_);
        }
        wanted_.assign(round.rows, 0.0);
    }

    void choose_steps(Round<Real>& round) {
        for (std::size_t r = 0; r < round.rows; ++r) {
            const double sign = round.lines[r] < lines_.samples ? 1.0 : -1.0;
            double pace = pace_of(domain_, round.k.data() + r * n_);
            // Where the field vanishes or is not finite any step will do.
            if (!std::isfinite(pace) || !(pace > 0.0)) pace = 1.0;
            round.h[r] = sign * lines_.step_pace / pace;
            if (method_.adaptive() && wanted_[r] > 0.0)
                round.h[r] = sign * std::min(wanted_[r], 0.5 / pace);
            round.pace[r] = method_.adaptive() ? std::fabs(round.h[r]) * pace : lines_.step_pace;
        }
    }

    void judge_all(Round<Real>& round) {
        onward_.clear();
        rejected_.clear();
        ratio_.assign(round.rows, 0.0);
        finder_.prepare(domain_, method_.degree());
        for (std::size_t r = 0; r < round.rows; ++r) {
            const auto verdict = judge(round, r);
            const auto line = round.lines[r];
            ratio_[r] = verdict.error_ratio;
            if (!(verdict.error_ratio <= 1.0)) {
                rejected_.push_back(r);
                continue;
            }
            lines_.pieces[line].push_back({lines_.rounds_used - 1, r});
            if (std::isnan(verdict.exit)) {
                lines_.line_status[line] = LineStatus::not_finite;
            } else if (verdict.exit >= 0.0) {
                lines_.exit[line] = verdict.exit;
            } else {
                onward_.push_back(r);
            }
        }
        accepted_ = onward_.size();
        onward_.insert(onward_.end(), rejected_.begin(), rejected_.end());
    }

    Judgement judge(Round<Real>& round, std::size_t r) {
        Judgement result;
        if (method_.adaptive()) {
            result.error_ratio = error_ratio(method_, rows_of(round), r, options_.tolerance);
            if (std::isnan(result.error_ratio)) return {std::nan(""), 0.0};
            if (!(result.error_ratio <= 1.0)) return result;
        }
        result.exit = field_.constant() ? straight_exit(round, r) : first_exit(round, r);
        return result;
    }

    double straight_exit(const Round<Real>& round, std::size_t r) {
        direction_.resize(n_);
        for (std::size_t i = 0; i < n_; ++i)
            direction_[i] = round.h[r] * static_cast<double>(round.k[r * n_ + i]);
        return domain_.straight_exit(widened(round.points.data() + r * n_, n_, memory_),
                                     direction_);
    }

    /// Whether the points that span the hull of a piece lie inside: most pieces need no more.
    bool hull_inside(const Round<Real>& round, std::size_t r) {
        point_.resize(n_);
        for (std::size_t j = 0; j < dense_.degree; ++j) {
            const Real* k[Method::max_stages];
            Real factor[Method::max_stages];
            std::size_t count = 0;
            for (std::size_t s = 0; s < dense_.stages; ++s) {
                if (dense_.control[j][s] == 0.0) continue;
                k[count] = round.k.data() + (s * round.rows + r) * n_;
                factor[count++] = static_cast<Real>(round.h[r] * dense_.control[j][s]);
            }
            if (!row_kernel<Real>().combine(round.points.data() + r * n_, k, factor, count, n_,
                                            point_.data()) ||
                !(level_at(domain_, point_.data()) < 0.0))
                return false;
        }
        return true;
    }

    double first_exit(const Round<Real>& round, std::size_t r) {
        if (hull_inside(round, r)) return -1.0;
        const Real* const z = round.points.data() + r * n_;
        std::copy_n(z, n_, finder_.coefficient(0));
        for (std::size_t j = 0; j < method_.degree(); ++j) {
            double* const c = finder_.coefficient(j + 1);
            std::fill_n(c, n_, 0.0);
            for (std::size_t s = 0; s < method_.stages(); ++s) {
                const double factor = round.h[r] * method_.dense[s][j];
                if (factor == 0.0) continue;
                const Real* const k = round.k.data() + (s * round.rows + r) * n_;
                for (std::size_t i = 0; i < n_; ++i) c[i] += factor * static_cast<double>(k[i]);
            }
        }
        return finder_.first_exit().value_or(-1.0);
    }

    void next_round() {
        auto& next = add_round(onward_.size());
        const auto& done = lines_.rounds[lines_.rounds_used - 2];
        const auto last = method_.stages() - 1;
        wanted_.assign(next.rows, 0.0);
        for (std::size_t i = 0; i < next.rows; ++i) {
            const auto r = onward_[i];
            const bool repeated = i >= accepted_;
            const auto stage = repeated ? 0 : last;
            next.lines[i] = done.lines[r];
            next.from[i] = r;
            next.repeated[i] = repeated ? 1 : 0;
            const auto at = (stage * done.rows + r) * n_;
            std::copy_n(done.points.data() + at, n_, next.points.data() + i * n_);
            std::copy_n(done.k.data() + at, n_, next.k.data() + i * n_);
            if (method_.adaptive())
                wanted_[i] = next_step(std::fabs(done.h[r]), ratio_[r], method_.order);
        }
    }

    const VectorField<Real>& field_;
    const Domain& domain_;
    const TraceOptions& options_;
    const Method& method_;
    DenseTable dense_;
    Lines<Real>& lines_;
    network::Tape* tape_;
    std::size_t n_, accepted_ = 0;
    // Working memory, the same for all chunks that a thread traces.
    static thread_local ExitFinder finder_;
    static thread_local std::vector<double> memory_, direction_, wanted_, ratio_;
    static thread_local std::vector<std::size_t> onward_, rejected_;
    static thread_local std::vector<Real> point_;
};

template <class Real>
thread_local ExitFinder Tracer<Real>::finder_;
template <class Real>
thread_local std::vector<double> Tracer<Real>::memory_;
template <class Real>
thread_local std::vector<double> Tracer<Real>::direction_;
template <class Real>
thread_local std::vector<double> Tracer<Real>::wanted_;
template <class Real>
thread_local std::vector<double> Tracer<Real>::ratio_;
template <class Real>
thread_local std::vector<Real> Tracer<Real>::point_;
template <class Real>
thread_local std::vector<std::size_t> Tracer<Real>::onward_;
template <class Real>
thread_local std::vector<std::size_t> Tracer<Real>::rejected_;

/// h = sign step_pace / pace(a), so that dh/da = -(h / pace) dpace/da.
template <class Real>
void add_step_gradient(const Lines<Real>& lines, Round<Real>& round, std::size_t r,
                       std::vector<double>& a, std::vector<double>& by_a) {
    const auto n = lines.n;
    a.assign(round.k.data() + r * n, round.k.data() + (r + 1) * n);
    const double pace = lines.domain->pace(a);
    if (round.dh[r] == 0.0 || !std::isfinite(pace) || !(pace > 0.0)) return;
    by_a.resize(n);
    lines.domain->pace_gradient(a, by_a);
    const double factor = -round.dh[r] * round.h[r] / pace;
    for (std::size_t i = 0; i < n; ++i) round.dk[r * n + i] += static_cast<Real>(factor * by_a[i]);
}

}  // namespace

void check_trace(const TraceOptions& options, double least_tolerance) {
    check_method(*options.method);
    if (options.steps < 1 || options.max_steps < 1)
        throw argument_error("steps and max_steps must be 1 or more");
    const double tolerance = options.tolerance;
    if (options.method->adaptive() && !(tolerance >= least_tolerance && tolerance <= 0.1))
        throw argument_error("the tolerance of field lines must lie between " +
                             std::string(least_tolerance > 1e-7 ? "1e-6 (float32)" : "1e-13") +
                             " and 0.1; for less use float64");
}

template <class Real>
void trace(const VectorField<Real>& field, const Domain& domain, const Real* x, std::size_t samples,
           const TraceOptions& options, Lines<Real>& lines, network::Tape* tape) {
    if (field.inputs() != domain.dimensions())
        throw argument_error("the field takes " + std::to_string(field.inputs()) +
                             " coordinates, but the domain has " +
                             std::to_string(domain.dimensions()));
    Tracer<Real>(field, domain, options, lines, tape).run(x, samples);
}

template <class Real>
void trace_pullback(const VectorField<Real>& field, Lines<Real>& lines, network::Tape& tape,
                    Real* dx, Real* gradient) {
    const auto n = lines.n, count = lines.started.size();
    if (dx != nullptr) std::fill_n(dx, lines.samples * n, Real(0));
    if (count == 0) return;
    const Method& method = *lines.method;
    const auto last = method.stages() - 1;
    const auto& kernel = row_kernel<Real>();
    thread_local std::vector<double> a, by_a;
    for (std::size_t i = lines.rounds_used; i-- > 0;) {
        auto& round = lines.rounds[i];
        const StepRows<Real> step{round.rows, n, round.h.data(), round.points.data(),
                                  round.k.data()};
        pull_back_step<Real>(field, method, step,
                             {round.dz.data(), round.dk.data(), round.dend.data(), round.dh.data()},
                             tape, gradient);
        if (!method.adaptive())
            for (std::size_t r = 0; r < round.rows; ++r)
                add_step_gradient(lines, round, r, a, by_a);
        if (i == 0) break;
        auto& before = lines.rounds[i - 1];
        for (std::size_t r = 0; r < round.rows; ++r) {
            const auto to = round.from[r] * n;
            auto& point = round.repeated[r] != 0 ? before.dz : before.dend;
            Real* const slope =
                before.dk.data() + (round.repeated[r] != 0 ? 0 : last * before.rows * n);
            kernel.add(round.dz.data() + r * n, n, point.data() + to);
            kernel.add(round.dk.data() + r * n, n, slope + to);
        }
    }
    const auto& first = lines.rounds[0];
    thread_local std::vector<Real> by_slope, by_start;
    by_slope.resize(std::max(by_slope.size(), count * n));
    by_start.resize(std::max(by_start.size(), count * n));
    for (std::size_t at = 0; at < count * n; ++at)
        by_slope[at] = first.dk[at] + first.dk[count * n + at];
    field.pullback(lines.start.data(), count, by_slope.data(), tape,
                   dx != nullptr ? by_start.data() : nullptr, gradient);
    for (std::size_t i = 0; dx != nullptr && i < count; ++i)
        for (std::size_t c = 0; c < n; ++c)
            dx[lines.started[i] * n + c] =
                by_start[i * n + c] + first.dz[i * n + c] + first.dz[(count + i) * n + c];
}

template <class Real>
LineStatus Lines<Real>::status(std::size_t sample) const {
    return std::max(line_status[sample], line_status[sample + samples]);
}

template <class Real>
int Lines<Real>::step_count(std::size_t sample) const {
    return static_cast<int>(pieces[sample].size() + pieces[sample + samples].size());
}

template struct Lines<float>;
template struct Lines<double>;
template void trace(const VectorField<float>&, const Domain&, const float*, std::size_t,
                    const TraceOptions&, Lines<float>&, network::Tape*);
template void trace(const VectorField<double>&, const Domain&, const double*, std::size_t,
                    const TraceOptions&, Lines<double>&, network::Tape*);
template void trace_pullback(const VectorField<float>&, Lines<float>&, network::Tape&, float*,
                             float*);
template void trace_pullback(const VectorField<double>&, Lines<double>&, network::Tape&, double*,
                             double*);

}  // namespace deepsl::field
