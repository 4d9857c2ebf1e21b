#include "torch/evaluator.h"

#include <algorithm>
#include <utility>

#include "deepsl/parallel.h"

namespace deepsl::libtorch {
namespace {

/// Each pass has a gradient of its own: large batches have larger chunks instead of more passes.
constexpr std::size_t most_chunks = 64;

}  // namespace

Evaluator::Evaluator(std::unique_ptr<model::Predictor> predictor, field::DomainPointer entered)
    : predictor_(std::move(predictor)),
      entered_(std::move(entered)),
      loaded_(predictor_->parameters().values()) {}

void Evaluator::load(std::span<const double> values) {
    if (std::ranges::equal(values, loaded_)) return;
    predictor_->set_values(values);
    loaded_.assign(values.begin(), values.end());
}

Matrix<double> Evaluator::enter(Matrix<double> r) const {
    if (entered_ == nullptr) return r;
    Matrix<double> z(r.rows(), r.columns());
    for (std::size_t b = 0; b < r.rows(); ++b) entered_->enter(r.row(b), z.row(b));
    return z;
}

void Evaluator::enter_pullback(const Matrix<double>& r, Matrix<double>& dz) const {
    if (entered_ == nullptr) return;
    std::vector<double> dr(r.columns());
    for (std::size_t b = 0; b < r.rows(); ++b) {
        entered_->enter_pullback(r.row(b), dz.row(b), dr);
        std::ranges::copy(dr, dz.row(b).begin());
    }
}

std::unique_ptr<model::Pass> Evaluator::take_pass() {
    {
        const std::lock_guard lock(guard_);
        if (!idle_.empty()) {
            auto pass = std::move(idle_.back());
            idle_.pop_back();
            return pass;
        }
    }
    return predictor_->make_pass();
}

void Evaluator::give_back(std::unique_ptr<model::Pass> pass) {
    const std::lock_guard lock(guard_);
    idle_.push_back(std::move(pass));
}

Batch::Batch(std::shared_ptr<Evaluator> evaluator, std::vector<double> values, Matrix<double> r)
    : evaluator_(std::move(evaluator)),
      values_(std::move(values)),
      r_(std::move(r)),
      z_(evaluator_->enter(r_)),
      chunk_rows_(std::max(model::chunk_rows, (z_.rows() + most_chunks - 1) / most_chunks)) {}

Batch::~Batch() { release(); }

std::size_t Batch::chunks() const { return (z_.rows() + chunk_rows_ - 1) / chunk_rows_; }

void Batch::release() {
    for (auto& pass : passes_)
        if (pass) evaluator_->give_back(std::move(pass));
    passes_.clear();
}

const model::Prediction& Batch::forward(bool keep) {
    const std::lock_guard lock(evaluator_->in_use());
    evaluator_->load(values_);
    if (keep)
        run();
    else
        prediction_ = evaluator_->predictor().predict(z_);
    return prediction_;
}

void Batch::run() {
    const auto& model = evaluator_->predictor();
    prediction_.resize(z_.rows(), model.outputs(), model.eigenvalues());
    passes_.resize(chunks());
    for_each(chunks(), [&](std::size_t chunk) {
        const auto first = chunk * chunk_rows_;
        passes_[chunk] = evaluator_->take_pass();
        prediction_.put(first, passes_[chunk]->forward(
                                   z_.part(first, std::min(chunk_rows_, z_.rows() - first)), true));
    });
}

void Batch::backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                     std::span<double> gradient, Matrix<double>* dr) {
    const std::lock_guard lock(evaluator_->in_use());
    // The tapes know no weights: those of this batch must be in place. A second time back, the
    // tapes are empty.
    evaluator_->load(values_);
    if (passes_.empty()) run();
    if (dr != nullptr) *dr = Matrix<double>(z_.rows(), z_.columns());
    for_each(chunks(), [&](std::size_t chunk) {
        const auto first = chunk * chunk_rows_, rows = std::min(chunk_rows_, z_.rows() - first);
        Matrix<double> dz;
        passes_[chunk]->backward(dy.part(first, rows),
                                 dlambda.empty() ? dlambda : dlambda.part(first, rows),
                                 dr != nullptr ? &dz : nullptr);
        for (std::size_t b = 0; dr != nullptr && b < rows; ++b)
            if (prediction_.outcomes[first + b].ok())
                std::ranges::copy(dz.row(b), dr->row(first + b).begin());
    });
    // In the order of the chunks, whichever thread had them.
    for (auto& pass : passes_) pass->add_gradient(gradient);
    release();
    if (dr == nullptr) return;
    evaluator_->enter_pullback(r_, *dr);
    for (std::size_t b = 0; b < r_.rows(); ++b)
        if (!prediction_.outcomes[b].ok()) std::ranges::fill(dr->row(b), 0.0);
}

}  // namespace deepsl::libtorch
