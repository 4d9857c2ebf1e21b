#include "deepsl/model/eigenpairs.h"

#include <memory>
#include <utility>

#include <ATen/Parallel.h>

namespace deepsl::model {
namespace {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

std::span<const double> view(const Tensor& tensor) {
    if (!tensor.defined()) return {};
    return {tensor.data_ptr<double>(), static_cast<std::size_t>(tensor.numel())};
}

std::span<double> room(const Tensor& tensor) {
    return {tensor.data_ptr<double>(), static_cast<std::size_t>(tensor.numel())};
}

struct Shape {
    std::int64_t problems, cells, nodes, d;
};

Shape shape_of(const LineProblems& p, std::int64_t d) {
    TORCH_CHECK(p.P.dim() == 3 && p.q.sizes() == p.P.sizes() && p.w.sizes() == p.P.sizes(),
                "P, q and w must have one shape [problem, cell, node], but have ", p.P.sizes(),
                ", ", p.q.sizes(), " and ", p.w.sizes());
    const Shape s{p.P.size(0), p.P.size(1), p.P.size(2), d};
    TORCH_CHECK(s.nodes == static_cast<std::int64_t>(nodes_per_cell(p.scheme)), "the scheme takes ",
                nodes_per_cell(p.scheme), " nodes a cell, but P has ", s.nodes);
    TORCH_CHECK(
        p.length.dim() == 2 && p.length.size(0) == s.problems && p.length.size(1) == s.cells,
        "length must be [", s.problems, ", ", s.cells, "], but is ", p.length.sizes());
    TORCH_CHECK(p.P_start.numel() == s.problems, "P_start needs one number for each of ",
                s.problems, " problems, but is ", p.P_start.sizes());
    TORCH_CHECK(!p.v.defined() || (p.v.dim() == 2 && p.v.size(0) == s.problems && p.v.size(1) == d),
                "v must be [", s.problems, ", ", d, "], but is ", p.v.sizes());
    TORCH_CHECK(d > 0, "d must be 1 or more, but is ", d);
    TORCH_CHECK(s.cells % 2 == 0, "the cells must be even in number, but are ", s.cells);
    return s;
}

sturm::CellProblems problems_of(const variable_list& in, const Shape& s, sturm::Scheme scheme) {
    return {static_cast<std::size_t>(s.problems),
            static_cast<std::size_t>(s.cells),
            scheme,
            view(in[0]),
            view(in[1]),
            view(in[2]),
            view(in[3]),
            {},
            {}};
}

sturm::CellOptions options_of(const variable_list& in, const Shape& s, bool all_edges) {
    sturm::CellOptions options;
    options.count = static_cast<std::size_t>(s.d);
    options.edge = static_cast<std::size_t>(s.cells / 2);
    options.P_start = view(in[4]);
    options.v = view(in[5]);
    options.all_edges = all_edges;
    return options;
}

/// Calls f(begin, end) for ranges of problems on all threads.
template <class F>
void for_problems(std::int64_t count, F f) {
    at::parallel_for(0, count, 4, [&](std::int64_t begin, std::int64_t end) {
        f(static_cast<std::size_t>(begin), static_cast<std::size_t>(end));
    });
}

/// What the backward sweep needs, beside the inputs.
struct Solved : torch::CustomClassHolder {
    Shape shape{};
    sturm::Scheme scheme{};
    sturm::CellSolution solution;
};

class EigenFunction : public torch::autograd::Function<EigenFunction> {
public:
    static variable_list forward(AutogradContext* context, const Tensor& P, const Tensor& q,
                                 const Tensor& w, const Tensor& length, const Tensor& P_start,
                                 const c10::optional<Tensor>& v,
                                 const c10::intrusive_ptr<Solved>& solved, bool all_edges) {
        const auto& s = solved->shape;
        const variable_list in{P, q, w, length, P_start, v.value_or(Tensor())};
        const auto problems = problems_of(in, s, solved->scheme);
        const auto options = options_of(in, s, all_edges);
        auto& solution = solved->solution;
        solution = sturm::make_solution(problems, options);
        for_problems(s.problems, [&](std::size_t begin, std::size_t end) {
            sturm::solve(problems, options, begin, end, solution);
        });
        context->save_for_backward(in);
        context->saved_data["solved"] = c10::IValue::make_capsule(solved);

        const auto wide = torch::TensorOptions().dtype(torch::kFloat64);
        const auto lambda = torch::empty({s.problems, s.d}, wide);
        const auto u = torch::empty({s.problems, s.d}, wide);
        std::copy(solution.lambda.begin(), solution.lambda.end(), room(lambda).begin());
        std::copy(solution.u.begin(), solution.u.end(), room(u).begin());
        return {lambda, u};
    }

