// Random models on random samples, many of them close to the boundary: whatever the weights, every
// line leaves where it first meets the boundary, and nothing is NaN.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "deepsl/field/grid.h"
#include "deepsl/matrix.h"
#include "deepsl/model/model.h"
#include "deepsl/random.h"

namespace deepsl::testing {

struct RandomLines {
    std::size_t lines = 0;                        // samples; each is followed both ways
    std::map<std::string, std::size_t> outcomes;  // by name
    std::size_t missed_exits = 0;                 // lines outside before their end, or not there
    std::size_t not_finite = 0;                   // samples with such numbers whose outcome is ok
    std::size_t out_of_order = 0;                 // samples with such eigenvalues
    int most_steps = 0;                           // of a line, both ways
    double worst_residual = 0.0;                  // |g| at the exits

    std::size_t count(const std::string& outcome) const {
        const auto found = outcomes.find(outcome);
        return found == outcomes.end() ? 0 : found->second;
    }
    /// A slow field makes lines long; behind a barrier u may then exceed what a double can hold,
    /// and says so. That is right, but rare.
    bool overflows_are_rare() const { return count("overflow") < lines / 200; }
    std::size_t other_outcomes() const { return lines - count("ok") - count("overflow"); }
    bool all_well() const {
        return missed_exits == 0 && not_finite == 0 && out_of_order == 0 && other_outcomes() == 0 &&
               overflows_are_rare();
    }
};

/// Distances to the boundary from 1e-6 upwards, evenly on a logarithmic scale.
inline Matrix<double> samples_near_the_boundary(field::DomainKind domain, std::size_t count,
                                                std::size_t n, Random& random) {
    Matrix<double> x(count, n);
    for (std::size_t b = 0; b < count; ++b) {
        const double distance = std::pow(10.0, -6.0 * uniform(random));
        const auto row = x.row(b);
        if (domain == field::DomainKind::box) {
            for (auto& c : row) c = uniform(random, 0.01, 0.99);
            const double near = std::min(distance, 0.5);
            row[below(n, random)] = uniform(random) < 0.5 ? near : 1.0 - near;
        } else {
            double square = 0.0;
            for (auto& c : row) {
                c = normal(random);
                square += c * c;
            }
            for (auto& c : row) c *= (1.0 - distance) / std::sqrt(square);
        }
        for (auto& c : row) c = static_cast<float>(c);
    }
    return x;
}

/// One line, followed without the help of what is tested, as far as float can tell where it is.
class LineWatch {
public:
    LineWatch(const field::Lines<float>& lines, std::size_t line)
        : lines_(lines), line_(line), n_(lines.n), travel_(n_), point_(n_), gradient_(n_) {}

    /// The line is inside until its end, at many points of each piece; then its nodes [count, n]
    /// are, too, and its end [n] is on the boundary.
    bool is_right(const float* nodes, std::size_t count, const float* end) {
        bool right = pieces_inside();
        for (std::size_t i = 0; i < count; ++i) {
            point_.assign(nodes + i * n_, nodes + (i + 1) * n_);
            right = right && inside();
        }
        point_.assign(end, end + n_);
        return right && std::fabs(lines_.domain->level(point_)) <= rounding();
    }

private:
    bool pieces_inside() {
        constexpr int points = 32;
        bool right = true;
        const auto& pieces = lines_.pieces[line_];
        for (std::size_t i = 0; i < pieces.size(); ++i) {
            const auto c = polynomial(pieces[i]);
            const double end = i + 1 == pieces.size() ? lines_.exit[line_] : 1.0;
            for (int j = 0; j < points; ++j) {
                evaluate(c, end * j / points);
                right = right && inside();
            }
        }
        return right;
    }

    bool inside() { return lines_.domain->level(point_) <= rounding(); }

    /// A point is a sum over the stages, and each sum is rounded: |dz| <= stages eps (|z| +
    /// travel), and g is off by its gradient times that.
    double rounding() {
        lines_.domain->level_gradient(point_, gradient_);
        double sum = 0.0;
        for (std::size_t i = 0; i < n_; ++i)
            sum += std::fabs(gradient_[i]) * (std::fabs(point_[i]) + travel_[i]);
        return static_cast<double>(lines_.method->stages()) *
               static_cast<double>(std::numeric_limits<float>::epsilon()) * sum;
    }

