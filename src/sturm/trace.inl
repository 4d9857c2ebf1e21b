// Eigenfunctions at all edges, followed from both ends. A part of kernel.inl.

// The solution from the left, behind piece k; and that from the right, before it.
DEEPSL_INLINE void keep_left(std::size_t k, const State& y, EdgeStates& out) {
    store(out.u[k + 1], y.u);
    store(out.f[k + 1], y.f);
    store(out.left_scale[k + 1], y.rescaled);
}
DEEPSL_INLINE void keep_right(std::size_t k, const State& y, EdgeStates& out) {
    store(out.right_u[k], y.u);
    store(out.right_f[k], -y.f);
    store(out.right_scale[k], y.rescaled);
}

// Both at once: they hide each other's latency, and a piece's series, which are most of the work,
// are summed only by the one that comes first.
template <Tier tier>
void follow_within(const Line& line, V lambda, State& l, State& r, EdgeStates& out) {
    const std::size_t count = line.pieces.size();
    const auto step = [&](std::size_t k, bool first, State& y) {
        const Piece c = line.pieces[k];
        const V g = c.g0 - lambda * c.g1;
        const V Y = c.a * g;
        Entire e;
        if (first) {
            e = entire<tier>(Y);
            store(out.E[k], e.E);
            store(out.F[k], e.F);
        } else {
            e = {load(out.E[k]), load(out.F[k])};
        }
        const V S = 1.0 + Y * e.E, C = 1.0 + Y * e.F;
        const V u = S * c.a * y.f + C * y.u;
        y.f = S * g * y.u + C * y.f;
        y.u = u;
    };
    for (std::size_t k = 0; k < count;) {
        const std::size_t stop =
            count - k < rescale_period(tier) ? count : k + rescale_period(tier);
        for (; k < stop; ++k) {
            const std::size_t back = count - 1 - k;
            step(k, k <= back, l);
            keep_left(k, l, out);
            step(back, k < back, r);
            keep_right(back, r, out);
        }
        l.rescale();
        r.rescale();
    }
}

void follow(const Line& line, V lambda, State& l, State& r, EdgeStates& out) {
    const std::size_t count = line.pieces.size();
    switch (tier_of(line, lambda)) {
        case Tier::narrow: return follow_within<Tier::narrow>(line, lambda, l, r, out);
        case Tier::small: return follow_within<Tier::small>(line, lambda, l, r, out);
        case Tier::medium: return follow_within<Tier::medium>(line, lambda, l, r, out);
        case Tier::broad: return follow_within<Tier::broad>(line, lambda, l, r, out);
        case Tier::wide: return follow_within<Tier::wide>(line, lambda, l, r, out);
        case Tier::any: break;
    }
    sweep_tier<Tier::any, false, 1>(line, 0, count, lambda, l,
                                    [&](std::size_t k, const State& y) { keep_left(k, y, out); });
    sweep_tier<Tier::any, false, -1>(
        line, count - 1, count, lambda, r,
        [&](std::size_t k, const State& y) { keep_right(count - 1 - k, y, out); });
}

// The size of a state is the root of weight u^2 + f^2, which a wave of this lambda hardly changes.
DEEPSL_INLINE V weight_of_u(const Line& line, V lambda) {
    const LineFigures& figures = line.figures;
    return (magnitude(lambda) * figures.sum_g1 + figures.sum_abs_g0) / figures.sum_a +
           1.0 / (figures.sum_a * figures.sum_a);
}

void trace(const Line& line, const Lanes& lambda_in, EdgeStates& out) {
    const V lambda = load(lambda_in);
    const std::size_t count = line.pieces.size();
    out.resize(count + 1);
    State l(line.left), r(line.right);
    store(out.u[0], l.u);
    store(out.f[0], l.f);
    store(out.left_scale[0], l.rescaled);
    store(out.right_u[count], r.u);
    store(out.right_f[count], -r.f);
    store(out.right_scale[count], r.rescaled);
    follow(line, lambda, l, r, out);
    const bool rescaled = largest(l.rescaled + r.rescaled) > 0.0;

    // The twist: the edge where |left| |right| is largest. Bit patterns of positive doubles are
    // ordered like their logarithms; a rescaling adds 2 * 128 to the exponent of the square.
    const V scale2 = weight_of_u(line, lambda);
    Mask best = Mask{} - 1, twist = Mask{};
    for (std::size_t k = 0; k <= count; ++k) {
        const V lu = load(out.u[k]), lf = load(out.f[k]);
        const V ru = load(out.right_u[k]), rf = load(out.right_f[k]);
        const V size = (scale2 * lu * lu + lf * lf) * (scale2 * ru * ru + rf * rf);
        Mask key = reinterpret_cast<Mask>(reinterpret_cast<Bits>(size) >> 20);
        if (rescaled) {
            const V scalings = load(out.left_scale[k]) + load(out.right_scale[k]);
            key += __builtin_convertvector(scalings, Mask) << 40;  // 2^8 exponents of 2^32 here
        }
        const Mask better = key > best;
        best = better ? key : best;
        twist = better ? Mask{} + static_cast<long long>(k) : twist;
    }
    for (std::size_t i = 0; i < lanes; ++i) out.twist[i] = static_cast<std::size_t>(twist[i]);
    // Both halves to length one at the twist, and the right half to the left one's sign.
    V left_factor, right_factor, left_offset, right_offset;
    for (std::size_t i = 0; i < lanes; ++i) {
        const std::size_t k = out.twist[i];
        const double s2 = scale2[i];
        const double lu = out.u[k][i], lf = out.f[k][i];
        const double ru = out.right_u[k][i], rf = out.right_f[k][i];
        const double l2 = s2 * lu * lu + lf * lf, r2 = s2 * ru * ru + rf * rf;
        left_factor[i] = 1.0 / __builtin_sqrt(l2);
        right_factor[i] = (s2 * lu * ru + lf * rf) / (__builtin_sqrt(l2) * r2);
        left_offset[i] = out.left_scale[k][i];
        right_offset[i] = out.right_scale[k][i];
    }
    for (std::size_t k = 0; k <= count; ++k) {
        const Mask at_left = Mask{} + static_cast<long long>(k) <= twist;
        V factor = select(at_left, left_factor, right_factor);
        if (rescaled)
            factor *= power_of_huge(select(at_left, load(out.left_scale[k]) - left_offset,
                                           load(out.right_scale[k]) - right_offset));
        store(out.u[k], factor * select(at_left, load(out.u[k]), load(out.right_u[k])));
        store(out.f[k], factor * select(at_left, load(out.f[k]), load(out.right_f[k])));
    }
}
