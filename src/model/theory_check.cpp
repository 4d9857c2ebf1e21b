#include "deepsl/model/theory_check.h"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "deepsl/parallel.h"
#include "model/grid_change.h"
#include "model/line_check.h"
#include "model/plane_check.h"

namespace deepsl::model {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// The worst of all lines seen.
struct Worst {
    std::size_t failed = 0, good = 0, wrong_counts = 0;
    double exit = 0.0, ends = 0.0, H = 0.0, angle = 0.0, elsewhere = 0.0, gap = infinity;

    void add(const Worst& other) {
        failed += other.failed, good += other.good, wrong_counts += other.wrong_counts;
        exit = worse(exit, other.exit);
        ends = worse(ends, other.ends);
        H = worse(H, other.H);
        angle = worse(angle, other.angle);
        elsewhere = worse(elsewhere, other.elsewhere);
        gap = -worse(-gap, -other.gap);
    }
};

/// Eigenvalues and functions from a point half way to the exit: they belong to the line, not to
/// the sample. The functions are compared there, against their largest value.
double seen_from_elsewhere(const Model& model, std::size_t field, const Inspection& seen,
                           const std::vector<std::size_t>& good, const Numerics& numerics) {
    const auto cell = seen.cells * 3 / 4;
    Matrix<double> points(good.size(), seen.inputs);
    for (std::size_t g = 0; g < good.size(); ++g) {
        const auto point = seen.node(good[g], cell * seen.nodes);
        std::copy(point.begin(), point.end(), points.row(g).begin());
    }
    const auto there = model.inspect(points, field, numerics);
    const double s = sturm::nodes(numerics.scheme).front();
    double result = 0.0;
    for (std::size_t g = 0; g < good.size(); ++g) {
        // A line that cannot be followed from there is as far from the same as can be.
        if (!there.outcomes[g].ok()) return infinity;
        const Line line(seen, good[g]);
        for (std::size_t i = 0; i < seen.d; ++i) {
            result = worse(result, relative_change(line.lambda()[i], there.lambda(g, i)));
            result =
                worse(result, std::fabs(line.between(i, cell, s) - there.u(g, i)) / line.size(i));
        }
    }
    return result;
}

/// Of samples x along one field.
Worst along(const Model& model, std::size_t field, MatrixView<const double> x,
            const Numerics& numerics) {
    const auto seen = model.inspect(x, field, numerics);
    std::vector<std::size_t> good;
    for (std::size_t b = 0; b < seen.samples; ++b)
        if (seen.outcomes[b].ok()) good.push_back(b);
    Worst worst;
    worst.good = good.size();
    worst.failed = seen.samples - good.size();
    if (good.empty()) return worst;
    for (const auto b : good) {
        const Line line(seen, b);
        worst.exit = worse(worst.exit, seen.residual[b]);
        worst.ends = worse(worst.ends, end_values(line));
        worst.H = worse(worst.H, mismatch(line));
        worst.wrong_counts += wrong_counts(line);
        worst.gap = -worse(-worst.gap, -smallest_gap(line));
        worst.angle = worse(worst.angle, orthogonality(line));
    }
    worst.elsewhere = seen_from_elsewhere(model, field, seen, good, numerics);
    return worst;
}

/// Over a domain of two dimensions, the worst of all fields.
struct OverDomain {
    double orthogonality = 0.0;
    RankOneResidual equation;
};

OverDomain over_domain(const Model& model, MatrixView<const double> x, const Numerics& fine,
                       const Numerics& twice) {
    OverDomain worst;
    for (std::size_t m = 0; m < model.fields(); ++m) {
        worst.orthogonality =
            worse(worst.orthogonality, orthogonality_over_domain(model, m, twice));
        const auto left = rank_one_residual(model, m, x, fine);
        worst.equation.own_lambda = worse(worst.equation.own_lambda, left.own_lambda);
        worst.equation.one_lambda = worse(worst.equation.one_lambda, left.one_lambda);
    }
    return worst;
}

struct Measured {
    Worst lines;             // on the fine grid
    std::size_t failed = 0;  // samples, on the model's own
    GridChange doubled;
    std::optional<OverDomain> domain;  // of two dimensions
};

Measured measure(const Model& model, MatrixView<const double> x, int finer) {
    const auto fine = model.numerics().finer(finer), twice = model.numerics().finer(2);
    const auto fields = model.fields();
    Answers own(x.rows(), model.outputs(), model.eigenvalues());
    auto doubled = own;
    const auto chunks = (x.rows() + chunk_rows - 1) / chunk_rows;
    std::vector<Worst> worst(chunks);
    for_each(chunks, [&](std::size_t chunk) {
        const auto first = chunk * chunk_rows;
        const auto part = x.part(first, std::min(chunk_rows, x.rows() - first));
        for (std::size_t m = 0; m < fields; ++m) {
            worst[chunk].add(along(model, m, part, fine));
            own.add(model.inspect(part, m), m, first);
            doubled.add(model.inspect(part, m, twice), m, first);
        }
    });
    Measured all;
    for (const auto& part : worst) all.lines.add(part);
    all.failed = static_cast<std::size_t>(std::count(own.ok.begin(), own.ok.end(), 0));
    all.doubled = grid_change(own, doubled, fields);
    if (model.inputs() == 2 && all.lines.good > 0) all.domain = over_domain(model, x, fine, twice);
    return all;
}

}  // namespace

