#include "deepsl/network/convolutions.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "deepsl/error.h"
#include "network/convolution_kernel.h"

namespace deepsl::network {
namespace {

/// What a group of images holds in cache, about, of the largest layer.
constexpr std::size_t group_numbers = 65536;

std::size_t parts(std::size_t size, std::size_t part) { return (size + part - 1) / part; }

ImageShape convolved(const ImageShape& from, const ConvolutionLayer& layer) {
    if (layer.transposed_to)
        return {layer.transposed_to->height, layer.transposed_to->width, layer.features};
    return {parts(from.height, layer.stride), parts(from.width, layer.stride), layer.features};
}

ImageShape pooled(const ImageShape& from, std::size_t side) {
    return {parts(from.height, side), parts(from.width, side), from.channels};
}

void check_layer(const ImageShape& from, const ConvolutionLayer& layer) {
    if (layer.features == 0 || layer.stride == 0 || layer.pool == 0)
        throw argument_error(
            "a convolution needs at least one feature, a stride and squares of at least one pixel");
    if (layer.kernel % 2 == 0)
        throw argument_error(
            fmt::format("the window of a convolution must have an odd side, so that it has a "
                        "middle, but the side is {}",
                        layer.kernel));
    if (!layer.transposed_to) return;
    const auto large = convolved(from, layer);
    if (parts(large.height, layer.stride) != from.height ||
        parts(large.width, layer.stride) != from.width)
        throw argument_error(fmt::format(
            "a transposed convolution of stride {} makes no image of {} x {} from one of {} x {}",
            layer.stride, large.height, large.width, from.height, from.width));
}

Windows windows_of(const ImageShape& from, const ConvolutionLayer& layer) {
    const auto to = convolved(from, layer);
    const bool up = layer.transposed_to.has_value();
    return {up ? to : from, up ? from : to, layer.kernel, layer.stride, (layer.kernel - 1) / 2};
}

LayerAct act_of(const std::optional<Activation>& activation) {
    if (!activation) return LayerAct::none;
    switch (*activation) {
        case Activation::leaky_relu: return LayerAct::leaky_relu;
        case Activation::tanh: return LayerAct::tanh;
    }
    return LayerAct::none;
}

template <class Real>
Head<Real> head_of(const BoundedHead& head) {
    return {static_cast<Real>(head.centre), static_cast<Real>(head.radius),
            static_cast<Real>(head.shift), static_cast<Real>(head.slope)};
}

template <class Real>
Real* scratch(std::size_t which, std::size_t size) {
    thread_local std::vector<Real> buffers[2];
    if (buffers[which].size() < size) buffers[which].resize(size);
    return buffers[which].data();
}

}  // namespace

std::vector<ImageShape> shapes_of(const ConvolutionOptions& options) {
    std::vector<ImageShape> shapes{options.input};
    for (const auto& layer : options.layers) {
        check_layer(shapes.back(), layer);
        shapes.push_back(pooled(convolved(shapes.back(), layer), layer.pool));
    }
    return shapes;
}

double parameter_count(const ConvolutionOptions& options) {
    double count = 0.0;
    auto channels = static_cast<double>(options.input.channels);
    for (const auto& layer : options.layers) {
        const auto features = static_cast<double>(layer.features);
        const auto side = static_cast<double>(layer.kernel);
        count += (channels * side * side + 1.0) * features;
        channels = features;
    }
    return count;
}

double taped_per_row(const ConvolutionOptions& options) {
    double count = 0.0;
    const auto shapes = shapes_of(options);
    for (std::size_t l = 0; l < options.layers.size(); ++l) {
        count += static_cast<double>(convolved(shapes[l], options.layers[l]).size());
        if (options.layers[l].pool > 1) count += static_cast<double>(shapes[l + 1].size());
    }
    if (options.head) count += static_cast<double>(shapes.back().size());
    return count;
}

/// A convolution, or the maximum over squares.
template <class Real>
struct Convolutions<Real>::Stage {
    std::optional<PackedConvolution<Real>> convolution;
    Pooling pooling;
    std::size_t inputs = 0, outputs = 0;

