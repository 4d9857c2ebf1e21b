// One Sturm-Liouville problem given by functions, solved to a tolerance.
//
//     -(p u')' + q u = lambda w u on [a, b],   alpha1 u + alpha2 p u' = 0 at each end,
//
// with p > 0 and w > 0. Eigenvalues are counted from 1; the n-th eigenfunction has n - 1 zeros
// inside the interval.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "deepsl/error.h"
#include "deepsl/sturm/boundary.h"
#include "deepsl/sturm/status.h"

namespace deepsl::sturm {

struct Problem {
    using Function = std::function<double(double)>;

    Function p, q, w;
    double a = 0.0;
    double b = 1.0;
    BoundaryCondition left;
    BoundaryCondition right;
    // Points where a coefficient jumps or bends. Most are found without being named, but named
    // ones cost less and are exact; and a feature narrower than about a thousandth of the interval
    // may go unseen. Any order; those outside ]a, b[ are ignored.
    std::vector<double> breaks;
};

struct SolveOptions {
    double tolerance = 1e-10;  // 1e-13 to 0.1; |error of lambda| <= tolerance * max(1, |lambda|)
    std::size_t max_cells = 50000;  // of the coarsest mesh; the finest has 2^4 times as many

    // Called now and then, by the thread that called `solve`: `done` of `count` eigenvalues are
    // found. As each is found on several meshes, `done` is the share of all that work, in
    // eigenvalues: done / count never falls, and is 1 in the end. `count` is how many are looked
    // for, in a range a few more than lie in it. What it throws ends the work, and is passed on.
    std::function<void(std::size_t done, std::size_t count)> progress = nullptr;
};

/// Eigenvalues number first .. first + count - 1.
struct Indices {
    std::size_t first = 1;
    std::size_t count = 10;
};

/// All eigenvalues in [low, high].
struct Range {
    double low;
    double high;
};

/// An eigenfunction, which can be evaluated anywhere in [a, b]. Scaled so that the integral of
/// w u^2 is one, and u' > 0 at a (u > 0 if u does not vanish there).
class Eigenfunction {
public:
    struct Value {
        double u;
        double pu;  // p u'
    };
    struct Data;

    Eigenfunction() = default;
    explicit Eigenfunction(std::shared_ptr<const Data> data);

    /// Throws Error outside [a, b].
    Value at(double t) const;
    std::vector<Value> at(const std::vector<double>& points) const;

    /// The factor by which `at` has to be multiplied to start with u'(a) = 1 (with Dirichlet at
    /// a) or u(a) = 1 (otherwise).
    double start_scale() const;

    /// The square root of the integral of w u^2 when u starts with u'(a) = 1 or u(a) = 1.
    double norm() const { return start_scale(); }

    /// The zeros inside ]a, b[, in order: n - 1 of them, unless the function is not determined (see
    /// error_estimate).
    std::vector<double> zeros() const;

    /// How far the function still changed between the two finest meshes, relative to its
    /// largest value: an estimate of its error. Near 1 when neighbouring eigenvalues agree to
    /// rounding: only the space that their functions span is then determined.
    double error_estimate() const;

private:
    std::shared_ptr<const Data> data_;
};

struct Eigenpair {
    std::size_t index = 0;
    double lambda = 0.0;
    double error_estimate = 0.0;  // of lambda, absolute
    Status status = Status::ok;
    Eigenfunction function;
};

struct Solution {
    std::vector<Eigenpair> pairs;  // in the order of their index
    std::size_t cells = 0;         // of the finest mesh used
    std::size_t evaluations = 0;   // of p, q and w together, as one
};

/// Throws Error when the problem or an option makes no sense: an empty interval, a
/// tolerance that double cannot hold, p(t) <= 0 at some t (the message says where), ...
Solution solve(const Problem& problem, const Indices& indices, const SolveOptions& options = {});
Solution solve(const Problem& problem, const Range& range, const SolveOptions& options = {});

}  // namespace deepsl::sturm
