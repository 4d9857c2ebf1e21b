#include "solve.h"

#include <algorithm>
#include <cmath>
#include <string_view>
#include <tuple>
#include <utility>

#include <fmt/format.h>
#include <unistd.h>

#include "coefficient_table.h"
#include "deepsl/io/file.h"
#include "deepsl/sturm/solver.h"
#include "expression.h"
#include "file.h"
#include "machine.h"
#include "parse.h"
#include "picture.h"
#include "progress.h"
#include "solve_report.h"
#include "text.h"
#include "values.h"

namespace deepsl::cli {
namespace {

constexpr std::size_t most_eigenvalues = 100000;
constexpr std::size_t most_points = 1000000;

constexpr const char* examples = R"text(Examples:
  deepsl solve --p "exp(6*t)" --q 0 --w "exp(6*t)" --interval 0 1 -n 10
  deepsl solve --q "t^2" --interval -8 8 --tol 1e-12 --plot oscillator.svg
  deepsl solve --p "t < 0.5 ? 1 : 4" --breaks 0.5 --bc-left neumann --bc-right 1,-2
  deepsl solve --q "20*cos(2*t)" --interval 0 pi --range -20,50 --json
  deepsl solve --table rod.csv --eigenfunctions modes.csv --quiet

Formulas: the variable is t; + - * / ^ (power), < <= > >= == != && || as 0 or 1, a ? b : c,
exp log sqrt sin cos tan abs fabs pow min max floor and others, pi and e.
Exit codes: 0 solved, 1 failed, 2 the command is wrong, 3 the data are wrong, 130 Ctrl-C,
143 SIGTERM.)text";

/// The flags that say the same thing in two ways.
void check_combinations(const CLI::App& verb) {
    constexpr std::pair<const char*, const char*> rivals[] = {
        {"--table", "--p"},        {"--table", "--q"},     {"--table", "--w"},
        {"--table", "--interval"}, {"--range", "--count"}, {"--range", "--from"},
        {"--json", "--quiet"},     {"--json", "--draw"},   {"--quiet", "--draw"}};
    for (const auto& [one, other] : rivals) {
        if (verb.count(one) != 0 && verb.count(other) != 0) {
            throw argument_error(
                fmt::format("{} and {} cannot be given together; drop one of them", one, other));
        }
    }
}

StatedProblem read_problem(const SolveArguments& arguments) {
    StatedProblem stated;
    auto& problem = stated.problem;
    problem.left = boundary("--bc-left", arguments.bc_left);
    problem.right = boundary("--bc-right", arguments.bc_right);
    if (arguments.table.empty()) {
        problem.p = parse_expression("--p", stated.p = arguments.p);
        problem.q = parse_expression("--q", stated.q = arguments.q);
        problem.w = parse_expression("--w", stated.w = arguments.w);
        std::tie(problem.a, problem.b) = pair_of("--interval", arguments.interval);
        stated.a = split_list(arguments.interval)[0];
        stated.b = split_list(arguments.interval)[1];
        if (problem.a >= problem.b) {
            throw argument_error(fmt::format(
                "--interval {},{} {}; give the smaller end first, as in --interval 0 1", problem.a,
                problem.b, problem.a == problem.b ? "has length zero" : "is reversed"));
        }
    } else {
        const auto table = read_coefficient_table(arguments.table);
        problem.p = interpolate(table.t, table.p);
        problem.q = interpolate(table.t, table.q);
        problem.w = interpolate(table.t, table.w);
        problem.a = table.t.front();
        problem.b = table.t.back();
        problem.breaks.assign(table.t.begin() + 1, table.t.end() - 1);
        stated.p = stated.q = stated.w = "table";
        stated.a = fmt::format("{}", problem.a);
        stated.b = fmt::format("{}", problem.b);
    }
    if (arguments.breaks.empty()) return stated;
    for (const auto& item : split_list(arguments.breaks)) {
        const double place = number_of("--breaks", item);
        if (place < problem.a || place > problem.b) {
            throw argument_error(fmt::format("--breaks: {} lies outside the interval [{}, {}]",
                                             place, problem.a, problem.b));
        }
        problem.breaks.push_back(place);
    }
    return stated;
}

/// Neither a script that asked for silence nor one that reads JSON is told how far the work is.
bool shows_progress(const SolveArguments& arguments) { return !arguments.quiet && !arguments.json; }

/// Tells the line how far the work is, and ends it at Ctrl-C or SIGTERM.
auto watched_by(ProgressLine& line) {
    return [&line](std::size_t done, std::size_t count) {
        const double share = static_cast<double>(done) / static_cast<double>(count);
        if (Interrupt::asked())
            throw Interrupted(
                fmt::format("stopped by {} at {:.0f} % of the search, before there was a result; "
                            "fewer eigenvalues or a larger --tol take less time",
                            Interrupt::name(), 100.0 * share));
        line.set(share);
    };
}

sturm::Solution find_eigenvalues(const sturm::Problem& problem, const SolveArguments& arguments) {
    const Interrupt interrupt;
    sturm::SolveOptions options;
    const auto tolerance = to_number<double>(arguments.tolerance);
    if (!tolerance || !(*tolerance >= 1e-13 && *tolerance <= 0.1)) {
        throw argument_error(
            fmt::format("--tol takes a number from 1e-13 to 0.1, but {} was "
                        "given",
                        shown(arguments.tolerance)));
    }
    options.tolerance = *tolerance;
    if (!arguments.max_cells.empty())
        options.max_cells = whole_number_of("--max-cells", arguments.max_cells, 32, 10000000);
    if (!arguments.range.empty()) {
        const auto [low, high] = pair_of("--range", arguments.range);
        if (low > high) {
            throw argument_error(
                fmt::format("--range {},{} is empty; give the smaller number first", low, high));
        }
        ProgressLine progress(shows_progress(arguments),
                              fmt::format("finding the eigenvalues from {} to {}", low, high));
        options.progress = watched_by(progress);
        return sturm::solve(problem, sturm::Range{low, high}, options);
    }
    const sturm::Indices indices{whole_number_of("--from", arguments.from, 1, most_eigenvalues),
                                 whole_number_of("-n", arguments.count, 1, most_eigenvalues)};
    ProgressLine progress(shows_progress(arguments),
                          indices.count == 1 ? "finding the eigenvalue"
                                             : "finding " + counted(indices.count, "eigenvalue"));
    options.progress = watched_by(progress);
    return sturm::solve(problem, indices, options);
}

void write_eigenfunctions(const SolveArguments& arguments, const sturm::Solution& solution,
                          std::vector<double> t) {
    const Interrupt interrupt;
    const auto file = shown(arguments.eigenfunctions);
    ProgressLine progress(shows_progress(arguments), fmt::format("writing {}", file));
    CsvBlocks blocks(solution, std::move(t));
    io::write_stream(arguments.eigenfunctions, [&](std::string& block) {
        if (Interrupt::asked()) {
            throw Interrupted(
                fmt::format("interrupted at {:.0f} % of {}, which is left as it was; "
                            "fewer --points take less time",
                            100.0 * blocks.share(), file));
        }
        progress.set(blocks.share());
        return blocks.next(block);
    });
}

/// With the true minus sign and prime instead of those of the keyboard.
std::string typeset(const std::string& text) {
    std::string out;
    for (const char c : text) out += c == '-' ? "−" : c == '\'' ? "′" : std::string(1, c);
    return out;
}

Picture picture_of(const StatedProblem& stated, const sturm::Solution& solution,
                   std::size_t curves) {
    Picture picture;
    picture.title = typeset(equation_text(stated));
    picture.subtitle = typeset(conditions_text(stated));
    picture.t = grid(stated.problem, 601);
    const auto sampled = [&](const sturm::Problem::Function& function) {
        std::vector<double> values;
        for (const double t : picture.t) values.push_back(function(t));
        return values;
    };
    picture.coefficients = {{"p", formula_text(stated.p), sampled(stated.problem.p)},
                            {"q", formula_text(stated.q), sampled(stated.problem.q)},
                            {"w", formula_text(stated.w), sampled(stated.problem.w)}};
    for (const auto& pair : solution.pairs) {
        if (!has_function(pair)) continue;
        // Rounding left over from an eigenvalue that is 0 would be all its label says.
        const bool is_zero = std::fabs(pair.lambda) <= pair.error_estimate;
        picture.spectrum.push_back({pair.index, is_zero ? 0.0 : pair.lambda, {}});
        if (picture.spectrum.size() > curves) continue;
        for (const auto& value : pair.function.at(picture.t))
            picture.spectrum.back().u.push_back(value.u);
    }
    return picture;
}

}  // namespace

