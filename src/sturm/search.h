// The search for one eigenvalue: from what was seen at trial values to the next trial value.
#pragma once

#include <cstddef>

#include "line.h"

namespace deepsl::sturm::detail {

class Search {
public:
    double lambda = 0.0;  // the trial value
    bool done = false;

    /// Starts anew, for eigenvalue number `index` of the line.
    void begin(const Line& line, std::size_t index, double guess);

    /// An angle seen by any search on this line, at any lambda: narrows the bracket.
    void narrow(double at, double angle);

    /// The angle seen at this search's lambda.
    void see(double angle, double slope);

    /// Chooses the next lambda; or the final one, when what is left to go is expected to be below
    /// `accuracy`, relative to lambda or to the distance between eigenvalues. `trusting` allows to
    /// judge that from two sights; otherwise only a sight of the root itself counts.
    void advance(int pass, double accuracy, bool trusting);

    /// Whether the trial value last seen was far off; and to forget the sights, since the angle's
    /// scale is about to change.
    bool was_far() const;
    void forget() { sights_ = 0; }

private:
    struct Bracket {
        double low, high;
    };
    struct Sight {
        double lambda, delta;  // delta: by how much the angle passes the target
        double step;           // of lambda for an angle of one: 1 / slope
    };

    static Bracket eigenvalue_bounds(const Line& line, std::size_t n);
    bool follows() const;

    double target_ = 0.0;
    double size_ = 0.0;        // of the first guess
    double usual_step_ = 0.0;  // of lambda for an angle of one, without barriers
    double width_ = 0.0;       // of the bracket, two passes ago
    Bracket bracket_{};
    Sight now_{}, before_{};
    int sights_ = 0;  // with the same scale of the angle
};

}  // namespace deepsl::sturm::detail
