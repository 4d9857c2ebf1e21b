// The kernels' one source. Included by kernel_portable.cpp and kernel_avx2.cpp, each inside a
// namespace of its own and with its own instruction set; it includes nothing but its own parts.

#include "sweep.inl"

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

void pass(const Line& line, std::size_t match, const Lanes& scale_in, Pass& out) {
    const V lambda = load(out.lambda);
    const Tier tier = tier_of(line, lambda);
    const std::size_t count = line.pieces.size();
    State l(line.left), r(line.right);
    sweep<true, 1>(line, tier, 0, match, lambda, l, Ignore{});
    sweep<true, -1>(line, tier, count - 1, count - match, lambda, r, Ignore{});

    const V scale = load(scale_in);
    const V lu = scale * l.u, ru = scale * r.u;
    const V l2 = lu * lu + l.f * l.f, r2 = ru * ru + r.f * r.f;
    store(out.slope, scale * ((l.du * l.f - l.u * l.df) / l2 + (r.du * r.f - r.u * r.df) / r2));
    store(out.u, l.u);
    store(out.f, l.f);
    store(out.du, l.du);
    store(out.df, l.df);
    store(out.rescaled, l.rescaled);
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

#include "trace.inl"
// What follows is made of what was traced.
#include "adjoint.inl"

#undef DEEPSL_INLINE
