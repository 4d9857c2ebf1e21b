#include "roots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

namespace deepsl::sturm::detail {

namespace {

constexpr double pi = std::numbers::pi;
constexpr double infinity = std::numeric_limits<double>::infinity();

struct Bracket {
    double low, high;
};

int free_ends(const Line& line) { return (line.left.u != 0.0) + (line.right.u != 0.0); }

// Where the n-th eigenvalue must lie. A Dirichlet end raises eigenvalues, by at most one index,
// so the two-sided bound of the Dirichlet problem serves the others too.
Bracket eigenvalue_bounds(const Line& line, std::size_t n) {
    const double wave = pi / line.figures.sum_a;
    const auto squared = [&](std::size_t k) {
        const double x = static_cast<double>(k) * wave;
        return x * x;
    };
    Bracket b{-infinity, squared(n) / line.figures.min_pw + line.figures.max_q_over_w};
    const auto free = static_cast<std::size_t>(free_ends(line));
    const bool attracting = line.left.f < 0.0 || line.right.f < 0.0;
    if (n > free) {
        b.low = squared(n - free) / line.figures.max_pw + line.figures.min_q_over_w;
    } else if (!attracting) {
        b.low = line.figures.min_q_over_w;
    }
    const double margin = 1e-10 * (std::fabs(b.high) + squared(1) / line.figures.min_pw);
    return {b.low - margin, b.high + margin};
}

// The leading terms for large n, in the clock that makes the wave speed constant.
double asymptotic_guess(const Line& line, std::size_t n) {
    const double order = static_cast<double>(n) - 0.5 * free_ends(line);
    const double wave = order * pi / line.figures.liouville_length;
    return wave * wave + line.figures.liouville_q;
}

// The cubic through two points with two slopes, at x: (xb, yb) is the nearer point, to which the
// result is a correction. Returned without yb and split by order, to tell how fast it converges.
struct Correction {
    double linear, rest;
};

Correction hermite(double x, double xa, double ya, double sa, double xb, double yb, double sb) {
    const double h = xa - xb;
    const double chord = (ya - yb) / h;
    const double second = (chord - sb) / h;
    const double third = (sa - 2.0 * chord + sb) / (h * h);
    const double d = x - xb;
    return {sb * d, d * d * (second + third * (x - xa))};
}

// What one lane saw at one trial eigenvalue.
struct Sight {
    double lambda, delta, slope;  // delta: by how much the angle passes the target
};

// The search for one index: looks at a sight and chooses the next trial eigenvalue.
class Search {
public:
    double lambda = 0.0;
    bool done = false;

    bool was_far() const { return std::fabs(now_.delta) > 0.5; }
    void forget() { sights_ = 0; }

    void begin(const Line& line, std::size_t index, double guess) {
        target_ = pi * static_cast<double>(index);
        bracket_ = eigenvalue_bounds(line, index);
        lambda = std::clamp(guess, bracket_.low, bracket_.high);
    }

    void narrow(double at, double angle) {
        if (angle > target_) {
            bracket_.high = std::min(bracket_.high, at);
        } else {
            bracket_.low = std::max(bracket_.low, at);
        }
    }

    void see(const Pass& p, std::size_t lane) {
        before_ = now_;
        now_ = {lambda, p.angle[lane] - target_, p.slope[lane]};
        ++sights_;
    }

    void advance(int pass, double accuracy) {
        double next = lambda - now_.delta / now_.slope;
        double left_over = 2.0 * now_.delta * now_.delta / now_.slope;
        if (follows()) {
            // Two sights make a cubic; the rate of convergence so far tells what it leaves.
            const Correction c = hermite(0.0, before_.delta, before_.lambda, 1.0 / before_.slope,
                                         now_.delta, now_.lambda, 1.0 / now_.slope);
            const double rate =
                std::max(std::fabs(now_.delta / before_.delta), std::fabs(before_.delta));
            next = lambda + c.linear + c.rest;
            left_over = 4.0 * std::fabs(c.rest) * rate * rate;
        }
        const double spacing = pi / now_.slope;
        if (now_.delta == 0.0 || (std::isfinite(next) && std::fabs(now_.delta) < 0.3 &&
                                  left_over <= accuracy * (std::fabs(next) + spacing))) {
            lambda = std::clamp(next, bracket_.low, bracket_.high);
            done = true;
            return;
        }
        // A step that leaves the bracket, or that crawls inside it, yields to bisection.
        const double width = bracket_.high - bracket_.low;
        const bool crawling = pass >= 6 && pass % 2 == 0 && width > 0.25 * width_;
        if (pass % 2 == 0) width_ = width;
        const bool inside = next > bracket_.low && next < bracket_.high && !crawling;
        if (!inside) sights_ = 0;
        if (std::isfinite(bracket_.low)) {
            const double middle = bracket_.low + 0.5 * width;
            if (!(middle > bracket_.low && middle < bracket_.high)) done = true;
            lambda = inside ? next : middle;
        } else {
            // No bound below: an attracting end may hold a state far down.
            const double reach = 4.0 * (std::fabs(bracket_.high) + std::fabs(spacing));
            const double farthest = bracket_.high - (std::isfinite(reach) ? reach : 1.0);
            lambda = inside ? std::max(next, farthest) : farthest;
        }
    }

private:
    // Whether the sight before this one was near, and a smooth step away.
    bool follows() const {
        return sights_ > 1 && std::fabs(before_.delta) < 0.5 && before_.lambda != now_.lambda;
    }

