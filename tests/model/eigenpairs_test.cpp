// The eigenproblem on the lines of a chunk: closed forms, gradients, outcomes and shapes.
#include "deepsl/model/eigenpairs.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <numbers>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "deepsl/error.h"
#include "deepsl/random.h"
#include "deepsl/sturm/status.h"

namespace deepsl::model {
namespace {

using sturm::Scheme;

constexpr double nan = std::numeric_limits<double>::quiet_NaN();
constexpr double infinity = std::numeric_limits<double>::infinity();
constexpr double pi = std::numbers::pi;

/// Eigenpairs that own the lengths of their cells.
struct Problems {
    Eigenpairs pairs;
    std::vector<double> length;

    Problems(std::size_t B, std::size_t cells, std::size_t d, Scheme scheme, bool learns_v) {
        pairs.problems = B, pairs.cells = cells, pairs.d = d;
        pairs.scheme = scheme, pairs.learns_v = learns_v;
        pairs.P.resize(pairs.node_count() + B);
        pairs.q.resize(pairs.node_count());
        pairs.w.resize(pairs.node_count());
        pairs.v.assign(learns_v ? B * d : 0, 1.0);
        length.resize(B * cells);
    }
    void solve(bool all_edges = false) {
        pairs.length = length;
        model::solve(pairs, all_edges);
    }

