#include "deepsl/network/mlp.h"

#include <algorithm>
#include <utility>

#include "deepsl/error.h"
#include "network/mlp_kernel.h"

namespace deepsl::network {
namespace {

std::vector<std::size_t> sizes_of(const MlpOptions& options) {
    std::vector<std::size_t> sizes{options.inputs};
    sizes.insert(sizes.end(), options.hidden.begin(), options.hidden.end());
    sizes.push_back(options.outputs);
    return sizes;
}

bool is_tanh(Activation activation) {
    switch (activation) {
        case Activation::leaky_relu: return false;
        case Activation::tanh: return true;
    }
    return false;
}

}  // namespace

double parameter_count(const MlpOptions& options) {
    double count = 0.0;
    const auto sizes = sizes_of(options);
    for (std::size_t l = 0; l + 1 < sizes.size(); ++l)
        count += (static_cast<double>(sizes[l]) + 1.0) * static_cast<double>(sizes[l + 1]);
    return count;
}

template <class Real>
Mlp<Real>::Mlp(MlpOptions options)
    : options_(std::move(options)),
      sizes_(sizes_of(options_)),
      packed_(std::make_unique<Packed<Real>>()) {
    if (std::find(sizes_.begin(), sizes_.end(), 0) != sizes_.end())
        throw argument_error("each layer of a network needs at least one unit, but one has none");
    const auto heads = options_.heads.size();
    if (heads > 1 && heads != options_.outputs)
        throw argument_error("a network of " + std::to_string(options_.outputs) +
                             " outputs takes no head, one, or one for each, but " +
                             std::to_string(heads) + " were given");
    packed_->sizes = sizes_;
    packed_->tanh = is_tanh(options_.activation);
    packed_->shift = static_cast<Real>(options_.shift);
    packed_->scale = static_cast<Real>(options_.scale);
    for (std::size_t j = 0; heads > 0 && j < options_.outputs; ++j) {
        const auto& head = options_.heads[heads > 1 ? j : 0];
        packed_->heads.push_back({static_cast<Real>(head.centre), static_cast<Real>(head.radius),
                                  static_cast<Real>(head.shift), static_cast<Real>(head.slope)});
    }
    kernel<Real>().shape(*packed_);
}

template <class Real>
Mlp<Real>::~Mlp() = default;

template <class Real>
void Mlp<Real>::enrol(Parameters& parameters, const std::string& name, Random& random) {
    offset_ = parameters.size();
    for (std::size_t l = 0; l + 1 < sizes_.size(); ++l) {
        const auto in = sizes_[l], out = sizes_[l + 1];
        const auto number = std::to_string(l + 1);
        const auto weight =
            parameters.add(joined(name, "weight" + number), {out, in}, Role::matrix);
        initialise({parameters.values().data() + weight, out * in}, out, in, {in, out},
                   options_.initialiser, l + 2 == sizes_.size() ? options_.last_gain : 1.0, random);
        parameters.add(joined(name, "bias" + number), {out}, Role::vector);
    }
}

template <class Real>
void Mlp<Real>::load(std::span<const double> values) {
    kernel<Real>().pack(*packed_, values.data() + offset_);
}

template <class Real>
void Mlp<Real>::forward(const Real* x, std::size_t rows, Real* y, Tape* tape) const {
    const auto per_row = packed_->saved_per_row();
    Real* const saved = tape != nullptr ? tape->push<Real>(rows * per_row) : nullptr;
    for (std::size_t first = 0; first < rows; first += block_rows)
        kernel<Real>().forward(*packed_, x + first * inputs(), std::min(block_rows, rows - first),
                               y + first * outputs(),
                               saved != nullptr ? saved + first * per_row : nullptr);
}

template <class Real>
void Mlp<Real>::pullback(const Real* x, std::size_t rows, const Real* dy, Tape& tape, Real* dx,
                         Real* gradient) const {
    const auto per_row = packed_->saved_per_row();
    const Real* const saved = tape.pop<Real>(rows * per_row);
    for (std::size_t first = 0; first < rows; first += block_rows)
        kernel<Real>().backward(*packed_, x + first * inputs(), saved + first * per_row,
                                dy + first * outputs(), std::min(block_rows, rows - first),
                                dx != nullptr ? dx + first * inputs() : nullptr,
                                gradient + offset_);
}

template <class Real>
std::size_t Mlp<Real>::flops_per_row() const {
    std::size_t count = 0;
    for (std::size_t l = 0; l + 1 < sizes_.size(); ++l) count += 2 * sizes_[l] * sizes_[l + 1];
    return count;
}

template class Mlp<float>;
template class Mlp<double>;

}  // namespace deepsl::network