    /// c_j of z(s) = sum_j c_j s^j. Notes how far the stages go.
    std::vector<double> polynomial(const field::Lines<float>::Place& place) {
        const auto& round = lines_.rounds[place.round];
        const auto& dense = lines_.method->dense;
        const double h = round.h[place.row];
        std::vector<double> c((lines_.method->degree() + 1) * n_), travel(n_);
        std::copy_n(round.points.data() + place.row * n_, n_, c.data());
        for (std::size_t s = 0; s < lines_.method->stages(); ++s) {
            const float* const k = round.k.data() + (s * round.rows + place.row) * n_;
            for (std::size_t i = 0; i < n_; ++i)
                travel[i] += std::fabs(h * static_cast<double>(k[i]));
            for (std::size_t j = 0; j < dense[s].size(); ++j)
                for (std::size_t i = 0; i < n_; ++i)
                    c[(j + 1) * n_ + i] += h * dense[s][j] * static_cast<double>(k[i]);
        }
        for (std::size_t i = 0; i < n_; ++i) travel_[i] = std::max(travel_[i], travel[i]);
        return c;
    }
    void evaluate(const std::vector<double>& c, double s) {
        point_.assign(c.end() - static_cast<std::ptrdiff_t>(n_), c.end());
        for (std::size_t j = lines_.method->degree(); j-- > 0;)
            for (std::size_t i = 0; i < n_; ++i) point_[i] = point_[i] * s + c[j * n_ + i];
    }

