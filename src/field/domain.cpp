#include "deepsl/field/domain.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "deepsl/error.h"
#include "field/row_kernel.h"

namespace deepsl::field {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double ball_limit = 0.9;   // norm beyond which points are pulled in
constexpr double box_margin = 0.02;  // distance to a side below which they are
constexpr double room = 1.5;  // how far out, over the data's size, the boundary of the ball is

template <class Real>
double sum_of_squares(std::span<const Real> z) {
    return row_kernel<Real>().squares(z.data(), z.size());
}

double norm(std::span<const double> z) {
    double square = sum_of_squares<double>(z);
    if (!std::isinf(square)) return std::sqrt(square);
    double largest = 0.0;
    for (const double c : z) largest = std::max(largest, std::fabs(c));
    if (std::isinf(largest)) return largest;
    square = 0.0;  // finite numbers whose squares are not
    for (const double c : z) square += (c / largest) * (c / largest);
    return largest * std::sqrt(square);
}

/// The value that a share of the numbers stays below, between two of them where it must be.
double quantile(std::vector<double> numbers, double share) {
    const double place = share * static_cast<double>(numbers.size() - 1);
    const auto below = static_cast<std::size_t>(place);
    const auto middle = numbers.begin() + static_cast<std::ptrdiff_t>(below);
    std::nth_element(numbers.begin(), middle, numbers.end());
    if (middle + 1 == numbers.end()) return *middle;
    const double above = *std::min_element(middle + 1, numbers.end());
    return *middle + (place - static_cast<double>(below)) * (above - *middle);
}

/// Of each column of a table.
struct Extent {
    std::vector<double> low, high;

    explicit Extent(MatrixView<const double> x)
        : low(x.columns(), infinity), high(x.columns(), -infinity) {
        for (std::size_t r = 0; r < x.rows(); ++r)
            for (std::size_t c = 0; c < x.columns(); ++c) {
                low[c] = std::min(low[c], x(r, c));
                high[c] = std::max(high[c], x(r, c));
            }
    }
};

/// Mean and root mean square about it, of each column. The mean of a constant is that constant,
/// which rounded sums need not give.
struct Moments {
    std::vector<double> mean, deviation;

    explicit Moments(MatrixView<const double> x) : mean(x.columns()), deviation(x.columns()) {
        const auto rows = static_cast<double>(x.rows());
        const Extent extent(x);
        for (std::size_t r = 0; r < x.rows(); ++r)
            for (std::size_t c = 0; c < x.columns(); ++c) mean[c] += x(r, c);
        for (std::size_t c = 0; c < x.columns(); ++c)
            mean[c] = extent.low[c] == extent.high[c] ? extent.low[c] : mean[c] / rows;
        for (std::size_t r = 0; r < x.rows(); ++r)
            for (std::size_t c = 0; c < x.columns(); ++c) {
                const double off = x(r, c) - mean[c];
                deviation[c] += off * off;
            }
        for (auto& d : deviation) d = std::sqrt(d / rows);
    }
};

double inverse_or_one(double width) {
    const double inverse = 1.0 / width;
    return std::isfinite(inverse) ? inverse : 1.0;
}

class Box final : public Domain {
public:
    explicit Box(std::size_t n) : Domain(n) {}

    /// The paper's: z = 1/2 + tanh(r / 4) / 2, but for a millionth, lest rounding ends on a side.
    void enter(std::span<const double> r, std::span<double> z) const override {
        for (std::size_t i = 0; i < r.size(); ++i) z[i] = 0.5 + entering * std::tanh(0.25 * r[i]);
    }
    void enter_pullback(std::span<const double> r, std::span<const double> dz,
                        std::span<double> dr) const override {
        for (std::size_t i = 0; i < r.size(); ++i) {
            const double t = std::tanh(0.25 * r[i]);
            dr[i] = 0.25 * entering * (1.0 - t * t) * dz[i];
        }
    }

    double centre() const override { return 0.5; }
    std::array<double, 2> bounds() const override { return {0.0, 1.0}; }

    double level(std::span<const double> z) const override {
        double g = -1.0;
        for (const double c : z) {
            if (std::isnan(c)) return c;
            g = std::max(g, side(c));
        }
        return g;
    }

    void level_gradient(std::span<const double> z, std::span<double> gradient) const override {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        const auto extreme = std::max_element(z.begin(), z.end(),
                                              [](double a, double b) { return side(a) < side(b); });
        gradient[static_cast<std::size_t>(extreme - z.begin())] = *extreme > 0.5 ? 1.0 : -1.0;
    }

    double pace(std::span<const double> a) const override {
        double largest = 0.0;
        for (const double c : a) {
            if (std::isnan(c)) return c;
            largest = std::max(largest, std::fabs(c));
        }
        return largest;
    }

