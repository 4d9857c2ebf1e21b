#include "deepsl/network/chain.h"

#include <algorithm>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "network/scratch.h"

namespace deepsl::network {

template <class Real>
Chain<Real>::Chain(std::vector<Link> links) : links_(std::move(links)) {
    if (links_.empty()) throw argument_error("a chain of networks needs at least one");
    for (std::size_t i = 1; i < links_.size(); ++i) {
        const auto given = links_[i - 1].network->outputs(), taken = links_[i].network->inputs();
        if (given != taken)
            throw argument_error(
                fmt::format("in a chain of networks, {} gives {} numbers, but {} takes {}",
                            links_[i - 1].name, given, links_[i].name, taken));
    }
}

template <class Real>
void Chain<Real>::enrol(Parameters& parameters, const std::string& name, Random& random) {
    for (auto& link : links_) link.network->enrol(parameters, joined(name, link.name), random);
}

template <class Real>
void Chain<Real>::load(std::span<const double> values) {
    for (auto& link : links_) link.network->load(values);
}

/// A link's input goes on the tape behind what the link itself left there: so it is taken off first
/// when the link is asked for its pullback.
template <class Real>
void Chain<Real>::forward(const Real* x, std::size_t rows, Real* y, Tape* tape) const {
    std::size_t widest = 0;
    for (const auto& link : links_) widest = std::max(widest, link.network->outputs());
    Scratch<Real> even(rows * widest), odd(rows * widest);
    const Real* from = x;
    for (std::size_t i = 0; i < links_.size(); ++i) {
        const auto& network = *links_[i].network;
        Real* const to = i + 1 == links_.size() ? y : (i % 2 == 0 ? even : odd).data();
        network.forward(from, rows, to, tape);
        const auto count = rows * network.inputs();
        if (tape != nullptr && i > 0) std::copy_n(from, count, tape->push<Real>(count));
        from = to;
    }
}

template <class Real>
void Chain<Real>::pullback(const Real* x, std::size_t rows, const Real* dy, Tape& tape, Real* dx,
                           Real* gradient) const {
    std::size_t widest = 0;
    for (const auto& link : links_) widest = std::max(widest, link.network->inputs());
    Scratch<Real> even(rows * widest), odd(rows * widest);
    const Real* delta = dy;
    for (std::size_t i = links_.size(); i-- > 0;) {
        const auto& network = *links_[i].network;
        const Real* const from = i > 0 ? tape.pop<Real>(rows * network.inputs()) : x;
        Real* const to = i == 0 ? dx : (i % 2 == 0 ? even : odd).data();
        network.pullback(from, rows, delta, tape, to, gradient);
        delta = to;
    }
}

template <class Real>
std::size_t Chain<Real>::flops_per_row() const {
    std::size_t count = 0;
    for (const auto& link : links_) count += link.network->flops_per_row();
    return count;
}

template class Chain<float>;
template class Chain<double>;

}  // namespace deepsl::network
