// How accurate the solver is: on the problems with known spectra, and by number of cells. Prints
// Markdown tables.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <numbers>
#include <vector>

#include "../../tests/sturm/problem_set.h"
#include "deepsl/sturm/cells.h"
#include "deepsl/sturm/solver.h"

namespace {

using namespace deepsl::sturm;

constexpr double pi = std::numbers::pi;

void print_problem_set(double tolerance) {
    std::printf("## Known spectra, ten eigenvalues each, by functions at tolerance %.0e\n\n",
                tolerance);
    std::printf("Errors are relative to max(1, |lambda|), the largest of the ten.\n\n");
    std::printf(
        "| problem | true error | estimate | true / estimate | cells | evaluations | ms |\n"
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    for (const testing::NamedProblem& known : testing::problem_set()) {
        using Clock = std::chrono::steady_clock;
        double best = 1e30;
        Solution s;
        for (int run = 0; run < 5; ++run) {
            const auto start = Clock::now();
            s = solve(known.problem, Indices{1, 10}, {.tolerance = tolerance});
            best = std::min(
                best, std::chrono::duration<double, std::milli>(Clock::now() - start).count());
        }
        double error = 0.0, estimate = 0.0, ratio = 0.0;
        for (std::size_t i = 0; i < 10; ++i) {
            const double size = std::max(1.0, std::fabs(known.lambda[i]));
            const double off = std::fabs(s.pairs[i].lambda - known.lambda[i]);
            error = std::max(error, off / size);
            estimate = std::max(estimate, s.pairs[i].error_estimate / size);
            ratio = std::max(ratio, off / s.pairs[i].error_estimate);
        }
        std::printf("| %s | %.1e | %.1e | %.2f | %zu | %zu | %.2f |\n", known.name.c_str(), error,
                    estimate, ratio, s.cells, s.evaluations, best);
    }
}

// p = w = e^(3t) on [0, 1]: lambda = 9/4 + n^2 pi^2.
double error_on_cells(Scheme scheme, std::size_t cells, std::size_t n) {
    std::vector<double> P, q, w, length;
    for (std::size_t k = 0; k < cells; ++k) {
        length.push_back(1.0 / static_cast<double>(cells));
        for (double node : nodes(scheme)) {
            const double t = (static_cast<double>(k) + node) / static_cast<double>(cells);
            P.push_back(std::exp(-3.0 * t));
            q.push_back(0.0);
            w.push_back(std::exp(3.0 * t));
        }
    }
    CellOptions options;
    options.first = n;
    options.count = 1;
    const CellSolution s = solve(CellProblems{1, cells, scheme, P, q, w, length, {}, {}}, options);
    const double truth = 2.25 + static_cast<double>(n * n) * pi * pi;
    return std::fabs(s.lambda[0] - truth) / truth;
}

void print_convergence(Scheme scheme, const char* name) {
    std::printf("\n## Convergence of the %s, p = w = e^(3t) on [0, 1]\n\n", name);
    std::printf(
        "| cells | n = 1 | order | n = 5 | order | n = 10 | order |\n"
        "| ---: | ---: | ---: | ---: | ---: | ---: | ---: |\n");
    double before[3] = {0.0, 0.0, 0.0};
    for (std::size_t cells = 8; cells <= 256; cells *= 2) {
        std::printf("| %zu |", cells);
        for (int i = 0; i < 3; ++i) {
            const std::size_t n = i == 0 ? 1 : i == 1 ? 5 : 10;
            const double error = error_on_cells(scheme, cells, n);
            if (before[i] > 0.0) {
                std::printf(" %.1e | %.2f |", error, std::log2(before[i] / error));
            } else {
                std::printf(" %.1e | |", error);
            }
            before[i] = error;
        }
        std::printf("\n");
    }
}

}  // namespace

int main() {
    std::printf("# Accuracy of the Sturm-Liouville solver\n\n");
    print_problem_set(1e-10);
    print_convergence(Scheme::midpoint, "midpoint scheme");
    print_convergence(Scheme::magnus4, "scheme of order 4");
}
