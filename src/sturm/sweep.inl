// Vectors of four lanes, and solutions followed along a line in them. A part of kernel.inl.

// Sweeps must be inlined into their loops, or the state leaves the registers at every piece.
#define DEEPSL_INLINE [[gnu::always_inline]] inline

using V = double __attribute__((vector_size(32)));
using Bits = unsigned long long __attribute__((vector_size(32)));
using Mask = decltype(V{} < V{});

DEEPSL_INLINE V load(const Lanes& x) { return *reinterpret_cast<const V*>(x.at); }
DEEPSL_INLINE void store(Lanes& x, V v) { *reinterpret_cast<V*>(x.at) = v; }
DEEPSL_INLINE V splat(double x) { return V{x, x, x, x}; }
DEEPSL_INLINE V magnitude(V x) {
    return reinterpret_cast<V>(reinterpret_cast<Bits>(x) & ~0ull >> 1);
}
DEEPSL_INLINE V select(Mask m, V yes, V no) { return m ? yes : no; }
DEEPSL_INLINE double largest(V x) {
    double m = x[0];
    for (std::size_t i = 1; i < lanes; ++i) m = x[i] > m ? x[i] : m;
    return m;
}
DEEPSL_INLINE double total(V x) { return (x[0] + x[1]) + (x[2] + x[3]); }
// The totals of four, in one vector.
DEEPSL_INLINE V totals(const V* x) {
    const auto pairs = [](V y, V z) {
        return __builtin_shufflevector(y, z, 0, 4, 2, 6) +
               __builtin_shufflevector(y, z, 1, 5, 3, 7);
    };
    const V y = pairs(x[0], x[1]), z = pairs(x[2], x[3]);
    return __builtin_shufflevector(y, z, 0, 1, 4, 5) + __builtin_shufflevector(y, z, 2, 3, 6, 7);
}

// The polynomial of degree D next to the sum of Y^j / (2j + shift)! on |Y| <= reach: the series,
// its higher terms replaced by lower ones with the help of Chebyshev's polynomials.
template <std::size_t D, std::size_t Shift>
constexpr std::array<double, D + 1> economised(double reach) {
    constexpr std::size_t terms = D + 5;
    std::array<double, terms> c{};
    double factorial = 1.0;
    for (std::size_t n = 2; n <= Shift; ++n) factorial *= static_cast<double>(n);
    for (std::size_t j = 0; j < terms; ++j) {
        c[j] = 1.0 / factorial;
        factorial *= static_cast<double>((2 * j + Shift + 1) * (2 * j + Shift + 2));
    }
    for (std::size_t n = terms - 1; n > D; --n) {
        // T_n by its recurrence, in powers of Y / reach.
        std::array<double, terms> before{1.0}, t{0.0, 1.0};
        for (std::size_t m = 1; m < n; ++m) {
            std::array<double, terms> next{};
            for (std::size_t k = 0; k <= m + 1; ++k)
                next[k] = (k > 0 ? 2.0 * t[k - 1] : 0.0) - before[k];
            before = t;
            t = next;
        }
        double scale = c[n] / t[n];  // times reach^(n - k)
        for (std::size_t k = n + 1; k-- > 0; scale *= reach) c[k] -= scale * t[k];
    }
    std::array<double, D + 1> result{};
    for (std::size_t k = 0; k <= D; ++k) result[k] = c[k];
    return result;
}

template <const auto& coefficients, std::size_t J = 0>
DEEPSL_INLINE V horner(V Y) {
    if constexpr (J + 1 == coefficients.size()) {
        return splat(coefficients[J]);
    } else {
        return coefficients[J] + Y * horner<coefficients, J + 1>(Y);
    }
}

// E = (S - 1) / Y and F = (C - 1) / Y: C and S lose no digits when Y is small, and the integrals
// of products of solutions over a piece need nothing else.
struct Entire {
    V E, F;
};

// How large |Y| may be. Each tier's series are exact to rounding there; in tiers up to `wide`
// u has at most one zero in a piece (|Y| < pi^2).
enum class Tier { narrow, small, medium, broad, wide, any };
constexpr double reach(Tier tier) {
    switch (tier) {
        case Tier::narrow: return 0.125;
        case Tier::small: return 0.5;
        case Tier::medium: return 1.0;
        case Tier::broad: return 2.5;
        default: return 9.0;
    }
}
// Pieces after which u and f, growing by exp(sqrt |Y|) a piece, may need rescaling.
constexpr std::size_t rescale_period(Tier tier) { return tier >= Tier::broad ? 16 : 64; }

template <Tier tier, std::size_t DE, std::size_t DF>
struct Series {
    static constexpr double within = tier == Tier::wide ? 0.25 * reach(tier) : reach(tier);
    static constexpr auto E = economised<DE, 3>(within);
    static constexpr auto F = economised<DF, 2>(within);
    DEEPSL_INLINE static Entire at(V Y) { return {horner<E>(Y), horner<F>(Y)}; }
};

