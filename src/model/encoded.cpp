#include "deepsl/model/encoded.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <limits>
#include <utility>

#include "deepsl/error.h"
#include "deepsl/network/tape.h"
#include "deepsl/parallel.h"
#include "model/networks.h"
#include "model/shapes.h"
#include "model/usable.h"

namespace deepsl::model {
namespace {

/// The encoder on rows: what it cannot work with is taken out of its way.
template <class Real>
class EncoderPass {
public:
    EncoderPass(const network::Network<Real>& encoder, const field::Domain& domain)
        : encoder_(encoder), domain_(domain) {}

    /// z [B, latent]; rows that failed become NaN.
    const Matrix<double>& forward(MatrixView<const double> x, bool keep) {
        const auto rows = x.rows(), n = encoder_.inputs(), latent = encoder_.outputs();
        x_.assign(x.data(), x.data() + rows * n);
        failed_.assign(rows, 0);
        r_.resize(rows * latent);
        z_.resize(rows, latent);
        // A row that fails is emptied, and the others are asked again without it.
        drop(x_.data(), n);
        do {
            tape_.clear();
            if (rows > 0) encoder_.forward(x_.data(), rows, r_.data(), keep ? &tape_ : nullptr);
        } while (drop(r_.data(), latent));
        wide_.assign(r_.begin(), r_.end());
        for (std::size_t b = 0; b < rows; ++b) {
            domain_.enter({wide_.data() + b * latent, latent}, z_.row(b));
            if (failed_[b] != 0)
                std::ranges::fill(z_.row(b), std::numeric_limits<double>::quiet_NaN());
        }
        return z_;
    }

    /// r [B, latent]; rows that failed become NaN.
    Matrix<double> latent_numbers(MatrixView<const double> x) {
        forward(x, false);
        Matrix<double> r(x.rows(), encoder_.outputs(), wide_);
        for (std::size_t b = 0; b < r.rows(); ++b)
            if (failed_[b] != 0)
                std::ranges::fill(r.row(b), std::numeric_limits<double>::quiet_NaN());
        return r;
    }

    /// From dz [B, latent] of samples that are ok; dx may be null.
    void backward(const Matrix<double>& dz, const std::vector<Outcome>& outcomes,
                  Matrix<double>* dx, Real* gradient) {
        const auto rows = failed_.size(), n = encoder_.inputs(), latent = encoder_.outputs();
        dwide_.resize(latent), dr_.assign(rows * latent, Real(0));
        for (std::size_t b = 0; b < rows; ++b) {
            if (!outcomes[b].ok()) continue;
            domain_.enter_pullback({wide_.data() + b * latent, latent}, dz.row(b), dwide_);
            std::transform(dwide_.begin(), dwide_.end(), dr_.begin() + index(b * latent),
                           [](double d) { return static_cast<Real>(d); });
        }
        dx_.resize(dx != nullptr ? rows * n : 0);
        if (rows > 0)
            encoder_.pullback(x_.data(), rows, dr_.data(), tape_,
                              dx != nullptr ? dx_.data() : nullptr, gradient);
        if (dx == nullptr) return;
        dx->resize(rows, n);
        std::copy(dx_.begin(), dx_.end(), dx->values().begin());
    }

    std::size_t tape_bytes() const { return tape_.capacity(); }

private:
    static std::ptrdiff_t index(std::size_t i) { return static_cast<std::ptrdiff_t>(i); }

    /// Marks the rows that are not usable and empties their inputs; whether there were new ones.
    bool drop(const Real* numbers, std::size_t width) {
        bool any = false;
        for (std::size_t b = 0; b < failed_.size(); ++b) {
            if (failed_[b] != 0 || usable(numbers + b * width, width)) continue;
            failed_[b] = 1, any = true;
            std::fill_n(x_.begin() + index(b * encoder_.inputs()), encoder_.inputs(), Real(0));
        }
        return any;
    }

    const network::Network<Real>& encoder_;
    const field::Domain& domain_;
    network::Tape tape_;
    std::vector<Real> x_, r_, dr_, dx_;
    std::vector<double> wide_, dwide_;  // r in double
    std::vector<char> failed_;
    Matrix<double> z_;
};

template <class Real>
struct EncodedParts {
    std::unique_ptr<network::Network<Real>> encoder;
    field::DomainPointer domain;
    std::unique_ptr<Predictor> behind;
    std::size_t first = 0;  // of the model's own numbers
};

template <class Real>
class EncodedPass final : public Pass {
public:
    EncodedPass(const Predictor& model, const EncodedParts<Real>& parts)
        : inputs_(model.inputs()),
          encoder_(*parts.encoder, *parts.domain),
          behind_(parts.behind->make_pass()),
          gradient_(parts.first, Real(0)) {}