    /// Coordinates that are equally fast share it.
    void pace_gradient(std::span<const double> a, std::span<double> gradient) const override {
        const double largest = pace(a);
        const auto fastest = [&](double c) { return std::fabs(c) == largest && largest > 0.0; };
        const auto count = std::count_if(a.begin(), a.end(), fastest);
        for (std::size_t i = 0; i < a.size(); ++i)
            gradient[i] =
                fastest(a[i]) ? std::copysign(1.0 / static_cast<double>(count), a[i]) : 0.0;
    }

    double straight_exit(std::span<const double> z, std::span<const double> a) const override {
        double first = infinity;
        for (std::size_t i = 0; i < z.size(); ++i) {
            if (a[i] == 0.0) continue;
            const double s = a[i] > 0.0 ? (1.0 - z[i]) / a[i] : -z[i] / a[i];
            if (std::isnan(s)) return s;
            first = std::min(first, s);
        }
        return first;
    }

    bool pull_in(std::span<double> z) const override {
        bool moved = false;
        for (double& c : z) {
            const double kept = std::clamp(c, box_margin, 1.0 - box_margin);
            moved = moved || c < kept || c > kept;
            c = kept;
        }
        return moved;
    }

    /// Each column's range to [0.25, 0.75] times its stretch: columns have the same size anyway.
    Placement place(MatrixView<const double> x, bool /*by_column*/,
                    std::span<const double> stretch) const override {
        const Extent extent(x);
        Placement result{std::vector<double>(dimensions()), std::vector<double>(dimensions())};
        for (std::size_t c = 0; c < dimensions(); ++c) {
            const double low = extent.low[c], high = extent.high[c];
            result.factor[c] =
                inverse_or_one(2.0 * (high - low)) * (stretch.empty() ? 1.0 : stretch[c]);
            // The middle of the range goes to the middle of the box.
            result.shift[c] = 0.5 * low + 0.5 * high - 0.5 / result.factor[c];
        }
        return result;
    }

    Matrix<double> outline() const override {
        return {4, 2, std::vector<double>{0.0, 0.0, 1.0, 0.0, 1.0, 1.0, 0.0, 1.0}};
    }

private:
    static constexpr double entering = 0.5 - 1e-6;
    static double side(double c) { return std::max(-c, c - 1.0); }
};

class Ball final : public Domain {
public:
    explicit Ball(std::size_t n) : Domain(n) {}

    /// z = r / (2 sqrt(12 n + |r|^2)): numbers of size 1 come to lie a seventh of the way out.
    void enter(std::span<const double> r, std::span<double> z) const override {
        const double scale = entering / entered(r);
        for (std::size_t i = 0; i < r.size(); ++i) z[i] = scale * r[i];
    }
    void enter_pullback(std::span<const double> r, std::span<const double> dz,
                        std::span<double> dr) const override {
        const double root = entered(r), scale = entering / root;
        double along = 0.0;
        for (std::size_t i = 0; i < r.size(); ++i) along += r[i] * dz[i];
        for (std::size_t i = 0; i < r.size(); ++i)
            dr[i] = scale * (dz[i] - along * r[i] / (root * root));
    }

    double centre() const override { return 0.0; }
    std::array<double, 2> bounds() const override { return {-1.0, 1.0}; }

    double level(std::span<const double> z) const override {
        return 0.5 * (sum_of_squares<double>(z) - 1.0);
    }

    void level_gradient(std::span<const double> z, std::span<double> gradient) const override {
        std::copy(z.begin(), z.end(), gradient.begin());
    }

    double level_of_floats(std::span<const float> z) const override {
        return 0.5 * (sum_of_squares<float>(z) - 1.0);
    }

    double pace(std::span<const double> a) const override { return 0.5 * norm(a); }

    double pace_of_floats(std::span<const float> a) const override {
        return 0.5 * std::sqrt(sum_of_squares<float>(a));  // no square of a float overflows
    }

    void pace_gradient(std::span<const double> a, std::span<double> gradient) const override {
        const double length = norm(a);
        for (std::size_t i = 0; i < a.size(); ++i)
            gradient[i] = length == 0.0 ? 0.0 : 0.5 * a[i] / length;
    }

    /// The positive root of |z + s a|^2 = 1, in the form that cancels nothing.
    double straight_exit(std::span<const double> z, std::span<const double> a) const override {
        double aa = 0.0, za = 0.0, rest = 1.0;
        for (std::size_t i = 0; i < z.size(); ++i) {
            aa += a[i] * a[i];
            za += z[i] * a[i];
            rest -= z[i] * z[i];
        }
        if (aa == 0.0) return infinity;
        const double root = std::sqrt(za * za + aa * rest);
        return za > 0.0 ? rest / (root + za) : (root - za) / aa;
    }

    bool pull_in(std::span<double> z) const override {
        const double length = norm(z);
        if (!(length > ball_limit)) return false;
        for (double& c : z) c *= ball_limit / length;
        return true;
    }

