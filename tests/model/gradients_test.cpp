// From the sample to the loss: gradients by every network and by x against differences, float32
// against float64, and one sample alone against the same in a batch.
#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <torch/torch.h>

#include "deepsl/train/loss.h"
#include "model/cases.h"

namespace deepsl::model {
namespace {

using Loss = std::function<Tensor(Model&, const Tensor& x)>;

void compare_with_differences(const Case& c, Model m, const Tensor& data, const Loss& loss) {
    SCOPED_TRACE(testing::Message() << c);
    const auto all = gradients_by(m, data, loss);
    const torch::NoGradGuard no_grad;
    const auto value = [&] { return loss(m, all.back().value).item<double>(); };
    // Leaky ReLUs have kinks, which small steps avoid.
    const bool smooth = c.activation == "tanh";
    const double step = smooth ? 1e-4 : 1e-6;
    const auto derivative = [&](const auto& move_by) {
        const auto central = [&](double h) {
            move_by(h);
            const double after = value();
            move_by(-h);
            const double before = value();
            move_by(0.0);
            return (after - before) / (2.0 * h);
        };
        return smooth ? (4.0 * central(step / 2.0) - central(step)) / 3.0 : central(step);
    };
    // The loss is right to about ten units in its last place, which a quotient divides by the step.
    const double noise = 10.0 * std::numeric_limits<double>::epsilon() * std::fabs(value()) / step;

    for (const auto& [name, tensor, gradient] : all) {
        ASSERT_TRUE(gradient.defined()) << name;
        const auto flat = gradient.reshape({-1});
        const double size = largest(flat);
        // Nothing is idle: each tensor has a say in the loss. (In one dimension a direction has no
        // gradient: its length is divided out.)
        if (c.n > 1 || name.find("direction") == std::string::npos) {
            EXPECT_GT(size, 1e-9) << name;
        }
        const auto order = torch::randperm(flat.numel());
        std::vector<std::int64_t> entries{flat.abs().argmax().item<std::int64_t>()};
        for (std::int64_t i = 0; i < std::min<std::int64_t>(4, flat.numel()); ++i)
            entries.push_back(order[i].item<std::int64_t>());
        for (const auto e : entries) {
            double& number = tensor.data_ptr<double>()[e];
            const double numeric = derivative([&, old = number](double by) { number = old + by; });
            EXPECT_NEAR(flat[e].item<double>(), numeric, 3e-7 * size + noise) << name << " " << e;
        }
    }

    // All numbers of all tensors at once, each moved as far as any other.
    std::vector<Tensor> start, sign;
    double expected = 0.0, square = 0.0;
    for (const auto& [name, tensor, gradient] : all) {
        start.push_back(tensor.clone());
        sign.push_back(2.0 * torch::randint(2, tensor.sizes(), torch::kFloat64) - 1.0);
        expected += (gradient * sign.back()).sum().item<double>();
        square += gradient.square().sum().item<double>();
    }
    const double numeric = derivative([&](double by) {
        for (std::size_t i = 0; i < all.size(); ++i)
            Tensor(all[i].value).copy_(start[i] + by * sign[i]);
    });
    EXPECT_NEAR(expected, numeric, 3e-7 * std::sqrt(square) + noise);
}

std::vector<Case> cases() {
    std::vector<Case> all;
    for (const std::int64_t n : {1, 2, 5}) {
        all.push_back({"default", "ball", "directional", "magnus4", "tanh", n, 1});
        all.push_back({"paper", "box", "positive", "magnus4", "tanh", n, 1});
    }
    all.push_back({"default", "ball", "directional", "midpoint", "tanh", 2, 2});
    all.push_back({"default", "ball", "straight", "magnus4", "tanh", 5, 2});
    all.push_back({"default", "box", "straight", "midpoint", "tanh", 2, 1});
    all.push_back({"default", "box", "directional", "magnus4", "tanh", 2, 1});
    all.push_back({"paper", "ball", "positive", "midpoint", "tanh", 2, 1, false});
    all.push_back({"paper", "box", "positive", "magnus4", "leaky_relu", 2, 2});
    all.push_back({"default", "ball", "directional", "magnus4", "leaky_relu", 5, 1});
    all.push_back({"paper", "box", "positive", "midpoint", "leaky_relu", 5, 1, false});
    return all;
}

TEST(ModelGradient, AgreesWithDifferences) {
    unsigned seed = 1;
    for (const auto& c : cases()) {
        torch::manual_seed(seed++);
        const auto x = samples(4, options_of(c), c.n);
        const auto y = torch::randn({4, 2}, torch::kFloat64);
        compare_with_differences(c, make(c, x, y), x,
                                 [&](Model& m, const Tensor& at) { return loss_of(m, at, y); });
    }
}

// As in training: through the loss of labels, with the spectral term.
TEST(ModelGradient, AgreesWithDifferencesThroughTheTotalLoss) {
    unsigned seed = 50;
    for (const auto loss : {train::Loss::hinge, train::Loss::cross_entropy}) {
        for (const std::int64_t outputs : {1, 3}) {
            for (const auto& c : {cases()[2], cases()[11]}) {
                SCOPED_TRACE(std::string(train::name(loss)) + ", " + std::to_string(outputs));
                torch::manual_seed(seed++);
                const auto x = samples(5, options_of(c), c.n);
                // Of labels in even numbers the hinges might cancel in the bias of L.
                const auto labels = torch::arange(5).eq(1).to(torch::kInt64);
                const auto y = torch::randn({5, outputs}, torch::kFloat64);
                compare_with_differences(c, make(c, x, y), x, [&](Model& m, const Tensor& at) {
                    const auto batch = train::total_loss(loss, m->forward(at), labels, 0.1);
                    EXPECT_EQ(batch.kept, 5);
                    EXPECT_GT(batch.data, 0.0);
                    EXPECT_GT(batch.spectral, 0.0);
                    return batch.total;
                });
            }
        }
    }
}

TEST(ModelGradient, Float32IsCloseToFloat64) {
    unsigned seed = 100;
    for (auto c : cases()) {
        for (const auto* method : {"rk4", "dormand_prince"}) {
            // With kinks in the field adaptive steps depend on rounding, and so do the cells.
            if (c.activation != "tanh" && std::string(method) != "rk4") continue;
            c.method = method;
            SCOPED_TRACE(testing::Message() << c);
            torch::manual_seed(seed++);
            const auto x = samples(6, options_of(c), c.n);
            const auto y = torch::randn({6, 2}, torch::kFloat64);
            Model wide = make(c, x, y);
            auto o = options_of(c);
            o.precision = "float32";
            Model narrow(c.n, 2, o);
            copy_state(wide, narrow);
            EXPECT_EQ(narrow->scalar_type(), torch::kFloat32);
            EXPECT_EQ(wide->scalar_type(), torch::kFloat64);
            const auto a = gradients_of(wide, x, y);
            const auto b = gradients_of(narrow, x.to(torch::kFloat32), y);
            for (std::size_t i = 0; i < a.size(); ++i) {
                EXPECT_EQ(b[i].gradient.scalar_type(), torch::kFloat32);
                const double size = largest(a[i].gradient);
                EXPECT_LE(largest(b[i].gradient.to(torch::kFloat64) - a[i].gradient),
                          1e-3 * std::max(size, 1e-4))
                    << a[i].name;
            }
            const auto pa = wide->predict(x), pb = narrow->predict(x.to(torch::kFloat32));
            EXPECT_LE(largest(pa.y - pb.y), 1e-3 * largest(pa.y));
            EXPECT_LE(largest((pa.lambda - pb.lambda) / pa.lambda.abs().clamp_min(1.0)), 1e-4);
        }
    }
}

void compare_alone(Case c, const std::string& precision) {
    c.d = 2 * c.n;
    SCOPED_TRACE(testing::Message() << c << ", " << precision);
    auto o = options_of(c);
    o.precision = precision;
    const std::int64_t count = 45;
    const auto data = samples(count, o, c.n);
    const std::int64_t outputs = 1 + 4 * c.n;
    const auto y = torch::randn({count, outputs}, torch::kFloat64);
    Model wide = make(c, data, y);
    Model m(c.n, outputs, o);
    copy_state(wide, m);
    const auto run = [&](std::int64_t first, std::int64_t rows) {
        const auto x = data.narrow(0, first, rows).to(m->scalar_type()).requires_grad_(true);
        auto p = m->forward(x);
        (p.y.sum() + 1e-2 * p.lambda.sum()).backward();
        return std::pair{std::move(p), x.grad()};
    };
    const auto [all, dx] = run(0, count);
    int lambda = 0, values = 0, gradient = 0, tried = 0;
    const double close = precision == "float64" ? 1e-11 : 1e-3;
    const auto compare = [&](std::int64_t first, std::int64_t rows) {
        const auto [part, d] = run(first, rows);
        ++tried;
        lambda += !same_bits(part.lambda, all.lambda.narrow(0, first, rows));
        values += !same_bits(part.y, all.y.narrow(0, first, rows));
        gradient += !same_bits(d, dx.narrow(0, first, rows));
        EXPECT_LE(largest(d - dx.narrow(0, first, rows)), close * largest(dx));
        EXPECT_LE(largest(part.y - all.y.narrow(0, first, rows)), close * largest(all.y));
    };
    for (const std::int64_t b : {0, 1, 5, 31, 44}) compare(b, 1);
    compare(2, 4);
    compare(4, 33);
    EXPECT_EQ(lambda, 0) << "of " << tried << " parts have other eigenvalues alone";
    EXPECT_EQ(values, 0) << "of " << tried << " parts have other predictions alone";
    EXPECT_EQ(gradient, 0) << "of " << tried << " parts have another gradient by x alone";
    // And in blocks.
    const auto whole = m->predict(data), blocks = m->predict(data, 5);
    EXPECT_LE(largest(whole.y - blocks.y), close * largest(whole.y));
    EXPECT_EQ(blocks.outcomes.size(), static_cast<std::size_t>(count));
}

TEST(ModelBatch, ASampleAloneHasTheSameBits) {
    torch::manual_seed(200);
    for (const auto* precision : {"float32", "float64"}) {
        for (const std::int64_t n : {1, 2, 5}) {
            compare_alone({"default", "ball", "directional", "magnus4", "tanh", n, 1}, precision);
            compare_alone({"paper", "box", "positive", "magnus4", "leaky_relu", n, 2}, precision);
            compare_alone({"default", "ball", "straight", "midpoint", "tanh", n, 1}, precision);
        }
    }
}

// u_i at another point of the same line is the same function: u_i(gamma(t)) from x equals u_i
// from gamma(t).
TEST(ModelLine, AnyPointOfALineSeesTheSameFunctions) {
    torch::manual_seed(400);
    for (const auto* preset : {"default", "paper"}) {
        Case c;
        c.preset = preset;
        c.domain = std::string(preset) == "paper" ? "box" : "ball";
        c.field = std::string(preset) == "paper" ? "positive" : "directional";
        auto o = options_of(c);
        const auto x = samples(3, o, c.n);
        Model m = make(c, x, torch::randn({3, 1}, torch::kFloat64));
        m->numerics() = m->numerics().finer(24);
        const auto from_x = m->inspect(x);
        auto& field = m->branches()[0]->field();
        const std::int64_t cells = from_x.grid.length.size(1);
        for (const std::int64_t edge : {cells / 5, cells / 3, 3 * cells / 4}) {
            const torch::NoGradGuard no_grad;
            // Follow the field from x to that edge, in many small steps.
            const auto h = (from_x.t_edges.select(1, edge) / 400.0).unsqueeze(1);
            auto z = x.clone();
            for (int i = 0; i < 400; ++i) {
                const auto k1 = field.forward(z), k2 = field.forward(z + 0.5 * h * k1);
                z = z + h * field.forward(z + h * (0.25 * k1 + 0.25 * k2));
            }
            const auto from_z = m->inspect(z);
            EXPECT_LE(largest(from_z.lambda - from_x.lambda) / largest(from_x.lambda), 2e-5);
            EXPECT_LE(largest(from_z.u - from_x.u_edges.select(2, edge)),
                      2e-5 * largest(from_x.u_edges));
            EXPECT_LE(largest(from_z.grid.entry - from_x.grid.entry), 2e-5);
        }
    }
}

}  // namespace
}  // namespace deepsl::model
