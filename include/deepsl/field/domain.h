// Domains: bounded open convex sets, in which field lines live and whose boundary ends them. A
// domain owns its geometry: where data are put into it, what is pulled back, how it is drawn.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <span>
#include <string_view>
#include <vector>

#include "deepsl/matrix.h"

namespace deepsl::field {

enum class DomainKind { ball, box };
constexpr std::array<std::string_view, 2> names(DomainKind) { return {"ball", "box"}; }

/// How columns of data are brought into a domain: z = (x - shift) factor.
struct Placement {
    std::vector<double> shift, factor;  // [dimension]
};

/// A domain is told by a convex function g: negative inside, zero on the boundary.
class Domain {
public:
    virtual ~Domain() = default;

    std::size_t dimensions() const { return dimensions_; }

    /// g(z); near the boundary about the distance to it.
    virtual double level(std::span<const double> z) const = 0;

    /// The gradient of g at z.
    virtual void level_gradient(std::span<const double> z, std::span<double> gradient) const = 0;

    /// The same coordinate for all axes of the domain's centre.
    virtual double centre() const = 0;

    /// How many widths of the domain a point with velocity a crosses in unit time, and the
    /// derivative of that by a. A straight line of one width leaves the domain from any point.
    virtual double pace(std::span<const double> a) const = 0;
    virtual void pace_gradient(std::span<const double> a, std::span<double> gradient) const = 0;

    /// The same of rows in float32, as lines have them; no need to give them, but they are faster
    /// where they need no copy.
    virtual double level_of_floats(std::span<const float> z) const;
    virtual double pace_of_floats(std::span<const float> a) const;

    /// The s > 0 at which z + s a leaves, from z inside. Where no closed form is known, Newton's
    /// method: g is convex.
    virtual double straight_exit(std::span<const double> z, std::span<const double> a) const;

    /// Moves a point that lies near or beyond the boundary inside; true if it was moved.
    virtual bool pull_in(std::span<double> z) const = 0;

    /// Any numbers r [dimensions], of size about 1, smoothly to a point z inside: for what an
    /// encoder gives. And from derivatives by z to those by r. A domain need not have such a way.
    virtual void enter(std::span<const double> r, std::span<double> z) const;
    virtual void enter_pullback(std::span<const double> r, std::span<const double> dz,
                                std::span<double> dr) const;

    /// Where the rows of x [rows, dimensions] go, not all columns constant or finite numbers only.
    /// `by_column`: each column is brought to the same size first. `stretch` [dimensions]: factors
    /// between 0 and 1 by which columns count; empty means all alike.
    virtual Placement place(MatrixView<const double> x, bool by_column,
                            std::span<const double> stretch) const = 0;

    /// Whether columns that count alike get the same factor from `place`, unless asked to go by
    /// column, so that larger factors tell which columns count more. Where factors follow the
    /// columns' ranges, too, they tell nothing of the kind.
    virtual bool factors_compare_columns() const { return false; }

    /// In two dimensions: the corners of a polygon that shows the boundary  [corner, 2]
    virtual Matrix<double> outline() const = 0;

    /// The smallest and the largest coordinate that occurs inside, the same for all axes.
    virtual std::array<double, 2> bounds() const = 0;

protected:
    explicit Domain(std::size_t dimensions);

private:
    std::size_t dimensions_;
};

using DomainPointer = std::shared_ptr<const Domain>;

/// The paper's ]0,1[^n: the coordinate that leaves first decides.
DomainPointer box(std::size_t dimensions);

/// The unit ball: the exit depends smoothly on every coordinate.
DomainPointer ball(std::size_t dimensions);

DomainPointer make_domain(DomainKind kind, std::size_t dimensions);

}  // namespace deepsl::field
