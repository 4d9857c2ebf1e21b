// Models of version 0.1, with what it predicted: they load, and predict the same.
#include <algorithm>
#include <cmath>
#include <ostream>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/data/table.h"
#include "deepsl/learner/apply.h"
#include "deepsl/learner/inspect.h"
#include "deepsl/learner/model_file.h"
#include "io/scratch.h"

namespace deepsl::learner {
namespace {

const std::string folder = DEEPSL_FIXTURES_DIR "/v0.1/";

/// How much float32 rounds (0: the model is of float64) is told relative to max(1, |value|).
struct Fixture {
    std::string model, table;
    double rounding_y, rounding_lambda, rounding_t;

    friend void PrintTo(const Fixture& fixture, std::ostream* out) { *out << fixture.model; }
};

std::vector<Fixture> fixtures() {
    const auto list = data::read_table(folder + "models.csv", {{}, true});
    std::vector<Fixture> result;
    const auto text = [&](const char* name, std::size_t row) {
        const auto* column = list.find(name);
        return column->texts[column->codes[row]];
    };
    const auto number = [&](const char* name, std::size_t row) {
        return list.find(name)->numbers[row];
    };
    for (std::size_t i = 0; i < list.rows(); ++i)
        result.push_back({text("model", i), text("table", i), number("rounding_y", i),
                          number("rounding_lambda", i), number("rounding_t", i)});
    return result;
}

class Version01 : public ::testing::TestWithParam<Fixture> {
protected:
    static void expect_predictions(const TrainedModel& model) {
        const auto table = read_table_for(model, folder + GetParam().table);
        const auto expected = data::read_table(folder + GetParam().model + ".csv", {{}, true});
        const auto seen = predict(model, table).prediction;
        ASSERT_EQ(seen.size(), expected.rows());
        const auto compare = [&](const std::string& name, std::size_t row, double value,
                                 double rounding) {
            const auto* column = expected.find(name);
            ASSERT_NE(column, nullptr) << name;
            const double wanted = column->numbers[row];
            // Another program in float32 rounds at other places, and as much again.
            const double allowed = 1e-9 + 3.0 * rounding;
            EXPECT_NEAR(value, wanted, allowed * std::max(1.0, std::fabs(wanted)))
                << name << ", row " << row;
        };
        for (std::size_t b = 0; b < seen.size(); ++b) {
            ASSERT_TRUE(seen.outcomes[b].ok());
            for (std::size_t k = 0; k < seen.y.columns(); ++k)
                compare("y" + std::to_string(k + 1), b, seen.y(b, k), GetParam().rounding_y);
            for (std::size_t i = 0; i < seen.lambda.columns(); ++i)
                compare("lambda" + std::to_string(i + 1), b, seen.lambda(b, i),
                        GetParam().rounding_lambda);
        }
        std::size_t columns = seen.y.columns() + seen.lambda.columns();
        if (const auto* lines = model.with_lines()) {
            columns += 2;
            const auto z = model.scaling.forward(inputs_of(model, table));
            const auto line = lines->inspect(z, 0);
            for (std::size_t b = 0; b < seen.size(); ++b) {
                compare("t_minus", b, line.t_minus[b], GetParam().rounding_t);
                compare("t_plus", b, line.t_plus[b], GetParam().rounding_t);
            }
        }
        EXPECT_EQ(columns, expected.columns.size()) << "something was not compared";
    }
};

TEST_P(Version01, PredictsTheSame) {
    expect_predictions(load_model(folder + GetParam().model + ".deepsl"));
}

TEST_P(Version01, PredictsTheSameWhenSavedInTheNewFormat) {
    const test::Scratch scratch;
    const auto path = scratch.path("again.deepsl");
    save_model(path, load_model(folder + GetParam().model + ".deepsl"));
    expect_predictions(load_model(path));
}

INSTANTIATE_TEST_SUITE_P(Models, Version01, ::testing::ValuesIn(fixtures()),
                         [](const auto& parameter) { return parameter.param.model; });

}  // namespace
}  // namespace deepsl::learner
