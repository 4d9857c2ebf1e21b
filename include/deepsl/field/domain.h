// Domains: bounded open convex sets, in which field lines live and whose boundary ends them.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>

#include <torch/torch.h>

namespace deepsl::field {

/// A domain is told by a convex function g: negative inside, zero on the boundary.
class Domain {
public:
    virtual ~Domain() = default;

    virtual std::string_view name() const = 0;
    std::int64_t dimensions() const { return dimensions_; }

    /// g(z); near the boundary about the distance to it.
    virtual double level(std::span<const double> z) const = 0;

    /// The gradient of g at z.
    virtual void level_gradient(std::span<const double> z, std::span<double> gradient) const = 0;

    /// The same coordinate for all axes of the domain's centre.
    virtual double centre() const = 0;

    /// How many widths of the domain a point with velocity a crosses in unit time:
    /// a [rows, dimensions] -> [rows], differentiable.
    virtual torch::Tensor pace(const torch::Tensor& a) const = 0;

protected:
    explicit Domain(std::int64_t dimensions);

private:
    std::int64_t dimensions_;
};

using DomainPointer = std::shared_ptr<const Domain>;

/// The paper's ]0,1[^n: the coordinate that leaves first decides.
DomainPointer box(std::int64_t dimensions);

/// The unit ball: the exit depends smoothly on every coordinate.
DomainPointer ball(std::int64_t dimensions);

}  // namespace deepsl::field