std::vector<Figure> check_theory(const Model& model, MatrixView<const double> x, int finer) {
    if (x.empty() || x.columns() != model.inputs())
        throw argument_error(
            fmt::format("the model takes samples of {} numbers, but {} of {} are "
                        "to be checked",
                        model.inputs(), x.rows(), x.columns()));
    if (finer < 1) throw argument_error(fmt::format("finer must be at least 1, but is {}", finer));
    const bool narrow = model.options().precision == Precision::float32;
    const auto all = measure(model, x, finer);
    const auto& lines = all.lines;

    std::vector<Figure> figures;
    const auto at_most = [&](std::string_view name, std::string_view title, double value,
                             double bound, std::string_view meaning) {
        figures.push_back({name, title, value, bound, Promise::at_most, meaning});
    };
    at_most("failed_lines", "failed lines", static_cast<double>(std::max(lines.failed, all.failed)),
            0.0, "lines that did not leave the domain, or eigenvalues not found");
    if (lines.good == 0) return figures;
    // The end of a line is a sum of some ten terms of size 1, each rounded in the networks' type:
    // ten units of the last place, and ten times that to be safe.
    at_most("exit", "exit condition |g|", lines.exit, narrow ? 1e-5 : 1e-14,
            "how far the ends of lines are from the boundary");
    // Eigenfunctions are computed in double from both ends, whatever the networks' type.
    at_most("ends", "u at both ends", lines.ends, 1e-12,
            "|u(t-)| and |u(t+)| against the largest |u|: Dirichlet's condition");
    // The next three compare methods of order 4 on the fine grid, usually 64 cells a side: beyond
    // 1e-3 that grid does not resolve the coefficients. In the third, u is read between edges.
    at_most("H", "size of H", lines.H, 1e-3,
            "angle between solutions shot from either end with lambda as found");
    at_most("orthogonality", "orthogonality", lines.angle, 1e-3,
            "largest cosine between two functions of a line, with weight w");
    at_most("same_line", "same line, other point", lines.elsewhere, 1e-2,
            "change of lambda and of u when solved from half way to the exit");
    at_most("zeros", "wrong numbers of zeros", static_cast<double>(lines.wrong_counts), 0.0,
            "functions u_i without exactly i - 1 zeros inside");
    figures.push_back({"gap", "smallest gap", lines.gap, 0.0, Promise::above,
                       "lambda_(i+1) - lambda_i must be positive"});
    if (all.domain) {
        // Points stand some 0.05 apart, and where lines are drawn together not all of them are met.
        // The residual has the error of differences, largest where neighbouring lines part.
        at_most("orthogonality_over_domain", "orthogonality over domain", all.domain->orthogonality,
                0.1, "the same over all lines, weighted as in the paper's first theorem");
        at_most("rank_one", "rank-1 equation", all.domain->equation.own_lambda, 0.05,
                "what is left of the paper's second theorem at 9 of 10 samples, lambda by line");
        figures.push_back({"uniform", "with one lambda for all", all.domain->equation.one_lambda,
                           0.0, Promise::nothing,
                           "the same with the mean of lambda; small if the problem is uniform"});
    }

    // If every sample moved by a quarter of the spread, that would cost 6 % of R2; and more than
    // 2 % of samples in another class would show in any test.
    at_most("prediction", "change of F, grid doubled", all.doubled.prediction, 0.25,
            "largest change of an output, against the spread of outputs");
    if (model.outputs() > 1)
        at_most("classes", "classes changed", all.doubled.classes, 0.02,
                "share of samples that get another class on a grid twice as fine");
    // At a half one eigenvalue could be taken for its neighbour.
    at_most("lambda", "change of lambda", all.doubled.lambda, 0.5,
            "largest change of an eigenvalue, against the distance to its neighbour");
    return figures;
}

}  // namespace deepsl::model
