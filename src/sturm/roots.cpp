#include "roots.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "hermite.h"
#include "search.h"

namespace deepsl::sturm::detail {

namespace {

constexpr double pi = std::numbers::pi;

constexpr double to_rounding = 1e-14;  // relative to lambda, or to the distance of eigenvalues

// Sized for a line before it is known whether they are needed, so that no later line of its length
// has to ask for memory.
struct Scratch {
    Line coarse, longer;
    EdgeStates states;
};

Scratch& scratch_for(const Line& line) {
    thread_local Scratch scratch;
    scratch.coarse.pieces.resize(line.pieces.size());
    scratch.states.resize(line.pieces.size() + 1);
    return scratch;
}

// The leading terms for large n, in the clock that makes the wave speed constant.
double asymptotic_guess(const Line& line, std::size_t n) {
    const double order = static_cast<double>(n) - 0.5 * free_ends(line);
    const double wave = order * pi / line.figures.liouville_length;
    return wave * wave + line.figures.liouville_q;
}

// A scale for tan(theta) = scale u / f that makes the angle nearly linear in sqrt(lambda).
double angle_scale(const Line& line, std::size_t match, double lambda) {
    const LineFigures& figures = line.figures;
    const Piece c = line.pieces[match - 1];
    // Between free ends, and on a line too short for a wave, u hardly changes, and f by as much as
    // the integral of q - lambda w.
    const double change = figures.sum_abs_g0 + std::fabs(lambda) * figures.sum_g1;
    if (free_ends(line) == 2 && figures.sum_a * change < 1.0) {
        const double left = std::fabs(line.left.f / line.left.u);
        const double right = std::fabs(line.right.f / line.right.u);
        return std::max({change, left, right, 1e-100});
    }
    const double shortest = 1.0 / figures.sum_a;
    return std::sqrt(std::max(std::fabs(c.g0 - lambda * c.g1) / c.a, shortest * shortest));
}

// Up to four searches on one line, that make their passes together.
struct Group {
    Search search[lanes];
    Lanes scale;  // of the angles
    std::size_t used = 0;
    std::size_t match = 0;
    bool trusting = true;  // that the angle is smooth between the sights
    int passes = 0;
    Pass last, before;  // what the last two passes saw