template <Tier tier>
DEEPSL_INLINE Entire entire(V Y) {
    if constexpr (tier == Tier::narrow) {
        return Series<tier, 4, 5>::at(Y);
    } else if constexpr (tier == Tier::small) {
        return Series<tier, 5, 6>::at(Y);
    } else if constexpr (tier == Tier::medium) {
        return Series<tier, 6, 7>::at(Y);
    } else if constexpr (tier == Tier::broad) {
        return Series<tier, 7, 8>::at(Y);
    } else {
        const V y = 0.25 * Y;  // twice the argument: S = s c, C = 1 + 2 y s^2
        const Entire e = Series<Tier::wide, 7, 8>::at(y);
        const V s = 1.0 + y * e.E;
        return {0.25 * (e.E + e.F + y * (e.E * e.F)), 0.5 * (s * s)};
    }
}

constexpr double huge_value = 0x1p128;  // states are scaled down by this when they exceed it
constexpr double tiny_value = 0x1p-128;

struct State {
    V u, f;
    V du = splat(0.0), df = splat(0.0);  // derivatives by lambda
    V rescaled = splat(0.0);             // times that all of them were divided by huge_value
    Bits zeros = {0, 0, 0, 0};

    explicit State(const Start& s) : u(splat(s.u)), f(splat(s.f)) {}

    DEEPSL_INLINE void rescale() {
        const Mask big = (magnitude(u) > huge_value) | (magnitude(f) > huge_value);
        const V factor = select(big, splat(tiny_value), splat(1.0));
        u *= factor;
        f *= factor;
        du *= factor;
        df *= factor;
        rescaled += select(big, splat(1.0), splat(0.0));
    }
};

template <Tier tier, bool with_slope>
DEEPSL_INLINE void step_within(const Piece& c, V lambda, State& y) {
    const V a = splat(c.a);
    const V g = c.g0 - lambda * c.g1;
    const V Y = a * g;
    const Entire e = entire<tier>(Y);
    const V S = 1.0 + Y * e.E;
    const V C = 1.0 + Y * e.F;
    // All factors are made first, without the state, so that little is left for the chain of
    // operations that leads from one piece to the next.
    const V Sa = S * a, Sg = S * g;
    const V u = Sa * y.f + C * y.u;
    const V f = Sg * y.u + C * y.f;
    if constexpr (with_slope) {
        // dC/dY = S/2 and dS/dY = (C - S)/(2Y) = (F - E)/2, times dY/dlambda = -a g1.
        const V half = splat(0.5 * c.a * c.g1);
        const V D = half * (e.F - e.E), halfS = half * S;
        const V from_u = g * D + c.g1 * S, from_f = a * D;
        const V du = Sa * y.df + (C * y.du - (halfS * y.u + from_f * y.f));
        y.df = Sg * y.du + (C * y.df - (halfS * y.f + from_u * y.u));
        y.du = du;
    }
    y.zeros += (reinterpret_cast<Bits>(u) ^ reinterpret_cast<Bits>(y.u)) >> 63;
    y.u = u;
    y.f = f;
}

// One lane of a piece much too long for the series: by sines or scaled exponentials, with the zeros
// counted from the phase.
template <bool with_slope>
void step_long(const Piece& c, double lambda, std::size_t i, State& y) {
    const double g = c.g0 - lambda * c.g1, Y = c.a * g;
    const double x = __builtin_sqrt(Y < 0 ? -Y : Y);
    double C, S, F_minus_E;
    if (x < 1.0) {  // long for other lanes only
        const Entire e = entire<Tier::medium>(splat(Y));
        C = 1.0 + Y * e.F[0];
        S = 1.0 + Y * e.E[0];
        F_minus_E = e.F[0] - e.E[0];
    } else if (Y > 0) {
        // exp(x), but for a power of huge_value.
        const double log_huge = 88.722839111672999659;  // 128 log 2
        const double powers = __builtin_floor(x / log_huge);
        const double half = 0.5 * __builtin_exp(x - powers * log_huge);
        const double other = __builtin_exp(-2.0 * x);
        C = half * (1.0 + other);
        S = half * (1.0 - other) / x;
        F_minus_E = (C - S) / Y;
        y.rescaled[i] += powers;
    } else {
        C = __builtin_cos(x);
        S = __builtin_sin(x) / x;
        F_minus_E = (C - S) / Y;
    }
    const double u = y.u[i], f = y.f[i], du = y.du[i], df = y.df[i];
    const double end = C * u + S * c.a * f;
    if (with_slope) {
        const double half = 0.5 * c.a * c.g1, D = half * F_minus_E;
        y.du[i] = C * du + S * c.a * df - half * S * u - c.a * D * f;
        y.df[i] = S * g * du + C * df - half * S * f - (g * D + c.g1 * S) * u;
    }
    y.f[i] = S * g * u + C * f;
    y.u[i] = end;
    const bool changed = __builtin_signbit(u) != __builtin_signbit(end);
    double zeros = changed;
    if (Y < 0) {
        const double sign = __builtin_signbit(u) ? -1.0 : 1.0;
        const double turns = (__builtin_atan2(sign * x * u, sign * c.a * f) + x) / pi;
        zeros = __builtin_floor(turns);
        const bool odd = zeros - 2.0 * __builtin_floor(0.5 * zeros) != 0.0;
        if (odd != changed) zeros += turns - zeros > 0.5 ? 1.0 : -1.0;
    }
    y.zeros[i] += static_cast<unsigned long long>(zeros);
}

