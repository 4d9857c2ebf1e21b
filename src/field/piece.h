// One piece of a field line: a polynomial in s = 0..1, and where it leaves a convex domain.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "deepsl/field/domain.h"
#include "deepsl/field/method.h"

namespace deepsl::field {

/// b_i(s) and b_i'(s) of the dense output.
struct DenseWeights {
    double b[8] = {}, slope[8] = {};

    DenseWeights(const Method& method, double s) {
        for (std::size_t i = 0; i < method.stages(); ++i) {
            const auto& c = method.dense[i];
            for (std::size_t j = c.size(); j-- > 0;) {
                slope[i] = slope[i] * s + static_cast<double>(j + 1) * c[j];
                b[i] = b[i] * s + c[j];
            }
            b[i] *= s;
        }
    }
};

/// Finds where the curve sum_j c_j s^j first leaves a domain. Keeps its working memory.
class ExitFinder {
public:
    ExitFinder(const Domain& domain, std::size_t degree)
        : domain_(domain), n_(static_cast<std::size_t>(domain.dimensions())), degree_(degree) {
        coefficients_.resize((degree + 1) * n_);
        point_.resize(n_);
        gradient_.resize(n_);
    }

    /// Row j holds c_j, to be filled before `first_exit`.
    double* coefficient(std::size_t j) { return coefficients_.data() + j * n_; }

    /// The first s at which the curve is no longer inside, if there is one; NaN if the curve is
    /// not finite.
    std::optional<double> first_exit() {
        for (const double c : coefficients_)
            if (!std::isfinite(c)) return std::nan("");
        std::vector<double> control(coefficients_.size());
        to_control_points(control);
        if (domain_.level({control.data(), n_}) >= 0.0) return 0.0;
        return search(control, 0.0, 1.0);
    }

private:
    // beta_j = sum_l C(j, l) / C(D, l) c_l
    void to_control_points(std::vector<double>& control) const {
        for (std::size_t j = 0; j <= degree_; ++j) {
            double ratio = 1.0;
            for (std::size_t l = 0; l <= j; ++l) {
                for (std::size_t i = 0; i < n_; ++i)
                    control[j * n_ + i] += ratio * coefficients_[l * n_ + i];
                ratio *= static_cast<double>(j - l) / static_cast<double>(degree_ - l);
                if (l == degree_) break;
            }
        }
    }

    /// The curve over [begin, end] by its control points; it starts inside.
    std::optional<double> search(const std::vector<double>& control, double begin, double end) {
        double previous = -1.0;
        bool inside = true, rising = true;
        for (std::size_t j = 0; j <= degree_; ++j) {
            const double g = domain_.level({control.data() + j * n_, n_});
            inside = inside && g < 0.0;
            rising = rising && (j == 0 || g > previous);
            previous = g;
        }
        // The curve lies in the hull of its control points.
        if (inside) return {};
        const bool leaves = previous >= 0.0;
        const bool tiny = end - begin < 1e-9;
        if (leaves && tiny) return root(begin, end);
        if (leaves && rising) {
            // Rising control points do not make the curve rise: it may leave, come back and leave
            // again. The first exit is the one before which the hull lies inside.
            const double s = root(begin, end);
            if (inside_before(control, (s - begin) / (end - begin))) return s;
        }
        // It touches the boundary by less than one could say.
        if (tiny) return {};
        std::vector<double> left(control.size()), right(control);
        halve(right, left);
        const double middle = 0.5 * (begin + end);
        if (const auto found = search(left, begin, middle)) return found;
        if (domain_.level({right.data(), n_}) >= 0.0) return middle;
        return search(right, middle, end);
    }

    /// Whether the hull of the curve's first part, up to `share`, lies inside but for its end.
    bool inside_before(std::vector<double> points, double share) const {
        for (std::size_t j = 0; j < degree_; ++j) {
            if (domain_.level({points.data(), n_}) >= 0.0) return false;
            for (std::size_t l = 0; l + j < degree_; ++l)
                for (std::size_t i = 0; i < n_; ++i)
                    points[l * n_ + i] += share * (points[(l + 1) * n_ + i] - points[l * n_ + i]);
        }
        return true;
    }

    /// de Casteljau: `points` becomes the second half, `left` the first.
    void halve(std::vector<double>& points, std::vector<double>& left) const {
        for (std::size_t j = 0; j <= degree_; ++j) {
            std::copy_n(points.data(), n_, left.data() + j * n_);
            for (std::size_t l = 0; l + j < degree_; ++l)
                for (std::size_t i = 0; i < n_; ++i)
                    points[l * n_ + i] = 0.5 * (points[l * n_ + i] + points[(l + 1) * n_ + i]);
        }
    }

    /// Newton's method in a bracket: inside at low, not inside at high.
    double root(double low, double high) {
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

    double evaluate(double s, double& slope) {
        for (std::size_t i = 0; i < n_; ++i) {
            double z = 0.0;
            for (std::size_t j = degree_ + 1; j-- > 0;) z = z * s + coefficients_[j * n_ + i];
            point_[i] = z;
        }
        domain_.level_gradient(point_, gradient_);
        slope = 0.0;
        for (std::size_t i = 0; i < n_; ++i) {
            double v = 0.0;
            for (std::size_t j = degree_ + 1; j-- > 1;)
                v = v * s + static_cast<double>(j) * coefficients_[j * n_ + i];
            slope += gradient_[i] * v;
        }
        return domain_.level(point_);
    }

    const Domain& domain_;
    std::size_t n_, degree_;
    std::vector<double> coefficients_, point_, gradient_;
};

}  // namespace deepsl::field