    /// Whether the backward sweep looks at what the stage gave.
    bool reads_result() const { return convolution && convolution->act != LayerAct::none; }
};

template <class Real>
Convolutions<Real>::Convolutions(ConvolutionOptions options)
    : options_(std::move(options)), shapes_(shapes_of(options_)) {
    if (options_.layers.empty() || options_.input.size() == 0)
        throw argument_error("convolutions need an image and at least one layer");
    if (options_.layers.front().transposed_to && options_.shift != 0.0)
        throw argument_error("a transposed convolution cannot be the first one on shifted inputs");
    std::size_t largest = 1;
    for (std::size_t l = 0; l < options_.layers.size(); ++l) {
        const auto& layer = options_.layers[l];
        PackedConvolution<Real> packed;
        packed.windows = windows_of(shapes_[l], layer);
        packed.transposed = layer.transposed_to.has_value();
        packed.act = act_of(layer.activation);
        if (l == 0) {
            packed.shift = static_cast<Real>(options_.shift);
            packed.scale = static_cast<Real>(options_.scale);
        }
        const auto full = convolved(shapes_[l], layer);
        largest = std::max(largest, full.size());
        stages_.push_back({std::move(packed), {}, shapes_[l].size(), full.size()});
        if (layer.pool > 1)
            stages_.push_back({std::nullopt,
                               {full, shapes_[l + 1], layer.pool},
                               full.size(),
                               shapes_[l + 1].size()});
    }
    group_ = std::clamp<std::size_t>(group_numbers / largest, 1, block_rows);
}

template <class Real>
Convolutions<Real>::~Convolutions() = default;

template <class Real>
void Convolutions<Real>::enrol(Parameters& parameters, const std::string& name, Random& random) {
    offset_ = parameters.size();
    for (std::size_t l = 0; l < options_.layers.size(); ++l) {
        const auto side = options_.layers[l].kernel;
        const auto in = shapes_[l].channels, out = options_.layers[l].features;
        const bool up = options_.layers[l].transposed_to.has_value();
        // A matrix [small channels, window], as windows are laid out.
        const auto rows = up ? in : out, columns = side * side * (up ? out : in);
        const auto number = std::to_string(l + 1);
        const auto weight = parameters.add(joined(name, "weight" + number),
                                           {rows, side, side, up ? out : in}, Role::matrix);
        initialise({parameters.values().data() + weight, rows * columns}, rows, columns,
                   {side * side * in, side * side * out}, options_.initialiser,
                   l + 1 == options_.layers.size() ? options_.last_gain : 1.0, random);
        parameters.add(joined(name, "bias" + number), {out}, Role::vector);
    }
}

template <class Real>
void Convolutions<Real>::load(std::span<const double> values) {
    const double* from = values.data() + offset_;
    for (auto& stage : stages_) {
        if (!stage.convolution) continue;
        convolution_kernel<Real>().pack(*stage.convolution, from);
        from += stage.convolution->parameters();
    }
}

template <class Real>
std::size_t Convolutions<Real>::offset_of(std::size_t stage) const {
    std::size_t offset = 0;
    for (std::size_t s = 0; s < stage; ++s) offset += stages_[s].outputs;
    return offset;
}

template <class Real>
std::size_t Convolutions<Real>::saved_per_row() const {
    const bool result = stages_.back().reads_result();
    return offset_of(stages_.size() - (result ? 0 : 1)) + (options_.head ? outputs() : 0);
}

template <class Real>
void Convolutions<Real>::forward(const Real* x, std::size_t rows, Real* y, Tape* tape) const {
    const auto& kernel = convolution_kernel<Real>();
    const auto per_row = saved_per_row();
    const auto own = per_row - (options_.head ? outputs() : 0);  // without the head's
    Real* const saved = tape != nullptr ? tape->push<Real>(rows * per_row) : nullptr;
    for (std::size_t first = 0; first < rows; first += group_) {
        const auto images = std::min(group_, rows - first);
        const Real* from = x + first * inputs();
        for (std::size_t s = 0; s < stages_.size(); ++s) {
            const auto& stage = stages_[s];
            const bool last = s + 1 == stages_.size();
            Real* to = y + first * outputs();
            if (!last)
                to = saved != nullptr ? saved + first * per_row + images * offset_of(s)
                                      : scratch<Real>(s % 2, images * stage.outputs);
            if (stage.convolution)
                kernel.forward(*stage.convolution, from, images, to);
            else
                kernel.pool(stage.pooling, from, images, to);
            if (last && saved != nullptr && stage.reads_result())
                std::copy_n(to, images * stage.outputs,
                            saved + first * per_row + images * offset_of(s));
            from = to;
        }
        if (options_.head)
            kernel.bound(head_of<Real>(*options_.head), y + first * outputs(), images * outputs(),
                         saved != nullptr ? saved + first * per_row + images * own : nullptr);
    }
}

template <class Real>
void Convolutions<Real>::pullback(const Real* x, std::size_t rows, const Real* dy, Tape& tape,
                                  Real* dx, Real* gradient) const {
    const auto& kernel = convolution_kernel<Real>();
    const auto per_row = saved_per_row();
    const Real* const saved = tape.pop<Real>(rows * per_row);
    for (std::size_t first = 0; first < rows; first += group_) {
        const auto images = std::min(group_, rows - first);
        const auto result_of = [&](std::size_t s) {
            return saved + first * per_row + images * offset_of(s);
        };
        const auto count = images * outputs();
        Real* delta = scratch<Real>(stages_.size() % 2, count);
        std::copy_n(dy + first * outputs(), count, delta);
        if (options_.head) {
            const auto head = head_of<Real>(*options_.head);
            const Real* const t = saved + (first + images) * per_row - count;
            for (std::size_t i = 0; i < count; ++i)
                delta[i] *= head.radius * head.slope * (1 - t[i] * t[i]);
        }
        Real* own = gradient + offset_;
        for (const auto& stage : stages_)
            if (stage.convolution) own += stage.convolution->parameters();
        for (std::size_t s = stages_.size(); s-- > 0;) {
            const auto& stage = stages_[s];
            const Real* const from = s > 0 ? result_of(s - 1) : x + first * inputs();
            Real* to = s > 0 ? scratch<Real>(s % 2, images * stage.inputs)
                             : (dx != nullptr ? dx + first * inputs() : nullptr);
            if (stage.convolution) {
                own -= stage.convolution->parameters();
                kernel.backward(*stage.convolution, from,
                                stage.reads_result() ? result_of(s) : nullptr, images, delta, to,
                                own);
            } else {
                kernel.pool_backward(stage.pooling, from, delta, images, to);
            }
            delta = to;
        }
    }
}

template <class Real>
std::size_t Convolutions<Real>::flops_per_row() const {
    std::size_t count = 0;
    for (const auto& stage : stages_)
        if (stage.convolution)
            count += 2 * stage.convolution->windows.small.pixels() * stage.convolution->weights();
    return count;
}

template class Convolutions<float>;
template class Convolutions<double>;

}  // namespace deepsl::network
