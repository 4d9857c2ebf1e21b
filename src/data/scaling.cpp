#include "deepsl/data/scaling.h"

#include <string>

#include "deepsl/option.h"

namespace deepsl::data {
namespace {

using torch::Tensor;

constexpr double ball_limit = 0.9;
constexpr double box_margin = 0.02;

Tensor unlimited(const Scaling& s, const Tensor& x) {
    return (x.to(torch::kFloat64) - s.shift) * s.factor;
}

Tensor checked(const Tensor& x, std::string_view domain) {
    const auto wide = x.to(torch::kFloat64);
    if (wide.dim() != 2 || wide.numel() == 0)
        throw OptionError("scaling needs at least one row and one column of numbers");
    if (!torch::isfinite(wide).all().item<bool>())
        throw OptionError("a column holds NaN or infinite numbers; remove or replace them first");
    if (domain != "ball" && domain != "box")
        throw OptionError("there is no domain '" + std::string(domain) + "'; use ball or box");
    return wide;
}

Tensor centred(const Tensor& x) {
    const auto wide = x.to(torch::kFloat64);
    return wide - wide.mean(0);
}

Scaling with_spread(Scaling s, const Tensor& x) {
    const auto z = s.forward(x);
    s.spread = (z - z.mean(0)).square().mean().sqrt().item<double>();
    return s;
}

Scaling into_box(const Tensor& x, const Tensor& worth) {
    Scaling s;
    s.ball = false;
    const auto low = std::get<0>(x.min(0)), high = std::get<0>(x.max(0));
    const auto width = high - low;
    s.factor = torch::where(width > 0.0, 0.5 / width, torch::ones_like(width)) * worth;
    // The middle of the range goes to the middle of the box.
    s.shift = 0.5 * (low + high) - 0.5 / s.factor;
    return with_spread(s, x);
}

}  // namespace

Tensor Scaling::forward(const Tensor& x) const {
    const auto z = unlimited(*this, x);
    if (!ball) return z.clamp(box_margin, 1.0 - box_margin);
    const auto norm = z.norm(2, 1, true);
    return torch::where(norm > ball_limit, z * (ball_limit / norm), z);
}

Tensor Scaling::inverse(const Tensor& z) const { return z.to(torch::kFloat64) / factor + shift; }

std::int64_t Scaling::pulled_in(const Tensor& x) const {
    const auto z = unlimited(*this, x);
    const auto beyond =
        ball ? z.norm(2, 1) > ball_limit : ((z < box_margin) | (z > 1.0 - box_margin)).any(1);
    return beyond.sum().item<std::int64_t>();
}

Scaling fit_scaling(const Tensor& x, std::string_view domain) {
    const auto wide = checked(x, domain);
    if (domain == "box") return into_box(wide, torch::ones({wide.size(1)}, torch::kFloat64));
    Scaling s;
    s.shift = wide.mean(0);
    const auto deviation = (wide - s.shift).square().mean(0).sqrt();
    s.factor = torch::where(deviation > 0.0, 1.0 / deviation, torch::ones_like(deviation));
    const double largest = ((wide - s.shift) * s.factor).norm(2, 1).max().item<double>();
    if (largest > 0.0) s.factor = s.factor / (1.5 * largest);
    return with_spread(s, wide);
}

Scaling fit_uniform_scaling(const Tensor& x, std::string_view domain, const Tensor& worth) {
    const auto wide = checked(x, domain);
    const auto stretch = worth.defined() ? worth.to(torch::kFloat64) / worth.max()
                                         : torch::ones({wide.size(1)}, torch::kFloat64);
    if (domain == "box") return into_box(wide, stretch);
    Scaling s;
    s.shift = wide.mean(0);
    // Not the largest norm: a single row far out would press all others together.
    const auto usual =
        torch::quantile(((wide - s.shift) * stretch).norm(2, 1), 0.99).item<double>();
    s.factor = stretch * (usual > 0.0 ? 1.0 / (1.5 * usual) : 1.0);
    return with_spread(s, wide);
}

Tensor association(const Tensor& x, const Tensor& target) {
    const auto columns = centred(x);
    const auto wanted = centred(target.is_floating_point() ? target : torch::one_hot(target));
    // Squares without what the columns themselves say; of 0 and 1 nothing is left.
    const auto squares = centred(columns.square());
    const auto all = columns.square().sum(0).clamp_min(1e-300);
    const auto bent = squares - columns * ((columns * squares).sum(0) / all);
    const auto explained = [&](const Tensor& by, const Tensor& least) {
        const auto size = by.square().sum(0);
        return torch::where(size > least, by.t().mm(wanted).square().sum(1) / size,
                            torch::zeros_like(size));
    };
    const auto none = torch::zeros_like(all);
    const auto share =
        (explained(columns, none) + explained(bent, 1e-9 * squares.square().sum(0))) /
        wanted.square().sum();
    return share.nan_to_num(0.0).clamp(0.0, 1.0);
}

}  // namespace deepsl::data
