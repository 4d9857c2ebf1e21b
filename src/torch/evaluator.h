// A model of the engine on batches from outside, and back: what the torch module is made of, with
// arrays in place of tensors.
#pragma once

#include <cstddef>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "deepsl/field/domain.h"
#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"

namespace deepsl::libtorch {

/// The model, how inputs come into its domain (null: they are inside), and passes to be used again.
class Evaluator {
public:
    Evaluator(std::unique_ptr<model::Predictor> predictor, field::DomainPointer entered);

    model::Predictor& predictor() { return *predictor_; }
    const model::Predictor& predictor() const { return *predictor_; }

    /// Gives the model these values, if it has others.
    void load(std::span<const double> values);

    /// r [B, inputs] to points of the domain.
    Matrix<double> enter(Matrix<double> r) const;
    /// From derivatives by these points to those by r, in place.
    void enter_pullback(const Matrix<double>& r, Matrix<double>& dz) const;

    std::unique_ptr<model::Pass> take_pass();
    void give_back(std::unique_ptr<model::Pass> pass);

    /// One batch at a time goes through the model, on all threads.
    std::mutex& in_use() { return in_use_; }

private:
    std::unique_ptr<model::Predictor> predictor_;
    field::DomainPointer entered_;
    std::vector<std::unique_ptr<model::Pass>> idle_;
    std::vector<double> loaded_;  // as they were given, before they were rounded
    std::mutex in_use_, guard_;
};

/// One batch on its way: forward once, and back any number of times.
class Batch {
public:
    Batch(std::shared_ptr<Evaluator> evaluator, std::vector<double> values, Matrix<double> r);
    ~Batch();
    Batch(const Batch&) = delete;
    Batch& operator=(const Batch&) = delete;

    /// With `keep`, backward may follow.
    const model::Prediction& forward(bool keep);
    const model::Prediction& prediction() const { return prediction_; }

    /// From derivatives by y and lambda (no rows: zero) to those by the values and by r, if wanted.
    void backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                  std::span<double> gradient, Matrix<double>* dr);

private:
    void run();
    std::size_t chunks() const;
    void release();

    std::shared_ptr<Evaluator> evaluator_;
    std::vector<double> values_;
    Matrix<double> r_, z_;
    std::vector<std::unique_ptr<model::Pass>> passes_;  // [chunk], between forward and backward
    std::size_t chunk_rows_;
    model::Prediction prediction_;
};

}  // namespace deepsl::libtorch