CLI::App* add_solve(CLI::App& app, SolveArguments& arguments) {
    auto* verb = app.add_subcommand(
        "solve", "Eigenvalues and eigenfunctions of -(p u')' + q u = lambda w u on [a, b]");
    verb->allow_extras();
    verb->footer(examples);
    verb->get_formatter()->column_width(32);
    const auto add = [verb](const char* names, std::string& value, const char* type,
                            const char* description, const char* group) {
        add_value(verb, names, value, type, description, group);
    };
    const auto* problem = "Problem";
    add("--p", arguments.p, "FORMULA", "Coefficient p(t) > 0 (default 1)", problem);
    add("--q", arguments.q, "FORMULA", "Coefficient q(t) (default 0)", problem);
    add("--w", arguments.w, "FORMULA", "Weight w(t) > 0 (default 1)", problem);
    add("--interval", arguments.interval, "A B", "Ends of the interval (default 0 1)", problem);
    add("--bc-left", arguments.bc_left, "A1,A2",
        "A1 u + A2 p u' = 0 at A; or dirichlet (default), neumann", problem);
    add("--bc-right", arguments.bc_right, "A1,A2", "The same at B", problem);
    add("--breaks", arguments.breaks, "T1,T2,...", "Points where a coefficient jumps or bends",
        problem);
    add("--table", arguments.table, "FILE.csv", "Take t, p, q, w from a table instead", problem);

    const auto* wanted = "Eigenvalues";
    add("-n,--count", arguments.count, "N", "How many (default 10)", wanted);
    add("--from", arguments.from, "K", "Number of the first one (default 1)", wanted);
    add("--range", arguments.range, "LOW,HIGH", "All between two values instead", wanted);
    add("--tol", arguments.tolerance, "X", "Error allowed, times max(1, |lambda|) (default 1e-10)",
        wanted);
    add("--max-cells", arguments.max_cells, "N", "Limit of the mesh", wanted);

    const auto* output = "Output";
    verb->add_flag("--json", arguments.json, "Print JSON in full precision")->group(output);
    verb->add_flag("--quiet", arguments.quiet, "Print no table and no progress")->group(output);
    verb->add_flag("--draw", arguments.draw, "Draw eigenfunctions even if this is no terminal")
        ->group(output);
    add("--eigenfunctions", arguments.eigenfunctions, "FILE.csv", "Write t,u1,pu1,u2,pu2,...",
        output);
    add("--points", arguments.points, "N", "Rows of that file (default 401)", output);
    add("--plot", arguments.plot, "FILE.svg", "Write a picture", output);
    return verb;
}

