#include "deepsl/field/kernel_guess.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include <Eigen/Dense>

namespace deepsl::field {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr std::size_t most_rows = 500;
constexpr std::array widths{0.5, 1.0, 2.0};  // times the usual distance of two rows
constexpr std::array strengths{0.01, 0.03, 0.1, 0.3, 1.0, 3.0};

MatrixXd some_rows(MatrixView<const double> table) {
    const auto count = std::min(table.rows(), most_rows);
    MatrixXd result(static_cast<Index>(count), static_cast<Index>(table.columns()));
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = table.row(i * table.rows() / count);
        for (std::size_t c = 0; c < row.size(); ++c)
            result(static_cast<Index>(i), static_cast<Index>(c)) = row[c];
    }
    return result;
}

MatrixXd squared_distances(const MatrixXd& x) {
    const VectorXd squares = x.rowwise().squaredNorm();
    MatrixXd result = -2.0 * x * x.transpose();
    result.colwise() += squares;
    result.rowwise() += squares.transpose();
    return result.cwiseMax(0.0);
}

/// The weights alpha of the guess, and its h^2.
struct Guess {
    MatrixXd kernel, alpha;
    double square_width = 1.0;
};

Guess best_guess(const MatrixXd& x, const MatrixXd& y) {
    const MatrixXd distances = squared_distances(x);
    const auto rows = x.rows();
    const double usual = std::max(distances.sum() / static_cast<double>(rows * rows), 1e-300);
    Guess best;
    double least = std::numeric_limits<double>::infinity();
    for (const double width : widths) {
        const double square_width = width * width * usual;
        const MatrixXd kernel = (distances / (-2.0 * square_width)).array().exp().matrix();
        for (const double strength : strengths) {
            MatrixXd regular = kernel;
            regular.diagonal().array() += strength;
            const MatrixXd inverse = regular.llt().solve(MatrixXd::Identity(rows, rows));
            const MatrixXd alpha = inverse * y;
            // A row left out is missed by alpha_i over the inverse's diagonal.
            const double error =
                (alpha.array().colwise() / inverse.diagonal().array()).square().sum();
            if (!(error < least)) continue;
            least = error;
            best = {kernel, alpha, square_width};
        }
    }
    return best;
}

}  // namespace

Matrix<double> gradient_product(MatrixView<const double> x, MatrixView<const double> targets) {
    const auto n = x.columns();
    MatrixXd inputs = some_rows(x);
    inputs.rowwise() -= inputs.colwise().mean();  // far from 0, distances would be rounding
    MatrixXd y = some_rows(targets);
    y.rowwise() -= y.colwise().mean();
    const auto rows = static_cast<double>(inputs.rows());
    const double variance = y.squaredNorm() / rows;
    MatrixXd product = MatrixXd::Zero(static_cast<Index>(n), static_cast<Index>(n));
    if (variance > 0.0) {
        const auto guess = best_guess(inputs, y);
        for (Index k = 0; k < guess.alpha.cols(); ++k) {
            // grad f(x_i) = sum over j of alpha_j k(x_j, x_i) (x_j - x_i) / h^2
            const MatrixXd pull = guess.kernel * guess.alpha.col(k).asDiagonal();
            const VectorXd sums = pull.rowwise().sum();
            const MatrixXd slopes =
                (pull * inputs - sums.asDiagonal() * inputs) / guess.square_width;
            product.noalias() += slopes.transpose() * slopes;
        }
        product /= rows * variance;
    }
    Matrix<double> result(n, n);
    Eigen::Map<RowMajor>(result.data(), static_cast<Index>(n), static_cast<Index>(n)) = product;
    return result;
}

Matrix<double> kernel_directions(MatrixView<const double> x, MatrixView<const double> targets,
                                 std::size_t wanted) {
    const auto n = static_cast<Index>(x.columns());
    const auto product = gradient_product(x, targets);
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(
        Eigen::Map<const RowMajor>(product.data(), n, n));
    Matrix<double> result(std::min(wanted, x.columns()), x.columns());
    for (std::size_t d = 0; d < result.rows(); ++d) {
        const VectorXd direction = solver.eigenvectors().col(n - 1 - static_cast<Index>(d));
        // The first of the largest numbers is positive.
        Index largest = 0;
        direction.cwiseAbs().maxCoeff(&largest);
        const double sign = direction[largest] < 0.0 ? -1.0 : 1.0;
        for (Index c = 0; c < n; ++c) result(d, static_cast<std::size_t>(c)) = sign * direction[c];
    }
    return result;
}

}  // namespace deepsl::field
