#include "model/ridge.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include <Eigen/Dense>

namespace deepsl::model {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;
using RowMajor = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

constexpr int strengths = 17;
constexpr std::size_t most_rows = 20'000;
constexpr double most_work = 1e10;  // multiplications, a few seconds

/// Means aside, and over the largest number, so that squares neither vanish nor overflow.
struct Centred {
    MatrixXd table;
    double unit = 1.0;

    explicit Centred(MatrixView<const double> x)
        : table(Eigen::Map<const RowMajor>(x.data(), static_cast<Index>(x.rows()),
                                           static_cast<Index>(x.columns()))) {
        for (auto column : table.colwise()) {
            // Of a constant nothing is left, not even what rounding makes of its mean.
            if (column.minCoeff() == column.maxCoeff()) column.setZero();
            column.array() -= column.mean();
        }
        const double largest = table.cwiseAbs().maxCoeff();
        if (!(largest > 0.0)) return;
        table /= largest;
        unit = largest;
    }
};

/// (T + strength) = L D L' of a tridiagonal T that is not negative, up to rounding.
class Tridiagonal {
public:
    Tridiagonal(const VectorXd& diagonal, const VectorXd& beside, double strength)
        : d_(diagonal.array() + strength), l_(beside) {
        for (Index j = 1; j < d_.size(); ++j) {
            l_[j - 1] = beside[j - 1] / d_[j - 1];
            d_[j] -= l_[j - 1] * beside[j - 1];
        }
    }

    /// (T + strength)^-1 b, column by column.
    MatrixXd solve(MatrixXd b) const {
        for (Index j = 1; j < b.rows(); ++j) b.row(j) -= l_[j - 1] * b.row(j - 1);
        b.array().colwise() /= d_.array();
        for (Index j = b.rows() - 1; j > 0; --j) b.row(j - 1) -= l_[j - 1] * b.row(j);
        return b;
    }

    /// r' (T + strength)^-1 r for each row r of b.
    VectorXd squares(const MatrixXd& b) const {
        VectorXd v = b.col(0), sum = v.array().square() / d_[0];
        for (Index j = 1; j < b.cols(); ++j) {
            v = b.col(j) - l_[j - 1] * v;
            sum.array() += v.array().square() / d_[j];
        }
        return sum;
    }

private:
    VectorXd d_, l_;
};

/// The regression for all strengths: the smaller one of x'x and x x' is made tridiagonal once,
/// = Q T Q', and then every strength costs little. Eigenvectors would cost several times more.
class Ridge {
public:
    Ridge(MatrixView<const double> x, MatrixView<const double> y) : Ridge(Centred(x), Centred(y)) {}

    MatrixXd best_weights() const {
        double least = std::numeric_limits<double>::infinity();
        double best = strength(0);
        for (int i = 0; i < strengths; ++i) {
            const double error = left_out_error(strength(i));
            if (!(error < least)) continue;
            least = error;
            best = strength(i);
        }
        const MatrixXd along = scale_ * Tridiagonal(diagonal_, beside_, best).solve(along_);
        return dual_ ? MatrixXd(x_.transpose() * (rows_ * along)) : MatrixXd(q_ * along);
    }

private:
    Ridge(Centred x, Centred y)
        : x_(std::move(x.table)),
          y_(std::move(y.table)),
          scale_(y.unit / x.unit),
          dual_(x_.rows() < x_.cols()) {
        const auto size = dual_ ? x_.rows() : x_.cols();
        MatrixXd gram = MatrixXd::Zero(size, size);
        if (dual_) {
            gram.selfadjointView<Eigen::Lower>().rankUpdate(x_);
        } else {
            gram.selfadjointView<Eigen::Lower>().rankUpdate(x_.transpose());
        }
        unit_ = gram.trace() / static_cast<double>(x_.cols());
        if (size == 1) {  // Eigen takes two or more
            q_ = MatrixXd::Identity(1, 1);
            diagonal_ = gram.diagonal();
        } else {
            const Eigen::Tridiagonalization<MatrixXd> reduced(gram);
            q_ = reduced.matrixQ();
            diagonal_ = reduced.diagonal();
            beside_ = reduced.subDiagonal();
        }
        rows_ = dual_ ? q_ : MatrixXd(x_ * q_);
        along_ = rows_.transpose() * y_;
    }

    double strength(int i) const { return unit_ * std::pow(10.0, 0.5 * (i - 8)) + 1e-300; }

