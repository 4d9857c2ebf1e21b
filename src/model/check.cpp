#include "deepsl/model/check.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/model/encoded.h"
#include "deepsl/model/mapping.h"
#include "deepsl/random.h"

namespace deepsl::model {
namespace {

/// Lines followed to a tolerance, and as many cells as go with it.
Numerics numerics_at(Numerics numerics, double tolerance) {
    numerics.trace.method = &field::dormand_prince();
    numerics.trace.tolerance = tolerance;
    numerics.trace.max_steps = 100000;
    const auto order = sturm::order_of(numerics.scheme);
    const double cells = std::ceil(8.0 * std::pow(1e-2 / tolerance, 1.0 / order));
    numerics.cells = std::max<std::size_t>(2, static_cast<std::size_t>(cells));
    return numerics;
}

struct Summary {
    double median, worst;
};

/// The lower one of two medians; what is not a number counts as the largest.
Summary summary(std::vector<double> values) {
    if (values.empty()) return {0.0, 0.0};
    const auto less = [](double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; };
    std::sort(values.begin(), values.end(), less);
    return {values[(values.size() - 1) / 2], values.back()};
}

MappingRow row_at(const Model& model, MatrixView<const double> x, double tolerance) {
    const auto numerics = numerics_at(model.numerics(), tolerance);
    MappingRow row;
    row.tolerance = tolerance;
    row.cells = numerics.cells;
    std::vector<double> exits, ends;
    for (std::size_t m = 0; m < model.fields(); ++m) {
        const auto error = mapping_error(model, x, m, numerics);
        for (std::size_t b = 0; b < x.rows(); ++b) {
            if (!error.outcomes[b].ok()) {
                ++row.failed;
                continue;
            }
            exits.insert(exits.end(), error.exits.row(b).begin(), error.exits.row(b).end());
            ends.insert(ends.end(), error.ends.row(b).begin(), error.ends.row(b).end());
        }
    }
    const auto at_exits = summary(std::move(exits)), at_ends = summary(std::move(ends));
    row.exit_median = at_exits.median, row.exit_worst = at_exits.worst;
    row.end_median = at_ends.median, row.end_worst = at_ends.worst;
    return row;
}

}  // namespace

const Model& checkable(const Predictor& predictor) {
    const auto* const encoded = dynamic_cast<const Encoded*>(&predictor);
    const auto* model = dynamic_cast<const Model*>(encoded ? &encoded->behind() : &predictor);
    if (model == nullptr)
        throw data_error(
            fmt::format("the model is of the kind {}; only the kind {} has lines and "
                        "eigenfunctions to check",
                        name(predictor.kind()), name(Kind::dsl)));
    return *model;
}

Matrix<double> check_samples(const field::Domain& domain, double spread,
                             const CheckOptions& options) {
    visit_check(options, CheckOption{});
    Random random(static_cast<std::uint64_t>(options.seed));
    Matrix<double> z(static_cast<std::size_t>(options.samples), domain.dimensions());
    for (auto& value : z.values()) value = domain.centre() + spread * normal(random);
    for (std::size_t row = 0; row < z.rows(); ++row) domain.pull_in(z.row(row));
    return z;
}

Matrix<double> check_encoded_samples(const field::Domain& domain, const CheckOptions& options) {
    visit_check(options, CheckOption{});
    Random random(static_cast<std::uint64_t>(options.seed));
    std::vector<double> r(domain.dimensions());
    Matrix<double> z(static_cast<std::size_t>(options.samples), domain.dimensions());
    for (std::size_t row = 0; row < z.rows(); ++row) {
        for (auto& number : r) number = normal(random);
        domain.enter(r, z.row(row));
    }
    return z;
}

bool Check::ok() const {
    return std::all_of(figures.begin(), figures.end(), [](const Figure& f) { return f.ok(); });
}

std::string_view Check::verdict() const {
    return ok() ? "All is as the theory promises."
                : "Marked figures are out of bounds: the grid is too coarse (raise steps and "
                  "cells), or the file is not what was trained.";
}

Check check(const Model& model, MatrixView<const double> x, const CheckOptions& options) {
    visit_check(options, CheckOption{});
    return {x.rows(), check_theory(model, x, static_cast<int>(options.finer))};
}

std::vector<MappingRow> check_mapping(const Model& model, MatrixView<const double> x,
                                      std::span<const double> tolerances) {
    const double least = model.numerics().least_tolerance;
    for (const double tolerance : tolerances)
        if (!(tolerance >= least && tolerance <= largest_tolerance))
            throw argument_error(fmt::format(
                "tolerances are numbers from {:.0e}, which the model's precision can hold, to {}, "
                "but {} was given",
                least, largest_tolerance, tolerance));
    std::vector<MappingRow> rows;
    for (const double tolerance : tolerances) rows.push_back(row_at(model, x, tolerance));
    return rows;
}

}  // namespace deepsl::model