    void begin(const Line& line, std::size_t wanted, std::span<const Root> roots) {
        used = roots.size();
        double lowest = std::numeric_limits<double>::infinity();
        for (std::size_t i = 0; i < used; ++i) {
            search[i].begin(line, roots[i].index, roots[i].lambda);
            lowest = std::min(lowest, search[i].lambda);
        }
        // Weakly coupled wells make steps in the angle, too narrow to be seen from afar.
        constexpr double coupling = 3.0;
        const double e_foldings = barrier(line, lowest);
        trusting = e_foldings < coupling;
        match = choose_match(line, wanted, e_foldings);
        choose_scales(line);
    }
    Search& lane(std::size_t i) { return search[std::min(i, used - 1)]; }  // spare: the last again
    void choose_scales(const Line& line) {
        for (std::size_t i = 0; i < lanes; ++i) scale[i] = angle_scale(line, match, lane(i).lambda);
    }
};

// Passes until all searches are done.
void iterate(const Kernel& kernel, const Line& line, double accuracy, int max_passes,
             Group& group) {
    Search* s = group.search;
    Pass& p = group.last;
    for (int pass = 1; pass <= max_passes; ++pass) {
        group.before = p;
        for (std::size_t i = 0; i < lanes; ++i) p.lambda[i] = group.lane(i).lambda;
        kernel.pass(line, group.match, group.scale, p);
        group.passes = pass;
        bool all_done = true, any_far = false;
        for (std::size_t i = 0; i < group.used; ++i) {
            if (s[i].done) continue;
            // The angle is one function for all indices: what one lane saw narrows the others.
            // In most cases two passes do, and there is nothing to narrow.
            if (pass > 2) {
                for (std::size_t j = 0; j < group.used; ++j) s[i].narrow(p.lambda[j], p.angle[j]);
            } else {
                s[i].narrow(p.lambda[i], p.angle[i]);
            }
            s[i].see(p.angle[i], p.slope[i]);
            s[i].advance(pass, accuracy, group.trusting);
            all_done &= s[i].done;
            any_far |= !s[i].done && s[i].was_far();
        }
        if (all_done) return;
        // A scale chosen for a far guess makes the angle less linear than it could be.
        constexpr int settled = 6;
        if (any_far && pass < settled) {
            for (std::size_t i = 0; i < group.used; ++i) s[i].forget();
            group.choose_scales(line);
        }
    }
}

// Replaces guesses by the eigenvalues of a coarser line, roughly.
void improve_guesses(const Kernel& kernel, const Line& line, std::size_t wanted,
                     std::span<Root> roots, Line& coarse) {
    constexpr std::size_t coarsest = 16;
    constexpr double roughly = 0.1;
    std::size_t top = 0;
    for (const Root& r : roots) top = std::max(top, r.index);
    const std::size_t merged = line.pieces.size() / std::max(coarsest, 2 * top);
    if (merged < 2) return;
    merge_pieces(line, merged, coarse);
    kernel.measure(coarse);
    if (judge(coarse) != Status::ok) return;
    Group group;
    group.begin(coarse, wanted / merged, roots);
    group.trusting = true;  // a guess may be wrong
    iterate(kernel, coarse, roughly, 12, group);
    for (std::size_t i = 0; i < roots.size(); ++i) roots[i].lambda = group.search[i].lambda;
}

// How far the last eigenvalues found lie from their asymptotic guesses: the next ones will not be
// much farther. NaN if they do not agree on that.
double shift_of(const Line& line, std::span<const Root> found) {
    constexpr double agreement = 0.2;  // of the distance between eigenvalues
    if (found.size() < 2) return std::numeric_limits<double>::quiet_NaN();
    const Root& a = found[found.size() - 2];
    const Root& b = found[found.size() - 1];
    const double guess_a = asymptotic_guess(line, a.index);
    const double guess_b = asymptotic_guess(line, b.index);
    const double shift_a = a.lambda - guess_a, shift_b = b.lambda - guess_b;
    const bool agree = std::fabs(shift_a - shift_b) < agreement * (guess_b - guess_a);
    return agree ? shift_b : std::numeric_limits<double>::quiet_NaN();
}

// Many passes mean that the angle rises steeply: the function lives elsewhere than at the match
// edge, and rounding moves the riser. Where it does live, which a trace tells, the angle is smooth.
void polish(const Kernel& kernel, const Line& line, std::span<Root> roots, EdgeStates& states) {
    Lanes lambda;
    for (std::size_t i = 0; i < lanes; ++i) lambda[i] = roots[std::min(i, roots.size() - 1)].lambda;
    kernel.trace(line, lambda, states);
    for (std::size_t i = 0; i < roots.size(); ++i) {
        Group alone;
        alone.begin(line, 0, roots.subspan(i, 1));
        alone.match = std::clamp<std::size_t>(states.twist[i], 1,
                                              std::max<std::size_t>(line.pieces.size(), 2) - 1);
        alone.choose_scales(line);
        iterate(kernel, line, to_rounding, 100, alone);
        if (alone.search[0].done) roots[i].lambda = alone.search[0].lambda;
    }
}

// Whether the solution from the left magnifies rounding, which acts like a relative change of
// lambda and q by about 1e-16.
bool is_sensitive(const Line& line, const Group& group, std::size_t i) {
    constexpr double magnification = 1e4;
    const Pass& p = group.last;
    const LineFigures& f = line.figures;
    const double spectral_size =
        std::fabs(p.lambda[i]) + std::max(std::fabs(f.min_q_over_w), std::fabs(f.max_q_over_w));
    const double scale = group.scale[i];
    const double change = scale * scale * p.du[i] * p.du[i] + p.df[i] * p.df[i];
    const double size = scale * scale * p.u[i] * p.u[i] + p.f[i] * p.f[i];
    const double allowed = magnification / spectral_size;
    return p.rescaled[i] != 0.0 || !(change <= allowed * allowed * size);
}

// The solutions from the left at the match edge, for the final eigenvalues: from the cubic in
// lambda through the last two passes, if they were near enough, or else by another sweep.
void take_solutions(const Kernel& kernel, const Line& line, const Group& group,
                    std::span<Root> roots) {
    constexpr double near_enough = 1e-6;  // in angles squared; the error is its square over 24
    const Pass& b = group.last;
    const Pass& a = group.before;
    bool near = group.passes > 1;
    for (std::size_t i = 0; i < roots.size() && near; ++i) {
        Root& r = roots[i];
        const double to_b = r.lambda - b.lambda[i], to_a = r.lambda - a.lambda[i];
        if (to_b == 0.0) {
            r.u = b.u[i];
            r.f = b.f[i];
            continue;
        }
        near = std::fabs(to_a * to_b) * b.slope[i] * b.slope[i] < near_enough &&
               a.lambda[i] != b.lambda[i] && a.rescaled[i] == 0.0;
        const auto cubic = [&](const Lanes& ya, const Lanes& sa, const Lanes& yb, const Lanes& sb) {
            const Correction c =
                hermite(r.lambda, a.lambda[i], ya[i], sa[i], b.lambda[i], yb[i], sb[i]);
            return yb[i] + (c.linear + c.rest);
        };
        r.u = cubic(a.u, a.du, b.u, b.du);
        r.f = cubic(a.f, a.df, b.f, b.df);
    }
    if (near) return;
    Lanes lambda, u, f;
    for (std::size_t i = 0; i < lanes; ++i) lambda[i] = roots[std::min(i, roots.size() - 1)].lambda;
    kernel.from_left(line, group.match, lambda, u, f);
    for (std::size_t i = 0; i < roots.size(); ++i) {
        roots[i].u = u[i];
        roots[i].f = f[i];
    }
}

// Up to four roots; `found` are those before them.
void find_group(const Kernel& kernel, const Line& line, std::size_t wanted, int max_passes,
                std::span<const Root> found, std::span<Root> roots, Scratch& scratch) {
    constexpr int many_passes = 8;
    bool missing = false;
    const double shift = shift_of(line, found);
    for (Root& r : roots) {
        if (std::isfinite(r.lambda)) continue;
        r.lambda = asymptotic_guess(line, r.index);
        if (std::isfinite(shift)) {
            r.lambda += shift;
        } else {
            missing = true;
        }
    }
    if (missing) improve_guesses(kernel, line, wanted, roots, scratch.coarse);
    Group group;
    group.begin(line, wanted, roots);
    iterate(kernel, line, to_rounding, max_passes, group);

    for (std::size_t i = 0; i < roots.size(); ++i) {
        const Search& s = group.search[i];
        roots[i].lambda = s.lambda;
        roots[i].status = s.done ? Status::ok : Status::pass_limit;
        roots[i].passes = group.passes;
        roots[i].match = group.match;
        roots[i].accurate = !is_sensitive(line, group, i);
    }
    if (group.passes > many_passes) polish(kernel, line, roots, scratch.states);
    take_solutions(kernel, line, group, roots);
}

}  // namespace

void find_roots(const Kernel& kernel, const Line& line, std::size_t wanted, int max_passes,
                std::span<Root> roots, const std::function<void(std::size_t)>& found) {
    constexpr std::size_t few = 4;
    Scratch& scratch = scratch_for(line);
    if (line.pieces.size() < few) {
        // Too few edges to match at: the same problem, on more pieces.
        split_pieces(line, few, scratch.longer);
        kernel.measure(scratch.longer);
        find_roots(kernel, scratch.longer, wanted * few, max_passes, roots, found);
        for (Root& r : roots) r.accurate = false;
        return;
    }
    for (std::size_t first = 0; first < roots.size(); first += lanes) {
        const auto group = std::min(lanes, roots.size() - first);
        find_group(kernel, line, wanted, max_passes, roots.first(first),
                   roots.subspan(first, group), scratch);
        if (found) found(first + group);
    }
}

std::size_t count_below(const Kernel& kernel, const Line& line, double lambda) {
    const std::size_t match = choose_match(line, line.pieces.size() / 2, barrier(line, lambda));
    Lanes scale;
    Pass p;
    for (double& x : p.lambda.at) x = lambda;
    for (double& x : scale.at) x = angle_scale(line, match, lambda);
    kernel.pass(line, match, scale, p);
    // The n-th eigenvalue lies below lambda when the angle has passed n pi.
    const double passed = std::ceil(p.angle[0] / pi) - 1.0;
    return passed > 0.0 ? static_cast<std::size_t>(passed) : 0;
}

}  // namespace deepsl::sturm::detail
