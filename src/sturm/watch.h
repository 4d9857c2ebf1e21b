// Tells who waits for a solve how much of it is done.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <utility>

namespace deepsl::sturm::detail {

/// How many meshes a solve will take is not known before: the part that is begun gets a share of
/// what is left to tell, so that what is told never falls, and is all only in the end.
class Watch {
public:
    using Tell = std::function<void(std::size_t done, std::size_t count)>;

    explicit Watch(Tell tell) : tell_(std::move(tell)) {}

    void look_for(std::size_t count) { count_ = count; }

    /// The next part is `part` of what is left.
    void begin(double part) {
        first_ = share_;
        part_ = part * (1.0 - share_);
    }

    /// So much of the part is done, 0 to 1.
    void see(double done) {
        share_ = std::max(share_, first_ + part_ * done);
        told(std::min(share_, 1.0));
    }

    void end() {
        share_ = 1.0;
        told(share_);
    }

private:
    void told(double share) const {
        if (tell_) tell_(static_cast<std::size_t>(share * static_cast<double>(count_)), count_);
    }

    Tell tell_;
    std::size_t count_ = 0;
    double share_ = 0.0, first_ = 0.0, part_ = 0.0;
};

}  // namespace deepsl::sturm::detail
