// One dimension is the classical theory: p, q and w of a Sturm-Liouville problem, learned from some
// of its eigenfunctions.
//
// A drum that is a ring, 1 < r < 3, held at both rims, has modes u(r) cos 3 phi with
//
//     -(r u')' + (9 / r) u = lambda r u,   u(1) = u(3) = 0:
//
// combinations of the Bessel functions J_3 and Y_3. The model is shown the first four, at twenty
// radii, and neither lambda nor the equation; its three networks find p = r, q = 9 / r and w = r,
// as far as functions tell them apart, and with them the modes that it was not shown.
//
//     annular_drum [PICTURE.svg]
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <memory>
#include <numbers>
#include <numeric>
#include <vector>

#include "deepsl/model/model.h"
#include "deepsl/train/optimiser.h"
#include "drum_picture.h"

using namespace deepsl;

constexpr std::size_t modes = 8, shown = 4, radii = 20, steps = 3000;
constexpr double order = 3.0, inner = 1.0, outer = 3.0;

/// A solution of the equation with lambda = k^2 that vanishes at the inner rim.
double solution(double k, double r) {
    return std::cyl_bessel_j(order, k * r) * std::cyl_neumann(order, k * inner) -
           std::cyl_bessel_j(order, k * inner) * std::cyl_neumann(order, k * r);
}

/// The k whose solutions also vanish at the outer rim, by bisection.
std::vector<double> wave_numbers() {
    std::vector<double> found;
    const auto at = [](double k) { return solution(k, outer); };
    for (double k = 0.5; found.size() < modes; k += 0.05) {
        double low = k, high = k + 0.05;
        if (at(low) * at(high) > 0.0) continue;
        while (high - low > 1e-12) {
            const double middle = 0.5 * (low + high);
            (at(low) * at(middle) <= 0.0 ? high : low) = middle;
        }
        found.push_back(low);
    }
    return found;
}

/// With slope 1 at the inner rim, as the model's are: the Wronskian of J and Y is 2 / (pi r).
double mode(double k, double r) { return -0.5 * std::numbers::pi * inner * solution(k, r); }

/// A model on ]-1, 1[ whose outputs are its eigenfunctions: lines run along r = 2 + z.
std::unique_ptr<model::Model> make_drum() {
    model::ModelOptions options;
    options.field = field::FieldKind::straight;
    options.precision = model::Precision::float64;
    options.basis_scale = model::BasisScale::none;
    options.eigenfunctions = modes;
    options.hidden = {8};
    options.cells = 16;
    options.input_scale = 2.0;
    auto drum = model::make_model(1, modes, options, 1);
    auto values = drum->parameters().values();
    for (const auto& each : drum->parameters().list()) {
        if (each.name == "field1.field.direction") values[each.offset] = 1.0;
        for (std::size_t i = 0; each.name == "field1.L.weight" && i < modes; ++i)
            values[each.offset + i * modes + i] = 1.0;
    }
    drum->set_values(values);
    return drum;
}

/// Least squares on the modes shown; the linear map stays what it is.
void learn(model::Model& drum, const Matrix<double>& z, const Matrix<double>& known) {
    train::TrainOptions options;
    options.learning_rate = 0.1;
    options.weight_decay = options.linear_rate = 0.0;
    train::Optimiser optimiser(drum.parameters(), options, steps);
    const auto pass = drum.make_pass();
    Matrix<double> seeds(z.rows(), modes);
    std::vector<double> gradient(drum.parameters().size());
    for (std::size_t step = 0; step < steps; ++step) {
        const auto& u = pass->forward(z, true).y;
        for (std::size_t i = 0; i < shown; ++i) {
            double size = 0.0;
            for (std::size_t b = 0; b < z.rows(); ++b) size += known(b, i) * known(b, i);
            for (std::size_t b = 0; b < z.rows(); ++b) seeds(b, i) = (u(b, i) - known(b, i)) / size;
        }
        pass->backward(seeds, {});
        std::fill(gradient.begin(), gradient.end(), 0.0);
        pass->add_gradient(gradient);
        optimiser.step(drum, gradient);
    }
}

double mean(const std::vector<double>& values) {
    return std::accumulate(values.begin(), values.end(), 0.0) / static_cast<double>(values.size());
}

/// p, q and w of the model, as far as functions tell: c (p, q, w) has the same functions and the
/// same lambda, w / s has lambda s, and q + m w has lambda + m. These three numbers are taken so
/// that p, w and q agree with r, r and 9 / r in the mean.
Curves compare(const model::Model& drum, const std::vector<double>& k) {
    constexpr std::size_t count = 201;
    Matrix<double> z(count, 1);
    for (std::size_t b = 0; b < count; ++b)
        z(b, 0) = 0.998 * (2.0 * static_cast<double>(b) / (count - 1) - 1.0);
    const auto found = drum.coefficients_at(z, 0);
    const auto seen = drum.inspect(z);
    std::vector<double> of_p, of_w, of_q;
    Curves all;
    for (std::size_t b = 0; b < count; ++b) {
        all.r.push_back(2.0 + z(b, 0));
        of_p.push_back(std::log(all.r[b] * found.P[b]));
        of_w.push_back(std::log(all.r[b] / found.w[b]));
    }
    const double c = std::exp(mean(of_p)), s = std::exp(mean(of_w));
    for (std::size_t b = 0; b < count; ++b)
        of_q.push_back(order * order / all.r[b] - c * found.q[b]);
    const double m = mean(of_q) / mean(found.w) / s;
    for (std::size_t b = 0; b < count; ++b) {
        all.p.push_back(c / found.P[b]);
        all.w.push_back(s * found.w[b]);
        all.q.push_back(c * found.q[b] + m * all.w[b]);
    }
    for (std::size_t i = 0; i < modes; ++i) {
        all.lambda.push_back(seen.lambda(0, i) * c / s + m);
        all.known_lambda.push_back(k[i] * k[i]);
        all.u.emplace_back(), all.known_u.emplace_back();
        for (std::size_t b = 0; b < count; ++b) {
            all.u[i].push_back(seen.u(b, i));
            all.known_u[i].push_back(mode(k[i], all.r[b]));
        }
    }
    return all;
}

int main(int count, char** words) {
    const auto k = wave_numbers();
    Matrix<double> z(radii, 1), known(radii, modes);
    for (std::size_t b = 0; b < radii; ++b) {
        z(b, 0) = (2.0 * static_cast<double>(b) + 1.0) / radii - 1.0;
        for (std::size_t i = 0; i < modes; ++i) known(b, i) = mode(k[i], 2.0 + z(b, 0));
    }
    const auto drum = make_drum();
    learn(*drum, z, known);

    const auto found = compare(*drum, k);
    std::printf("mode          lambda    learned   error of u\n");
    for (std::size_t i = 0; i < modes; ++i)
        std::printf("%zu %-9s %9.4f  %9.4f   %8.3f %%\n", i + 1, i < shown ? "shown" : "not shown",
                    found.known_lambda[i], found.lambda[i], 100.0 * found.error(i));
    std::printf("\n   r     p learned      w learned      9/r   q learned\n");
    for (std::size_t b = 10; b < found.r.size(); b += 30)
        std::printf("%5.3f  %12.4f   %12.4f   %6.3f  %10.3f\n", found.r[b], found.p[b], found.w[b],
                    order * order / found.r[b], found.q[b]);
    if (count > 1) draw(found, shown, words[1]);
    return 0;
}