    static constexpr std::size_t inputs = 6;
    static constexpr const char* names[inputs] = {"P", "q", "w", "length", "P_start", "v"};
    /// One of the arrays that go in.
    std::span<double> input(std::size_t k) {
        const auto nodes = pairs.node_count();
        switch (k) {
            case 0: return std::span<double>(pairs.P).first(nodes);
            case 1: return pairs.q;
            case 2: return pairs.w;
            case 3: return length;
            case 4: return std::span<double>(pairs.P).subspan(nodes);
            default: return pairs.v;
        }
    }
    std::span<const double> gradient(std::size_t k) const {
        const std::vector<double>* const all[inputs] = {
            &pairs.gradient.P,      &pairs.gradient.q,       &pairs.gradient.w,
            &pairs.gradient.length, &pairs.gradient.P_start, &pairs.gradient.v};
        return *all[k];
    }
    /// Of one problem.
    std::span<double> input(std::size_t k, std::size_t b) {
        const auto all = input(k);
        return all.subspan(b * (all.size() / pairs.problems), all.size() / pairs.problems);
    }
    std::span<const double> gradient(std::size_t k, std::size_t b) const {
        const auto all = gradient(k);
        return all.subspan(b * (all.size() / pairs.problems), all.size() / pairs.problems);
    }
    const double& lambda(std::size_t b, std::size_t i) const {
        return pairs.solution.lambda[b * pairs.d + i];
    }
    const double& u(std::size_t b, std::size_t i) const {
        return pairs.solution.u[b * pairs.d + i];
    }
    sturm::Status status(std::size_t b, std::size_t i) const {
        return pairs.solution.status[b * pairs.d + i];
    }
};

Problems random_problems(std::size_t B, std::size_t cells, std::size_t d, Scheme scheme,
                         Random& random) {
    Problems p(B, cells, d, scheme, true);
    const auto fill = [&](std::span<double> out, double low, double high) {
        for (auto& c : out) c = uniform(random, low, high);
    };
    fill(p.input(0), 1.0, 4.0);
    for (auto& c : p.pairs.q) c = 5.0 * normal(random);
    fill(p.input(2), 0.3, 2.3);
    fill(p.input(3), 0.05, 0.25);
    fill(p.input(4), 1.0, 4.0);
    fill(p.input(5), 0.5, 1.5);
    return p;
}

// -(p u')' + q u = lambda w u with constants: lambda_i = ((i pi / T)^2 p + q) / w and
// u_i = v T / (i pi) sin(i pi t / T).
TEST(Eigenpairs, ConstantCoefficientsHaveTheirClosedForm) {
    for (const auto scheme : {Scheme::midpoint, Scheme::magnus4})
        for (const bool with_v : {false, true}) {
            constexpr std::size_t cells = 6, d = 8, B = 4;
            const double cases[B][3] = {// p, q, w
                                        {0.5, 3.0, 1.3},
                                        {0.25, -7.0, 0.4},
                                        {1.0, 0.0, 1.0},
                                        {2.0, 40.0, 3.0}};
            Problems problems(B, cells, d, scheme, with_v);
            // The sample is not in the middle: three short cells, then three long ones.
            const double lengths[] = {0.1, 0.15, 0.1, 0.2, 0.3, 0.25};
            const double v[] = {2.0, -3.0, 1.0, 1.0, 0.5, -1.0, 4.0, 1.0};
            for (std::size_t b = 0; b < B; ++b) {
                std::ranges::fill(problems.input(0, b), 1.0 / cases[b][0]);
                std::ranges::fill(problems.input(4, b), 1.0 / cases[b][0]);
                std::ranges::fill(problems.input(1, b), cases[b][1]);
                std::ranges::fill(problems.input(2, b), cases[b][2]);
                std::copy_n(lengths, cells, problems.input(3, b).data());
                if (with_v) std::copy_n(v, d, problems.input(5, b).data());
            }
            problems.solve(true);
            const double T = 1.1, at = 0.35;
            const auto& s = problems.pairs.solution;
            for (std::size_t b = 0; b < B; ++b) {
                const auto [p, q, w] = cases[b];
                for (std::size_t i = 0; i < d; ++i) {
                    const double k = static_cast<double>(i + 1) * pi / T;
                    const double slope = with_v ? v[i] : 1.0;
                    EXPECT_NEAR(problems.lambda(b, i), (k * k * p + q) / w,
                                1e-10 * (1.0 + k * k * p / w));
                    EXPECT_NEAR(problems.u(b, i), slope / k * std::sin(k * at), 1e-10);
                    EXPECT_EQ(problems.status(b, i), sturm::Status::ok);
                    EXPECT_GT(s.passes[b * d + i], 0);
                    const auto edge = (b * d + i) * (cells + 1);
                    EXPECT_EQ(s.u_edges[edge], 0.0);
                    EXPECT_NEAR(s.u_edges[edge + cells], 0.0, 1e-9);
                    EXPECT_NEAR(s.f_edges[edge], slope * p, 1e-12);
                    EXPECT_NEAR(s.u_edges[edge + cells / 2], problems.u(b, i), 1e-11);
                }
            }
        }
}

/// Gradients by each input, up to 1e-7 of the largest entry.
void compare_with_differences(Problems problems, bool by_lambda, bool by_u, Random& random) {
    const auto count = problems.pairs.problems * problems.pairs.d;
    std::vector<double> seed_lambda(by_lambda ? count : 0), seed_u(by_u ? count : 0);
    for (auto& c : seed_lambda) c = normal(random);
    for (auto& c : seed_u) c = 20.0 * normal(random);
    const auto loss = [&] {
        problems.solve();
        double sum = 0.0;
        for (std::size_t i = 0; i < seed_lambda.size(); ++i)
            sum += seed_lambda[i] * problems.pairs.solution.lambda[i];
        for (std::size_t i = 0; i < seed_u.size(); ++i)
            sum += seed_u[i] * problems.pairs.solution.u[i];
        return sum;
    };
    loss();
    pull_back(problems.pairs, seed_lambda, seed_u);
    for (std::size_t k = 0; k < Problems::inputs; ++k) {
        const auto found = problems.gradient(k);
        const std::vector<double> gradient(found.begin(), found.end());
        const auto x = problems.input(k);
        ASSERT_EQ(gradient.size(), x.size());
        double size = 0.0;
        for (const double g : gradient) size = std::max(size, std::fabs(g));
        if (k >= 4 && (!by_u || problems.pairs.normalised)) {  // only the scale of u depends on it
            EXPECT_NEAR(size, 0.0, by_u ? 1e-10 : 0.0) << Problems::names[k];
            continue;
        }
        EXPECT_GT(size, 1e-3) << Problems::names[k];
        for (std::size_t e = 0; e < x.size(); ++e) {
            const double old = x[e];
            const auto at = [&](double h) {
                x[e] = old + h;
                const double value = loss();
                x[e] = old;
                return value;
            };
            const double h = 1e-4;
            const double coarse = (at(h) - at(-h)) / (2 * h), fine = (at(h / 2) - at(-h / 2)) / h;
            EXPECT_NEAR(gradient[e], (4 * fine - coarse) / 3, 1e-7 * size)
                << Problems::names[k] << " " << e;
        }
    }
}

TEST(Eigenpairs, GradientsAgreeWithDifferences) {
    Random random(1);
    for (const auto scheme : {Scheme::midpoint, Scheme::magnus4}) {
        compare_with_differences(random_problems(3, 6, 4, scheme, random), true, true, random);
        compare_with_differences(random_problems(2, 4, 3, scheme, random), true, false, random);
        compare_with_differences(random_problems(2, 2, 3, scheme, random), false, true, random);
        auto normalised = random_problems(3, 6, 4, scheme, random);
        normalised.pairs.normalised = true;
        compare_with_differences(normalised, true, true, random);
    }
}

// With constants u_i / N = sqrt(2) sin(i pi t / T), whatever p, q, w, T and v > 0 are; what it is
// off falls with the square of the cells' length.
TEST(Eigenpairs, NormalisedFunctionsHaveMeanSquareOne) {
    const auto error = [](std::size_t cells) {
        Problems p(1, cells, 3, Scheme::magnus4, true);
        const double T = 1.7, at = 0.3 * T;
        std::ranges::fill(p.pairs.P, 2.5);
        std::ranges::fill(p.pairs.q, -3.0);
        std::ranges::fill(p.pairs.w, 0.7);
        p.pairs.v = {0.1, 1.0, 40.0};
        for (std::size_t c = 0; c < cells; ++c)
            p.length[c] = (c < cells / 2 ? at : T - at) / static_cast<double>(cells / 2);
        p.pairs.normalised = true;
        p.solve(true);
        double largest = 0.0;
        for (std::size_t i = 0; i < 3; ++i) {
            const double k = static_cast<double>(i + 1) * pi / T;
            EXPECT_EQ(p.status(0, i), sturm::Status::ok);
            const double exact = std::sqrt(2.0) * std::sin(k * at);
            largest = std::max(largest, std::fabs(p.u(0, i) - exact));
            const auto& s = p.pairs.solution;
            const auto start = i * (cells + 1);
            EXPECT_EQ(s.u_edges[start + cells / 2], p.u(0, i));
            const double f = std::sqrt(2.0) * k / 2.5;  // p u' at the left end
            EXPECT_NEAR(s.f_edges[start], f, 10.0 * f / static_cast<double>(cells * cells));
            EXPECT_NEAR(s.f[i], s.f_edges[start] * std::cos(k * at), 1e-9);
        }
        return largest;
    };
    EXPECT_LT(error(16), 0.1);
    EXPECT_LT(error(64), 0.005);
    EXPECT_NEAR(error(64) / error(128), 4.0, 0.2);
}

// Three cells behind a barrier of e^300, whose square no double holds.
TEST(Eigenpairs, NormalisedFunctionsAreFiniteBehindBarriers) {
    Problems p(2, 8, 1, Scheme::midpoint, false);
    std::ranges::fill(p.pairs.P, 1.0);
    std::ranges::fill(p.pairs.w, 1.0);
    std::ranges::fill(p.length, 1.0);
    for (std::size_t c = 0; c < 8; ++c)
        for (std::size_t b = 0; b < 2; ++b)
            p.pairs.q[b * 8 + c] = c < 4 ? (b == 0 ? 1e4 : 1e6) : 0.0;
    p.pairs.normalised = true;
    p.solve(true);
    ASSERT_EQ(p.status(0, 0), sturm::Status::ok);
    const double* const u = p.pairs.solution.u_edges.data();
    EXPECT_LT(*std::max_element(u, u + 9), 3.0);
    EXPECT_GT(*std::max_element(u, u + 9), 1.0);
    // Where u itself is too large, that is told, and nothing comes back but for the eigenvalue.
    EXPECT_EQ(p.status(1, 0), sturm::Status::overflow);
    EXPECT_TRUE(std::isnan(p.u(1, 0)));
    pull_back(p.pairs, {}, std::vector<double>{1.0, 1.0});
    for (std::size_t k = 0; k < 4; ++k) {
        for (const double g : p.gradient(k, 0)) EXPECT_TRUE(std::isfinite(g));
        for (const double g : p.gradient(k, 1)) EXPECT_EQ(g, 0.0);
    }
}

// By hand, at constants: d lambda / d q of all nodes together is 1/w, u is linear in v, and in
// P_start of degree -1.
TEST(Eigenpairs, GradientsOfConstantCoefficientsByHand) {
    Problems p(1, 4, 3, Scheme::magnus4, true);
    std::ranges::fill(p.pairs.P, 2.0);
    std::ranges::fill(p.pairs.q, 3.0);
    std::ranges::fill(p.pairs.w, 1.6);
    std::ranges::fill(p.length, 0.25);
    std::ranges::fill(p.pairs.v, 1.5);
    p.solve();
    const auto sum = [&](std::size_t k) {
        double total = 0.0;
        for (const double g : p.gradient(k)) total += g;
        return total;
    };
    for (std::size_t i = 0; i < 3; ++i) {
        const double k = static_cast<double>(i + 1) * pi;
        std::vector<double> one(3);
        one[i] = 1.0;
        pull_back(p.pairs, one, {});
        EXPECT_NEAR(sum(0), -k * k / 4.0 / 1.6, 1e-9);
        EXPECT_NEAR(sum(1), 1.0 / 1.6, 1e-10);
        EXPECT_NEAR(sum(2), -(k * k / 2.0 + 3.0) / 2.56, 1e-9);
        EXPECT_NEAR(sum(3) / 4.0, -2.0 * k * k / 2.0 / 1.6, 1e-8);
        pull_back(p.pairs, {}, one);
        EXPECT_NEAR(p.gradient(5)[i], p.u(0, i) / 1.5, 1e-12);
        EXPECT_NEAR(sum(5), p.u(0, i) / 1.5, 1e-12) << "only by its own v";
        EXPECT_NEAR(sum(4), -p.u(0, i) / 2.0, 1e-12);
    }
}

bool same_bits(std::span<const double> a, std::span<const double> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

std::span<const double> row(const std::vector<double>& values, std::size_t b, std::size_t d) {
    return std::span<const double>(values).subspan(b * d, d);
}

TEST(Eigenpairs, ABadProblemIsToldAndDisturbsNothing) {
    Random random(2);
    constexpr std::size_t d = 5;
    auto good = random_problems(6, 8, d, Scheme::magnus4, random);
    good.solve();
    const std::vector<double> ones(6 * d, 1.0), tens(6 * d, 10.0);
    pull_back(good.pairs, ones, tens);
    struct Bad {
        std::size_t input;
        double value;
        sturm::Status status;
    };
    for (const auto& bad :
         {Bad{0, nan, sturm::Status::not_finite}, Bad{1, nan, sturm::Status::not_finite},
          Bad{2, nan, sturm::Status::not_finite}, Bad{1, infinity, sturm::Status::not_finite},
          Bad{3, nan, sturm::Status::not_finite}, Bad{4, nan, sturm::Status::not_finite},
          Bad{5, nan, sturm::Status::not_finite}, Bad{4, 0.0, sturm::Status::not_positive},
          Bad{0, 0.0, sturm::Status::not_positive}, Bad{2, -1.0, sturm::Status::not_positive},
          Bad{3, 0.0, sturm::Status::not_positive}}) {
        SCOPED_TRACE(testing::Message() << Problems::names[bad.input] << " = " << bad.value);
        auto mixed = good;
        mixed.input(bad.input, 2)[0] = bad.value;
        mixed.solve();
        std::size_t failed = 0;
        for (std::size_t i = 0; i < d; ++i) {
            if (mixed.status(2, i) == sturm::Status::ok) continue;
            ++failed;
            EXPECT_EQ(sturm::name(mixed.status(2, i)), sturm::name(bad.status));
            EXPECT_TRUE(std::isnan(mixed.u(2, i)));
        }
        // A bad v spoils its own function only.
        EXPECT_EQ(failed, bad.input == 5 ? 1 : d);
        // Seeds on everything, also on what failed.
        pull_back(mixed.pairs, ones, tens);
        for (const std::size_t b : {0U, 1U, 3U, 4U, 5U}) {
            const auto& s = mixed.pairs.solution;
            EXPECT_TRUE(same_bits(row(s.lambda, b, d), row(good.pairs.solution.lambda, b, d)));
            EXPECT_TRUE(same_bits(row(s.u, b, d), row(good.pairs.solution.u, b, d)));
            for (std::size_t i = 0; i < d; ++i) EXPECT_EQ(mixed.status(b, i), sturm::Status::ok);
            for (std::size_t k = 0; k < Problems::inputs; ++k)
                EXPECT_TRUE(same_bits(mixed.gradient(k, b), good.gradient(k, b)))
                    << Problems::names[k];
        }
        for (std::size_t k = 0; k < Problems::inputs; ++k)
            for (const double g : mixed.gradient(k, 2)) {
                EXPECT_TRUE(std::isfinite(g)) << Problems::names[k];
                if (failed == d) {
                    EXPECT_EQ(g, 0.0) << Problems::names[k];
                }
            }
    }
}

TEST(Eigenpairs, AProblemHasTheSameBitsInAnyBatch) {
    Random random(3);
    constexpr std::size_t d = 5, count = 23;
    auto all = random_problems(count, 6, d, Scheme::magnus4, random);
    all.solve();
    const std::vector<double> ones(count * d, 1.0);
    pull_back(all.pairs, ones, ones);
    Problems one(1, 6, d, Scheme::magnus4, true);  // its memory is used again and again
    for (const std::size_t b : {0U, 1U, 4U, 11U, 22U}) {
        for (std::size_t k = 0; k < Problems::inputs; ++k)
            std::ranges::copy(all.input(k, b), one.input(k).begin());
        one.solve();
        pull_back(one.pairs, std::span(ones).first(d), std::span(ones).first(d));
        EXPECT_TRUE(same_bits(one.pairs.solution.lambda, row(all.pairs.solution.lambda, b, d)));
        EXPECT_TRUE(same_bits(one.pairs.solution.u, row(all.pairs.solution.u, b, d)));
        for (std::size_t k = 0; k < Problems::inputs; ++k)
            EXPECT_TRUE(same_bits(one.gradient(k), all.gradient(k, b))) << Problems::names[k];
    }
}

TEST(Eigenpairs, ABatchMayBeEmpty) {
    Problems p(0, 4, 3, Scheme::magnus4, true);
    p.solve(true);
    pull_back(p.pairs, {}, {});
    EXPECT_TRUE(p.pairs.solution.lambda.empty());
    EXPECT_TRUE(p.pairs.solution.u_edges.empty());
    EXPECT_TRUE(p.pairs.gradient.P.empty());
}

TEST(Eigenpairs, SizesThatDoNotFitAreNamed) {
    Random random(4);
    const auto good = random_problems(3, 4, 2, Scheme::magnus4, random);
    const auto message = [](Problems p) -> std::string {
        try {
            p.solve();
        } catch (const Error& error) {
            EXPECT_EQ(error.kind(), Error::Kind::argument);
            return error.what();
        }
        return "";
    };
    const auto expect = [&](const Problems& p, const std::vector<std::string>& parts) {
        const auto text = message(p);
        for (const auto& part : parts)
            EXPECT_NE(text.find(part), std::string::npos) << "'" << part << "' in: " << text;
    };
    EXPECT_EQ(message(good), "");
    auto p = good;
    p.pairs.q.resize(12);
    expect(p, {"q", "24", "12"});
    p = good;
    p.pairs.P.resize(24);
    expect(p, {"P", "27", "24"});
    p = good;
    p.pairs.w.resize(25);
    expect(p, {"w", "24", "25"});
    p = good;
    p.length.resize(15);
    expect(p, {"length", "12", "15"});
    p = good;
    p.pairs.d = 3;
    expect(p, {"v", "9", "6"});
    p = good;
    p.pairs.d = 0;
    p.pairs.learns_v = false;
    expect(p, {"d", "0"});
    expect(random_problems(3, 5, 2, Scheme::magnus4, random), {"even", "5"});
    p = good;
    p.solve();
    const std::vector<double> five(5);
    EXPECT_THROW(pull_back(p.pairs, five, {}), Error);
    EXPECT_THROW(pull_back(p.pairs, {}, five), Error);
}

}  // namespace
}  // namespace deepsl::model
