// A million lines of random models: how each ended. Usage: random_lines [lines] [seed]
#include <chrono>
#include <cstdio>
#include <cstdlib>

#include <ATen/Parallel.h>

#include "../../tests/field/random_lines.h"

int main(int count, char** words) {
    const long wanted = count > 1 ? std::atol(words[1]) : 1'000'000;
    std::mt19937_64 random(count > 2 ? std::strtoull(words[2], nullptr, 10) : 2026);
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
        if (networks % 100 == 99)
            std::fprintf(stderr, "\r%lld lines", static_cast<long long>(total.lines));
    }
    const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
    std::fprintf(stderr, "\n");
    std::printf("| | |\n| --- | ---: |\n");
    std::printf("| samples, each followed both ways | %lld |\n",
                static_cast<long long>(total.lines));
    std::printf("| networks | %ld |\n", networks);
    for (const auto& [outcome, number] : total.outcomes)
        std::printf("| ended as %s | %lld |\n", outcome.c_str(), static_cast<long long>(number));
    std::printf("| missed exits | %lld |\n", static_cast<long long>(total.missed_exits));
    std::printf("| NaN or infinite results | %lld |\n", static_cast<long long>(total.not_finite));
    std::printf("| eigenvalues out of order | %lld |\n",
                static_cast<long long>(total.out_of_order));
    std::printf("| exceptions | %ld |\n", exceptions);
    std::printf("| most steps of a line | %lld |\n", static_cast<long long>(total.most_steps));
    std::printf("| largest distance of an end from the boundary | %.1e |\n", total.worst_residual);
    std::printf("| minutes | %.1f |\n", seconds.count() / 60.0);
    return exceptions == 0 && total.all_well() ? 0 : 1;
}
