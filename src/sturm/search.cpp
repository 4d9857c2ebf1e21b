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
// problem serves the others too.
Search::Bracket Search::eigenvalue_bounds(const Line& line, std::size_t n) {
    const LineFigures& f = line.figures;
    const double wave = pi / f.sum_a;
    const auto squared = [&](std::size_t k) {
        const double x = static_cast<double>(k) * wave;
        return x * x;
    };
    Bracket b{-infinity, squared(n) / f.min_pw + f.max_q_over_w};
    const auto free = static_cast<std::size_t>(free_ends(line));
    const bool attracting = line.left.f < 0.0 || line.right.f < 0.0;
    if (n > free) {
        b.low = squared(n - free) / f.max_pw + f.min_q_over_w;
    } else if (!attracting) {
        b.low = f.min_q_over_w;
    }
    const double margin = 1e-10 * (std::fabs(b.high) + squared(1) / f.min_pw);
    return {b.low - margin, b.high + margin};
}

void Search::begin(const Line& line, std::size_t index, double guess) {
    target_ = pi * static_cast<double>(index);
    bracket_ = eigenvalue_bounds(line, index);
    lambda = std::clamp(guess, bracket_.low, bracket_.high);
    done = false;
    sights_ = 0;
    width_ = infinity;
}

void Search::narrow(double at, double angle) {
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

void Search::advance(int pass, double accuracy) {
    double next = lambda - now_.delta * now_.step;
    double left_over = 2.0 * now_.delta * now_.delta * now_.step;
    if (follows()) {
        // Two sights make a cubic; the rate of convergence so far tells what it leaves. A small
        // step alone would prove nothing, where the angle rises steeply.
        const Correction c = hermite(0.0, before_.delta, before_.lambda, before_.step, now_.delta,
                                     now_.lambda, now_.step);
        const double rate =
            std::max(std::fabs(now_.delta / before_.delta), std::fabs(before_.delta));
        next = lambda + c.linear + c.rest;
        const double product = now_.delta * before_.delta;
        left_over = 40.0 * std::fabs(c.rest) * rate * rate +
                    0.03 * product * product * std::fabs(now_.step);
    }
    const double allowed = accuracy * (std::fabs(next) + pi * now_.step);
    const bool close = now_.delta == 0.0 || (std::fabs(now_.delta) < 0.3 && left_over <= allowed);
    if (std::isfinite(next) && close) {
        lambda = std::clamp(next, bracket_.low, bracket_.high);
        done = true;
        return;
    }
    step_or_bisect(pass, next);
}

// A step that leaves the bracket, or that crawls inside it, yields to bisection.
void Search::step_or_bisect(int pass, double next) {
    const double width = bracket_.high - bracket_.low;
    const bool crawling = pass >= 6 && pass % 2 == 0 && width > 0.25 * width_;
    if (pass % 2 == 0) width_ = width;
    const bool inside = next > bracket_.low && next < bracket_.high && !crawling;
    if (!inside) forget();
    if (std::isfinite(bracket_.low)) {
        const double middle = bracket_.low + 0.5 * width;
        if (!(middle > bracket_.low && middle < bracket_.high)) done = true;
        lambda = inside ? next : middle;
    } else {
        // No bound below: an attracting end may hold a state far down.
        const double reach = 4.0 * (std::fabs(bracket_.high) + std::fabs(pi * now_.step));
        const double farthest = bracket_.high - (std::isfinite(reach) ? reach : 1.0);
        lambda = inside ? std::max(next, farthest) : farthest;
    }
}

}  // namespace deepsl::sturm::detail
