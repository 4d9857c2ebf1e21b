// A million lines of random models: how each ended. Usage: random_lines [lines [seed [threads]]]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "../../tests/field/random_lines.h"
#include "deepsl/parallel.h"

int main(int count, char** words) {
    const std::size_t wanted = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1'000'000;
    deepsl::Random random(count > 2 ? std::strtoull(words[2], nullptr, 10) : 2026);
    deepsl::set_threads(count > 3 ? std::atoi(words[3]) : 1);
    deepsl::testing::RandomLines total;
    long networks = 0, exceptions = 0;
    const auto start = std::chrono::steady_clock::now();
    for (; total.lines < wanted; ++networks) {
        try {
            deepsl::testing::add_random_lines(total, 250, random);
        } catch (const std::exception& error) {
            ++exceptions;
            std::fprintf(stderr, "network %ld: %s\n", networks, error.what());
            if (exceptions > 100) break;
        }
        if (networks % 100 == 99) std::fprintf(stderr, "\r%zu lines", total.lines);
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "\n");
    std::printf("| | |\n| --- | ---: |\n");
    std::printf("| samples, each followed both ways | %zu |\n", total.lines);
    std::printf("| networks | %ld |\n", networks);
    for (const auto& [outcome, number] : total.outcomes)
        std::printf("| ended as %s | %zu |\n", outcome.c_str(), number);
    std::printf("| missed exits | %zu |\n", total.missed_exits);
    std::printf("| NaN or infinite results | %zu |\n", total.not_finite);
    std::printf("| eigenvalues out of order | %zu |\n", total.out_of_order);
    std::printf("| exceptions | %ld |\n", exceptions);
    std::printf("| most steps of a line | %d |\n", total.most_steps);
    std::printf("| largest distance of an end from the boundary | %.1e |\n", total.worst_residual);
    std::printf("| minutes | %.1f |\n", seconds.count() / 60.0);
    return exceptions == 0 && total.all_well() ? 0 : 1;
}
