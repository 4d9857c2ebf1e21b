// A data set as a model sees it: rows in the model's coordinates, and what they should give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "deepsl/field/scaling.h"
#include "deepsl/io/checksum.h"
#include "deepsl/matrix.h"
#include "deepsl/model/predictor.h"
#include "deepsl/random.h"

namespace deepsl::train {

/// What some rows should give, either of the two; somebody else owns it.
struct Targets {
    std::span<const std::int64_t> labels;  // [N], 0..classes-1
    MatrixView<const double> numbers;      // [N, outputs]

    bool has_labels() const { return !labels.empty(); }
    std::size_t size() const { return has_labels() ? labels.size() : numbers.rows(); }
};

/// Rows that are made when they are asked for, such as images from their bytes.
class RowSource {
public:
    virtual ~RowSource() = default;
    virtual std::size_t columns() const = 0;
    virtual void read(std::size_t row, std::span<double> out) const = 0;
    /// The row as it is learned from: another variation in each draw, the same for the same draw.
    virtual void vary(std::size_t row, std::uint64_t /*draw*/, std::span<double> out) const {
        read(row, out);
    }
    /// Whatever decides the rows.
    virtual void add_to(io::Hash& hash) const = 0;
};

struct Dataset {
    Matrix<double> x{};                  // [N, inputs]; or none, see source
    std::vector<std::int64_t> labels{};  // [N], 0..classes-1; or none, and
    Matrix<double> numbers{};            // [N, outputs]
    /// Instead of x: rows of a source, those at these places [N], brought into the model's
    /// coordinates by the scaling.
    std::shared_ptr<const RowSource> source{};
    std::vector<std::size_t> places{};
    std::optional<field::Scaling> scaling{};

    std::size_t size() const { return source ? places.size() : x.rows(); }
    bool empty() const { return size() == 0; }
    std::size_t inputs() const { return source ? source->columns() : x.columns(); }
    bool has_labels() const { return !labels.empty(); }
    Targets targets() const { return {labels, numbers}; }

    /// These rows [rows, inputs]. Of a source, with a draw other than 0: as they vary.
    void read(std::span<const std::size_t> rows, std::uint64_t draw, Matrix<double>& out) const;
    Matrix<double> read(std::span<const std::size_t> rows) const;

    /// The rows of these numbers, in this order.
    Dataset rows_at(std::span<const std::size_t> rows) const;
};

/// Throws Error, with the set's name, unless the model can learn from it: there are rows, of the
/// model's inputs; targets are labels the model has outputs for (with one output 0 and 1), or
/// finite numbers. Rows of x need not be finite: a sample that fails is left out when it does.
void check_dataset(const model::Predictor& model, const Dataset& data, std::string_view name);

/// What calibrate wants: a column per output with 0 and 1 for labels (with one output -1 and 1), or
/// the numbers themselves. [N, outputs]
Matrix<double> calibration_targets(const Dataset& data, std::size_t outputs);

/// What a model predicts for all rows.
model::Prediction predict(const model::Predictor& model, const Dataset& data);

/// Row numbers of two parts of a data set.
struct RowSplit {
    std::vector<std::size_t> training, validation;
};

/// A share of the rows, rounded, for validation, the others for training, both in random order.
/// Training keeps at least one row; so does validation if the share is not 0 and there are two.
/// With labels each class gives its share: at least one row, and not its last one. A class of a
/// single row stays in training, unless all are.
RowSplit split_rows(const Targets& targets, double share, Random& random);

struct Split {
    Dataset training, validation;
};

Split split(const Dataset& data, double share, Random& random);

}  // namespace deepsl::train
