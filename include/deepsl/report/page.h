// A trained model as one HTML page: the plane with its decision regions and field lines, a few
// samples followed from their line to their scores, the spectra, the training.
//
//     dz/dt = a(z), z(0) = x;   -(p u')' + q u = lambda w u on [t_minus, t_plus];
//     F(x) = c + sum over fields of L u(0)
//
// Every field has its own a, p, q, w and L; fields are counted from 0 here, from 1 on the page.
// Plain data in, text out: nothing here knows of networks. Whatever is empty is left out of the
// page, and a number that is not finite leaves a gap in its curve.
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace deepsl::report {

/// A polyline; x and y are equally long.
struct Curve {
    std::vector<double> x, y;
};

/// A figure of merit, shown as a card.
struct Fact {
    std::string label;  // "test accuracy"
    std::string value;  // "98.5 %"
    std::string note;   // small print below, may be empty
};

struct DataPoint {
    double x = 0.0;
    double y = 0.0;  // the second coordinate; in one dimension the target
    int label = 0;   // a class, counted from 0
    bool is_test = false;
    bool misclassified = false;
};

/// The winning class on a grid of equal cells, row 0 the lowest. Cell [row, column] is centred at
///     x = x_min + (column + 1/2) (x_max - x_min) / columns, and y likewise.
struct DecisionMap {
    double x_min = 0.0, x_max = 1.0, y_min = 0.0, y_max = 1.0;
    std::size_t columns = 0, rows = 0;
    std::vector<int> winner;        // [row, column]; -1: outside the domain, or failed
    std::vector<float> confidence;  // [row, column]; 0 undecided .. 1 certain
};

/// The line on which one field carries a sample, the problem solved on it, and what came of it.
struct SampleLine {
    Curve line;                          // in the data's plane, from t_minus to t_plus
    double t_minus = 0.0, t_plus = 0.0;  // the sample itself is at t = 0
    std::vector<double> t, p, q, w;      // [node]
    std::vector<double> u_t;             // [point]
    std::vector<std::vector<double>> u;  // [function, point]: the first few eigenfunctions on u_t
    std::vector<double> lambda;          // [d]
    std::vector<double> u_at_x;          // [d], as the linear map receives it
    // [output, d]: this field's terms L_i u_i(x) of F(x), one row for each class, or one row alone
    // for a regression.
    std::vector<std::vector<double>> contributions;
};

/// What there is to say about a column of the data, in one number.
struct ColumnBar {
    std::string column;
    double value = 0.0;
    double spread = 0.0;  // 0: not known
    std::string note;     // its cell, for instance; may be empty
};

struct Sample {
    std::string title;
    double x = 0.0, y = 0.0;
    int predicted = -1, actual = -1;  // classes; -1: unknown, or no classification
    std::vector<ColumnBar> columns;   // what each adds to the score over a usual row; may be empty
    std::string remark;               // a sentence below them; may be empty

    std::vector<SampleLine> lines;  // [field]
    std::vector<double> constant;   // [output]: c in F(x); may be empty
};

/// How the i-th eigenvalue is spread over a group of samples, one class for instance.
struct SpectrumBand {
    std::string name;
    std::vector<double> low, middle, high;  // [d]: quantiles, for instance 10, 50 and 90 %
};

/// One epoch of training. What was not measured stays NaN.
struct Epoch {
    static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

    int epoch = 0;
    double loss = unknown;
    double spectral = unknown;  // the regularising part of the loss
    double train_metric = unknown;
    double validation_metric = unknown;
    double mean_lambda_first = unknown;
    double mean_lambda_last = unknown;
    double seconds = unknown;
};

/// Another model on the same data, to be compared with.
struct Baseline {
    std::string name = "MLP";
    DecisionMap map;             // may be empty
    Curve predicted;             // one dimension only
    std::vector<Epoch> history;  // may be empty; its eigenvalues are not looked at
};

struct Report {
    std::string title;
    std::string subtitle;
    std::vector<Fact> facts;
    std::vector<std::pair<std::string, std::string>> settings;  // name, value

    std::string x_name = "x₁", y_name = "x₂";
    std::vector<std::string> classes;  // names; a class without one is called by its number
    std::vector<DataPoint> points;
    Curve outline;  // of the domain, closed by itself; may be empty

    DecisionMap map;                        // two dimensions only
    std::vector<std::vector<Curve>> lines;  // [field, line], in the direction of the field

    bool one_dimensional = false;  // a regression y(x): points and the curves below, no map
    Curve predicted, truth;        // truth may be empty

    std::vector<ColumnBar> importance;  // of columns, the largest first; may be empty
    std::string importance_name;        // "log loss": what rises without a column

    std::vector<Sample> samples;  // two or three; at most six are shown, fewer with many fields
    // [field, group]; if empty, the samples' own spectra take their place
    std::vector<std::vector<SpectrumBand>> spectra;

    std::string metric = "accuracy";
    bool metric_is_share = true;  // between 0 and 1, shown in percent
    std::vector<Epoch> history;
    std::optional<Baseline> baseline;
};

/// A complete page that loads nothing. Below 1.5 MB for any number of points, lines, fields, cells
/// and epochs, texts aside: large sets are thinned, and the page says so. Throws Error if
/// arrays that belong together differ in length.
std::string html_report(const Report& report);

}  // namespace deepsl::report
