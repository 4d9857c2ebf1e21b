// Tables of numbers by rows: what goes into a model and what comes out of it. A batch is the first
// dimension of every array.
#pragma once

#include <cstddef>
#include <span>
#include <type_traits>
#include <utility>
#include <vector>

namespace deepsl {

/// rows x columns numbers that somebody else owns.
template <class T>
class MatrixView {
public:
    MatrixView() = default;
    MatrixView(T* data, std::size_t rows, std::size_t columns)
        : data_(data), rows_(rows), columns_(columns) {}
    /// A view that may change numbers is also one that may not.
    template <class U, class = std::enable_if_t<std::is_same_v<T, const U>>>
    MatrixView(const MatrixView<U>& other)  // NOLINT(google-explicit-constructor)
        : MatrixView(other.data(), other.rows(), other.columns()) {}

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    bool empty() const { return rows_ == 0; }
    T* data() const { return data_; }
    std::span<T> row(std::size_t r) const { return {data_ + r * columns_, columns_}; }
    T& operator()(std::size_t r, std::size_t c) const { return data_[r * columns_ + c]; }
    std::span<T> values() const { return {data_, rows_ * columns_}; }
    MatrixView part(std::size_t first, std::size_t count) const {
        return {data_ + first * columns_, count, columns_};
    }

private:
    T* data_ = nullptr;
    std::size_t rows_ = 0, columns_ = 0;
};

template <class T>
class Matrix {
public:
    Matrix() = default;
    Matrix(std::size_t rows, std::size_t columns, T value = T())
        : rows_(rows), columns_(columns), values_(rows * columns, value) {}
    Matrix(std::size_t rows, std::size_t columns, std::vector<T> values)
        : rows_(rows), columns_(columns), values_(std::move(values)) {}
    explicit Matrix(MatrixView<const T> from)
        : rows_(from.rows()),
          columns_(from.columns()),
          values_(from.data(), from.data() + from.rows() * from.columns()) {}

    /// Of another shape, contents unspecified; allocates only to grow.
    void resize(std::size_t rows, std::size_t columns) {
        rows_ = rows;
        columns_ = columns;
        values_.resize(rows * columns);
    }

    std::size_t rows() const { return rows_; }
    std::size_t columns() const { return columns_; }
    bool empty() const { return rows_ == 0; }
    T* data() { return values_.data(); }
    const T* data() const { return values_.data(); }
    std::span<T> row(std::size_t r) { return {data() + r * columns_, columns_}; }
    std::span<const T> row(std::size_t r) const { return {data() + r * columns_, columns_}; }
    T& operator()(std::size_t r, std::size_t c) { return values_[r * columns_ + c]; }
    const T& operator()(std::size_t r, std::size_t c) const { return values_[r * columns_ + c]; }
    std::vector<T>& values() { return values_; }
    const std::vector<T>& values() const { return values_; }

    operator MatrixView<T>() { return {data(), rows_, columns_}; }              // NOLINT
    operator MatrixView<const T>() const { return {data(), rows_, columns_}; }  // NOLINT
    MatrixView<const T> part(std::size_t first, std::size_t count) const {
        return MatrixView<const T>(*this).part(first, count);
    }

    /// The rows of these numbers, in this order.
    Matrix rows_at(std::span<const std::size_t> numbers) const {
        Matrix result(numbers.size(), columns_);
        for (std::size_t i = 0; i < numbers.size(); ++i)
            for (std::size_t c = 0; c < columns_; ++c) result(i, c) = (*this)(numbers[i], c);
        return result;
    }

    friend bool operator==(const Matrix&, const Matrix&) = default;

private:
    std::size_t rows_ = 0, columns_ = 0;
    std::vector<T> values_;
};

}  // namespace deepsl
