// Two clouds of points, told apart by the code of README.md: scripts/install-test.sh puts it into
// readme_includes.h and readme_code.h.
#include <cstdint>
#include <cstdio>

#include <torch/torch.h>

#include "readme_includes.h"

namespace {

constexpr std::int64_t classes = 2;

torch::Tensor clouds(const torch::Tensor& labels) {
    const auto centres = 6.0 * labels.to(torch::kFloat64).unsqueeze(1);
    return centres + torch::randn({labels.size(0), 2}, torch::kFloat64);
}

}  // namespace

int main() {
    torch::manual_seed(1);
    const auto labels = torch::arange(100) % classes;
    const auto x = clouds(labels), fresh = clouds(labels);
#include "readme_code.h"
    const auto right = prediction.y.argmax(1).eq(labels).sum().item<std::int64_t>();
    std::printf("%lld of 100 right, lambda_1 = %.3f\n", static_cast<long long>(right),
                prediction.lambda[0][0].item<double>());
    return prediction.ok.all().item<bool>() && right >= 98 ? 0 : 1;
}