    /// A row left out is missed by its residual over 1 - its leverage.
    double left_out_error(double strength) const {
        const Tridiagonal t(diagonal_, beside_, strength);
        const MatrixXd part = rows_ * t.solve(along_);
        const VectorXd squares = t.squares(rows_);
        const double of_mean = 1.0 / static_cast<double>(x_.rows());
        double error = 0.0;
        for (Index r = 0; r < x_.rows(); ++r) {
            const double free = (dual_ ? strength * squares[r] : 1.0 - squares[r]) - of_mean;
            const double residual = dual_ ? strength * strength * part.row(r).squaredNorm()
                                          : (y_.row(r) - part.row(r)).squaredNorm();
            error += residual / std::pow(std::max(free, 1e-9), 2);
        }
        return error;
    }

    MatrixXd x_, y_;
    double scale_;  // of the weights
    bool dual_;
    double unit_ = 0.0;
    MatrixXd q_;
    VectorXd diagonal_, beside_;  // of T
    MatrixXd rows_;               // x Q, or Q
    MatrixXd along_;              // rows' y
};

/// Left singular vectors [n, rank] of weights [n, m], the largest first.
MatrixXd singular_vectors(const MatrixXd& weights) {
    const bool tall = weights.rows() > weights.cols();
    const MatrixXd square =
        tall ? MatrixXd(weights.transpose() * weights) : MatrixXd(weights * weights.transpose());
    const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(square);
    const auto& values = solver.eigenvalues();  // squares, the smallest first
    // What squares of rounded numbers cannot tell from 0.
    const double least =
        values[values.size() - 1] * 1e-15 * static_cast<double>(std::max(values.size(), Index{10}));
    const auto rank = (values.array() > std::max(least, 0.0)).count();
    const MatrixXd found = solver.eigenvectors().rightCols(rank).rowwise().reverse();
    return tall ? MatrixXd(weights * found) : found;
}

void fix_sign(std::span<double> direction) {
    double largest = 0.0;
    for (const double c : direction) largest = std::max(largest, std::fabs(c));
    const auto first = std::find_if(direction.begin(), direction.end(), [&](double c) {
        return std::fabs(c) >= (1.0 - 1e-9) * largest;
    });
    if (first == direction.end() || *first >= 0.0) return;
    for (double& c : direction) c = -c;
}

/// How many of the rows are worth their time.
std::size_t rows_used(std::size_t rows, std::size_t columns, std::size_t targets) {
    auto count = std::min(rows, most_rows);
    const auto work = [&] {
        const auto n = static_cast<double>(count), d = static_cast<double>(columns);
        const double small = std::min(n, d);
        return small * small * std::max(n, d) +
               n * small * static_cast<double>(strengths * targets);
    };
    while (count > 100 && work() > most_work) count -= count / 8;
    return count;
}

Matrix<double> spaced(MatrixView<const double> table, std::size_t count) {
    Matrix<double> result(count, table.columns());
    for (std::size_t i = 0; i < count; ++i) {
        const auto row = table.row(i * table.rows() / count);
        std::copy(row.begin(), row.end(), result.row(i).begin());
    }
    return result;
}

}  // namespace

Matrix<double> ridge_weights(MatrixView<const double> x, MatrixView<const double> y) {
    const auto weights = Ridge(x, y).best_weights();
    Matrix<double> result(x.columns(), y.columns());
    Eigen::Map<RowMajor>(result.data(), weights.rows(), weights.cols()) = weights;
    return result;
}

Matrix<double> ridge_directions(MatrixView<const double> x, MatrixView<const double> targets,
                                std::size_t wanted) {
    const auto count = rows_used(x.rows(), x.columns(), targets.columns());
    MatrixXd weights = Ridge(spaced(x, count), spaced(targets, count)).best_weights();
    const double largest = weights.cwiseAbs().maxCoeff();
    if (largest > 0.0) weights /= largest;  // squares of them are finite
    const MatrixXd found = singular_vectors(weights);
    const auto size = static_cast<Index>(std::min(wanted, x.columns()));
    // Reflections make them orthonormal to the last bit, and turn further axes into the rest.
    MatrixXd basis = MatrixXd::Identity(weights.rows(), size);
    if (found.cols() > 0) basis = Eigen::HouseholderQR<MatrixXd>(found).householderQ() * basis;
    Matrix<double> result(static_cast<std::size_t>(size), x.columns());
    Eigen::Map<RowMajor>(result.data(), size, weights.rows()) = basis.transpose();
    for (std::size_t i = 0; i < result.rows(); ++i) fix_sign(result.row(i));
    return result;
}

}  // namespace deepsl::model
