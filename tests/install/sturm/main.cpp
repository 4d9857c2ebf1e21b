// -u'' = lambda u on [0, pi] with u = 0 at both ends: the eigenvalues are 1, 4, 9, ... An empty
// interval is refused.
#include <cmath>
#include <cstdio>
#include <numbers>

#include "deepsl/sturm/solver.h"

int main() {
    deepsl::sturm::Problem problem;
    problem.p = problem.w = [](double) { return 1.0; };
    problem.q = [](double) { return 0.0; };
    problem.b = std::numbers::pi;

    bool right = true;
    std::size_t found = 0;
    for (const auto& pair : deepsl::sturm::solve(problem, {.first = 1, .count = 5}).pairs) {
        const double n = static_cast<double>(++found);
        std::printf("lambda_%zu = %.12f\n", pair.index, pair.lambda);
        right = right && pair.index == found && std::fabs(pair.lambda - n * n) < 1e-8 * n * n;
    }

    bool refused = false;
    problem.b = problem.a;
    try {
        deepsl::sturm::solve(problem, {.first = 1, .count = 5});
    } catch (const deepsl::Error& error) {
        std::printf("refused: %s\n", error.what());
        refused = error.kind() == deepsl::Error::Kind::data;
    }
    return right && found == 5 && refused ? 0 : 1;
}
