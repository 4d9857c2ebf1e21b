// Memory for a while: a thread keeps what was given back and gives it out again, so that nothing is
// allocated after the first time. May be held several times at once.
#pragma once

#include <cstddef>
#include <utility>
#include <vector>

namespace deepsl::network {

template <class Real>
class Scratch {
public:
    explicit Scratch(std::size_t size) {
        auto& idle = kept();
        if (!idle.empty()) {
            memory_ = std::move(idle.back());
            idle.pop_back();
        }
        if (memory_.size() < size) memory_.resize(size);
    }
    ~Scratch() { kept().push_back(std::move(memory_)); }
    Scratch(const Scratch&) = delete;
    Scratch& operator=(const Scratch&) = delete;

    Real* data() { return memory_.data(); }

private:
    static std::vector<std::vector<Real>>& kept() {
        thread_local std::vector<std::vector<Real>> idle;
        return idle;
    }

    std::vector<Real> memory_;
};

}  // namespace deepsl::network