ExitCode run_solve(const CLI::App& verb, const SolveArguments& arguments) {
    check_words(verb, "every value follows its flag, and a formula with blanks is put in quotes");
    check_combinations(verb);
    const auto points = whole_number_of("--points", arguments.points, 2, most_points);
    check_distinct("--plot", arguments.plot, {arguments.eigenfunctions, arguments.table});
    check_distinct("--eigenfunctions", arguments.eigenfunctions, {arguments.table});
    const auto stated = read_problem(arguments);
    for (const auto& output : {arguments.plot, arguments.eigenfunctions})
        if (!output.empty()) check_writable(output);
    const auto solution = find_eigenvalues(stated.problem, arguments);

    // The table comes first: a disk that is full must not cost the result.
    if (arguments.json) {
        print(json_text(stated, solution));
    } else if (!arguments.quiet) {
        auto text = table_text(stated, solution, *to_number<double>(arguments.tolerance));
        if (arguments.draw || ::isatty(STDOUT_FILENO) == 1)
            text += text_picture(picture_of(stated, solution, text_curves));
        print(text);
    }
    if (!arguments.eigenfunctions.empty())
        write_eigenfunctions(arguments, solution, grid(stated.problem, points));
    if (!arguments.plot.empty())
        io::write_file(arguments.plot, svg_picture(picture_of(stated, solution, svg_curves)));
    return report_failures(solution);
}

}  // namespace deepsl::cli