    const field::Lines<float>& lines_;
    std::size_t line_, n_;
    std::vector<double> travel_, point_, gradient_;
};

inline model::ModelOptions random_options(Random& random) {
    const auto pick = [&](auto... options) {
        const std::vector<std::common_type_t<decltype(options)...>> all{options...};
        return all[below(all.size(), random)];
    };
    using field::DomainKind, field::FieldKind, field::MethodKind, model::CoefficientKind;
    using network::Activation, network::Initialiser;
    model::ModelOptions o;
    o.domain = pick(DomainKind::box, DomainKind::ball);
    o.field = pick(FieldKind::positive, FieldKind::directional, FieldKind::directional,
                   FieldKind::gradient, FieldKind::gradient, FieldKind::straight);
    o.coefficients = pick(CoefficientKind::networks, CoefficientKind::trunk);
    o.hidden = o.field_hidden = {32, 16};
    o.activation = pick(Activation::tanh, Activation::leaky_relu);
    o.field_activation = o.field == FieldKind::gradient
                             ? Activation::tanh
                             : pick(Activation::tanh, Activation::leaky_relu);
    o.heads = pick(model::HeadKind::calm, model::HeadKind::paper);
    o.initialiser = pick(Initialiser::glorot, Initialiser::orthogonal);
    o.last_gain = 1.0;
    o.method = pick(MethodKind::rk4, MethodKind::rk4, MethodKind::dormand_prince);
    o.start_network = pick(false, true);
    return o;
}

/// Weights up to ten times as large as they start, biases and the linear map of any kind.
inline void randomise(model::Model& model, Random& random) {
    const double size = std::pow(10.0, uniform(random));
    auto values = model.parameters().values();
    for (const auto& p : model.parameters().list()) {
        if (p.role == network::Role::measured) continue;
        const std::span<double> own(values.data() + p.offset, p.size());
        const bool empty = std::all_of(own.begin(), own.end(), [](double c) { return c == 0.0; });
        for (auto& value : own) value = size * (empty ? normal(random) : value);
    }
    model.set_values(values);
}

/// How the lines of a model's first field through x [B, n] end.
inline void add_lines(RandomLines& total, const model::Model& model, const Matrix<double>& x) {
    const auto n = x.columns(), count = x.rows();
    // The field is the first to enrol its numbers, so a twin finds them at the same place.
    const auto field = model::make_parts<float>(n, model.options()).field;
    network::Parameters places;
    Random any(1);
    field->enrol(places, "field", any);
    field->load(model.parameters().values());
    const std::vector<float> narrow(x.values().begin(), x.values().end());
    field::Lines<float> lines;
    field::trace(*field, *model.domain(), narrow.data(), count, model.numerics().trace, lines,
                 nullptr);
    field::Grid<float> grid;
    field::grid(lines, 24, sturm::Scheme::midpoint, grid);  // one node a cell
    const auto prediction = model.predict(x);
    for (std::size_t b = 0; b < count; ++b) {
        ++total.lines;
        ++total.outcomes[std::string(prediction.outcomes[b].name())];
        total.most_steps = std::max(total.most_steps, lines.step_count(b));
        if (lines.status(b) == field::LineStatus::ok) {
            constexpr std::size_t side = 24;
            const float* const nodes = grid.z.data() + 2 * b * side * n;
            LineWatch forwards(lines, b), backwards(lines, b + count);
            if (!forwards.is_right(nodes + side * n, side, grid.exit.data() + b * n) ||
                !backwards.is_right(nodes, side, grid.entry() + b * n) ||
                !(grid.t_minus[b] < 0.0 && grid.t_plus[b] > 0.0))
                ++total.missed_exits;
            total.worst_residual = std::max(total.worst_residual, grid.residual[b]);
        }
        if (!prediction.outcomes[b].ok()) continue;
        const auto all_finite = [](std::span<const double> row) {
            return std::all_of(row.begin(), row.end(), [](double c) { return std::isfinite(c); });
        };
        const auto lambda = prediction.lambda.row(b);
        if (!all_finite(prediction.y.row(b)) || !all_finite(lambda)) ++total.not_finite;
        for (std::size_t i = 0; i + 1 < lambda.size(); ++i) {
            if (lambda[i] < lambda[i + 1]) continue;
            ++total.out_of_order;
            break;
        }
    }
}

inline void add_random_lines(RandomLines& total, std::size_t count, Random& random) {
    const auto options = random_options(random);
    const std::size_t sizes[] = {1, 2, 3, 5, 16, 50, 108, 200};
    const auto n = sizes[below(8, random)];
    const auto model = model::make_model(n, 2, options, random());
    randomise(*model, random);
    add_lines(total, *model, samples_near_the_boundary(options.domain, count, n, random));
}

/// Images of 28 x 28 pixels from 0 to 1, as they come to lie in the middle half of the box: noise,
/// or blots of one brightness.
inline Matrix<double> random_images(std::size_t count, Random& random) {
    constexpr std::size_t side = 28;
    Matrix<double> x(count, side * side);
    for (std::size_t b = 0; b < count; ++b) {
        const bool noise = below(2, random) == 0;
        const double top = uniform(random, 0.0, 20.0), left = uniform(random, 0.0, 20.0);
        const double width = uniform(random, 2.0, 20.0), bright = uniform(random);
        for (std::size_t i = 0; i < side * side; ++i) {
            const double row = static_cast<double>(i / side),
                         column = static_cast<double>(i % side);
            const bool inside =
                row > top && row < top + width && column > left && column < left + width;
            const double pixel = noise ? uniform(random) : (inside ? bright : 0.0);
            x(b, i) = static_cast<float>(0.25 + 0.5 * pixel);
        }
    }
    return x;
}

/// The paper's networks for MNIST with random weights: convolutions, and an auto-encoder as field.
inline void add_random_image_lines(RandomLines& total, std::size_t count, Random& random) {
    auto options = model::model_preset(model::Preset::paper);
    options.image = {28, 28, 1};
    options.convolutions = {32, 64, 128};
    options.hidden = {32, 32, 16};
    options.activation = network::Activation::tanh;
    options.field_convolutions = {32, 64};
    options.field_hidden = {32};
    options.initialiser = network::Initialiser::orthogonal;
    options.steps = 2;
    options.cells = 4;
    if (below(2, random) == 0) options.field = field::FieldKind::directional;
    const auto model = model::make_model(784, 10, options, random());
    randomise(*model, random);
    add_lines(total, *model, random_images(count, random));
}

}  // namespace deepsl::testing
