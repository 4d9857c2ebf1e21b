#include "deepsl/field/domain.h"

#include <algorithm>
#include <cmath>

namespace deepsl::field {
namespace {

class Box final : public Domain {
public:
    explicit Box(std::int64_t n) : Domain(n) {}

    std::string_view name() const override { return "box"; }
    double centre() const override { return 0.5; }

    double level(std::span<const double> z) const override {
        double g = -1.0;
        for (const double c : z) {
            if (std::isnan(c)) return c;
            g = std::max({g, -c, c - 1.0});
        }
        return g;
    }

    void level_gradient(std::span<const double> z, std::span<double> gradient) const override {
        std::fill(gradient.begin(), gradient.end(), 0.0);
        const auto extreme =
            std::max_element(z.begin(), z.end(), [](double a, double b) { return g(a) < g(b); });
        gradient[static_cast<std::size_t>(extreme - z.begin())] = *extreme > 0.5 ? 1.0 : -1.0;
    }

    torch::Tensor pace(const torch::Tensor& a) const override { return a.abs().amax(1); }

private:
    static double g(double c) { return std::max(-c, c - 1.0); }
};

class Ball final : public Domain {
public:
    explicit Ball(std::int64_t n) : Domain(n) {}

    std::string_view name() const override { return "ball"; }
    double centre() const override { return 0.0; }

    double level(std::span<const double> z) const override {
        double square = 0.0;
        for (const double c : z) square += c * c;
        return 0.5 * (square - 1.0);
    }

    void level_gradient(std::span<const double> z, std::span<double> gradient) const override {
        std::copy(z.begin(), z.end(), gradient.begin());
    }

    torch::Tensor pace(const torch::Tensor& a) const override { return 0.5 * a.norm(2, 1); }
};

}  // namespace

Domain::Domain(std::int64_t dimensions) : dimensions_(dimensions) {
    TORCH_CHECK(dimensions > 0, "a domain needs at least one dimension, but ", dimensions,
                " was given");
}

DomainPointer box(std::int64_t dimensions) { return std::make_shared<Box>(dimensions); }
DomainPointer ball(std::int64_t dimensions) { return std::make_shared<Ball>(dimensions); }

}  // namespace deepsl::field
