#include "deepsl/field/method.h"

#include <algorithm>
#include <cmath>

#include <fmt/format.h>

#include "deepsl/error.h"

namespace deepsl::field {
namespace {

bool finite(const std::vector<double>& row) {
    return std::all_of(row.begin(), row.end(), [](double c) { return std::isfinite(c); });
}

}  // namespace

const Method& rk4() {
    static const Method method = [] {
        const std::vector<double> b{1.0 / 6, 1.0 / 3, 1.0 / 3, 1.0 / 6};
        Method m{4, {{}, {0.5}, {0.0, 0.5}, {0.0, 0.0, 1.0}, b}, {}, {}};
        // The cubic through both ends with their slopes: (3s^2 - 2s^3) times the step,
        // (s - 2s^2 + s^3) times the first slope and (s^3 - s^2) times the last.
        for (const double weight : b) m.dense.push_back({0.0, 3.0 * weight, -2.0 * weight});
        m.dense[0][0] += 1.0;
        m.dense[0][1] -= 2.0;
        m.dense[0][2] += 1.0;
        m.dense.push_back({0.0, -1.0, 1.0});
        return m;
    }();
    return method;
}

// Dormand and Prince 1980; dense output after Shampine 1986.
const Method& dormand_prince() {
    static const Method method{
        5,
        {{},
         {1.0 / 5},
         {3.0 / 40, 9.0 / 40},
         {44.0 / 45, -56.0 / 15, 32.0 / 9},
         {19372.0 / 6561, -25360.0 / 2187, 64448.0 / 6561, -212.0 / 729},
         {9017.0 / 3168, -355.0 / 33, 46732.0 / 5247, 49.0 / 176, -5103.0 / 18656},
         {35.0 / 384, 0.0, 500.0 / 1113, 125.0 / 192, -2187.0 / 6784, 11.0 / 84}},
        {{1.0, -8048581381.0 / 2820520608, 8663915743.0 / 2820520608, -12715105075.0 / 11282082432},
         {0.0, 0.0, 0.0, 0.0},
         {0.0, 131558114200.0 / 32700410799, -68118460800.0 / 10900136933,
          87487479700.0 / 32700410799},
         {0.0, -1754552775.0 / 470086768, 14199869525.0 / 1410260304, -10690763975.0 / 1880347072},
         {0.0, 127303824393.0 / 49829197408, -318862633887.0 / 49829197408,
          701980252875.0 / 199316789632},
         {0.0, -282668133.0 / 205662961, 2019193451.0 / 616988883, -1453857185.0 / 822651844},
         {0.0, 40617522.0 / 29380423, -110615467.0 / 29380423, 69997945.0 / 29380423}},
        {71.0 / 57600, 0.0, -71.0 / 16695, 71.0 / 1920, -17253.0 / 339200, 22.0 / 525, -1.0 / 40}};
    return method;
}

const Method& straight() {
    static const Method method{1, {{}}, {{1.0}}, {}};
    return method;
}

const Method& method_of(MethodKind kind) {
    switch (kind) {
        case MethodKind::rk4: return rk4();
        case MethodKind::dormand_prince: return dormand_prince();
    }
    return rk4();
}

void check_method(const Method& m) {
    const auto refuse = [](const std::string& what) {
        throw argument_error("a Runge-Kutta method " + what);
    };
    if (m.order < 1) refuse(fmt::format("has an order of 1 or more, but {} was given", m.order));
    if (m.stages() < 1 || m.stages() > Method::max_stages)
        refuse(
            fmt::format("has 1 to {} stages, but {} were given", Method::max_stages, m.stages()));
    for (std::size_t i = 0; i < m.stages(); ++i)
        if (m.a[i].size() != i || !finite(m.a[i]))
            refuse(
                fmt::format("needs {} finite weights of earlier stages in row {} of a, but that "
                            "has {}",
                            i, i + 1, m.a[i].size()));
    if (m.dense.size() != m.stages())
        refuse(fmt::format("needs a row of dense output for each of its {} stages, but has {}",
                           m.stages(), m.dense.size()));
    for (const auto& row : m.dense)
        if (row.empty() || row.size() != m.degree() || !finite(row))
            refuse(
                fmt::format("needs rows of dense output of one length, and finite, but one of "
                            "{} numbers and one of {} were given",
                            m.degree(), row.size()));
    if (m.adaptive() && (m.error.size() != m.stages() || !finite(m.error)))
        refuse(
            fmt::format("needs a finite weight of the error for each of its {} stages, or none "
                        "at all, but has {}",
                        m.stages(), m.error.size()));
    // The slope at the end of one step begins the next: they must be the same place.
    if (m.stages() == 1) return;
    const DenseWeights end(m, 1.0);
    for (std::size_t i = 0; i < m.stages(); ++i) {
        const double step = i + 1 < m.stages() ? m.a.back()[i] : 0.0;
        if (std::fabs(end.b[i] - step) > 1e-9)
            refuse(
                fmt::format("must end its dense output where the last stage lies, but stage {} "
                            "has the weight {:g} there, not {:g}",
                            i + 1, end.b[i], step));
    }
}

DenseTable::DenseTable(const Method& method) : stages(method.stages()), degree(method.degree()) {
    for (std::size_t i = 0; i < stages; ++i)
        for (std::size_t j = 0; j < degree; ++j) power[j][i] = method.dense[i][j];
    // The control point j = 1..D of a curve sum_l c_l s^l is sum_l C(j, l) / C(D, l) c_l.
    for (std::size_t j = 1; j <= degree; ++j) {
        double ratio = 1.0;
        for (std::size_t l = 1; l <= j; ++l) {
            ratio *= static_cast<double>(j - l + 1) / static_cast<double>(degree - l + 1);
            for (std::size_t i = 0; i < stages; ++i) {
                control[j - 1][i] += ratio * power[l - 1][i];
                // What cancels, cancels: a slope without influence need not be read.
                if (std::fabs(control[j - 1][i]) < 1e-15) control[j - 1][i] = 0.0;
            }
        }
    }
}

}  // namespace deepsl::field
