#include "model/flow.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "model/usable.h"

namespace deepsl::model {
namespace {

using field::LineStatus;

constexpr double least_step = 1e-12;  // what is left of the unit of time counts as nothing

}  // namespace

template <class Real>
Flow<Real>::Flow(const network::Network<Real>& f, const FlowOptions& options)
    : f_(f),
      method_(*options.method),
      options_(options),
      n_(f.inputs()),
      fixed_(options.steps, 1.0 / static_cast<double>(options.steps)) {}

template <class Real>
void Flow<Real>::forward(const Real* start, std::size_t rows, network::Tape* tape) {
    status_.assign(rows, LineStatus::ok);
    end_.resize(rows * n_);
    order_.resize(rows);
    for (std::size_t r = 0; r < rows; ++r) order_[r] = r;
    if (method_.adaptive()) choose_steps(start);
    // What the tape has of a row that is lost may be infinite: once more, without it.
    do {
        follow(start, tape);
    } while (drop_failed());
}

template <class Real>
bool Flow<Real>::drop_failed() {
    return std::erase_if(order_,
                         [this](std::size_t row) { return status_[row] != LineStatus::ok; }) > 0;
}

/// The rows at t = 0, in their order.
template <class Real>
void Flow<Real>::gather(const Real* start) {
    start_.resize(order_.size() * n_);
    slope_.resize(order_.size() * n_);
    for (std::size_t i = 0; i < order_.size(); ++i)
        std::copy_n(start + order_[i] * n_, n_, start_.data() + i * n_);
}

/// Steps whose errors stay within the tolerance, for each row by itself.
template <class Real>
void Flow<Real>::choose_steps(const Real* start) {
    chosen_.resize(std::max(chosen_.size(), order_.size()));
    for (const auto row : order_) chosen_[row].clear();
    left_.assign(order_.size(), 1.0);
    if (order_.empty()) return;
    rounds_.resize(std::max<std::size_t>(rounds_.size(), 2));
    gather(start);
    f_.forward(start_.data(), order_.size(), slope_.data(), nullptr);
    rounds_[0].resize(order_.size(), method_.stages(), n_);
    std::copy(start_.begin(), start_.end(), rounds_[0].points.begin());
    std::copy(slope_.begin(), slope_.end(), rounds_[0].k.begin());
    std::fill(rounds_[0].h.begin(), rounds_[0].h.end(), fixed_.front());
    going_ = order_;
    for (std::int64_t tried = 0; tried < options_.max_steps && !going_.empty(); ++tried) {
        auto& round = rounds_[static_cast<std::size_t>(tried % 2)];
        field::take_step(f_, method_, round.step(n_), nullptr);
        judge(round, rounds_[static_cast<std::size_t>((tried + 1) % 2)]);
    }
    for (const auto row : going_) status_[row] = LineStatus::step_limit;
    drop_failed();
    std::sort(order_.begin(), order_.end(), [this](std::size_t a, std::size_t b) {
        const auto steps_a = chosen_[a].size(), steps_b = chosen_[b].size();
        return steps_a != steps_b ? steps_a > steps_b : a < b;
    });
}

/// Which steps of a round are accepted, and the round that follows.
template <class Real>
void Flow<Real>::judge(Round& round, Round& next) {
    const auto step = round.step(n_);
    next.resize(round.rows, method_.stages(), n_);
    go_on_.clear();
    for (std::size_t r = 0; r < round.rows; ++r) {
        const auto row = going_[r];
        const double h = round.h[r];
        const double ratio = error_ratio(method_, step, r, options_.tolerance);
        const bool accepted = ratio <= 1.0;
        if (accepted) {
            chosen_[row].push_back(h);
            left_[row] -= h;
            if (left_[row] < least_step) continue;
        }
        const double wanted = field::next_step(h, ratio, method_.order);
        if (wanted < least_step) {
            status_[row] = std::isfinite(ratio) ? LineStatus::step_limit : LineStatus::not_finite;
            continue;
        }
        const auto to = go_on_.size(), stage = accepted ? method_.stages() - 1 : 0;
        next.h[to] = std::min(wanted, left_[row]);
        std::copy_n(step.point(stage) + r * n_, n_, next.points.data() + to * n_);
        std::copy_n(step.slope(stage) + r * n_, n_, next.k.data() + to * n_);
        go_on_.push_back(row);
    }
    // Only the first stage has been filled, and it has the same place with fewer rows.
    next.resize(go_on_.size(), method_.stages(), n_);
    std::swap(going_, go_on_);
}

/// All rows along their steps. Those that have arrived leave; they are the last ones.
template <class Real>
void Flow<Real>::follow(const Real* start, network::Tape* tape) {
    if (tape != nullptr) tape->clear();
    rounds_used_ = 0;
    if (order_.empty()) return;
    const auto last = method_.stages() - 1;
    gather(start);
    f_.forward(start_.data(), order_.size(), slope_.data(), tape);
    const Real *z = start_.data(), *slope = slope_.data();
    for (std::size_t rows = order_.size();; ++rounds_used_) {
        while (rows > 0 && steps_of(order_[rows - 1]).size() == rounds_used_) --rows;
        if (rows == 0) break;
        // Without a way back two rounds are enough.
        const auto place = tape != nullptr ? rounds_used_ : rounds_used_ % 2;
        rounds_.resize(std::max(rounds_.size(), place + 1));
        auto& round = rounds_[place];
        round.resize(rows, method_.stages(), n_);
        const auto step = round.step(n_);
        for (std::size_t r = 0; r < rows; ++r) round.h[r] = steps_of(order_[r])[rounds_used_];
        std::copy_n(z, rows * n_, step.point(0));
        std::copy_n(slope, rows * n_, step.slope(0));
        field::take_step(f_, method_, step, tape);
        z = step.point(last), slope = step.slope(last);
        for (std::size_t r = 0; r < rows; ++r) {
            std::copy_n(z + r * n_, n_, end_.data() + order_[r] * n_);
            for (std::size_t s = 0; s <= last; ++s)
                if (!usable(step.slope(s) + r * n_, n_))
                    status_[order_[r]] = LineStatus::not_finite;
        }
    }
}

template <class Real>
void Flow<Real>::pullback(const Real* dend, network::Tape& tape, Real* dstart, Real* gradient) {
    std::fill_n(dstart, status_.size() * n_, Real(0));
    if (order_.empty()) return;
    const auto stages = method_.stages(), count = order_.size() * n_;
    // Derivatives by where a row is, and by f there; of rows that arrive later than others they
    // change while these still wait.
    by_point_.resize(count);
    by_slope_.assign(count, Real(0));
    for (std::size_t i = 0; i < order_.size(); ++i)
        std::copy_n(dend + order_[i] * n_, n_, by_point_.data() + i * n_);
    for (auto place = rounds_used_; place-- > 0;) {
        auto& round = rounds_[place];
        const auto size = round.rows * n_;
        dz_.assign(size, Real(0));
        dk_.assign(stages * size, Real(0));
        std::copy_n(by_slope_.data(), size, dk_.data() + (stages - 1) * size);
        field::pull_back_step<Real>(f_, method_, round.step(n_),
                                    {dz_.data(), dk_.data(), by_point_.data(), nullptr}, tape,
                                    gradient);
        std::copy_n(dz_.data(), size, by_point_.data());
        std::copy_n(dk_.data(), size, by_slope_.data());
    }
    dz_.resize(count);
    f_.pullback(start_.data(), order_.size(), by_slope_.data(), tape, dz_.data(), gradient);
    for (std::size_t i = 0; i < order_.size(); ++i)
        for (std::size_t c = 0; c < n_; ++c)
            dstart[order_[i] * n_ + c] = dz_[i * n_ + c] + by_point_[i * n_ + c];
}

template class Flow<float>;
template class Flow<double>;

}  // namespace deepsl::model
