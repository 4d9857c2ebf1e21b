// A million lines of random models: how each ended.
//
//     random_lines [lines [seed [threads [images | MODEL]]]]
//
// `images`: through random images of 28 x 28 pixels, by the paper's networks for MNIST with random
// weights; or by those of a trained model of that size.
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "../../tests/field/random_lines.h"
#include "deepsl/learner/model_file.h"
#include "deepsl/parallel.h"

namespace {

/// So many more lines, of new networks or of the model.
void add(deepsl::testing::RandomLines& total, deepsl::Random& random, const std::string& kind,
         const deepsl::learner::TrainedModel& trained) {
    constexpr std::size_t lines = 250;
    if (kind.empty())
        deepsl::testing::add_random_lines(total, lines, random);
    else if (kind == "images")
        deepsl::testing::add_random_image_lines(total, lines, random);
    else
        deepsl::testing::add_lines(total, *trained.with_lines(),
                                   deepsl::testing::random_images(lines, random));
}

}  // namespace

int main(int count, char** words) {
    const std::size_t wanted = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1'000'000;
    deepsl::Random random(count > 2 ? std::strtoull(words[2], nullptr, 10) : 2026);
    deepsl::set_threads(count > 3 ? std::atoi(words[3]) : 1);
    const std::string kind = count > 4 ? words[4] : "";
    deepsl::learner::TrainedModel trained;
    if (!kind.empty() && kind != "images") trained = deepsl::learner::load_model(kind);
    deepsl::testing::RandomLines total;
    long networks = 0, exceptions = 0;
    const auto start = std::chrono::steady_clock::now();
    for (; total.lines < wanted; ++networks) {
        try {
            add(total, random, kind, trained);
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
