// What the check of the theory says about two grids, by numbers small enough to do by hand.
#include "model/grid_change.h"

#include <cmath>
#include <vector>

#include <gtest/gtest.h>

#include "model/cases.h"

namespace deepsl::model::test {
namespace {

/// Four samples, two outputs, two fields of two eigenvalues each; the last sample failed.
Answers own() {
    Answers answers(4, 2, 4);
    answers.y = Matrix<double>(4, 2, std::vector<double>{0, 1, 2, 1, 4, 1, 100, -100});
    answers.lambda =
        Matrix<double>(4, 4, std::vector<double>{1, 3, 5, 9, 1, 3, 5, 9, 1, 3, 5, 9, 0, 0, 0, 0});
    answers.ok[3] = 0;
    return answers;
}

TEST(GridChange, OfAGridAgainstItselfIsNothing) {
    const auto change = grid_change(own(), own(), 2);
    EXPECT_EQ(change.prediction, 0.0);
    EXPECT_EQ(change.classes, 0.0);
    EXPECT_EQ(change.lambda, 0.0);
}

TEST(GridChange, OfOutputsIsAgainstTheirSpread) {
    auto coarse = own();
    coarse.y(1, 0) = 0.5;  // another class, too
    const auto change = grid_change(coarse, own(), 2);
    EXPECT_NEAR(change.prediction, 1.5 / std::sqrt(8.0 / 3.0), 1e-15);
    EXPECT_NEAR(change.classes, 1.0 / 3.0, 1e-15);
}

TEST(GridChange, OfEigenvaluesIsAgainstTheGapWithinAField) {
    auto coarse = own();
    coarse.lambda(2, 2) = 5.5;  // 5 is 2 from the 3 of the other field, 4 from its own neighbour
    EXPECT_NEAR(grid_change(coarse, own(), 2).lambda, 0.5 / 4.0, 1e-15);
    EXPECT_NEAR(grid_change(coarse, own(), 1).lambda, 0.5 / 2.0, 1e-15);
    // The nearer neighbour counts, on whichever side it is.
    auto fine = own();
    coarse = own();
    fine.lambda(2, 1) = 4.0;
    EXPECT_NEAR(grid_change(coarse, fine, 1).lambda, 1.0 / 1.0, 1e-15);
    coarse = own();
    coarse.lambda(2, 2) = 5.5;
    // With one eigenvalue a field, against its size.
    EXPECT_NEAR(grid_change(coarse, own(), 4).lambda, 0.5 / 5.0, 1e-15);
}

TEST(GridChange, LeavesOutWhatFailedOnEitherGrid) {
    auto fine = own(), coarse = own();
    fine.ok[0] = 0;
    coarse.y(0, 0) = 50.0;
    coarse.y(3, 0) = 0.0;
    EXPECT_EQ(grid_change(coarse, fine, 2).prediction, 0.0);
    EXPECT_EQ(grid_change(coarse, fine, 2).classes, 0.0);
}

TEST(GridChange, KeepsWhatIsNotANumber) {
    auto fine = own();
    fine.lambda(0, 1) = fine.y(1, 0) = NAN;
    EXPECT_TRUE(std::isnan(grid_change(own(), fine, 2).prediction));
    EXPECT_TRUE(std::isnan(grid_change(own(), fine, 2).lambda));
}

TEST(GridChange, AnswersAreThePredictionsOfTheModel) {
    const Case c{.fields = 2};
    auto x = samples(6, c);
    const auto model = make(c, x, random_matrix(6, 3, 2));
    x(4, 1) = NAN;
    Answers answers(6, 3, model->eigenvalues());
    for (std::size_t m = 0; m < 2; ++m) {
        answers.add(model->inspect(x.part(0, 4), m), m, 0);
        answers.add(model->inspect(x.part(4, 2), m), m, 4);
    }
    const auto predicted = model->predict(x);
    for (std::size_t b = 0; b < 6; ++b) {
        EXPECT_EQ(answers.ok[b] != 0, predicted.outcomes[b].ok());
        for (std::size_t o = 0; o < 3; ++o) EXPECT_NEAR(answers.y(b, o), predicted.y(b, o), 1e-12);
        for (std::size_t i = 0; i < model->eigenvalues(); ++i)
            EXPECT_EQ(answers.lambda(b, i), predicted.lambda(b, i));
    }
}

}  // namespace
}  // namespace deepsl::model::test