    /// The centre of the data to the centre. By column: z-scores over 1.5 times their largest norm;
    /// else one factor for all, such that 99 % of the rows have norms up to 1 / 1.5. Not the
    /// largest norm there: a single row far out would press all others together.
    Placement place(MatrixView<const double> x, bool by_column,
                    std::span<const double> stretch) const override {
        Moments moments(x);
        Placement result{std::move(moments.mean), std::vector<double>(dimensions(), 1.0)};
        auto& factor = result.factor;
        for (std::size_t c = 0; c < dimensions(); ++c) {
            if (by_column) factor[c] = inverse_or_one(moments.deviation[c]);
            if (!stretch.empty()) factor[c] *= stretch[c];
        }
        std::vector<double> norms(x.rows()), z(dimensions());
        for (std::size_t r = 0; r < x.rows(); ++r) {
            for (std::size_t c = 0; c < dimensions(); ++c)
                z[c] = (x(r, c) - result.shift[c]) * factor[c];
            norms[r] = norm(z);
        }
        const double size = by_column ? *std::max_element(norms.begin(), norms.end())
                                      : quantile(std::move(norms), 0.99);
        for (auto& f : factor) f *= inverse_or_one(room * size);
        return result;
    }

    bool factors_compare_columns() const override { return true; }

    Matrix<double> outline() const override {
        constexpr std::size_t corners = 180;
        Matrix<double> result(corners, 2);
        for (std::size_t i = 0; i < corners; ++i) {
            const double angle = 2.0 * std::numbers::pi * static_cast<double>(i) / corners;
            result(i, 0) = std::cos(angle);
            result(i, 1) = std::sin(angle);
        }
        return result;
    }

private:
    /// All of them land where the second function of a calm problem is monotone along its line; and
    /// from the boundary it is as far as the data of tables are.
    static constexpr double entering = 0.5;
    static double entered(std::span<const double> r) {
        return std::sqrt(12.0 * static_cast<double>(r.size()) + sum_of_squares<double>(r));
    }
};

}  // namespace

Domain::Domain(std::size_t dimensions) : dimensions_(dimensions) {
    if (dimensions == 0) throw argument_error("a domain needs at least one dimension, but has 0");
}

double Domain::level_of_floats(std::span<const float> z) const {
    thread_local std::vector<double> wide;
    wide.assign(z.begin(), z.end());
    return level(wide);
}

double Domain::pace_of_floats(std::span<const float> a) const {
    thread_local std::vector<double> wide;
    wide.assign(a.begin(), a.end());
    return pace(wide);
}

double Domain::straight_exit(std::span<const double> z, std::span<const double> a) const {
    // Kept from call to call: lines are many.
    thread_local std::vector<double> at, gradient;
    at.resize(z.size());
    gradient.resize(z.size());
    const auto g = [&](double s) {
        for (std::size_t i = 0; i < z.size(); ++i) at[i] = z[i] + s * a[i];
        return level(at);
    };
    const double width = 1.0 / pace(a);  // of the domain, in s: beyond it lies the exit
    if (!std::isfinite(width)) return width;
    double low = 0.0, high = width / 64.0, value = g(high);
    for (int i = 0; i < 64 && value < 0.0; ++i) {
        low = high;
        high *= 2.0;
        value = g(high);
    }
    if (value < 0.0) return infinity;
    // From beyond the exit, Newton's steps on a convex function never jump over it; where they are
    // slow, the bracket is halved.
    for (int i = 0; i < 200 && value > 0.0; ++i) {
        level_gradient(at, gradient);
        double slope = 0.0;
        for (std::size_t k = 0; k < z.size(); ++k) slope += gradient[k] * a[k];
        double next = high - value / slope;
        if (!(next > low && next < high)) break;  // what is left is rounding
        const double middle = low + 0.5 * (high - low);
        value = g(next);
        if (value > 0.0 && next > middle) {
            const double at_middle = g(middle);
            if (at_middle > 0.0) {
                next = middle;
                value = at_middle;
            } else {
                low = middle;
                value = g(next);
            }
        }
        high = next;
    }
    return high;
}

void Domain::enter(std::span<const double>, std::span<double>) const {
    throw argument_error("this domain has no smooth way in, which an encoder needs");
}

void Domain::enter_pullback(std::span<const double>, std::span<const double>,
                            std::span<double>) const {
    throw argument_error("this domain has no smooth way in, which an encoder needs");
}

DomainPointer box(std::size_t dimensions) { return std::make_shared<Box>(dimensions); }
DomainPointer ball(std::size_t dimensions) { return std::make_shared<Ball>(dimensions); }

DomainPointer make_domain(DomainKind kind, std::size_t dimensions) {
    switch (kind) {
        case DomainKind::ball: return ball(dimensions);
        case DomainKind::box: return box(dimensions);
    }
    return nullptr;
}

}  // namespace deepsl::field
