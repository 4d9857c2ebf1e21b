// How fast problems on cells are solved, beside LAPACK in the same run, and how the time grows.
// Prints Markdown tables. Every time is the best of several runs on one core.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <random>
#include <string>
#include <vector>

#include "deepsl/sturm/cells.h"

extern "C" {
// The generalised symmetric-definite eigenproblem A x = lambda B x, by divide and conquer.
void dsygvd_(const int* itype, const char* jobz, const char* uplo, const int* n, double* a,
             const int* lda, double* b, const int* ldb, double* w, double* work, const int* lwork,
             int* iwork, const int* liwork, int* info);
[[gnu::weak]] void openblas_set_num_threads(int threads);
}

namespace {

using namespace deepsl::sturm;

constexpr double pi = std::numbers::pi;

template <typename F>
double best_seconds(F f) {
    using Clock = std::chrono::steady_clock;
    double best = 1e30, spent = 0.0;
    for (int run = 0; run < 400 && (run < 7 || spent < 0.5); ++run) {
        const auto start = Clock::now();
        f();
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        best = std::min(best, seconds);
        spent += seconds;
    }
    return best;
}

// Random problems as networks with bounded heads make them: 1/p in (1, 10), q in (-10, 10),
// w in (0.1, 10), smooth on a line of length one.
struct Batch {
    std::size_t problems, cells;
    Scheme scheme;
    std::vector<double> P, q, w, length;

    Batch(std::size_t n_problems, std::size_t n_cells, Scheme s)
        : problems(n_problems), cells(n_cells), scheme(s) {
        std::mt19937_64 random(1);
        std::normal_distribution<double> normal;
        const auto sigmoid = [](double x) { return 1.0 / (1.0 + std::exp(-x)); };
        for (std::size_t b = 0; b < problems; ++b) {
            double c[3][6];
            for (auto& row : c)
                for (double& x : row) x = 1.2 * normal(random);
            const auto wave = [&](int i, double t) {
                return c[i][0] * std::sin(2 * t + c[i][1]) + c[i][2] * std::sin(4 * t + c[i][3]) +
                       c[i][4] * std::sin(6 * t + c[i][5]);
            };
            for (std::size_t k = 0; k < cells; ++k) {
                length.push_back(1.0 / static_cast<double>(cells));
                for (double node : nodes(scheme)) {
                    const double t = (static_cast<double>(k) + node) / static_cast<double>(cells);
                    P.push_back(1.0 + 9.0 * sigmoid(wave(0, t) - 2.0));
                    q.push_back(10.0 * std::tanh(wave(1, t)));
                    w.push_back(0.1 + 9.9 * sigmoid(wave(2, t) - 1.5));
                }
            }
        }
    }
    CellProblems view() const { return {problems, cells, scheme, P, q, w, length, {}, {}}; }
};

struct Times {
    double cold, warm, backward;  // seconds an eigenvalue
    double passes_cold, passes_warm;
};

Times measure(const Batch& batch, std::size_t count) {
    const CellProblems p = batch.view();
    CellOptions cold;
    cold.count = count;
    cold.edge = batch.cells / 2;
    CellSolution solution = solve(p, cold);
    std::vector<double> near = solution.lambda;
    for (double& x : near) x *= 1.001;
    CellOptions warm = cold;
    warm.warm_start = near;
    const CellSolution warm_solution = solve(p, warm);
    const std::vector<double> ones(near.size(), 1.0);
    const auto all = static_cast<double>(near.size());
    const auto mean = [&](const std::vector<int>& x) {
        double sum = 0.0;
        for (int i : x) sum += i;
        return sum / all;
    };
    return {best_seconds([&] { solve(p, cold); }) / all,
            best_seconds([&] { solve(p, warm); }) / all,
            best_seconds([&] {
                gradient(p, cold, solution, {ones, ones, {}});
            }) / all,
            mean(solution.passes), mean(warm_solution.passes)};
}

// The reference: K c = lambda M c in the basis sin(j pi t), j = 1..n, with the integrals by the
// same nodes.
class SineGalerkin {
public:
    SineGalerkin(const Batch& batch, std::size_t functions)
        : batch_(batch), n_(functions), at_nodes_(batch.cells * nodes_per_cell(batch.scheme)) {
        const auto node = nodes(batch.scheme);
        for (std::size_t k = 0; k < at_nodes_; ++k) {
            const std::size_t cell = k / node.size();
            const double t = (static_cast<double>(cell) + node[k % node.size()]) /
                             static_cast<double>(batch.cells);
            for (std::size_t j = 1; j <= n_; ++j) {
                const double x = static_cast<double>(j) * pi;
                sine_.push_back(std::sin(x * t));
                slope_.push_back(x * std::cos(x * t));
            }
        }
        K_.resize(n_ * n_);
        M_.resize(n_ * n_);
        lambda_.resize(n_);
        work_.resize(1 + 6 * n_ + 2 * n_ * n_);
        iwork_.resize(3 + 5 * n_);
    }