    double target_ = 0.0;
    double width_ = infinity;
    Bracket bracket_{};
    Sight now_{}, before_{};
    int sights_ = 0;  // in a row, without a bisection between them
};

void search(const Kernel& kernel, const Line& line, int max_passes, double accuracy, Roots& roots) {
    Search s[lanes];
    Lanes lambda, scale;
    for (std::size_t i = 0; i < lanes; ++i) {
        s[i].begin(line, roots.index[i], roots.lambda[i]);
        lambda[i] = s[i].lambda;
        roots.passes[i] = 0;
        roots.status[i] = Status::pass_limit;
    }
    roots.match = choose_match(line, roots.match, *std::min_element(lambda.at, lambda.at + lanes));
    kernel.angle_scale(line, roots.match, lambda, scale);
    Pass p;
    for (int pass = 1; pass <= max_passes; ++pass) {
        for (std::size_t i = 0; i < lanes; ++i) lambda[i] = s[i].lambda;
        kernel.pass(line, roots.match, scale, lambda, p);
        bool all_done = true;
        for (std::size_t i = 0; i < lanes; ++i) {
            if (s[i].done) continue;
            // The angle is one function for all indices: what one lane saw narrows the others.
            // In most cases two passes do, and there is nothing to narrow.
            if (pass > 2) {
                for (std::size_t j = 0; j < lanes; ++j) s[i].narrow(lambda[j], p.angle[j]);
            } else {
                s[i].narrow(lambda[i], p.angle[i]);
            }
            s[i].see(p, i);
            s[i].advance(pass, accuracy);
            roots.passes[i] = pass;
            if (s[i].done) roots.status[i] = Status::ok;
            all_done &= s[i].done;
        }
        if (all_done) break;
        // A scale chosen for a far guess makes the angle less linear than it could be.
        constexpr int settled = 6;
        if (pass < settled &&
            std::any_of(s, s + lanes, [](const Search& x) { return !x.done && x.was_far(); })) {
            for (std::size_t i = 0; i < lanes; ++i) {
                lambda[i] = s[i].lambda;
                s[i].forget();
            }
            kernel.angle_scale(line, roots.match, lambda, scale);
        }
    }
    // Rounding acts like a relative change of lambda and q by about 1e-16.
    constexpr double magnification = 1e4;
    const LineFigures& fig = line.figures;
    const double q_scale = std::max(std::fabs(fig.min_q_over_w), std::fabs(fig.max_q_over_w));
    for (std::size_t i = 0; i < lanes; ++i) {
        roots.lambda[i] = s[i].lambda;
        roots.accurate[i] = p.sensitivity[i] * (std::fabs(s[i].lambda) + q_scale) <= magnification;
    }
}

}  // namespace

void find_roots(const Kernel& kernel, const Line& line, int max_passes, Roots& roots) {
    constexpr double to_rounding = 1e-14;
    constexpr double roughly = 1e-2;
    constexpr std::size_t coarsest = 16;

    bool missing = false;
    for (std::size_t i = 0; i < lanes; ++i) {
        if (std::isfinite(roots.lambda[i])) continue;
        missing = true;
        roots.lambda[i] = asymptotic_guess(line, roots.index[i]);
    }
    const std::size_t top = *std::max_element(roots.index, roots.index + lanes);
    const std::size_t group = line.pieces.size() / std::max(coarsest, 2 * top);
    if (missing && group >= 2) {
        thread_local Line coarse;
        merge_pieces(line, group, coarse);
        kernel.measure(coarse);
        if (judge(coarse) == Status::ok) {
            const std::size_t match = roots.match;
            roots.match /= group;
            search(kernel, coarse, 12, roughly, roots);
            roots.match = match;
        }
    }
    search(kernel, line, max_passes, to_rounding, roots);
}

std::size_t count_below(const Kernel& kernel, const Line& line, double lambda) {
    Lanes at, scale;
    Pass p;
    for (double& x : at.at) x = lambda;
    const std::size_t match = choose_match(line, line.pieces.size() / 2, lambda);
    kernel.angle_scale(line, match, at, scale);
    kernel.pass(line, match, scale, at, p);
    // The n-th eigenvalue lies below lambda when the angle has passed n pi.
    const double passed = std::ceil(p.angle[0] / pi) - 1.0;
    return passed > 0.0 ? static_cast<std::size_t>(passed) : 0;
}

}  // namespace deepsl::sturm::detail
