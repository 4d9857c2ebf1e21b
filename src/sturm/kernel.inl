// The kernels' one source. Included by kernel_portable.cpp and kernel_avx2.cpp, each inside a
// namespace of its own and with its own instruction set; it includes nothing itself.

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

// 1 / n! for the series below.
constexpr double inverse_factorial(int n) {
    double x = 1.0;
    for (int i = 2; i <= n; ++i) x /= i;
    return x;
}

// sum over j of Y^j / (2j + shift)!, up to degree D, by Horner's rule.
template <int D, int Shift, int J = 0>
DEEPSL_INLINE V series(V Y) {
    if constexpr (J == D) {
        return splat(inverse_factorial(2 * J + Shift));
    } else {
        return inverse_factorial(2 * J + Shift) + Y * series<D, Shift, J + 1>(Y);
    }
}

// E = (S - 1) / Y and F = (C - 1) / Y: C and S lose no digits when Y is small, and the integrals
// of products of solutions over a piece need nothing else.
struct Entire {
    V E, F;
};

// How large |Y| may be. Each tier's series are exact to rounding there; in tiers up to `wide`
// u has at most one zero in a piece (|Y| < pi^2).
enum class Tier { narrow, medium, broad, wide, any };
constexpr double reach(Tier tier) {
    switch (tier) {
        case Tier::narrow: return 0.125;
        case Tier::medium: return 1.0;
        case Tier::broad: return 2.5;
        default: return 9.0;
    }
}
// Pieces after which u and f, growing by exp(sqrt |Y|) a piece, may need rescaling.
constexpr std::size_t rescale_period(Tier tier) { return tier >= Tier::broad ? 16 : 64; }

template <Tier tier>
DEEPSL_INLINE Entire entire(V Y) {
    if constexpr (tier == Tier::narrow) {
        return {series<5, 3>(Y), series<5, 2>(Y)};
    } else if constexpr (tier == Tier::medium) {
        return {series<7, 3>(Y), series<7, 2>(Y)};
    } else if constexpr (tier == Tier::broad) {
        return {series<8, 3>(Y), series<9, 2>(Y)};
    } else {
        const V y = 0.25 * Y;  // twice the argument: S = s c, C = 1 + 2 y s^2
        const V E = series<8, 3>(y);
        const V F = series<9, 2>(y);
        const V s = 1.0 + y * E;
        return {0.25 * (E + F + y * (E * F)), 0.5 * (s * s)};
    }
}

// The integrals over a piece of x_u y_u and x_f y_f, for two solutions x and y known at its left
// end: x_u(s) = C_s x_u + s S_s a x_f and so on, integrated in closed form.
struct PieceIntegrals {
    V one_plus_YT, half_aSS, aaT, half_gSS, ggT;
};

