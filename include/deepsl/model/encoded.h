// A model behind an encoder: a network turns the inputs into a few latent numbers, these are
// brought into the domain, and the model sees them instead.
//
//     x -> encoder -> r -> z inside the domain -> model -> F
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "deepsl/field/domain.h"
#include "deepsl/model/predictor.h"
#include "deepsl/network/network.h"

namespace deepsl::model {

class Encoded : public Predictor {
public:
    virtual const Predictor& behind() const = 0;
    virtual Predictor& behind() = 0;

    /// x [B, inputs] -> z [B, latent], on all threads. Rows that are not finite give NaN.
    virtual Matrix<double> encode(MatrixView<const double> x) const = 0;

protected:
    using Predictor::Predictor;
};

/// A model of this kind, with options.latent inputs, behind the encoder that the options ask for.
std::unique_ptr<Encoded> make_encoded(Kind kind, std::size_t inputs, std::size_t outputs,
                                      const ModelOptions& options, std::uint64_t seed);

/// With an encoder of your own, whose outputs are the model's inputs; `domain` has as many
/// dimensions.
template <class Real>
std::unique_ptr<Encoded> make_encoded(std::unique_ptr<network::Network<Real>> encoder,
                                      field::DomainPointer domain,
                                      std::unique_ptr<Predictor> behind, std::uint64_t seed);

/// The model that stands behind an encoder, or without one.
std::unique_ptr<Predictor> make_behind_encoder(Kind kind, std::size_t inputs, std::size_t outputs,
                                               const ModelOptions& options, std::uint64_t seed);

}  // namespace deepsl::model