    void regularise(double weight) override { behind_->regularise(weight); }

    const Prediction& forward(MatrixView<const double> x, bool keep) override {
        check_inputs(x, inputs_);
        prediction_ = &behind_->forward(encoder_.forward(x, keep), keep);
        return *prediction_;
    }

    void backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                  Matrix<double>* dx) override {
        behind_->backward(dy, dlambda, &dz_);
        encoder_.backward(dz_, prediction_->outcomes, dx, gradient_.data());
    }

    void add_gradient(std::span<double> total) override {
        for (std::size_t i = 0; i < gradient_.size(); ++i)
            total[i] += static_cast<double>(gradient_[i]);
        std::fill(gradient_.begin(), gradient_.end(), Real(0));
        behind_->add_gradient(total.subspan(gradient_.size()));
    }

    std::size_t tape_bytes() const override {
        return encoder_.tape_bytes() + behind_->tape_bytes();
    }

private:
    std::size_t inputs_;
    EncoderPass<Real> encoder_;
    std::unique_ptr<Pass> behind_;
    std::vector<Real> gradient_;  // of the encoder, whose numbers come first
    Matrix<double> dz_;
    const Prediction* prediction_ = nullptr;
};

template <class Real>
class EncodedModel final : public Encoded {
public:
    EncodedModel(EncodedParts<Real> parts, const ModelOptions& options, bool built_in,
                 std::uint64_t seed)
        : Encoded(parts.encoder->inputs(), parts.behind->outputs()),
          options_(options),
          built_in_(built_in),
          parts_(std::move(parts)) {
        // Other numbers than those of the model behind it.
        Random random(seed + 0x9e3779b97f4a7c15ULL);
        parts_.encoder->enrol(parameters_, "encoder", random);
        parts_.first = parameters_.size();
        const auto& own = parts_.behind->parameters();
        for (const auto& part : own.list())
            parameters_.add(network::joined("model", part.name), part.shape, part.role);
        take_over();
    }

    const Predictor& behind() const override { return *parts_.behind; }
    Predictor& behind() override { return *parts_.behind; }
    Kind kind() const override { return parts_.behind->kind(); }
    std::size_t eigenvalues() const override { return parts_.behind->eigenvalues(); }
    bool built_in() const override { return built_in_ && parts_.behind->built_in(); }
    ModelOptions options() const override {
        auto options = parts_.behind->options();  // numerics may have been changed there
        options.image = options_.image;
        options.encoder = options_.encoder, options.encoder_hidden = options_.encoder_hidden;
        options.latent = options_.latent;
        return options;
    }
    double flops_per_sample() const override {
        return static_cast<double>(parts_.encoder->flops_per_row()) +
               parts_.behind->flops_per_sample();
    }
    std::unique_ptr<Pass> make_pass() const override {
        return std::make_unique<EncodedPass<Real>>(*this, parts_);
    }

    Matrix<double> encode(MatrixView<const double> x) const override {
        return encoded(x, [](EncoderPass<Real>& pass, MatrixView<const double> rows) {
            return pass.forward(rows, false);
        });
    }

    void calibrate(MatrixView<const double> x, MatrixView<const double> targets) override {
        if (built_in_) standardise(x);
        parts_.behind->calibrate(encode(x), targets);
        take_over();
    }

private:
    /// The last layer so that the latent numbers of these rows have mean 0 and deviation 1 each: a
    /// random network gives nearly the same for all rows, and they would share a corner of the
    /// domain.
    void standardise(MatrixView<const double> x) {
        const auto latent = parts_.encoder->outputs();
        const auto& list = parameters_.list();
        const auto bias = std::find_if(list.rbegin(), list.rend(), [&](const auto& parameter) {
            return parameter.offset < parts_.first;  // the encoder's last
        });
        const auto weight = std::next(bias);
        const auto r = latent_numbers(x);
        auto values = parameters_.values();
        for (std::size_t j = 0; j < latent; ++j) {
            double mean = 0.0, square = 0.0, count = 0.0;
            for (std::size_t row = 0; row < r.rows(); ++row) {
                if (!std::isfinite(r(row, j))) continue;
                mean += r(row, j), square += r(row, j) * r(row, j), count += 1.0;
            }
            if (count == 0.0) continue;
            mean /= count;
            const double deviation = std::sqrt(std::max(0.0, square / count - mean * mean));
            if (!(deviation > 1e-6)) continue;
            const auto width = weight->size() / latent;
            for (std::size_t k = 0; k < width; ++k)
                values[weight->offset + j * width + k] /= deviation;
            values[bias->offset + j] = (values[bias->offset + j] - mean) / deviation;
        }
        set_values(values);
    }

