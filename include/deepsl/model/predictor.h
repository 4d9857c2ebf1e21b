// What every model is to those who train, save and use it: Deep Sturm-Liouville and the baselines
// beside it. A model is a function of its parameters, one flat vector; samples go through it in
// chunks, each in a Pass of its own.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "deepsl/matrix.h"
#include "deepsl/model/options.h"
#include "deepsl/model/outcome.h"
#include "deepsl/model/size.h"
#include "deepsl/network/parameters.h"

namespace deepsl::model {

/// F, and what the loss needs beside it. Where an outcome is not ok, y and lambda are zeros.
struct Prediction {
    Matrix<double> y;               // [B, outputs]
    Matrix<double> lambda;          // [B, eigenvalues of all fields]; no columns for baselines
    std::vector<Outcome> outcomes;  // [B]
    /// What regularisation along the lines adds to the loss of each sample; empty: nothing.  [B]
    std::vector<double> penalty{};

    std::size_t size() const { return outcomes.size(); }
    std::size_t failed() const;
    void resize(std::size_t rows, std::size_t outputs, std::size_t eigenvalues);
    /// Puts another one's rows here, from row `first` on.
    void put(std::size_t first, const Prediction& part);
};

/// A chunk of samples on its way through a model and back; its memory is reused from chunk to
/// chunk. One thread at a time.
class Pass {
public:
    virtual ~Pass() = default;

    /// From now on predictions have a penalty: `weight` times the energy of F along its line
    /// (basis.h), whose gradient backward adds. Models without lines have none.
    virtual void regularise(double /*weight*/) {}

    /// x [B, inputs] in the model's own coordinates. With `keep`, backward may follow.
    virtual const Prediction& forward(MatrixView<const double> x, bool keep) = 0;

    /// From the derivatives of a loss by y [B, outputs] and by lambda [B, eigenvalues] (no rows:
    /// zero) to those by the parameters, which are added up until `add_gradient` takes them, and by
    /// x [B, inputs], if wanted. What belongs to samples that failed is not looked at.
    virtual void backward(MatrixView<const double> dy, MatrixView<const double> dlambda,
                          Matrix<double>* dx = nullptr) = 0;

    /// Adds the sum of all backward sweeps since the last time to `total`, as long as the model's
    /// parameters, and starts afresh.
    virtual void add_gradient(std::span<double> total) = 0;

    /// Bytes held for the tape.
    virtual std::size_t tape_bytes() const { return 0; }
};

class Predictor {
public:
    virtual ~Predictor() = default;
    Predictor(const Predictor&) = delete;
    Predictor& operator=(const Predictor&) = delete;

    std::size_t inputs() const { return inputs_; }
    std::size_t outputs() const { return outputs_; }
    /// Of one sample, all fields together; 0 for a baseline without a spectrum.
    virtual std::size_t eigenvalues() const { return 0; }
    virtual Kind kind() const = 0;
    /// What makes such a model again.
    virtual ModelOptions options() const = 0;
    /// Whether its parts are those that the options ask for: others cannot be saved.
    virtual bool built_in() const { return true; }

    const network::Parameters& parameters() const { return parameters_; }
    /// Changes all values at once, rounded to the model's precision. No pass may be under way.
    void set_values(std::span<const double> values);

    virtual std::unique_ptr<Pass> make_pass() const = 0;

    /// Before training, once: whatever a model wants to learn from data without gradients. Rows
    /// that are not finite are left out. x [B, inputs], targets [B, outputs].
    virtual void calibrate(MatrixView<const double> x, MatrixView<const double> targets);

    /// F of any number of samples, on all threads, chunk by chunk.
    Prediction predict(MatrixView<const double> x) const;

    /// Multiplications and additions in networks for one sample, forward, about.
    virtual double flops_per_sample() const = 0;

protected:
    Predictor(std::size_t inputs, std::size_t outputs);

    /// Gives the networks the present values.
    virtual void load(std::span<const double> values) = 0;

    network::Parameters parameters_;

private:
    std::size_t inputs_, outputs_;
};

/// Samples that go through a model together: what measures best, since their tape stays in cache.
inline constexpr std::size_t chunk_rows = 16;

/// Lanes that the chunks of a batch are dealt out to at most (train/step.h): each has a gradient of
/// its own, however many threads there are.
inline constexpr std::size_t training_lanes = 16;

/// Any kind of model by its options. All read domain (its centre) and input_scale for what their
/// networks see, initialiser and precision; and beside these
///
///     dsl       everything
///     ablation  eigenfunctions, coefficients, hidden, activation, last_gain, linear_gain, heads,
///               normalise, basis_scale, cells, scheme
///     mlp       hidden, activation
///     node      field_hidden, field_activation, last_gain, method, steps, tolerance, max_steps
///
/// Throws Error for a bad option, or where this use of the model would not fit into memory.
std::unique_ptr<Predictor> make_predictor(Kind kind, std::size_t inputs, std::size_t outputs,
                                          const ModelOptions& options, std::uint64_t seed,
                                          const Use& use = {});

}  // namespace deepsl::model
