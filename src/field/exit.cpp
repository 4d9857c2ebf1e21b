#include "field/exit.h"

#include <algorithm>
#include <cmath>

#include "field/row_kernel.h"

namespace deepsl::field {

void ExitFinder::prepare(const Domain& domain, std::size_t degree) {
    domain_ = &domain;
    n_ = domain.dimensions();
    degree_ = degree;
    coefficients_.resize((degree + 1) * n_);
    control_.resize((degree + 1) * n_);
    point_.resize(n_);
    velocity_.resize(n_);
    gradient_.resize(n_);
}

std::optional<double> ExitFinder::first_exit() {
    double sum = 0.0;  // 0 times infinity or NaN is NaN
    for (const double c : coefficients_) sum += 0.0 * c;
    if (sum != 0.0) return std::nan("");
    to_control_points();
    if (domain_->level({control_.data(), n_}) >= 0.0) return 0.0;
    return search(control_, 0.0, 1.0, 0);
}

// beta_j = sum_l C(j, l) / C(D, l) c_l
void ExitFinder::to_control_points() {
    for (std::size_t j = 0; j <= degree_; ++j) {
        double* const to = control_.data() + j * n_;
        std::fill_n(to, n_, 0.0);
        double ratio = 1.0;
        for (std::size_t l = 0; l <= j; ++l) {
            const double* const from = coefficients_.data() + l * n_;
            for (std::size_t i = 0; i < n_; ++i) to[i] += ratio * from[i];
            if (l == degree_) break;
            ratio *= static_cast<double>(j - l) / static_cast<double>(degree_ - l);
        }
    }
}

/// The curve over [begin, end] by its control points; it starts inside.
std::optional<double> ExitFinder::search(const std::vector<double>& control, double begin,
                                         double end, std::size_t halvings) {
    double previous = -1.0;
    bool inside = true, rising = true;
    for (std::size_t j = 0; j <= degree_; ++j) {
        const double g = domain_->level({control.data() + j * n_, n_});
        inside = inside && g < 0.0;
        rising = rising && (j == 0 || g > previous);
        previous = g;
    }
    // The curve lies in the hull of its control points.
    if (inside) return {};
    const bool leaves = previous >= 0.0;
    const bool tiny = halvings == most_halvings;
    if (leaves && tiny) return root(begin, end);
    if (leaves && rising) {
        // Rising control points do not make the curve rise: it may leave, come back and leave
        // again. The first exit is the one before which the hull lies inside.
        const double s = root(begin, end);
        if (inside_before(control, (s - begin) / (end - begin))) return s;
    }
    // It touches the boundary by less than one could say.
    if (tiny) return {};
    auto& left = left_[halvings];
    auto& right = right_[halvings];
    left.resize(control.size());
    right = control;
    halve(right, left);
    const double middle = 0.5 * (begin + end);
    if (const auto found = search(left, begin, middle, halvings + 1)) return found;
    if (domain_->level({right.data(), n_}) >= 0.0) return middle;
    return search(right, middle, end, halvings + 1);
}

/// Whether the hull of the curve's first part, up to `share`, lies inside but for its end.
bool ExitFinder::inside_before(const std::vector<double>& control, double share) {
    auto& points = hull_;
    points = control;
    for (std::size_t j = 0; j < degree_; ++j) {
        if (domain_->level({points.data(), n_}) >= 0.0) return false;
        for (std::size_t l = 0; l + j < degree_; ++l)
            for (std::size_t i = 0; i < n_; ++i)
                points[l * n_ + i] += share * (points[(l + 1) * n_ + i] - points[l * n_ + i]);
    }
    return true;
}

/// de Casteljau: `points` becomes the second half, `left` the first.
void ExitFinder::halve(std::vector<double>& points, std::vector<double>& left) const {
    for (std::size_t j = 0; j <= degree_; ++j) {
        std::copy_n(points.data(), n_, left.data() + j * n_);
        for (std::size_t l = 0; l + j < degree_; ++l)
            for (std::size_t i = 0; i < n_; ++i)
                points[l * n_ + i] = 0.5 * (points[l * n_ + i] + points[(l + 1) * n_ + i]);
    }
}

/// Newton's method in a bracket: inside at low, not inside at high.
double ExitFinder::root(double low, double high) {
    double s = high;
    for (int pass = 0; pass < 200 && high - low > 1e-16 * high; ++pass) {
        double slope = 0.0;
        const double g = evaluate(s, slope);
        if (g == 0.0) return s;
        (g < 0.0 ? low : high) = s;
        const double next = s - g / slope;
        const bool usable = next > low && next < high && pass % 8 != 7;
        const double step = (usable ? next : 0.5 * (low + high)) - s;
        s += step;
        if (std::fabs(step) <= 1e-16 * s) return s;
    }
    return s;
}

double ExitFinder::evaluate(double s, double& slope) {
    // Coordinates side by side, power by power, so that the loops go over rows of memory.
    const auto& kernel = row_kernel<double>();
    const double* c = coefficients_.data() + degree_ * n_;
    std::copy_n(c, n_, point_.data());
    std::fill(velocity_.begin(), velocity_.end(), 0.0);
    for (std::size_t j = degree_; j-- > 0;) {
        c -= n_;
        kernel.blend(s, velocity_.data(), 1.0, point_.data(), n_, velocity_.data());
        kernel.blend(s, point_.data(), 1.0, c, n_, point_.data());
    }
    domain_->level_gradient(point_, gradient_);
    slope = kernel.dot(gradient_.data(), velocity_.data(), n_);
    return domain_->level(point_);
}

}  // namespace deepsl::field
