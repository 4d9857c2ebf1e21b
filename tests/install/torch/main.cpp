// The program of docs/torch.md.
#include <cstdio>

#include <deepsl/parallel.h>
#include <deepsl/torch/deep_sturm_liouville.h>
#include <torch/torch.h>

namespace nn = torch::nn;

int main() {
    torch::manual_seed(1);
    deepsl::set_threads(deepsl::available_threads());  // the engine's; torch has its own

    // Noise, brighter in the upper half or in the lower one.
    const auto labels = torch::randint(2, {256}, torch::kInt64);
    auto images = torch::randn({256, 1, 8, 8});
    images.narrow(2, 0, 4) += labels.view({-1, 1, 1, 1});

    nn::Sequential encoder(nn::Conv2d(nn::Conv2dOptions(1, 8, 3).stride(2).padding(1)), nn::Tanh(),
                           nn::Flatten(), nn::Linear(8 * 4 * 4, 4));
    deepsl::model::ModelOptions options;  // its fields, networks, cells, ..
    options.eigenfunctions = 6;
    deepsl::libtorch::DeepSturmLiouville head(4, 2, options, /*seed=*/1);
    head->calibrate(encoder->forward(images), torch::one_hot(labels, 2));

    auto parameters = encoder->parameters();
    for (const auto& parameter : head->parameters()) parameters.push_back(parameter);
    torch::optim::AdamW optimiser(parameters, torch::optim::AdamWOptions(5e-3));
    double loss = 0.0;
    for (int step = 0; step < 30; ++step) {
        const auto found = head->evaluate(encoder->forward(images));  // y, lambda, ok
        auto value = nn::functional::cross_entropy(found.y, labels) + 1e-6 * found.lambda.mean();
        optimiser.zero_grad();
        value.backward();
        optimiser.step();
        loss = value.item<double>();
    }
    std::printf("loss after 30 steps %.3f\n", loss);
    return loss < 0.3 ? 0 : 1;
}
