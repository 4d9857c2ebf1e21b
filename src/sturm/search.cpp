#include "search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "hermite.h"

namespace deepsl::sturm::detail {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

}  // namespace

// A Dirichlet end raises eigenvalues, by at most one index, so the two-sided bound of the Dirichlet
// problem serves the others too. Ends that attract (f = -kappa u) lower the first ones: in the
// clock x of length S with dx = P dt, u^2 at an end is at most the integral of
// u_x^2 / (2 kappa) + (2 kappa + 1/S) u^2.
Search::Bracket Search::eigenvalue_bounds(const Line& line, std::size_t n) {
    const LineFigures& f = line.figures;
    const double wave = pi / f.sum_a;
    const auto squared = [&](std::size_t k) {
        const double x = static_cast<double>(k) * wave;
        return x * x;
    };
    Bracket b{f.min_q_over_w, squared(n) / f.min_pw + f.max_q_over_w};
    const auto free = static_cast<std::size_t>(free_ends(line));
    if (n > free) {
        b.low += squared(n - free) / f.max_pw;
    } else {
        double kappa = 0.0;
        for (const Start& end : {line.left, line.right})
            if (end.u > 0.0) kappa = std::max(kappa, -end.f / end.u);
        b.low -= (4.0 * kappa * kappa + 2.0 * kappa / f.sum_a) / f.min_pw;
    }
    const double margin = 1e-10 * (std::fabs(b.low) + std::fabs(b.high) + squared(1) / f.min_pw);
    return {b.low - margin, b.high + margin};
}

void Search::begin(const Line& line, std::size_t index, double guess) {
    target_ = pi * static_cast<double>(index);
    bracket_ = eigenvalue_bounds(line, index);
    lambda = std::clamp(guess, bracket_.low, bracket_.high);
    size_ = std::fabs(guess);
    const double length = line.figures.liouville_length;
    usual_step_ = 2.0 * target_ / (length * length);
    done = false;
    sights_ = 0;
    width_ = infinity;
}

void Search::narrow(double at, double angle) {
    if (std::isnan(angle)) return;
    if (angle > target_) {
        bracket_.high = std::min(bracket_.high, at);
    } else {
        bracket_.low = std::max(bracket_.low, at);
    }
}

void Search::see(double angle, double slope) {
    before_ = now_;
    now_ = {lambda, angle - target_, 1.0 / slope};
    ++sights_;
}

bool Search::was_far() const { return std::fabs(now_.delta) > 0.5; }

// Whether the sight before this one was near, and a smooth step away.
bool Search::follows() const {
    return sights_ > 1 && std::fabs(before_.delta) < 0.5 && before_.lambda != now_.lambda;
}

void Search::advance(int pass, double accuracy, bool trusting) {
    // A small step alone proves nothing: where the angle rises steeply, the root may lie on the
    // flat foot of the riser. So the angle that is left is measured by the flattest slope in sight.
    double next = lambda - now_.delta * now_.step;
    const double allowed = accuracy * (std::fabs(next) + pi * now_.step);
    const double flattest = std::max({now_.step, usual_step_, follows() ? before_.step : 0.0});
    bool close = now_.delta == 0.0 || std::fabs(now_.delta) * flattest <= allowed;
    // Two near sights with like slopes make a cubic. The rate of convergence so far tells what it
    // leaves.
    if (follows() && std::fabs(before_.step - now_.step) < 0.1 * std::fabs(now_.step)) {
        const Correction c = hermite(0.0, before_.delta, before_.lambda, before_.step, now_.delta,
                                     now_.lambda, now_.step);
        next = lambda + c.linear + c.rest;
        const double rate =
            std::max(std::fabs(now_.delta / before_.delta), std::fabs(before_.delta));
        const double product = now_.delta * before_.delta;
        const double left_over = 40.0 * std::fabs(c.rest) * rate * rate +
                                 0.03 * product * product * std::fabs(now_.step);
        close |= trusting && std::fabs(now_.delta) < 0.3 && left_over <= allowed;
    }
    if (std::isfinite(next) && close) {
        lambda = std::clamp(next, bracket_.low, bracket_.high);
        done = true;
        return;
    }
    // A step that leaves the bracket, or that crawls inside it, yields to bisection.
    const double width = bracket_.high - bracket_.low;
    const bool crawling = pass >= 6 && pass % 2 == 0 && width > 0.25 * width_;
    if (pass % 2 == 0) width_ = width;
    if (next > bracket_.low && next < bracket_.high && !crawling) {
        lambda = next;
        return;
    }
    // Bounds may be far too wide; then the root is near their lower end.
    const bool far_too_wide = width > 100.0 * (size_ + pi * std::fabs(now_.step));
    lambda = bracket_.low + (far_too_wide ? 0.01 : 0.5) * width;
    if (!(lambda > bracket_.low && lambda < bracket_.high)) done = true;
}

}  // namespace deepsl::sturm::detail
