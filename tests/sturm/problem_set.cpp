#include "problem_set.h"

#include <cmath>
#include <numbers>

namespace deepsl::sturm::testing {

namespace {

constexpr double pi = std::numbers::pi;

double square(double x) { return x * x; }

double one(double) { return 1.0; }
double zero(double) { return 0.0; }

using Values = std::vector<double>;

// The first ten values of a formula in n.
template <typename Formula>
Values closed_form(Formula formula) {
    Values values;
    for (double n = 1; n <= 10; ++n) values.push_back(formula(n));
    return values;
}

constexpr const char* two_methods = "two independent methods in extended precision";
constexpr BoundaryCondition dirichlet = BoundaryCondition::dirichlet();
constexpr BoundaryCondition neumann = BoundaryCondition::neumann();

std::vector<NamedProblem> make() {
    std::vector<NamedProblem> set;
    const auto add = [&](const char* name, Problem problem, const char* source, Values lambda) {
        set.push_back({name, std::move(problem), source, std::move(lambda)});
    };

    add("fourier_DD", {one, zero, one, 0, pi, dirichlet, dirichlet, {}}, "closed form: n^2",
        closed_form([](double n) { return n * n; }));

    add("fourier_NN", {one, zero, one, 0, pi, neumann, neumann, {}}, "closed form: (n - 1)^2",
        closed_form([](double n) { return (n - 1) * (n - 1); }));

    add("fourier_DN", {one, zero, one, 0, pi, dirichlet, neumann, {}}, "closed form: (n - 1/2)^2",
        closed_form([](double n) { return (n - 0.5) * (n - 0.5); }));

    add("const_p2_q3_w5",
        {[](double) { return 2.0; },
         [](double) { return 3.0; },
         [](double) { return 5.0; },
         0,
         1,
         dirichlet,
         dirichlet,
         {}},
        "closed form: (3 + 2 n^2 pi^2) / 5",
        closed_form([](double n) { return (3 + 2 * n * n * pi * pi) / 5; }));

    add("euler_w",
        {one,
         zero,
         [](double t) { return 1.0 / ((1.0 + t) * (1.0 + t)); },
         0,
         1,
         dirichlet,
         dirichlet,
         {}},
        "closed form: 1/4 + (n pi / ln 2)^2",
        closed_form([](double n) { return 0.25 + square(n * pi / std::log(2.0)); }));

    add("euler_p",
        {[](double t) { return (1.0 + t) * (1.0 + t); }, zero, one, 0, 1, dirichlet, dirichlet, {}},
        "closed form: 1/4 + (n pi / ln 2)^2",
        closed_form([](double n) { return 0.25 + square(n * pi / std::log(2.0)); }));

    add("damped_exp6",
        {[](double t) { return std::exp(6.0 * t); },
         zero,
         [](double t) { return std::exp(6.0 * t); },
         0,
         1,
         dirichlet,
         dirichlet,
         {}},
        "closed form: 9 + n^2 pi^2", closed_form([](double n) { return 9 + n * n * pi * pi; }));

    add("invsq_p",
        {[](double t) { return 1.0 / ((1.0 + t) * (1.0 + t)); },
         zero,
         [](double t) { return (1.0 + t) * (1.0 + t); },
         0,
         1,
         dirichlet,
         dirichlet,
         {}},
        "closed form: (3 n pi / 7)^2",
        closed_form([](double n) { return square(3 * n * pi / 7); }));

    add("annulus_J0",
        {[](double t) { return t; },
         zero,
         [](double t) { return t; },
         1,
         2,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {9.7533221247507149, 39.355995657592581, 88.702633308924490, 157.78935244585416,
         246.61554981530917, 355.18106512068858, 483.48584154279693, 631.52985490343914,
         799.31309352079260, 986.83555119640043});

    add("airy_100", {one, [](double t) { return 100.0 * t; }, one, 0, 1, dirichlet, dirichlet, {}},
        two_methods,
        {50.435199870015152, 91.294806361367372, 140.69531146998251, 209.10419623479223,
         297.53359900405549, 405.86776009601977, 534.02826122437861, 681.97678667290924,
         849.69372946113224, 1037.1683534266179});

    add("two_layer_string",
        {one, zero, [](double t) { return 1.0 + 3.0 * (t > 0.5); }, 0, 1, dirichlet, dirichlet, {}},
        two_methods,
        {3.6505193634593980, 19.119211612999198, 39.478417604357434, 67.138662322634467,
         113.54473907125387, 157.91367041742974, 209.58364049052440, 286.92710173822341,
         355.30575843921691, 430.98545386712921});

    add("paine1", {one, [](double t) { return std::exp(t); }, one, 0, pi, dirichlet, dirichlet, {}},
        two_methods,
        {4.8966693799676915, 10.045189893253742, 16.019267250492221, 23.266270940022343,
         32.263707045804468, 43.220019640534140, 56.181594022847584, 71.152997537057827,
         88.132119191546188, 107.11667613826781});

    add("mathieu_r1",
        {one,
         [](double t) { return 2.0 * std::cos(2.0 * t); },
         one,
         0,
         pi,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {-0.11024881699209513, 3.9170247729984714, 9.0477392598093757, 16.032970081405796,
         25.020840823289768, 36.014289910628225, 49.010418249423876, 64.007937189249877,
         81.006250326632585, 100.00505067515947});

    add("mathieu_r5",
        {one,
         [](double t) { return 10.0 * std::cos(2.0 * t); },
         one,
         0,
         pi,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {-5.7900805986377710, 2.0994604454866654, 9.2363277136937017, 16.648219937169778,
         25.510816046303223, 36.358866848029368, 49.261383111346417, 64.198840539302239,
         81.156454955870193, 100.12636921560184});

    add("coffey_evans_20",
        {one,
         [](double t) {
             return -40.0 * std::cos(2.0 * t) + 400.0 * std::sin(2.0 * t) * std::sin(2.0 * t);
         },
         one,
         -pi / 2,
         pi / 2,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {1.9943898962870854e-16, 77.916195677143971, 151.46277834645663, 151.46322365765864,
         151.46366898835165, 220.15422983525995, 283.09481469540141, 283.25074374311261,
         283.40873540342927, 339.37066565252240});

    add("coffey_evans_50",
        {one,
         [](double t) {
             return -100.0 * std::cos(2.0 * t) + 2500.0 * std::sin(2.0 * t) * std::sin(2.0 * t);
         },
         one,
         -pi / 2,
         pi / 2,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {-3.8109706362865481e-17, 197.96872651650729, 391.80819148905384, 391.80819148905388,
         391.80819148905388, 581.37710923157965, 766.51682728553265, 766.51682728553556,
         766.51682728553842, 947.04749158586018});

    add("marletta_robin",
        {one,
         [](double t) { return 3.0 * (t - 31.0) / (4.0 * (t + 1.0) * (t + 4.0) * (t + 4.0)); },
         one,
         0,
         12,
         {5, 8},
         dirichlet,
         {}},
        two_methods,
        {-1.1852141047506022, 0.044824295667482853, 0.27232748604872780, 0.65758358764866272,
         1.1907062889168428, 1.8667910099355141, 2.6832891407606717, 3.6388390636604011,
         4.7326859227503467, 5.9643938628745936});

    add("gelfand_levitan_robin",
        {one,
         [](double t) {
             return 2.0 *
                    ((1.0 + t / 2.0 + std::sin(2.0 * t) / 4.0) * std::sin(2.0 * t) +
                     std::cos(t) * std::cos(t) * std::cos(t) * std::cos(t)) /
                    ((1.0 + t / 2.0 + std::sin(2.0 * t) / 4.0) *
                     (1.0 + t / 2.0 + std::sin(2.0 * t) / 4.0));
         },
         one,
         0,
         100,
         {1, 1},
         dirichlet,
         {}},
        two_methods,
        {0.00024681178723103410, 0.0022213073509308973, 0.0061703052711105437, 0.012093819335295840,
         0.019991870740992050, 0.029864488747814347, 0.041711711604665475, 0.055533587808292019,
         0.071330177773388440, 0.089101556026765422});

    add("quartic_trunc",
        {one, [](double t) { return t * t * t * t; }, one, -6, 6, dirichlet, dirichlet, {}},
        two_methods,
        {1.0603620904841829, 3.7996730298013942, 7.4556979379867384, 11.644745511378162,
         16.261826018850226, 21.238372918235940, 26.528471183682518, 32.098597710968327,
         37.923001027033985, 43.981158097289731});

    add("mp_ex2_DN",
        {[](double t) { return (1.0 + t) * (1.0 + t); },
         [](double t) { return t * t - 2.0; },
         [](double t) { return std::exp(t); },
         0,
         1,
         dirichlet,
         neumann,
         {}},
        two_methods,
        {1.1704927599022443, 26.863367646409992, 78.549045264140030, 156.08015622482327,
         259.45547621093015, 388.67479060077282, 543.73803712932697, 724.64519228221288,
         931.39624556775151, 1163.9911917274569});

    add("large_q_well",
        {one,
         [](double t) { return -2000.0 * t * (1.0 - t); },
         one,
         0,
         1,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {-455.27416978413756, -365.74668176816371, -275.60294023789114, -182.84334919503405,
         -83.216181366873988, 28.677810502416710, 157.11853065745697, 304.34698255109546,
         471.19927684877104, 657.90607324804243});

    add("osc_q_large",
        {one,
         [](double t) { return 1000.0 * std::cos(20.0 * t); },
         one,
         0,
         1,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {-579.81630140684662, -579.39434757064607, -579.05718084423776, 190.16857128271864,
         200.26350703530088, 208.69085552000607, 769.51423118903093, 835.02329559088394,
         909.19906941173208, 1219.2060467657714});

    add("kink_pqw",
        {[](double t) { return 1.0 + 0.8 * std::fabs(t - 0.5); },
         [](double t) { return 50.0 * std::fabs(t - 0.3); },
         [](double t) { return 1.0 + 2.0 * std::fabs(t - 0.7); },
         0,
         1,
         dirichlet,
         dirichlet,
         {}},
        two_methods,
        {14.227876933456482, 42.447295275970774, 79.641019060382687, 131.11378769172339,
         200.68184347225381, 285.37128374535304, 382.32875602636736, 496.42208195622484,
         626.50169897261293, 771.56324379308584});

    return set;
}

}  // namespace

const std::vector<NamedProblem>& problem_set() {
    static const std::vector<NamedProblem> set = make();
    return set;
}

}  // namespace deepsl::sturm::testing