    void assemble(std::size_t b) {
        std::fill(K_.begin(), K_.end(), 0.0);
        std::fill(M_.begin(), M_.end(), 0.0);
        const double weight = 1.0 / static_cast<double>(at_nodes_);
        for (std::size_t k = 0; k < at_nodes_; ++k) {
            const std::size_t at = b * at_nodes_ + k;
            const double p = weight / batch_.P[at], q = weight * batch_.q[at];
            const double w = weight * batch_.w[at];
            const double* s = &sine_[k * n_];
            const double* d = &slope_[k * n_];
            for (std::size_t i = 0; i < n_; ++i) {
                for (std::size_t j = 0; j <= i; ++j) {
                    K_[j * n_ + i] += p * d[i] * d[j] + q * s[i] * s[j];
                    M_[j * n_ + i] += w * s[i] * s[j];
                }
            }
        }
    }

    // Eigenvalues ('N'), or with all vectors ('V').
    const std::vector<double>& solve(char vectors) {
        const int type = 1, n = static_cast<int>(n_), lwork = static_cast<int>(work_.size()),
                  liwork = static_cast<int>(iwork_.size());
        int info = 0;
        dsygvd_(&type, &vectors, "L", &n, K_.data(), &n, M_.data(), &n, lambda_.data(),
                work_.data(), &lwork, iwork_.data(), &liwork, &info);
        if (info != 0) std::printf("dsygvd failed: %d\n", info);
        return lambda_;
    }

private:
    const Batch& batch_;
    std::size_t n_, at_nodes_;
    std::vector<double> sine_, slope_, K_, M_, lambda_, work_;
    std::vector<int> iwork_;
};

struct ReferenceTimes {
    double values, vectors, assembly;  // seconds an eigenvalue, ten of them a problem
    double worst_difference;           // of those ten from ours, relative
};

ReferenceTimes measure_reference(const Batch& batch, std::size_t functions) {
    SineGalerkin galerkin(batch, functions);
    const CellSolution ours = solve(batch.view(), {});
    const auto all = static_cast<double>(10 * batch.problems);
    const auto run = [&](bool solve_too, char vectors) {
        return best_seconds([&] {
                   for (std::size_t b = 0; b < batch.problems; ++b) {
                       galerkin.assemble(b);
                       if (solve_too) galerkin.solve(vectors);
                   }
               }) /
               all;
    };
    ReferenceTimes t{};
    t.assembly = run(false, 'N');
    t.values = run(true, 'N') - t.assembly;
    t.vectors = run(true, 'V') - t.assembly;
    for (std::size_t b = 0; b < batch.problems; ++b) {
        galerkin.assemble(b);
        const std::vector<double>& lambda = galerkin.solve('N');
        for (std::size_t i = 0; i < 10; ++i) {
            const double truth = ours.lambda[10 * b + i];
            t.worst_difference = std::max(
                t.worst_difference, std::fabs(lambda[i] - truth) / std::max(1.0, std::fabs(truth)));
        }
    }
    return t;
}

// u(b) by the classical Magnus integrator of order 4, one exponential a cell with a commutator:
// what the commutator-free one is compared with.
double classical_magnus(const Batch& batch, std::size_t b, double lambda) {
    double u = 0.0, f = 1.0;
    for (std::size_t k = 0; k < batch.cells; ++k) {
        const std::size_t at = (b * batch.cells + k) * 2;
        const double h = batch.length[b * batch.cells + k];
        const double g1 = batch.q[at] - lambda * batch.w[at];
        const double g2 = batch.q[at + 1] - lambda * batch.w[at + 1];
        const double a = 0.5 * h * (batch.P[at] + batch.P[at + 1]), g = 0.5 * h * (g1 + g2);
        const double d = std::sqrt(3.0) / 12.0 * h * h * (batch.P[at + 1] * g1 - batch.P[at] * g2);
        const double Y = d * d + a * g, x = std::sqrt(std::fabs(Y));
        const double C = Y > 0 ? std::cosh(x) : std::cos(x);
        const double S = x < 1e-8 ? 1.0 : (Y > 0 ? std::sinh(x) : std::sin(x)) / x;
        const double next = (C + S * d) * u + S * a * f;
        f = S * g * u + (C - S * d) * f;
        u = next;
    }
    return u;
}

// Its eigenvalue near a given one, by the secant method.
double classical_eigenvalue(const Batch& batch, std::size_t b, double near) {
    double x = near, y = near + 1e-4 * (1.0 + std::fabs(near));
    double fx = classical_magnus(batch, b, x), fy = classical_magnus(batch, b, y);
    for (int k = 0; k < 30 && fy != fx && std::fabs(y - x) > 1e-13 * std::fabs(y); ++k) {
        const double z = y - fy * (y - x) / (fy - fx);
        x = y;
        fx = fy;
        y = z;
        fy = classical_magnus(batch, b, y);
    }
    return y;
}

// Median and largest relative error of the ten eigenvalues, against 1024 cells of order 4.
void print_accuracy() {
    std::printf("\n## Accuracy by cells (256 problems x 10, against 1024 cells of order 4)\n\n");
    std::printf(
        "| cells | midpoint: median | worst | order 4: median | worst | "
        "classical Magnus 4: median | worst |\n");
    std::printf("| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    const std::vector<double> truth = solve(Batch(256, 1024, Scheme::magnus4).view(), {}).lambda;
    const auto print = [&](const std::vector<double>& lambda) {
        std::vector<double> error(lambda.size());
        for (std::size_t i = 0; i < error.size(); ++i)
            error[i] = std::fabs(lambda[i] - truth[i]) / std::max(1.0, std::fabs(truth[i]));
        std::sort(error.begin(), error.end());
        std::printf(" %.1e | %.1e |", error[error.size() / 2], error.back());
    };
    for (const std::size_t cells : std::initializer_list<std::size_t>{8, 16, 20, 32, 64, 128}) {
        std::printf("| %zu |", cells);
        const Batch gauss(256, cells, Scheme::magnus4);
        print(solve(Batch(256, cells, Scheme::midpoint).view(), {}).lambda);
        print(solve(gauss.view(), {}).lambda);
        std::vector<double> classical(truth.size());
        for (std::size_t i = 0; i < truth.size(); ++i)
            classical[i] = classical_eigenvalue(gauss, i / 10, truth[i]);
        print(classical);
        std::printf("\n");
    }
}

void print_speed() {
    std::printf("# Sturm-Liouville problems on cells\n\n");
    std::printf("## 256 random problems x 10 eigenvalues, microseconds an eigenvalue\n\n");
    std::printf(
        "| | cold | passes | warm (off by 1e-3) | passes | backward | "
        "(forward + backward) / forward |\n");
    std::printf("| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    double cold32 = 0.0, warm32 = 0.0;
    for (const auto& [scheme, cells] :
         {std::pair{Scheme::magnus4, std::size_t{32}}, std::pair{Scheme::magnus4, std::size_t{20}},
          std::pair{Scheme::magnus4, std::size_t{16}},
          std::pair{Scheme::midpoint, std::size_t{32}}}) {
        const Times t = measure(Batch(256, cells, scheme), 10);
        std::printf("| %zu cells, %s | %.3f | %.2f | %.3f | %.2f | %.3f | %.2f |\n", cells,
                    scheme == Scheme::magnus4 ? "order 4" : "midpoint", 1e6 * t.cold, t.passes_cold,
                    1e6 * t.warm, t.passes_warm, 1e6 * t.backward, (t.cold + t.backward) / t.cold);
        if (scheme == Scheme::magnus4 && cells == 32) {
            cold32 = t.cold;
            warm32 = t.warm;
        }
    }
    std::printf("\n## LAPACK dsygvd, 32 sines, the same problems, in the same run\n\n");
    std::printf(
        "| | microseconds an eigenvalue (10 a problem) | ours, cold, is faster by | "
        "ours, warm, by |\n| --- | ---: | ---: | ---: |\n");
    const ReferenceTimes r = measure_reference(Batch(256, 32, Scheme::magnus4), 32);
    const auto row = [&](const char* what, double seconds) {
        std::printf("| %s | %.2f | %.1f x | %.1f x |\n", what, 1e6 * seconds, seconds / cold32,
                    seconds / warm32);
    };
    row("eigenvalues only", r.values);
    row("with eigenvectors", r.vectors);
    row("with eigenvectors and assembly", r.vectors + r.assembly);
    std::printf("\nLargest difference between the two: %.1e (the sines' own error).\n",
                r.worst_difference);
}

// A batch as training makes them, in memory that is used again; also with u at all edges, and a
// loss of them.
void print_training() {
    std::printf(
        "\n## A batch of 32 problems x 6 eigenvalues, 16 cells, order 4, microseconds an "
        "eigenvalue\n\n");
    std::printf("| | cold | passes | warm (off by 1e-3) | passes | backward |\n");
    std::printf("| --- | ---: | ---: | ---: | ---: | ---: |\n");
    const Batch batch(32, 16, Scheme::magnus4);
    const CellProblems p = batch.view();
    for (const bool all_edges : {false, true}) {
        CellOptions o;
        o.count = 6;
        o.edge = 8;
        o.all_edges = all_edges;
        CellSolution solution = solve(p, o);
        CellGradient result;
        const std::vector<double> ones(32 * 6, 1.0), at_edges(ones.size() * 17, 0.1);
        CellSeeds seeds{ones, ones};
        if (all_edges) seeds.u_edges = seeds.f_edges = at_edges;
        std::vector<double> near = solution.lambda;
        for (double& x : near) x *= 1.001;
        std::printf("| %s |", all_edges ? "all edges" : "one edge");
        for (const bool warm : {false, true}) {
            if (warm) o.warm_start = near;
            const double seconds = best_seconds([&] {
                prepare(p, o, solution);
                solve(p, o, 0, 32, solution);
            });
            double passes = 0.0;
            for (int i : solution.passes) passes += i / 192.0;
            std::printf(" %.3f | %.2f |", 1e6 * seconds / 192.0, passes);
        }
        const double seconds = best_seconds([&] {
            prepare(p, o, result);
            gradient(p, o, solution, seeds, 0, 32, result);
        });
        std::printf(" %.3f |\n", 1e6 * seconds / 192.0);
    }
}

void print_growth() {
    std::printf("\n## Growth of the time, cold, order 4\n\n");
    std::printf(
        "| problems | cells | eigenvalues | milliseconds | microseconds an eigenvalue and "
        "32 cells |\n| ---: | ---: | ---: | ---: | ---: |\n");
    const auto row = [](std::size_t problems, std::size_t cells, std::size_t count) {
        const Batch batch(problems, cells, Scheme::magnus4);
        CellOptions o;
        o.count = count;
        o.edge = cells / 2;
        const double seconds = best_seconds([&] { solve(batch.view(), o); });
        std::printf("| %zu | %zu | %zu | %.3f | %.3f |\n", problems, cells, count, 1e3 * seconds,
                    1e6 * seconds / static_cast<double>(problems * count) * 32.0 /
                        static_cast<double>(cells));
    };
    for (std::size_t problems : {std::size_t{16}, std::size_t{256}, std::size_t{4096}})
        row(problems, 32, 10);
    for (std::size_t cells :
         {std::size_t{64}, std::size_t{128}, std::size_t{256}, std::size_t{512}})
        row(256, cells, 10);
    for (std::size_t count : {std::size_t{4}, std::size_t{8}, std::size_t{16}}) row(256, 32, count);
}

}  // namespace

int main() {
    if (openblas_set_num_threads) openblas_set_num_threads(1);
    print_speed();
    print_training();
    print_growth();
    print_accuracy();
}
