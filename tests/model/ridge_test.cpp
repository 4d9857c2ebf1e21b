// The linear guess from which fields start.
#include "model/ridge.h"

#include <cmath>
#include <utility>
#include <vector>

#include <Eigen/Dense>
#include <gtest/gtest.h>

#include "deepsl/random.h"

namespace deepsl::model {
namespace {

using Eigen::MatrixXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

Matrix<double> table(const MatrixXd& from) {
    Matrix<double> to(static_cast<std::size_t>(from.rows()), static_cast<std::size_t>(from.cols()));
    Eigen::Map<RowMajor>(to.data(), from.rows(), from.cols()) = from;
    return to;
}

MatrixXd normals(Eigen::Index rows, Eigen::Index columns, Random& random) {
    MatrixXd result(rows, columns);
    for (Eigen::Index c = 0; c < columns; ++c)
        for (Eigen::Index r = 0; r < rows; ++r) result(r, c) = normal(random);
    return result;
}

MatrixXd centred(const MatrixXd& x) { return x.rowwise() - x.colwise().mean(); }

/// Squared error on rows left out one by one, by regressions without them, with this strength.
double left_out_error(const MatrixXd& x, const MatrixXd& y, double strength) {
    double error = 0.0;
    const MatrixXd about = centred(x);
    for (Eigen::Index i = 0; i < x.rows(); ++i) {
        // Penalised least squares whose intercept is free.
        MatrixXd rows(x.rows() - 1, x.cols() + 1), targets(x.rows() - 1, y.cols());
        for (Eigen::Index r = 0, to = 0; r < x.rows(); ++r) {
            if (r == i) continue;
            rows(to, 0) = 1.0;
            rows.row(to).tail(x.cols()) = about.row(r);
            targets.row(to++) = y.row(r);
        }
        MatrixXd penalty = strength * MatrixXd::Identity(rows.cols(), rows.cols());
        penalty(0, 0) = 0.0;
        const MatrixXd weights =
            (rows.transpose() * rows + penalty).ldlt().solve(rows.transpose() * targets);
        const MatrixXd guess = weights.row(0) + about.row(i) * weights.bottomRows(x.cols());
        error += (y.row(i) - guess).squaredNorm();
    }
    return error;
}

/// By seventeen times as many regressions as there are rows.
MatrixXd slow_weights(const MatrixXd& x, const MatrixXd& y) {
    const MatrixXd inputs = centred(x), gram = inputs.transpose() * inputs;
    const double unit = gram.trace() / static_cast<double>(x.cols());
    MatrixXd best;
    double least = 1e300;
    for (int i = -8; i <= 8; ++i) {
        const double strength = unit * std::pow(10.0, 0.5 * i);
        const double error = left_out_error(x, y, strength);
        if (error >= least) continue;
        least = error;
        best = (gram + strength * MatrixXd::Identity(x.cols(), x.cols()))
                   .ldlt()
                   .solve(inputs.transpose() * centred(y));
    }
    return best;
}

void expect_near(const Matrix<double>& found, const MatrixXd& wanted, double relative) {
    ASSERT_EQ(found.rows(), static_cast<std::size_t>(wanted.rows()));
    ASSERT_EQ(found.columns(), static_cast<std::size_t>(wanted.cols()));
    const double size = wanted.cwiseAbs().maxCoeff();
    for (std::size_t r = 0; r < found.rows(); ++r)
        for (std::size_t c = 0; c < found.columns(); ++c)
            EXPECT_NEAR(found(r, c),
                        wanted(static_cast<Eigen::Index>(r), static_cast<Eigen::Index>(c)),
                        relative * size);
}

void expect_orthonormal(const Matrix<double>& rows) {
    for (std::size_t i = 0; i < rows.rows(); ++i)
        for (std::size_t j = 0; j < rows.rows(); ++j) {
            double dot = 0.0;
            for (std::size_t c = 0; c < rows.columns(); ++c) dot += rows(i, c) * rows(j, c);
            EXPECT_NEAR(dot, i == j ? 1.0 : 0.0, 1e-13);
        }
}

TEST(Ridge, TakesTheStrengthThatMissesRowsLeftOutLeast) {
    for (const double noise : {0.01, 1.0, 30.0})
        // More rows than columns, as many, and fewer.
        for (const Eigen::Index columns : {1, 12, 30, 45}) {
            Random random(3);
            const MatrixXd x = normals(30, columns, random), truth = normals(columns, 2, random);
            const MatrixXd y = x * truth + noise * normals(30, 2, random);
            expect_near(ridge_weights(table(x), table(y)), slow_weights(x, y), 1e-8);
        }
}

TEST(Ridge, SurvivesTablesThatSayNothing) {
    const auto expect_finite = [](const Matrix<double>& x, const Matrix<double>& y) {
        const auto weights = ridge_weights(x, y);
        ASSERT_EQ(weights.rows(), x.columns());
        for (const double w : weights.values()) EXPECT_TRUE(std::isfinite(w));
        const auto directions = ridge_directions(x, y, 3);
        for (const double d : directions.values()) EXPECT_TRUE(std::isfinite(d));
        expect_orthonormal(directions);
        EXPECT_EQ(directions.rows(), std::min<std::size_t>(3, x.columns()));
    };
    for (const std::size_t rows : {1U, 5U})
        for (const std::size_t columns : {1U, 3U, 20U})
            for (const double value : {0.0, 1.0, 0.1})
                expect_finite(Matrix<double>(rows, columns, value), Matrix<double>(rows, 2, value));
    Random random(1);
    const MatrixXd wide = normals(4, 50, random);
    expect_finite(table(wide), table(wide.leftCols(1)));
    expect_finite(table(1e-150 * wide), table(wide.leftCols(1)));
    expect_finite(table(1e100 * wide), table(1e100 * wide.leftCols(1)));
}

TEST(RidgeDirections, AreThoseThatMatterMostFirst) {
    // y = 3 a.x and b.x, a and b at right angles: the directions are a, then b.
    Random random(5);
    const MatrixXd x = normals(400, 6, random);
    MatrixXd a = MatrixXd::Zero(6, 2);
    a(0, 0) = 3.0 * 0.6, a(1, 0) = -3.0 * 0.8;
    a(2, 1) = -1.0;
    const auto found = ridge_directions(table(x), table(x * a), 6);
    ASSERT_EQ(found.rows(), 6U);
    expect_orthonormal(found);
    // The largest number of each is positive.
    const std::vector<double> first{-0.6, 0.8, 0.0, 0.0, 0.0, 0.0}, second{0.0, 0.0, 1.0, 0, 0, 0};
    for (std::size_t c = 0; c < 6; ++c) {
        EXPECT_NEAR(found(0, c), first[c], 1e-4);
        EXPECT_NEAR(found(1, c), second[c], 1e-4);
    }
}

TEST(RidgeDirections, AreTheLeftSingularVectorsOfTheWeights) {
    Random random(6);
    for (const Eigen::Index columns : {3, 8, 60})
        for (const Eigen::Index outputs : {1, 2, 5, 9}) {
            const MatrixXd x = normals(40, columns, random);
            const MatrixXd y = normals(40, outputs, random) + x * normals(columns, outputs, random);
            const auto weights = ridge_weights(table(x), table(y));
            const MatrixXd w = Eigen::Map<const RowMajor>(weights.data(), columns, outputs);
            const Eigen::JacobiSVD<MatrixXd> svd(w, Eigen::ComputeThinU);
            const auto found = ridge_directions(table(x), table(y), 100);
            ASSERT_EQ(found.rows(), static_cast<std::size_t>(columns));
            expect_orthonormal(found);
            for (Eigen::Index i = 0; i < std::min(columns, outputs); ++i) {
                double dot = 0.0;
                for (Eigen::Index c = 0; c < columns; ++c)
                    dot += found(static_cast<std::size_t>(i), static_cast<std::size_t>(c)) *
                           svd.matrixU()(c, i);
                EXPECT_NEAR(std::fabs(dot), 1.0, 1e-8) << columns << " " << outputs << " " << i;
            }
        }
}

TEST(RidgeDirections, OfIndicatorsAreOneFewerThanClasses) {
    // Indicators of three classes add up to 1: two directions matter, whatever comes third.
    Random random(7);
    const MatrixXd x = normals(300, 4, random);
    MatrixXd y = MatrixXd::Zero(300, 3);
    for (Eigen::Index r = 0; r < 300; ++r) y(r, x(r, 0) > 0.5 ? 0 : (x(r, 1) > 0.0 ? 1 : 2)) = 1.0;
    const auto found = ridge_directions(table(x), table(y), 4);
    expect_orthonormal(found);
    for (const std::size_t i : {0U, 1U})
        EXPECT_GT(found(i, 0) * found(i, 0) + found(i, 1) * found(i, 1), 0.95);
}

// Sizes at which not all rows are used, in both forms.
TEST(RidgeDirections, OfManyRowsOrColumnsAreFound) {
    Random random(8);
    for (const auto& [rows, columns] :
         {std::pair<std::size_t, std::size_t>{50'000, 5}, {600, 3000}}) {
        // Rare indicators, as of texts; the first column decides.
        Matrix<double> x(rows, columns), y(rows, 1);
        for (std::size_t r = 0; r < rows; ++r) {
            x(r, 0) = normal(random);
            x(r, 1 + below(columns - 1, random)) = 1.0;
            y(r, 0) = 2.0 * x(r, 0);
        }
        const auto found = ridge_directions(x, y, 4);
        EXPECT_GT(found(0, 0), 0.99) << rows << " x " << columns;
        expect_orthonormal(found);
    }
}

TEST(RidgeDirections, AreTheSameBitsEveryTime) {
    Random random(9);
    const auto x = table(normals(50, 7, random)), y = table(normals(50, 3, random));
    EXPECT_EQ(ridge_directions(x, y, 7), ridge_directions(x, y, 7));
    EXPECT_EQ(ridge_directions(x, y, 2),
              ridge_directions(x, y, 7).rows_at(std::vector<std::size_t>{0, 1}));
}

}  // namespace
}  // namespace deepsl::model
