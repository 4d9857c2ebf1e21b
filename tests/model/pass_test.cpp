// A batch in chunks on several threads against the same batch in one; the tape, and memory.
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <vector>

#include <gtest/gtest.h>

#include "allocations.h"
#include "deepsl/parallel.h"
#include "deepsl/train/step.h"
#include "model/cases.h"
#include "model/differences.h"

namespace deepsl::model::test {
namespace {

class Threads {
public:
    explicit Threads(int count) : before_(threads()) { set_threads(count); }
    ~Threads() { set_threads(before_); }
    Threads(const Threads&) = delete;
    Threads& operator=(const Threads&) = delete;

private:
    int before_;
};

/// One model of each kind of field, method, coefficients and precision.
std::vector<std::unique_ptr<Model>> all_kinds_of_models(std::size_t n) {
    std::vector<std::unique_ptr<Model>> models;
    for (const auto precision : {Precision::float32, Precision::float64})
        for (const auto field : {FieldKind::directional, FieldKind::straight, FieldKind::positive,
                                 FieldKind::gradient})
            for (const auto method : {MethodKind::rk4, MethodKind::dormand_prince}) {
                Case c;
                c.n = n;
                c.field = field;
                c.method = method;
                c.domain = field == FieldKind::positive ? DomainKind::box : DomainKind::ball;
                c.fields = models.size() % 2 == 0 ? 2 : 1;
                c.start_network = models.size() % 3 == 0;
                c.normalise = models.size() % 3 == 1;
                c.coefficients =
                    models.size() % 4 < 2 ? CoefficientKind::networks : CoefficientKind::trunk;
                auto o = small_options(c);
                o.precision = precision;
                models.push_back(make_model(n, 2, o, models.size()));
                shake(*models.back(), models.size());
            }
    return models;
}

train::Dataset dataset(const Model& model, std::size_t rows) {
    train::Dataset data;
    data.x = samples(rows, model.options().domain, model.inputs(), 7);
    data.numbers = random_matrix(rows, model.outputs(), 8);
    data.x(rows / 2, 0) = 7.0;  // outside
    return data;
}

TEST(Pass, GradientsAreThoseOfTheWholeBatchOnAnyNumberOfThreads) {
    for (const auto& model : all_kinds_of_models(3)) {
        const auto data = dataset(*model, 300);
        std::vector<std::size_t> rows(300);
        std::iota(rows.begin(), rows.end(), std::size_t{0});

        const auto pass = model->make_pass();
        train::LossSeeds seeds;
        const auto sums = train::loss_sums(train::Loss::squared, pass->forward(data.x, true),
                                           data.targets(), 1e-2, &seeds);
        EXPECT_EQ(sums.kept, 299U);
        pass->backward(seeds.y, seeds.lambda);
        std::vector<double> whole(model->parameters().size()), first;
        pass->add_gradient(whole);

        for (const int count : {1, 2, 3, 5}) {
            const Threads guard(count);
            train::BatchPass batch(*model);
            std::vector<double> found(whole.size()), again(whole.size());
            const auto own = batch.gradient(data, rows, train::Loss::squared, 1e-2, found);
            batch.gradient(data, rows, train::Loss::squared, 1e-2, again);
            EXPECT_EQ(own.kept, 299U);
            EXPECT_EQ(found, again);
            if (first.empty()) first = found;
            EXPECT_EQ(found, first) << count << " threads";
        }
        const double close = model->options().precision == Precision::float64 ? 1e-12 : 1e-3;
        for (const auto& p : model->parameters().list()) {
            double size = 1e-3;
            for (std::size_t i = p.offset; i < p.offset + p.size(); ++i)
                size = std::max(size, std::fabs(whole[i]) / 299.0);
            for (std::size_t i = p.offset; i < p.offset + p.size(); ++i)
                EXPECT_NEAR(first[i], whole[i] / 299.0, close * size) << p.name;
        }
    }
}

TEST(Pass, TheSeedDecidesOverAllBitsOnAnyNumberOfThreads) {
    std::vector<double> first;
    for (const int count : {1, 2, 3, 5}) {
        const Threads guard(count);
        Case c;
        c.fields = 2;
        auto o = small_options(c);
        o.precision = Precision::float32;
        const auto x = samples(300, c, 1);
        const auto model = make_model(2, 1, o, 11);
        model->calibrate(x, random_matrix(300, 1, 2));
        if (first.empty()) first = model->parameters().values();
        EXPECT_EQ(model->parameters().values(), first) << count << " threads";
        EXPECT_NE(make_model(2, 1, o, 12)->parameters().values(), first);
    }
}

TEST(Predict, ThreadsLeaveNoTrace) {
    for (const auto& model : all_kinds_of_models(2)) {
        const auto data = dataset(*model, 501);
        const auto expected = model->make_pass()->forward(data.x, false);
        for (const int count : {1, 2, 3, 5}) {
            const Threads guard(count);
            const auto found = model->predict(data.x);
            EXPECT_EQ(found.y, expected.y);
            EXPECT_EQ(found.lambda, expected.lambda);
            EXPECT_EQ(found.outcomes, expected.outcomes);
        }
    }
}

TEST(Pass, ASampleThatFailsIsFailedInItsPlace) {
    const Threads guard(2);
    const Case c;
    auto x = samples(256, c);
    const auto model = make(c, x, random_matrix(256, 1, 1));
    x(200, 0) = 7.0;
    const auto p = model->predict(x);
    ASSERT_EQ(p.size(), 256U);
    for (std::size_t b = 0; b < 256; ++b) EXPECT_EQ(p.outcomes[b].ok(), b != 200);
}

TEST(Pass, GradientsAddUpUntilTheyAreTaken) {
    for (const auto& model : all_kinds_of_models(2)) {
        const auto pass = model->make_pass();
        std::vector<double> sum(model->parameters().size()), both(sum.size()), none(sum.size());
        for (const std::uint64_t chunk : {1U, 2U}) {
            const auto x = samples(2 + chunk, model->options().domain, 2, chunk);
            const Seeds seeds(*model, x.rows(), chunk);
            const auto alone = gradients(*model, x, seeds).parameters;
            for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += alone[i];
            pass->forward(x, true);
            pass->backward(seeds.y, seeds.lambda);
        }
        pass->add_gradient(both);
        pass->add_gradient(none);
        const double close = model->options().precision == Precision::float64 ? 1e-11 : 1e-4;
        double size = 0.0;
        for (const double g : sum) size = std::max(size, std::fabs(g));
        for (std::size_t i = 0; i < sum.size(); ++i) {
            EXPECT_NEAR(both[i], sum[i], close * size);
            EXPECT_EQ(none[i], 0.0);
        }
    }
}

TEST(Pass, NoSeedsForEigenvaluesAreZeros) {
    for (const auto& model : all_kinds_of_models(2)) {
        const auto x = samples(3, model->options().domain, 2);
        Seeds seeds(*model, 3, 1);
        std::ranges::fill(seeds.lambda.values(), 0.0);
        const auto with = gradients(*model, x, seeds);
        seeds.lambda = {};
        const auto without = gradients(*model, x, seeds);
        EXPECT_EQ(with.parameters, without.parameters);
        EXPECT_EQ(with.x, without.x);
    }
}

// The tape is as large after the first pass as after all others, whatever chunks go through.
TEST(Pass, TheTapeDoesNotGrow) {
    for (const auto& model : all_kinds_of_models(3)) {
        const auto data = dataset(*model, 32);
        const Seeds seeds(*model, 32, 1);
        const auto pass = model->make_pass();
        EXPECT_EQ(pass->tape_bytes(), 0U);
        pass->forward(data.x, false);
        EXPECT_EQ(pass->tape_bytes(), 0U) << "what is not kept is not remembered";
        pass->forward(data.x, true);
        const auto bytes = pass->tape_bytes();
        EXPECT_GT(bytes, 0U);
        for (int i = 0; i < 5; ++i) {
            pass->backward(seeds.y, seeds.lambda);
            pass->forward(data.x.part(0, 5), true);
            pass->forward(data.x, true);
            EXPECT_EQ(pass->tape_bytes(), bytes);
        }
    }
}

TEST(Pass, NothingIsAllocatedAfterTheSecondPass) {
    for (const auto& model : all_kinds_of_models(3)) {
        auto data = dataset(*model, 32);
        const Seeds seeds(*model, 32, 1);
        const auto pass = model->make_pass();
        Matrix<double> dx;
        std::vector<double> total(model->parameters().size());
        const auto step = [&] {
            pass->forward(data.x, true);
            pass->backward(seeds.y, seeds.lambda, &dx);
            pass->add_gradient(total);
        };
        step();
        step();
        const auto before = deepsl::test::allocations.load();
        for (int i = 0; i < 3; ++i) step();
        EXPECT_EQ(deepsl::test::allocations.load() - before, 0U)
            << name(model->options().field) << ", " << name(model->options().method) << ", "
            << name(model->options().precision);
    }
}

}  // namespace
}  // namespace deepsl::model::test
