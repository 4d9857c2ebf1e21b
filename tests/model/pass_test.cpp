// A batch in pieces on several threads against the same batch in one.
#include "deepsl/model/pass.h"

#include <cmath>
#include <memory>
#include <vector>

#include <ATen/Parallel.h>
#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/model/baseline.h"
#include "model/cases.h"

namespace deepsl::model {
namespace {

class Threads {
public:
    explicit Threads(int count) : before_(at::get_num_threads()) { at::set_num_threads(count); }
    ~Threads() { at::set_num_threads(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

private:
    int before_;
};

Tensor loss_of(const Prediction& p, const Tensor& y) {
    auto loss = (p.y.to(torch::kFloat64) - y).square().mean();
    if (p.lambda.defined()) loss = loss + 1e-2 * p.lambda.abs().mean();
    return loss;
}

std::vector<Tensor> gradients(PredictorImpl& m) {
    std::vector<Tensor> result;
    for (const auto& p : m.parameters()) result.push_back(p.grad().clone());
    return result;
}

std::vector<Tensor> by_pass(PredictorImpl& m, const Tensor& x, const Tensor& y, int threads) {
    const Threads guard(threads);
    m.zero_grad();
    Pass pass(m, x);
    loss_of(pass.prediction(), y).backward();
    pass.backward();
    return gradients(m);
}

TEST(Pass, GradientsAreThoseOfTheWholeBatch) {
    torch::manual_seed(3);
    Case c;
    c.n = 3;
    c.fields = 2;
    const auto y = torch::randn({300, 2}, torch::kFloat64);
    auto x = samples(300, options_of(c), 3);
    auto m = make(c, x, y);
    loss_of(m->forward(x), y).backward();
    const auto expected = gradients(*m);
    for (const int threads : {1, 2, 3, 4}) {
        const auto found = by_pass(*m, x, y, threads);
        const auto again = by_pass(*m, x, y, threads);
        for (std::size_t k = 0; k < found.size(); ++k) {
            EXPECT_LE(largest(found[k] - expected[k]), 1e-13 * (1.0 + largest(expected[k])));
            EXPECT_GT(largest(found[k]), 0.0);
            EXPECT_TRUE(same_bits(found[k], again[k]));
        }
    }
}

TEST(Pass, GradientsAddUpAsThoseOfTorchDo) {
    torch::manual_seed(4);
    network::MlpOptions options;
    options.hidden = {8, 8};
    MlpModel m(2, 1, options);
    const auto x = torch::randn({200, 2}), y = torch::randn({200, 1});
    const auto once = by_pass(*m, x, y, 2);
    Pass pass(*m, x);
    loss_of(pass.prediction(), y).backward();
    pass.backward();
    const auto twice = gradients(*m);
    for (std::size_t k = 0; k < once.size(); ++k)
        EXPECT_LE(largest(twice[k] - 2.0 * once[k]), 1e-5 * (1.0 + largest(once[k])));
}

TEST(Pass, ASampleThatFailsIsFailedInItsPlace) {
    torch::manual_seed(5);
    const Threads guard(2);
    const Case c;
    const auto y = torch::randn({256, 1}, torch::kFloat64);
    auto x = samples(256, options_of(c), 2);
    auto m = make(c, x, y);
    x[200][0] = 7.0;
    const Pass pass(*m, x);
    const auto& p = pass.prediction();
    ASSERT_EQ(p.outcomes.size(), 256u);
    for (std::int64_t b = 0; b < 256; ++b) {
        EXPECT_EQ(p.ok[b].item<bool>(), b != 200);
        EXPECT_EQ(p.outcomes[static_cast<std::size_t>(b)].ok(), b != 200);
    }
}

TEST(Pass, AnyModuleMayBeTheField) {
    torch::manual_seed(7);
    const Case c;
    const auto y = torch::randn({40, 1}, torch::kFloat64);
    const auto x = samples(40, options_of(c), 2);
    auto m = make(c, x, y);
    // A drift with a learnable turn; it never vanishes in the ball.
    torch::nn::Linear turn(2, 2);
    {
        const torch::NoGradGuard no_grad;
        turn->weight.mul_(0.2);
        turn->bias.fill_(1.0);
    }
    m->branches()[0]->set_field(
        std::make_shared<field::ModuleFieldImpl>(torch::nn::AnyModule(turn)));
    EXPECT_EQ(turn->weight.scalar_type(), torch::kFloat64);
    const auto loss = [&] { return loss_of(m->forward(x), y).item<double>(); };
    Pass pass(*m, x);
    loss_of(pass.prediction(), y).backward();
    pass.backward();
    for (auto& p : turn->parameters()) {
        const auto direction = torch::randn_like(p);
        const double h = 1e-5;
        const auto moved = [&](double by) {
            const torch::NoGradGuard no_grad;
            p.add_(by * direction);
            const double value = loss();
            p.sub_(by * direction);
            return value;
        };
        const double difference = (moved(h) - moved(-h)) / (2.0 * h);
        EXPECT_NEAR((p.grad() * direction).sum().item<double>(), difference,
                    1e-6 * std::fabs(difference));
    }
}

TEST(Pass, ABatchMayBeEmpty) {
    const Case c;
    auto m = make(c, samples(20, options_of(c), 2), torch::randn({20, 1}, torch::kFloat64));
    Pass pass(*m, torch::zeros({0, 2}, torch::kFloat64));
    EXPECT_EQ(pass.prediction().y.size(0), 0);
    pass.backward();
    EXPECT_THROW(m->predict(torch::zeros({3, 2}), 0), c10::Error);
}

TEST(Predict, ThreadsAndBlocksLeaveNoTrace) {
    torch::manual_seed(6);
    const Case c;
    const auto y = torch::randn({500, 2}, torch::kFloat64);
    const auto x = samples(500, options_of(c), 2);
    auto m = make(c, x, y);
    const auto expected = [&] {
        const Threads guard(1);
        return m->predict(x, 500);
    }();
    for (const int threads : {1, 2, 3}) {
        const Threads guard(threads);
        for (const std::int64_t block : {64, 100, 1024}) {
            const auto found = m->predict(x, block);
            EXPECT_TRUE(same_bits(found.y, expected.y));
            EXPECT_TRUE(same_bits(found.lambda, expected.lambda));
            EXPECT_FALSE(found.y.requires_grad());
        }
    }
    EXPECT_EQ(m->predict(x.narrow(0, 0, 0)).y.size(0), 0);
}

}  // namespace
}  // namespace deepsl::model