    static variable_list backward(AutogradContext* context, const variable_list& seeds) {
        const auto in = context->get_saved_variables();
        const auto solved =
            c10::static_intrusive_pointer_cast<Solved>(context->saved_data["solved"].toCapsule());
        const auto& s = solved->shape;
        const auto problems = problems_of(in, s, solved->scheme);
        const auto options = options_of(in, s, false);
        const auto d_lambda = seeds[0].defined() ? seeds[0].contiguous() : Tensor();
        const auto d_u = seeds[1].defined() ? seeds[1].contiguous() : Tensor();
        const sturm::CellSeeds seed{view(d_lambda), view(d_u), {}};
        auto gradient = sturm::make_gradient(problems, options);
        for_problems(s.problems, [&](std::size_t begin, std::size_t end) {
            sturm::gradient(problems, options, solved->solution, seed, begin, end, gradient);
        });
        variable_list result;
        const std::vector<double>* parts[] = {&gradient.P,      &gradient.q,       &gradient.w,
                                              &gradient.length, &gradient.P_start, &gradient.v};
        for (std::size_t i = 0; i < 6; ++i) {
            if (!in[i].defined()) {
                result.emplace_back();
                continue;
            }
            const auto tensor = torch::empty_like(in[i]);
            std::copy(parts[i]->begin(), parts[i]->end(), room(tensor).begin());
            result.push_back(tensor);
        }
        result.resize(8);
        return result;
    }
};

}  // namespace

Eigenpairs eigenpairs(const LineProblems& problems, std::int64_t d, bool all_edges) {
    const auto wide = [](const Tensor& t) { return t.to(torch::kFloat64).contiguous(); };
    auto solved = c10::make_intrusive<Solved>();
    solved->shape = shape_of(problems, d);
    solved->scheme = problems.scheme;
    const auto out = EigenFunction::apply(
        wide(problems.P), wide(problems.q), wide(problems.w), wide(problems.length),
        wide(problems.P_start).reshape({-1}),
        problems.v.defined() ? c10::make_optional(wide(problems.v)) : c10::nullopt, solved,
        all_edges);

    const auto& s = solved->shape;
    const auto& solution = solved->solution;
    Eigenpairs pairs{out[0],
                     out[1],
                     torch::empty({s.problems, d}, torch::kUInt8),
                     torch::empty({s.problems, d}, torch::kInt32),
                     {},
                     {}};
    std::transform(solution.status.begin(), solution.status.end(),
                   pairs.status.data_ptr<std::uint8_t>(),
                   [](sturm::Status status) { return static_cast<std::uint8_t>(status); });
    std::copy(solution.passes.begin(), solution.passes.end(), pairs.passes.data_ptr<int>());
    if (all_edges) {
        pairs.u_edges =
            torch::tensor(solution.u_edges, torch::kFloat64).reshape({s.problems, d, s.cells + 1});
        pairs.f_edges =
            torch::tensor(solution.f_edges, torch::kFloat64).reshape({s.problems, d, s.cells + 1});
    }
    return pairs;
}

}  // namespace deepsl::model