// Any |Y|: a piece too long for the series is split into equal parts, which changes nothing else;
// unless that were very many.
template <bool with_slope>
DEEPSL_INLINE void step_any(const Piece& c, V lambda, State& y) {
    const double size = largest(magnitude(c.a * (c.g0 - lambda * c.g1)));
    const double parts = __builtin_ceil(__builtin_sqrt(size / reach(Tier::wide)));
    constexpr double very_many = 32;
    if (size <= reach(Tier::medium)) {
        step_within<Tier::medium, with_slope>(c, lambda, y);
    } else if (parts <= very_many) {
        const Piece part{c.a / parts, c.g0 / parts, c.g1 / parts};
        for (double i = 0; i < parts; ++i) {
            step_within<Tier::wide, with_slope>(part, lambda, y);
            y.rescale();
        }
    } else {
        for (std::size_t i = 0; i < lanes; ++i) step_long<with_slope>(c, lambda[i], i, y);
        y.rescale();
    }
}

// Follows a solution over pieces first, first + direction, ... (count of them), calling
// visit(k, state) after the k-th. Backwards, f is that of reversed time.
template <Tier tier, bool with_slope, std::ptrdiff_t direction, typename Visit>
DEEPSL_INLINE void sweep_tier(const Line& line, std::size_t first, std::size_t count, V lambda,
                              State& y, Visit visit) {
    const double* a = line.pieces.a.data() + first;
    const double* g0 = line.pieces.g0.data() + first;
    const double* g1 = line.pieces.g1.data() + first;
    for (std::size_t k = 0; k < count;) {
        const std::size_t stop =
            count - k < rescale_period(tier) ? count : k + rescale_period(tier);
        for (; k < stop; ++k, a += direction, g0 += direction, g1 += direction) {
            if constexpr (tier == Tier::any) {
                step_any<with_slope>({*a, *g0, *g1}, lambda, y);
            } else {
                step_within<tier, with_slope>({*a, *g0, *g1}, lambda, y);
            }
            visit(k, y);
        }
        y.rescale();
    }
}

DEEPSL_INLINE Tier tier_of(const Line& line, V lambda) {
    const double size = line.figures.max_ag0 + largest(magnitude(lambda)) * line.figures.max_ag1;
    if (size <= reach(Tier::narrow)) return Tier::narrow;
    if (size <= reach(Tier::small)) return Tier::small;
    if (size <= reach(Tier::medium)) return Tier::medium;
    if (size <= reach(Tier::broad)) return Tier::broad;
    return size <= reach(Tier::wide) ? Tier::wide : Tier::any;
}

template <bool with_slope, std::ptrdiff_t direction, typename Visit>
DEEPSL_INLINE void sweep(const Line& line, Tier tier, std::size_t first, std::size_t count,
                         V lambda, State& y, Visit visit) {
    switch (tier) {
        case Tier::narrow:
            return sweep_tier<Tier::narrow, with_slope, direction>(line, first, count, lambda, y,
                                                                   visit);
        case Tier::small:
            return sweep_tier<Tier::small, with_slope, direction>(line, first, count, lambda, y,
                                                                  visit);
        case Tier::medium:
            return sweep_tier<Tier::medium, with_slope, direction>(line, first, count, lambda, y,
                                                                   visit);
        case Tier::broad:
            return sweep_tier<Tier::broad, with_slope, direction>(line, first, count, lambda, y,
                                                                  visit);
        case Tier::wide:
            return sweep_tier<Tier::wide, with_slope, direction>(line, first, count, lambda, y,
                                                                 visit);
        case Tier::any:
            return sweep_tier<Tier::any, with_slope, direction>(line, first, count, lambda, y,
                                                                visit);
    }
}

struct Ignore {
    void operator()(std::size_t, const State&) const {}
};

DEEPSL_INLINE V root(V x) {
    for (std::size_t i = 0; i < lanes; ++i) x[i] = __builtin_sqrt(x[i]);
    return x;
}

DEEPSL_INLINE V smaller(V x, V y) { return select(x < y, x, y); }
DEEPSL_INLINE V larger(V x, V y) { return select(x > y, x, y); }
DEEPSL_INLINE double smallest(V x) { return -largest(-x); }
