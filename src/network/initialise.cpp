#include <cmath>
#include <cstddef>

#include <Eigen/Dense>

#include "deepsl/network/mlp.h"
#include "deepsl/random.h"

namespace deepsl::network {
namespace {

/// Glorot and Bengio 2010: variances of signals and gradients stay about the same through layers.
void glorot(std::span<double> weight, Fan fan, double gain, Random& random) {
    const double bound = gain * std::sqrt(6.0 / static_cast<double>(fan.in + fan.out));
    for (auto& w : weight) w = uniform(random, -bound, bound);
}

/// He et al. 2015: the same for units of which half are silent, signals only.
void he(std::span<double> weight, Fan fan, double gain, Random& random) {
    const double bound = gain * std::sqrt(6.0 / static_cast<double>(fan.in));
    for (auto& w : weight) w = uniform(random, -bound, bound);
}

/// Saxe et al. 2013: the Q of a normal matrix, uniformly distributed since R has a positive
/// diagonal. Rows or columns are orthonormal, whichever are fewer.
void orthogonal(std::span<double> weight, std::size_t out, std::size_t in, double gain,
                Random& random) {
    using Table = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
    for (auto& w : weight) w = normal(random);
    Eigen::Map<Table> matrix(weight.data(), static_cast<Eigen::Index>(out),
                             static_cast<Eigen::Index>(in));
    const bool wide = out < in;
    Eigen::MatrixXd tall = matrix;
    if (wide) tall.transposeInPlace();
    const Eigen::HouseholderQR<Eigen::MatrixXd> qr(tall);
    Eigen::MatrixXd q = qr.householderQ() * Eigen::MatrixXd::Identity(tall.rows(), tall.cols());
    for (Eigen::Index c = 0; c < q.cols(); ++c)
        q.col(c) *= qr.matrixQR()(c, c) < 0.0 ? -gain : gain;
    if (wide) q.transposeInPlace();
    matrix = q;
}

}  // namespace

void initialise(std::span<double> weight, std::size_t out, std::size_t in, Fan fan,
                Initialiser initialiser, double gain, Random& random) {
    switch (initialiser) {
        case Initialiser::glorot: return glorot(weight, fan, gain, random);
        case Initialiser::orthogonal: return orthogonal(weight, out, in, gain, random);
        case Initialiser::he: return he(weight, fan, gain, random);
    }
}

}  // namespace deepsl::network