    /// What the encoder gives, before it is brought into the domain.
    Matrix<double> latent_numbers(MatrixView<const double> x) const {
        return encoded(x, [](EncoderPass<Real>& pass, MatrixView<const double> rows) {
            return pass.latent_numbers(rows);
        });
    }

    /// Of all rows, chunk by chunk on all threads.
    template <class Of>
    Matrix<double> encoded(MatrixView<const double> x, const Of& of) const {
        check_inputs(x, inputs());
        Matrix<double> all(x.rows(), parts_.encoder->outputs());
        for_each((x.rows() + chunk_rows - 1) / chunk_rows, [&](std::size_t chunk) {
            const auto first = chunk * chunk_rows;
            EncoderPass<Real> pass(*parts_.encoder, *parts_.domain);
            const Matrix<double> part =
                of(pass, x.part(first, std::min(chunk_rows, x.rows() - first)));
            std::copy(part.values().begin(), part.values().end(), all.row(first).data());
        });
        return all;
    }

    /// The values of the model behind are the last of ours.
    void take_over() {
        const auto& own = parts_.behind->parameters().values();
        std::copy(own.begin(), own.end(),
                  parameters_.values().begin() + static_cast<std::ptrdiff_t>(parts_.first));
        set_values(parameters_.values());
    }

    void load(std::span<const double> values) override {
        parts_.encoder->load(values);
        parts_.behind->set_values(values.subspan(parts_.first));
    }

    ModelOptions options_;
    bool built_in_;
    EncodedParts<Real> parts_;
};

template <class Real>
std::unique_ptr<Encoded> built_in(Kind kind, std::size_t inputs, std::size_t outputs,
                                  const ModelOptions& options, std::uint64_t seed) {
    const auto latent = static_cast<std::size_t>(options.latent);
    EncodedParts<Real> parts;
    parts.encoder = make_network<Real>(encoder_plan(inputs, options));
    parts.domain = field::make_domain(options.domain, latent);
    parts.behind = make_behind_encoder(kind, latent, outputs, behind_encoder(options), seed);
    return std::make_unique<EncodedModel<Real>>(std::move(parts), options, true, seed);
}

}  // namespace

std::unique_ptr<Encoded> make_encoded(Kind kind, std::size_t inputs, std::size_t outputs,
                                      const ModelOptions& options, std::uint64_t seed) {
    check_model(options);
    if (options.latent == 0) throw argument_error("an encoder gives at least one number");
    switch (options.precision) {
        case Precision::float32: return built_in<float>(kind, inputs, outputs, options, seed);
        case Precision::float64: return built_in<double>(kind, inputs, outputs, options, seed);
    }
    throw argument_error("there is no such precision");
}

template <class Real>
std::unique_ptr<Encoded> make_encoded(std::unique_ptr<network::Network<Real>> encoder,
                                      field::DomainPointer domain,
                                      std::unique_ptr<Predictor> behind, std::uint64_t seed) {
    if (encoder == nullptr || domain == nullptr || behind == nullptr)
        throw argument_error("a model behind an encoder needs both of them, and a domain");
    if (encoder->outputs() != behind->inputs() || domain->dimensions() != behind->inputs())
        throw argument_error("the encoder gives " + std::to_string(encoder->outputs()) +
                             " numbers and the domain has " + std::to_string(domain->dimensions()) +
                             " dimensions, but the model takes " +
                             std::to_string(behind->inputs()));
    const auto options = behind->options();
    EncodedParts<Real> parts{std::move(encoder), std::move(domain), std::move(behind)};
    return std::make_unique<EncodedModel<Real>>(std::move(parts), options, false, seed);
}

template std::unique_ptr<Encoded> make_encoded(std::unique_ptr<network::Network<float>>,
                                               field::DomainPointer, std::unique_ptr<Predictor>,
                                               std::uint64_t);
template std::unique_ptr<Encoded> make_encoded(std::unique_ptr<network::Network<double>>,
                                               field::DomainPointer, std::unique_ptr<Predictor>,
                                               std::uint64_t);

}  // namespace deepsl::model
