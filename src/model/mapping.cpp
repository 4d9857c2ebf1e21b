#include "deepsl/model/mapping.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <span>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/parallel.h"

namespace deepsl::model {
namespace {

/// Several lines that move together, with functions on them: z [row, n], then u and f [row, d].
using State = std::vector<double>;

/// dy/ds = slope(y) from s = 0 to 1; `seen` gets every state on the way.
template <class Slope, class Seen>
void run(State& y, int steps, const Slope& slope, const Seen& seen) {
    const double h = 1.0 / steps;
    State k(y.size()), at(y.size()), sum(y.size());
    const auto stage = [&](double share, double weight) {
        for (std::size_t j = 0; j < y.size(); ++j) at[j] = y[j] + share * h * k[j];
        slope(at, k);
        for (std::size_t j = 0; j < y.size(); ++j) sum[j] += weight * h * k[j];
    };
    for (int i = 0; i < steps; ++i) {
        sum = y;
        stage(0.0, 1.0 / 6.0);
        stage(0.5, 1.0 / 3.0);
        stage(0.5, 1.0 / 3.0);
        stage(1.0, 1.0 / 6.0);
        y = sum;
        seen(y);
    }
}

/// Some lines of one field, all of them ok, with times and eigenvalues as found.
struct Found {
    const Model& model;
    std::size_t field, rows, n, d;
    State x;                              // [row, n]
    std::vector<double> t_minus, t_plus;  // [row]
    std::vector<double> lambda;           // [row, d]

    MatrixView<const double> points(const State& y) const { return {y.data(), rows, n}; }

    /// dz/ds = T a(z), z being all of the state or its beginning.
    void follow(const std::vector<double>& time, const State& y, State& slope) const {
        const auto a = model.field_at(points(y), field);
        for (std::size_t r = 0; r < rows; ++r)
            for (std::size_t j = 0; j < n; ++j) slope[r * n + j] = time[r] * a(r, j);
    }

    /// z at the given times from x.
    State end(const std::vector<double>& time, int steps) const {
        auto z = x;
        run(
            z, steps, [&](const State& y, State& slope) { follow(time, y, slope); },
            [](const State&) {});
        return z;
    }

    /// |u_i| at the end against the largest on the line, from its entry  [row, d]
    std::vector<double> shoot(const State& entry, int steps) const {
        std::vector<double> time(rows);
        for (std::size_t r = 0; r < rows; ++r) time[r] = t_plus[r] - t_minus[r];
        const auto at_u = rows * n, at_f = at_u + rows * d;
        auto y = entry;
        y.resize(at_f, 0.0);
        y.resize(at_f + rows * d, 1.0);
        std::vector<double> largest(rows * d, 0.0);
        run(
            y, steps,
            [&](const State& now, State& slope) {
                follow(time, now, slope);
                const auto c = model.coefficients_at(points(now), field);
                for (std::size_t j = 0; j < rows * d; ++j) {
                    const auto r = j / d;
                    slope[at_u + j] = time[r] * c.P[r] * now[at_f + j];
                    slope[at_f + j] = time[r] * (c.q[r] - lambda[j] * c.w[r]) * now[at_u + j];
                }
            },
            [&](const State& now) {
                for (std::size_t j = 0; j < rows * d; ++j)
                    largest[j] = std::max(largest[j], std::fabs(now[at_u + j]));
            });
        std::vector<double> result(rows * d);
        for (std::size_t j = 0; j < rows * d; ++j) result[j] = std::fabs(y[at_u + j]) / largest[j];
        return result;
    }
};

Found found(const Model& model, std::size_t field, MatrixView<const double> x,
            const Inspection& seen, const std::vector<std::size_t>& good) {
    const bool narrow = model.options().precision == Precision::float32;
    Found lines{model, field, good.size(), x.columns(), seen.d, {}, {}, {}, {}};
    for (const auto b : good) {
        // The lines begin at what the networks' type makes of the samples.
        for (const double value : x.row(b))
            lines.x.push_back(narrow ? static_cast<double>(static_cast<float>(value)) : value);
        lines.t_minus.push_back(seen.t_minus[b]);
        lines.t_plus.push_back(seen.t_plus[b]);
        const auto lambda = seen.lambda.row(b);
        lines.lambda.insert(lines.lambda.end(), lambda.begin(), lambda.end());
    }
    return lines;
}

/// Of the samples x, which are rows first, first + 1, .. of the result.
void measure(const Model& model, MatrixView<const double> x, std::size_t field,
             const Numerics& numerics, int steps, std::size_t first, MappingError& error) {
    const auto seen = model.inspect(x, field, numerics);
    std::vector<std::size_t> good;
    for (std::size_t b = 0; b < x.rows(); ++b) {
        error.outcomes[first + b] = seen.outcomes[b];
        if (seen.outcomes[b].ok()) good.push_back(b);
    }
    if (good.empty()) return;
    const auto lines = found(model, field, x, seen, good);
    const auto entry = lines.end(lines.t_minus, steps), exit = lines.end(lines.t_plus, steps);
    const auto ends = lines.shoot(entry, steps);
    for (std::size_t g = 0; g < good.size(); ++g) {
        const auto row = first + good[g];
        const auto level = [&](const State& z) {
            return std::fabs(model.domain()->level({z.data() + g * lines.n, lines.n}));
        };
        error.exits(row, 0) = level(entry);
        error.exits(row, 1) = level(exit);
        for (std::size_t i = 0; i < lines.d; ++i) error.ends(row, i) = ends[g * lines.d + i];
    }
}

}  // namespace

MappingError mapping_error(const Model& model, MatrixView<const double> x, std::size_t field,
                           const Numerics& numerics, int steps) {
    if (x.columns() != model.inputs())
        throw argument_error(fmt::format("the model takes samples of {} numbers, but they have {}",
                                         model.inputs(), x.columns()));
    if (field >= model.fields())
        throw argument_error(
            fmt::format("the model has {} fields, but the one of number {} is to "
                        "be measured; they are counted from 0",
                        model.fields(), field));
    if (steps < 1)
        throw argument_error(fmt::format(
            "the mapping H is measured with at least 1 step, but {} were given", steps));
    constexpr double nan = std::numeric_limits<double>::quiet_NaN();
    const auto d = model.eigenvalues() / model.fields();
    MappingError error{Matrix<double>(x.rows(), 2, nan), Matrix<double>(x.rows(), d, nan),
                       std::vector<Outcome>(x.rows())};
    for_each((x.rows() + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
        const auto first = chunk * chunk_rows;
        measure(model, x.part(first, std::min(chunk_rows, x.rows() - first)), field, numerics,
                steps, first, error);
    });
    return error;
}

}  // namespace deepsl::model
