#include "solve_report.h"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "deepsl/text.h"

namespace deepsl::cli {
namespace {

constexpr std::size_t block_values = 1 << 16;  // a fraction of a second

std::string condition_text(const sturm::BoundaryCondition& condition, const std::string& end) {
    if (condition.alpha2 == 0.0) return fmt::format("u({}) = 0", end);
    if (condition.alpha1 == 0.0) return fmt::format("(p u')({}) = 0", end);
    return fmt::format("{} u({}) {} {} (p u')({}) = 0", condition.alpha1, end,
                       condition.alpha2 < 0.0 ? "-" : "+", std::fabs(condition.alpha2), end);
}

/// Digits enough for the tolerance, three to spare; the points of all lines below each other.
std::string lambda_text(double lambda, double tolerance) {
    const int digits = std::clamp(3 - static_cast<int>(std::floor(std::log10(tolerance))), 6, 17);
    const double size = std::max(1.0, std::fabs(lambda));
    if (!std::isfinite(lambda) || size >= 1e15) return fmt::format("{:.{}e}", lambda, digits - 1);
    const int before = static_cast<int>(std::floor(std::log10(size)));
    return fmt::format("{:.{}f}", lambda, std::max(1, digits - 1 - before));
}

}  // namespace

std::string formula_text(std::string formula) {
    for (auto& c : formula)
        if (static_cast<unsigned char>(c) < 0x20) c = ' ';
    return printable(formula);
}

std::string equation_text(const StatedProblem& stated) {
    return fmt::format("-(p u')' + q u = λ w u on [{}, {}]", formula_text(stated.a),
                       formula_text(stated.b));
}

std::string conditions_text(const StatedProblem& stated) {
    return fmt::format("{},  {}", condition_text(stated.problem.left, formula_text(stated.a)),
                       condition_text(stated.problem.right, formula_text(stated.b)));
}

bool has_function(const sturm::Eigenpair& pair) {
    using sturm::Status;
    return std::isfinite(pair.lambda) &&
           (pair.status == Status::ok || pair.status == Status::tolerance_not_met);
}

std::vector<double> grid(const sturm::Problem& problem, std::size_t points) {
    std::vector<double> t(points);
    for (std::size_t i = 0; i < points; ++i) {
        const double share = static_cast<double>(i) / static_cast<double>(points - 1);
        t[i] = std::lerp(problem.a, problem.b, share);
    }
    return t;
}

std::string table_text(const StatedProblem& stated, const sturm::Solution& solution,
                       double tolerance) {
    std::string out = fmt::format("{}\n  p = {},  q = {},  w = {}\n  {}\n\n", equation_text(stated),
                                  formula_text(stated.p), formula_text(stated.q),
                                  formula_text(stated.w), conditions_text(stated));
    if (solution.pairs.empty()) return out + "No eigenvalue lies in this range.\n";
    std::vector<std::string> lambdas;
    std::size_t left = 0, right = 0;
    for (const auto& pair : solution.pairs) {
        lambdas.push_back(lambda_text(pair.lambda, tolerance));
        const auto point = std::min(lambdas.back().find('.'), lambdas.back().size());
        left = std::max(left, point);
        right = std::max(right, lambdas.back().size() - point);
    }
    out +=
        fmt::format("{:>6}  {:>{}}  {:>8}  {}\n", "n", "lambda", left + right, "error", "status");
    for (std::size_t i = 0; i < lambdas.size(); ++i) {
        const auto& pair = solution.pairs[i];
        const auto point = std::min(lambdas[i].find('.'), lambdas[i].size());
        const auto padded = std::string(left - point, ' ') + lambdas[i];
        out += fmt::format("{:>6}  {:<{}}  {:>8.1e}  {}\n", pair.index, padded, left + right,
                           pair.error_estimate, sturm::name(pair.status));
    }
    out += fmt::format("\n{} cells, {} evaluations of p, q and w; tolerance {} max(1, |λ|)\n",
                       solution.cells, solution.evaluations, tolerance);
    return out;
}

std::string json_text(const StatedProblem& stated, const sturm::Solution& solution) {
    using Json = nlohmann::ordered_json;
    const auto condition = [](const sturm::BoundaryCondition& at) {
        return Json::array({at.alpha1, at.alpha2});
    };
    Json out;
    out["problem"] = {{"p", stated.p},
                      {"q", stated.q},
                      {"w", stated.w},
                      {"interval", Json::array({stated.problem.a, stated.problem.b})},
                      {"bc_left", condition(stated.problem.left)},
                      {"bc_right", condition(stated.problem.right)}};
    out["eigenvalues"] = Json::array();
    for (const auto& pair : solution.pairs) {
        out["eigenvalues"].push_back({{"n", pair.index},
                                      {"lambda", pair.lambda},
                                      {"error_estimate", pair.error_estimate},
                                      {"status", sturm::name(pair.status)}});
    }
    out["cells"] = solution.cells;
    out["evaluations"] = solution.evaluations;
    return out.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

CsvBlocks::CsvBlocks(const sturm::Solution& solution, std::vector<double> t)
    : solution_(solution), t_(std::move(t)) {}

double CsvBlocks::share() const {
    return static_cast<double>(row_) / static_cast<double>(t_.size());
}

bool CsvBlocks::next(std::string& out) {
    if (row_ == t_.size()) return false;
    if (row_ == 0) {
        out += "t";
        for (const auto& pair : solution_.pairs)
            fmt::format_to(std::back_inserter(out), ",u{},pu{}", pair.index, pair.index);
        out += '\n';
    }
    const auto columns = std::max<std::size_t>(solution_.pairs.size(), 1);
    const auto rows = std::clamp<std::size_t>(block_values / columns, 1, t_.size() - row_);
    const auto first = t_.begin() + static_cast<std::ptrdiff_t>(row_);
    const std::vector<double> t(first, first + static_cast<std::ptrdiff_t>(rows));
    std::vector<std::vector<sturm::Eigenfunction::Value>> block;
    for (const auto& pair : solution_.pairs)
        block.push_back(has_function(pair)
                            ? pair.function.at(t)
                            : std::vector(rows, sturm::Eigenfunction::Value{NAN, NAN}));
    for (std::size_t i = 0; i < rows; ++i) {
        fmt::format_to(std::back_inserter(out), "{}", t[i]);
        for (const auto& column : block)
            fmt::format_to(std::back_inserter(out), ",{},{}", column[i].u, column[i].pu);
        out += '\n';
    }
    row_ += rows;
    return true;
}

ExitCode report_failures(const sturm::Solution& solution) {
    std::map<sturm::Status, std::vector<std::size_t>> failed;
    for (const auto& pair : solution.pairs)
        if (pair.status != sturm::Status::ok) failed[pair.status].push_back(pair.index);
    for (const auto& [status, indices] : failed) {
        const auto others = indices.size() - 1;
        const auto which = others == 0 ? fmt::format("eigenvalue {}", indices[0])
                           : others == 1
                               ? fmt::format("eigenvalues {} and {}", indices[0], indices[1])
                               : fmt::format("eigenvalue {} and {} others", indices[0], others);
        tell(fmt::format("deepsl: error: {}: {}\n", which, sturm::sentence(status)));
    }
    return failed.empty() ? ExitCode::ok : ExitCode::failure;
}

}  // namespace deepsl::cli