DEEPSL_INLINE PieceIntegrals piece_integrals(V a, V g, V Y, const Entire& e) {
    const V S = 1.0 + Y * e.E;
    const V T = 0.5 * (e.E + e.F + Y * (e.E * e.F));
    const V half_SS = 0.5 * (S * S);
    return {1.0 + Y * T, a * half_SS, a * a * T, g * half_SS, g * g * T};
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

// Any |Y|: a piece too long for the series is split into equal parts, which changes nothing else.
template <bool with_slope>
DEEPSL_INLINE void step_any(const Piece& c, V lambda, State& y) {
    const double size = largest(magnitude(c.a * (c.g0 - lambda * c.g1)));
    if (size <= reach(Tier::medium)) {
        step_within<Tier::medium, with_slope>(c, lambda, y);
    } else {
        const double parts = __builtin_ceil(__builtin_sqrt(size / reach(Tier::wide)));
        const Piece part{c.a / parts, c.g0 / parts, c.g1 / parts};
        for (double i = 0; i < parts; ++i) {
            step_within<Tier::wide, with_slope>(part, lambda, y);
            y.rescale();
        }
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

void measure(Line& line) {
    const double* a = line.pieces.a.data();
    const double* g0 = line.pieces.g0.data();
    const double* g1 = line.pieces.g1.data();
    const std::size_t count = line.pieces.size();
    const V inf = splat(__builtin_inf());
    V max_ag0 = splat(0.0), max_ag1 = splat(0.0), min_q = inf, max_q = -inf, min_pw = inf,
      max_pw = -inf, min_positive = inf;
    V sum_a = splat(0.0), sum_abs_g0 = splat(0.0), sum_g1 = splat(0.0), clock = splat(0.0),
      clock_q = splat(0.0);
    const V one = splat(1.0);
    for (std::size_t k = 0; k < count; k += lanes) {
        V va, v0, v1, inside = one;
        if (k + lanes <= count) {
            __builtin_memcpy(&va, a + k, sizeof va);
            __builtin_memcpy(&v0, g0 + k, sizeof v0);
            __builtin_memcpy(&v1, g1 + k, sizeof v1);
        } else {
            for (std::size_t i = 0; i < lanes; ++i) {
                const std::size_t j = k + i < count ? k + i : count - 1;  // the last, repeated
                va[i] = a[j];
                v0[i] = g0[j];
                v1[i] = g1[j];
                inside[i] = k + i < count ? 1.0 : 0.0;
            }
        }
        const V q = v0 / v1, pw = v1 / va, ag1 = va * v1, tick = inside * root(ag1);
        max_ag0 = larger(va * magnitude(v0), max_ag0);
        max_ag1 = larger(ag1, max_ag1);
        min_q = smaller(q, min_q);
        max_q = larger(q, max_q);
        min_pw = smaller(pw, min_pw);
        max_pw = larger(pw, max_pw);
        min_positive = smaller(smaller(va, v1), min_positive);
        sum_a += inside * va;
        sum_abs_g0 += inside * magnitude(v0);
        sum_g1 += inside * v1;
        clock += tick;
        clock_q += tick * q;
    }
    line.figures = {largest(max_ag0),
                    largest(max_ag1),
                    total(sum_a),
                    total(sum_abs_g0),
                    total(sum_g1),
                    smallest(min_q),
                    largest(max_q),
                    smallest(min_pw),
                    largest(max_pw),
                    total(clock),
                    total(clock_q) / total(clock),
                    smallest(min_positive) > 0.0};
}

// arctan(r) / r as a polynomial in s = r^2, interpolated at the Chebyshev points of
// 0 <= r <= tan(pi/8); off by less than 4e-17.
DEEPSL_INLINE V arc_tangent_over_r(V s) {
    constexpr double c[] = {1.0,
                            -0.3333333333332844,
                            0.1999999999885511,
                            -0.14285714180976467,
                            0.11111106180455946,
                            -0.09090773074808414,
                            0.07689953496306857,
                            -0.06640233930429408,
                            0.056883492268090106,
                            -0.04348052215716462,
                            0.021135373157693246};
    const V s2 = s * s, s4 = s2 * s2;
    const V low = (c[0] + s * c[1]) + s2 * (c[2] + s * c[3]);
    const V middle = (c[4] + s * c[5]) + s2 * (c[6] + s * c[7]);
    const V high = (c[8] + s * c[9]) + s2 * c[10];
    return low + s4 * (middle + s4 * high);
}

// The angle of the point (x, y), in (-pi, pi], to a few units of rounding. The lanes' ratios are
// brought below tan(pi/8) by turns of pi/4, pi/2 and pi.
DEEPSL_INLINE V angle_of(V y, V x) {
    const V ay = magnitude(y), ax = magnitude(x);
    const Mask steep = ay > ax;
    const V small = select(steep, ax, ay), large = select(steep, ay, ax);
    const Mask turned = small > 0.41421356237309503 * large;  // tan(pi/8)
    const V top = select(turned, small - large, small);
    const V bottom = select(turned, small + large, large);
    const V r = top / select(bottom > 0.0, bottom, splat(1.0));
    const V s = r * r;
    V a = arc_tangent_over_r(s) * r;
    a = select(turned, a + 0.25 * pi, a);
    a = select(steep, 0.5 * pi - a, a);
    a = select(x < 0.0, pi - a, a);
    return select(y < 0.0, -a, a);
}

void angle_scale(const Line& line, std::size_t match, const Lanes& lambda_in, Lanes& scale) {
    const Piece c = line.pieces[match - 1];
    const double shortest = 1.0 / (line.figures.sum_a * line.figures.sum_a);
    store(scale, root(larger(magnitude(c.g0 - load(lambda_in) * c.g1) / c.a, splat(shortest))));
}

void pass(const Line& line, std::size_t match, const Lanes& scale_in, const Lanes& lambda_in,
          Pass& out) {
    const V lambda = load(lambda_in);
    const Tier tier = tier_of(line, lambda);
    const std::size_t count = line.pieces.size();
    State l(line.left), r(line.right);
    sweep<true, 1>(line, tier, 0, match, lambda, l, Ignore{});
    sweep<true, -1>(line, tier, count - 1, count - match, lambda, r, Ignore{});

    const V scale = load(scale_in);
    const V lu = scale * l.u, ru = scale * r.u, ldu = scale * l.du;
    const V l2 = lu * lu + l.f * l.f, r2 = ru * ru + r.f * r.f;
    store(out.slope, (ldu * l.f - lu * l.df) / l2 + scale * (r.du * r.f - r.u * r.df) / r2);
    store(out.sensitivity, root((ldu * ldu + l.df * l.df) / l2));
    // The zeros counted fix the multiple of pi; what is left of each angle lies in [0, pi].
    const V lf = select(lu < 0.0, -l.f, l.f), rf = select(ru < 0.0, -r.f, r.f);
    const V la = magnitude(lu), ra = magnitude(ru);
    const V sine = la * rf + lf * ra, cosine = lf * rf - la * ra;
    const V zeros = __builtin_convertvector(reinterpret_cast<Mask>(l.zeros + r.zeros), V);
    V sum = angle_of(sine, cosine);
    sum += select((sum < 0.0) | ((sum == 0.0) & (lf < 0.0)), splat(2.0 * pi), splat(0.0));
    store(out.angle, pi * zeros + sum);
}

// huge_value^n; past the range of double, zero or infinity.
DEEPSL_INLINE V power_of_huge(V n) {
    V x = splat(1.0);
    for (std::size_t i = 0; i < lanes; ++i) {
        const double steps = n[i] < -8 ? -8 : n[i] > 8 ? 8 : n[i];
        for (double k = 0; k < steps; ++k) x[i] *= huge_value;
        for (double k = 0; k > steps; --k) x[i] *= tiny_value;
    }
    return x;
}

void from_left(const Line& line, std::size_t edge, const Lanes& lambda_in, Lanes& u, Lanes& f) {
    const V lambda = load(lambda_in);
    State y(line.left);
    sweep<false, 1>(line, tier_of(line, lambda), 0, edge, lambda, y, Ignore{});
    const V back = power_of_huge(y.rescaled);
    store(u, y.u * back);
    store(f, y.f * back);
}

void trace(const Line& line, const Lanes& lambda_in, EdgeStates& out) {
    const V lambda = load(lambda_in);
    const Tier tier = tier_of(line, lambda);
    const std::size_t count = line.pieces.size();
    out.u.resize(count + 1);
    out.f.resize(count + 1);
    thread_local std::vector<Lanes> right_u, right_f, left_scale, right_scale;
    for (auto* v : {&right_u, &right_f, &left_scale, &right_scale}) v->resize(count + 1);

    State l(line.left), r(line.right);
    store(out.u[0], l.u);
    store(out.f[0], l.f);
    store(left_scale[0], l.rescaled);
    sweep<false, 1>(line, tier, 0, count, lambda, l, [&](std::size_t k, const State& y) {
        store(out.u[k + 1], y.u);
        store(out.f[k + 1], y.f);
        store(left_scale[k + 1], y.rescaled);
    });
    store(right_u[count], r.u);
    store(right_f[count], -r.f);
    store(right_scale[count], r.rescaled);
    sweep<false, -1>(line, tier, count - 1, count, lambda, r, [&](std::size_t k, const State& y) {
        store(right_u[count - 1 - k], y.u);
        store(right_f[count - 1 - k], -y.f);
        store(right_scale[count - 1 - k], y.rescaled);
    });

    // The twist: the edge where |left| |right| is largest. Bit patterns of positive doubles are
    // ordered like their logarithms; a rescaling adds 2 * 128 to the exponent of the square.
    const V scale2 =
        (magnitude(lambda) * line.figures.sum_g1 + line.figures.sum_abs_g0) / line.figures.sum_a +
        1.0 / (line.figures.sum_a * line.figures.sum_a);
    Mask best = Mask{} - 1, twist = Mask{};
    for (std::size_t k = 0; k <= count; ++k) {
        const V lu = load(out.u[k]), lf = load(out.f[k]);
        const V ru = load(right_u[k]), rf = load(right_f[k]);
        const V size = (scale2 * lu * lu + lf * lf) * (scale2 * ru * ru + rf * rf);
        const Mask scalings =
            __builtin_convertvector(load(left_scale[k]) + load(right_scale[k]), Mask);
        const Mask key = reinterpret_cast<Mask>(reinterpret_cast<Bits>(size) >> 20) +
                         (scalings << 40);  // 2^8 units of exponent, each 2^32 here
        const Mask better = key > best;
        best = better ? key : best;
        twist = better ? Mask{} + static_cast<long long>(k) : twist;
    }
    for (std::size_t i = 0; i < lanes; ++i) out.twist[i] = static_cast<std::size_t>(twist[i]);
    // Both halves to length one at the twist, and the right half to the left one's sign.
    V left_factor, right_factor, left_offset, right_offset;
    for (std::size_t i = 0; i < lanes; ++i) {
        const auto k = static_cast<std::size_t>(twist[i]);
        const double s2 = scale2[i];
        const double lu = out.u[k][i], lf = out.f[k][i], ru = right_u[k][i], rf = right_f[k][i];
        const double l2 = s2 * lu * lu + lf * lf, r2 = s2 * ru * ru + rf * rf;
        left_factor[i] = 1.0 / __builtin_sqrt(l2);
        right_factor[i] = (s2 * lu * ru + lf * rf) / (__builtin_sqrt(l2) * r2);
        left_offset[i] = left_scale[k][i];
        right_offset[i] = right_scale[k][i];
    }
    for (std::size_t k = 0; k <= count; ++k) {
        const Mask at_left = Mask{} + static_cast<long long>(k) <= twist;
        const V shift =
            select(at_left, load(left_scale[k]) - left_offset, load(right_scale[k]) - right_offset);
        V factor = select(at_left, left_factor, right_factor);
        if (largest(magnitude(shift)) > 0.0) factor *= power_of_huge(shift);
        store(out.u[k], factor * select(at_left, load(out.u[k]), load(right_u[k])));
        store(out.f[k], factor * select(at_left, load(out.f[k]), load(right_f[k])));
    }
}

struct Products {
    V uu, ff;  // integrals over one piece of x_u y_u and x_f y_f
};

// From the values of two solutions at both ends of a piece. Where |Y| is within reach, from the
// left end by series; beyond it by the invariants a x_f y_f - g x_u y_u and (x_u y_f + x_f y_u)',
// which do not follow a decaying solution in the direction it grows.
struct Ends {
    V u0, f0, u1, f1;
};

DEEPSL_INLINE Products products(V a, V g, const Ends& x, const Ends& y) {
    const V Y = a * g;
    const Mask far = magnitude(Y) > reach(Tier::wide);
    const V safe_Y = select(far, splat(0.0), Y);
    const Entire e = largest(magnitude(Y)) <= reach(Tier::medium) ? entire<Tier::medium>(Y)
                                                                  : entire<Tier::wide>(safe_Y);
    const PieceIntegrals i = piece_integrals(a, g, safe_Y, e);
    const V uu0 = x.u0 * y.u0, ff0 = x.f0 * y.f0, mixed0 = x.u0 * y.f0 + x.f0 * y.u0;
    Products p{uu0 * i.one_plus_YT + mixed0 * i.half_aSS + ff0 * i.aaT,
               ff0 * i.one_plus_YT + mixed0 * i.half_gSS + uu0 * i.ggT};
    if (largest(magnitude(Y)) > reach(Tier::wide)) {
        const V change = 0.5 * (x.u1 * y.f1 + x.f1 * y.u1 - mixed0);
        const V invariant = a * ff0 - g * uu0;
        p.uu = select(far, (change - invariant) / (2.0 * select(far, g, splat(1.0))), p.uu);
        p.ff = select(far, (change + invariant) / (2.0 * a), p.ff);
    }
    return p;
}

DEEPSL_INLINE Ends ends(const EdgeStates& y, std::size_t k) {
    return {load(y.u[k]), load(y.f[k]), load(y.u[k + 1]), load(y.f[k + 1])};
}

void norm(const Line& line, const Lanes& lambda_in, const EdgeStates& states, Lanes& out) {
    const V lambda = load(lambda_in);
    V sum = splat(0.0);
    for (std::size_t k = 0; k < line.pieces.size(); ++k) {
        const Piece c = line.pieces[k];
        const Ends y = ends(states, k);
        sum += c.g1 * products(splat(c.a), c.g0 - lambda * c.g1, y, y).uu;
    }
    store(out, sum);
}

// One piece to the left (direction -1) or right, without leaving the scale: adjoints are compared
// with seeds, so their size counts.
template <std::ptrdiff_t direction>
DEEPSL_INLINE void move(const Line& line, Tier tier, std::size_t piece, V lambda, V& u, V& f) {
    State y(Start{0.0, 0.0});
    y.u = u;
    y.f = direction < 0 ? -f : f;
    sweep<false, direction>(line, tier, piece, 1, lambda, y, Ignore{});
    const V back = power_of_huge(y.rescaled);
    u = y.u * back;
    f = direction < 0 ? -y.f * back : y.f * back;
}

void sensitivity(const Line& line, const Lanes& lambda_in, const EdgeStates& states,
                 const SensitivitySeeds& seeds, Pieces& gradient) {
    const V lambda = load(lambda_in);
    const Tier tier = tier_of(line, lambda);
    const std::size_t count = line.pieces.size();
    const std::size_t edge = seeds.edge;
    thread_local std::vector<Lanes> own_uu, own_ff, direct_uu, direct_ff;
    for (auto* v : {&own_uu, &own_ff, &direct_uu, &direct_ff}) v->assign(count, Lanes{});

    // The adjoint eta of u and f at the edge is itself a solution, (f_bar, -u_bar) there. Any
    // multiple of y may be added to it (kappa absorbs that), so where the edge lies beyond the
    // twist, eta starts at the twist as the solution with the same Wronskian with y, and meets
    // the seed at the edge up to tau y. Followed this way it never has to shrink.
    const V seed_u = load(seeds.f), seed_f = -load(seeds.u);
    const V edge_u = load(states.u[edge]), edge_f = load(states.f[edge]);
    const V wronskian = seed_u * edge_f - seed_f * edge_u;
    V first_u = seed_u, first_f = seed_f, tau = splat(0.0);
    Mask first = Mask{} + static_cast<long long>(edge);
    bool beyond_twist = false;
    for (std::size_t i = 0; i < lanes; ++i) {
        const std::size_t twist = states.twist[i];
        if (twist >= edge) continue;
        beyond_twist = true;
        first[i] = static_cast<long long>(twist);
        const double s2 = line.figures.sum_g1 / line.figures.sum_a;
        const double u = states.u[twist][i], f = states.f[twist][i];
        const double scaled = wronskian[i] / (f * f + s2 * u * u);
        first_u[i] = scaled * f;
        first_f[i] = -scaled * s2 * u;
    }
    const auto meet = [&](std::size_t k, V& u, V& f) {
        const Mask here = first == Mask{} + static_cast<long long>(k);
        u = select(here, first_u, u);
        f = select(here, first_f, f);
    };
    const auto add_direct = [&](std::size_t k, const Ends& eta) {
        const Piece c = line.pieces[k];
        const Products d = products(splat(c.a), c.g0 - lambda * c.g1, eta, ends(states, k));
        store(direct_uu[k], load(direct_uu[k]) + d.uu);
        store(direct_ff[k], load(direct_ff[k]) + d.ff);
    };
    if (beyond_twist) {
        V u = splat(0.0), f = splat(0.0);
        for (std::size_t k = 0; k < edge; ++k) {
            meet(k, u, f);
            const V u0 = u, f0 = f;
            move<1>(line, tier, k, lambda, u, f);
            add_direct(k, {u0, f0, u, f});
        }
        const V s2 = splat(line.figures.sum_g1 / line.figures.sum_a);
        const V along = (s2 * (u - seed_u) * edge_u + (f - seed_f) * edge_f) /
                        (s2 * edge_u * edge_u + edge_f * edge_f);
        tau = select(first < Mask{} + static_cast<long long>(edge), along, tau);
    }
    V u = splat(0.0), f = splat(0.0);
    for (std::size_t k = edge; k-- > 0;) {
        meet(k + 1, u, f);
        const V u1 = u, f1 = f;
        move<-1>(line, tier, k, lambda, u, f);
        add_direct(k, {u, f, u1, f1});
    }

    // zeta = eta + kappa y left of the edge and (tau + kappa) y right of it, with the integral of
    // w zeta_u u equal to the seed of lambda, gives every derivative by the same two integrals.
    V norm = splat(0.0), overlap = splat(0.0);
    for (std::size_t k = 0; k < count; ++k) {
        const Piece c = line.pieces[k];
        const Ends y = ends(states, k);
        const Products own = products(splat(c.a), c.g0 - lambda * c.g1, y, y);
        norm += c.g1 * own.uu;
        overlap += c.g1 * (k < edge ? load(direct_uu[k]) : tau * own.uu);
        store(own_uu[k], own.uu);
        store(own_ff[k], own.ff);
    }
    const V kappa = (load(seeds.lambda) - overlap) / norm;
    for (std::size_t k = 0; k < count; ++k) {
        const V factor = k < edge ? kappa : kappa + tau;
        const V uu = factor * load(own_uu[k]) + load(direct_uu[k]);
        const V ff = factor * load(own_ff[k]) + load(direct_ff[k]);
        gradient.a[k] -= total(ff);
        gradient.g0[k] += total(uu);
        gradient.g1[k] -= total(lambda * uu);
    }
}

#undef DEEPSL_INLINE
