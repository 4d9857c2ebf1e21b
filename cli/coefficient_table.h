// Coefficients given as a table: a CSV file with the columns t, p, q and w.
#pragma once

#include <functional>
#include <string>
#include <vector>

namespace deepsl::cli {

struct CoefficientTable {
    std::vector<double> t;  // strictly increasing, at least two
    std::vector<double> p;  // > 0
    std::vector<double> q;
    std::vector<double> w;  // > 0
};

/// Columns in any order, others ignored; blank lines and lines that start with '#' too. A file or a
/// pipe of at most 100 MB.
/// Throws Error (data) that names the file, the line and the column.
CoefficientTable read_coefficient_table(const std::string& path);

/// The straight lines between the points (t, values).
std::function<double(double)> interpolate(std::vector<double> t, std::vector<double> values);

}  // namespace deepsl::cli
