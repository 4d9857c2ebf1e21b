#include "eigenfunction.h"

#include <algorithm>
#include <cmath>
#include <sstream>

namespace deepsl::sturm {

namespace {

using namespace detail;

// From an edge to a point near it, by one, two and four steps, extrapolated (orders 4, 6, 8).
PointState local_step(Coefficients& c, double lambda, double from, double to, PointState y) {
    PointState by[3];
    for (int level = 0; level < 3; ++level) {
        const int steps = 1 << level;
        PointState z = y;
        for (int k = 0; k < steps; ++k) {
            const double left = from + (to - from) * k / steps;
            const double right = from + (to - from) * (k + 1) / steps;
            z = advance(c.cell(left, right).pieces, lambda, z);
        }
        by[level] = z;
    }
    const auto extrapolate = [](double x0, double x1, double x2) {
        const double coarse = x1 + (x1 - x0) / 15.0, fine = x2 + (x2 - x1) / 15.0;
        return fine + (fine - coarse) / 63.0;
    };
    return {extrapolate(by[0].u, by[1].u, by[2].u), extrapolate(by[0].f, by[1].f, by[2].f)};
}

// From the nearer edge of the cell; but where the function grows or decays strongly across it, from
// the edge where it is small, since the other direction would magnify errors.
PointState evaluate(const Eigenfunction::Data& d, Coefficients& c, double t) {
    const auto after = std::upper_bound(d.edges.begin(), d.edges.end(), t);
    const auto right =
        std::min(static_cast<std::size_t>(after - d.edges.begin()), d.edges.size() - 1);
    const std::size_t left = right - 1;
    if (t == d.edges[left]) return d.states[left];
    if (t == d.edges[right]) return d.states[right];
    constexpr double strongly = 10.0;
    const PointState& l = d.states[left];
    const PointState& r = d.states[right];
    const bool grows =
        strongly * std::fabs(l.u) < std::fabs(r.u) && strongly * std::fabs(l.f) < std::fabs(r.f);
    const bool decays =
        strongly * std::fabs(r.u) < std::fabs(l.u) && strongly * std::fabs(r.f) < std::fabs(l.f);
    const bool nearer_left = t - d.edges[left] <= d.edges[right] - t;
    const std::size_t edge = grows || (nearer_left && !decays) ? left : right;
    return local_step(c, d.lambda, d.edges[edge], t, d.states[edge]);
}

// A zero in [left, right], where u changes its sign: Newton's method inside the bracket.
double find_zero(const Eigenfunction::Data& d, Coefficients& c, double left, double right,
                 double sign_left) {
    double t = left + 0.5 * (right - left);
    for (int k = 0; k < 100; ++k) {
        const PointState y = evaluate(d, c, t);
        if (y.u == 0.0) return t;
        (y.u * sign_left > 0.0 ? left : right) = t;
        const double newton = t - y.u / (c.at(t).P * y.f);
        const double next = newton > left && newton < right ? newton : left + 0.5 * (right - left);
        if (std::fabs(next - t) <= 4e-16 * std::fabs(t)) return next;
        t = next;
    }
    return t;
}

}  // namespace

Eigenfunction::Eigenfunction(std::shared_ptr<const Data> data) : data_(std::move(data)) {}

std::vector<Eigenfunction::Value> Eigenfunction::at(const std::vector<double>& points) const {
    if (!data_) throw argument_error("this eigenfunction is empty; take one from a solution.");
    Coefficients coefficients(*data_->problem);
    std::vector<Value> values;
    values.reserve(points.size());
    for (double t : points) {
        if (!(t >= data_->problem->a && t <= data_->problem->b)) {
            std::ostringstream message;
            message << "t = " << t << " lies outside the interval [" << data_->problem->a << ", "
                    << data_->problem->b << "] of the eigenfunction.";
            throw argument_error(message.str());
        }
        const PointState y = evaluate(*data_, coefficients, t);
        values.push_back({y.u, y.f});
    }
    return values;
}

Eigenfunction::Value Eigenfunction::at(double t) const {
    return at(std::vector<double>{t}).front();
}

double Eigenfunction::start_scale() const {
    const Value start = at(data_ ? data_->problem->a : 0.0);
    if (!data_->problem->left.is_dirichlet()) return 1.0 / start.u;
    return data_->problem->p(data_->problem->a) / start.pu;
}

double Eigenfunction::error_estimate() const { return data_ ? data_->error_estimate : 0.0; }

std::vector<double> Eigenfunction::zeros() const {
    std::vector<double> zeros;
    if (!data_) return zeros;
    const Data& d = *data_;
    Coefficients c(*d.problem);
    for (std::size_t k = 0; k + 1 < d.edges.size(); ++k) {
        // Between the points looked at, u must not turn by more than half a wave.
        const double left = d.edges[k], right = d.edges[k + 1];
        double turn = 0.0;
        for (const Piece& p : c.cell(left, right).pieces)
            turn += std::sqrt(std::max(0.0, -p.a * (p.g0 - d.lambda * p.g1)));
        const int parts = 1 + static_cast<int>(turn);
        double t0 = left, u0 = d.states[k].u;
        for (int j = 1; j <= parts; ++j) {
            const double t1 = j == parts ? right : left + (right - left) * j / parts;
            const PointState y = evaluate(d, c, t1);
            if (y.u == 0.0 && y.f != 0.0 && t1 < d.edges.back()) zeros.push_back(t1);
            if (u0 * y.u < 0.0) zeros.push_back(find_zero(d, c, t0, t1, u0));
            t0 = t1;
            u0 = y.u;
        }
    }
    return zeros;
}

}  // namespace deepsl::sturm
