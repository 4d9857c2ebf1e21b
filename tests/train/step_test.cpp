// A batch through a model and back: the gradient is that of the mean, whatever the chunks, and has
// the same bits on any number of threads.
#include "deepsl/train/step.h"

#include <cmath>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "allocations.h"
#include "deepsl/parallel.h"
#include "deepsl/random.h"
#include "train/linear_model.h"
#include "train/samples.h"

namespace deepsl::train {
namespace {

class ThreadCount {
public:
    explicit ThreadCount(int count) : before_(threads()) { set_threads(count); }
    ~ThreadCount() { set_threads(before_); }
    ThreadCount(const ThreadCount&) = delete;
    ThreadCount& operator=(const ThreadCount&) = delete;

private:
    int before_;
};

Dataset random_rows(std::size_t rows, bool labels) {
    Random random(3);
    Dataset data{Matrix<double>(rows, 3), {}, {}};
    for (auto& value : data.x.values()) value = normal(random);
    if (!labels) data.numbers = Matrix<double>(rows, 2);
    for (auto& value : data.numbers.values()) value = normal(random);
    for (std::size_t i = 0; labels && i < rows; ++i)
        data.labels.push_back(static_cast<std::int64_t>(below(2, random)));
    return data;
}

std::vector<std::size_t> some_rows(std::size_t count, std::size_t of) {
    Random random(9);
    std::vector<std::size_t> rows(count);
    for (auto& row : rows) row = static_cast<std::size_t>(below(of, random));
    return rows;
}

void randomise(LinearModel& model) {
    Random random(1);
    auto values = model.parameters().values();
    for (auto& value : values) value = normal(random);
    model.set_values(values);
}

/// The gradient of the mean, from one pass over all rows.
std::vector<double> in_one_piece(const LinearModel& model, const Dataset& data, Loss loss,
                                 double alpha) {
    const auto pass = model.make_pass();
    LossSeeds seeds;
    const auto sums = loss_sums(loss, pass->forward(data.x, true), data.targets(), alpha, &seeds);
    pass->backward(seeds.y, seeds.lambda);
    std::vector<double> gradient(model.parameters().size());
    pass->add_gradient(gradient);
    for (auto& value : gradient) value /= static_cast<double>(sums.kept);
    return gradient;
}

TEST(BatchPass, GivesTheGradientOfTheMean) {
    LinearModel model(3, 2, 4);
    randomise(model);
    for (const bool labels : {true, false})
        for (const std::size_t rows : {1U, 31U, 32U, 33U, 512U, 513U, 1100U}) {
            auto data = random_rows(600, labels);
            data.x(5, 0) = 200.0;
            data.x(77, 1) = std::nan("");
            const auto loss = labels ? Loss::hinge : Loss::squared;
            const auto chosen = some_rows(rows, 600);
            const auto batch = data.rows_at(chosen);
            const auto expected = in_one_piece(model, batch, loss, 0.1);
            BatchPass passes(model);
            std::vector<double> gradient(model.parameters().size(), 7.0);
            const auto sums = passes.gradient(data, chosen, loss, 0.1, gradient);
            const auto whole = model.predict(batch.x);
            const auto reference = loss_sums(loss, whole, batch.targets(), 0.1);
            EXPECT_EQ(sums.kept, reference.kept);
            EXPECT_NEAR(sums.data, reference.data, 1e-12 * reference.data);
            EXPECT_NEAR(sums.spectral, reference.spectral, 1e-12 * reference.spectral);
            EXPECT_EQ(passes.prediction().y, whole.y);
            EXPECT_EQ(passes.prediction().lambda, whole.lambda);
            EXPECT_EQ(passes.prediction().outcomes, whole.outcomes);
            for (std::size_t i = 0; i < gradient.size(); ++i)
                EXPECT_NEAR(gradient[i], expected[i], 1e-13) << rows << " rows, " << i;
        }
}

TEST(BatchPass, SameBitsOnAnyNumberOfThreads) {
    LinearModel model(3, 2, 4);
    randomise(model);
    const auto data = random_rows(2000, true);
    for (const std::size_t rows : {20U, 64U, 700U, 2000U}) {
        const auto chosen = some_rows(rows, 2000);
        std::vector<double> first;
        for (const int count : {1, 2, 3, 7}) {
            const ThreadCount set(count);
            BatchPass passes(model);
            std::vector<double> gradient(model.parameters().size());
            const auto sums = passes.gradient(data, chosen, Loss::cross_entropy, 0.01, gradient);
            gradient.push_back(sums.data);
            gradient.push_back(passes.loss(data, Loss::cross_entropy).data);
            if (first.empty()) first = gradient;
            EXPECT_TRUE(same_bits(gradient, first)) << rows << " rows, " << count << " threads";
        }
    }
}

TEST(BatchPass, LossAloneIsTheSame) {
    LinearModel model(3, 2);
    randomise(model);
    const auto data = random_rows(777, false);
    BatchPass passes(model);
    const auto sums = passes.loss(data, Loss::squared);
    const auto whole = model.predict(data.x);
    const auto reference = loss_sums(Loss::squared, whole, data.targets(), 0.0);
    EXPECT_NEAR(sums.data, reference.data, 1e-12 * reference.data);
    EXPECT_EQ(sums.kept, 777U);
    EXPECT_EQ(passes.prediction().y, whole.y);
}

TEST(BatchPass, AllRowsFailedIsAGradientOfZeros) {
    const LinearModel model(1, 1);
    const auto data = numbered(column({200.0, 300.0}), column({1.0, 2.0}));
    BatchPass passes(model);
    std::vector<double> gradient(model.parameters().size(), 7.0);
    const std::vector<std::size_t> rows{0, 1};
    EXPECT_EQ(passes.gradient(data, rows, Loss::squared, 1.0, gradient).kept, 0U);
    EXPECT_EQ(gradient, std::vector<double>(model.parameters().size()));
}

TEST(BatchPass, AllocatesNothingAfterTheFirstBatch) {
    LinearModel model(3, 2, 4);
    const auto data = random_rows(700, true);
    const auto rows = some_rows(600, 700);
    std::vector<double> gradient(model.parameters().size());
    for (const int count : {1, 2}) {
        const ThreadCount set(count);
        BatchPass passes(model);
        const auto once = [&] {
            passes.gradient(data, rows, Loss::cross_entropy, 0.1, gradient);
            passes.loss(data, Loss::cross_entropy);
        };
        once();
        const auto before = test::allocations.load();
        for (int i = 0; i < 10; ++i) once();
        EXPECT_EQ(test::allocations.load(), before) << count << " threads";
    }
}

}  // namespace
}  // namespace deepsl::train
