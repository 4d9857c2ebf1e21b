// Integrals of products of solutions, and the derivatives that are made of them. A part of
// kernel.inl.

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

struct Products {
    V uu, ff;  // integrals over one piece of x_u y_u and x_f y_f
};

DEEPSL_INLINE Products products(const PieceIntegrals& i, V xu, V xf, V yu, V yf) {
    const V uu = xu * yu, ff = xf * yf, mixed = xu * yf + xf * yu;
    return {uu * i.one_plus_YT + mixed * i.half_aSS + ff * i.aaT,
            ff * i.one_plus_YT + mixed * i.half_gSS + uu * i.ggT};
}

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
    Products p = products(piece_integrals(a, g, safe_Y, e), x.u0, x.f0, y.u0, y.f0);
    if (largest(magnitude(Y)) > reach(Tier::wide)) {
        const V change = 0.5 * (x.u1 * y.f1 + x.f1 * y.u1 - (x.u0 * y.f0 + x.f0 * y.u0));
        const V invariant = a * (x.f0 * y.f0) - g * (x.u0 * y.u0);
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
DEEPSL_INLINE void move(const Line& line, std::size_t piece, V lambda, V& u, V& f) {
    State y(Start{0.0, 0.0});
    y.u = u;
    y.f = direction < 0 ? -f : f;
    sweep_tier<Tier::any, false, direction>(line, piece, 1, lambda, y, Ignore{});
    const V back = power_of_huge(y.rescaled);
    // Nothing stays nothing, even where a piece multiplies by more than a double holds.
    const Mask nothing = magnitude(u) + magnitude(f) == 0.0;
    u = select(nothing, u, y.u * back);
    f = select(nothing, f, direction < 0 ? -y.f * back : y.f * back);
}

// Of a piece: the products of the eigenfunction y with itself, and of the adjoint eta with y.
struct PieceProducts {
    Products own, eta;
};

// Takes eta over piece k, to the left (direction -1) or right; or leaves it alone (0).
template <bool within_reach, std::ptrdiff_t direction>
DEEPSL_INLINE PieceProducts cross(const Line& line, std::size_t k, V lambda,
                                  const EdgeStates& states, V& u, V& f) {
    const Piece c = line.pieces[k];
    const V a = splat(c.a), g = c.g0 - lambda * c.g1;
    Products own, eta{splat(0.0), splat(0.0)};
    if constexpr (!within_reach) {
        const Ends y = ends(states, k);
        own = products(a, g, y, y);
        if constexpr (direction != 0) {
            const V before_u = u, before_f = f;
            move<direction>(line, k, lambda, u, f);
            eta = products(
                a, g,
                direction < 0 ? Ends{u, f, before_u, before_f} : Ends{before_u, before_f, u, f}, y);
        }
    } else {
        const V Y = a * g;
        const Entire e{load(states.E[k]), load(states.F[k])};
        const PieceIntegrals i = piece_integrals(a, g, Y, e);
        const V y_u = load(states.u[k]), y_f = load(states.f[k]);
        own = products(i, y_u, y_f, y_u, y_f);
        if constexpr (direction > 0) eta = products(i, u, f, y_u, y_f);
        if constexpr (direction != 0) {
            const V S = 1.0 + Y * e.E, C = 1.0 + Y * e.F;
            const V Sa = direction < 0 ? -(S * a) : S * a, Sg = direction < 0 ? -(S * g) : S * g;
            const V next = Sa * f + C * u;
            f = Sg * u + C * f;
            u = next;
        }
        if constexpr (direction < 0) eta = products(i, u, f, y_u, y_f);
    }
    return {own, eta};
}

// The state of y at an edge as a direction: (u, f) times size is y itself. One state with
// Wronskian W with y is (W / size) (f, -weight u) / square, and it is at right angles to y.
struct Direction {
    V u, f;
    V per_size;    // 1 / size; 0 where y is too small to have a direction
    V per_square;  // 1 / (weight u^2 + f^2)
};

DEEPSL_INLINE Direction direction_of(V weight, V u, V f) {
    const V size = larger(root(weight) * magnitude(u), magnitude(f));
    const Mask tiny = size < 1e-290;
    const V per_size = select(tiny, splat(0.0), 1.0 / select(tiny, splat(1.0), size));
    u *= per_size;
    f *= per_size;
    const V square = weight * u * u + f * f;
    return {u, f, per_size, 1.0 / select(tiny, splat(1.0), square)};
}

struct AdjointScratch {
    std::vector<Lanes> own_uu, own_ff, eta_uu, eta_ff;  // by pieces
    std::vector<Lanes> wronskians;                      // by seeds
};

AdjointScratch& adjoint_scratch(std::size_t pieces, std::size_t seeds) {
    thread_local AdjointScratch s;
    for (auto* v : {&s.own_uu, &s.own_ff, &s.eta_uu, &s.eta_ff}) v->resize(pieces);
    s.wronskians.resize(seeds);
    return s;
}

// The adjoint eta of u and f is a solution between the seeded edges; passing one to the left, it
// gains (f_bar, -u_bar). It starts with nothing at the last seed. But where y decays towards that,
// eta would have to shrink on its way. Any multiple of y may be added to it (kappa absorbs
// that); so there it starts at the twist, at right angles to y, with the Wronskian that the seeds
// right of there have with y together, and is followed from there both ways.
template <bool within_reach>
void sensitivity_of(const Line& line, const Lanes& lambda_in, const EdgeStates& states,
                    const SensitivitySeeds& seeds, Pieces& gradient) {
    const V lambda = load(lambda_in);
    const std::size_t count = line.pieces.size();
    const std::size_t seeded = seeds.u.size();
    const auto edge_of = [&](std::size_t j) { return seeds.first + j * seeds.stride; };
    const std::size_t last = seeded == 0 ? 0 : edge_of(seeded - 1);
    auto& [own_uu, own_ff, eta_uu, eta_ff, wronskians] = adjoint_scratch(count, seeded + 1);

    // Seeds may be huge, if u is: their size is taken out of the sweeps, and put back at the end.
    V size = splat(0.0);
    for (std::size_t j = 0; j < seeded; ++j)
        size += magnitude(load(seeds.u[j])) + magnitude(load(seeds.f[j]));
    size = select(size > 1e-290, size, splat(1.0));
    const V per_size = 1.0 / size;
    const auto seed_u = [&](std::size_t j) { return per_size * load(seeds.f[j]); };
    const auto seed_f = [&](std::size_t j) { return -per_size * load(seeds.u[j]); };

    // Where eta starts, for each lane: at the last seed, if y is large everywhere. If not, rounding
    // of lambda, by which y fails to meet itself at the twist, could matter too.
    constexpr double much = 64.0;
    const auto edge = [](std::size_t k) { return Mask{} + static_cast<long long>(k); };
    const V weight = weight_of_u(line, lambda);
    V least = splat(__builtin_inf()), most = splat(0.0);
    for (std::size_t k = 0; k <= count && seeded > 0; ++k) {
        const V y_u = load(states.u[k]), y_f = load(states.f[k]);
        const V square = weight * y_u * y_u + y_f * y_f;
        least = smaller(square, least);
        most = larger(square, most);
    }
    Mask start = edge(last);
    std::size_t lowest = last, highest = 0;  // of the lanes' starts
    for (std::size_t i = 0; i < lanes; ++i) {
        const bool at_twist = most[i] > much * least[i] && states.twist[i] < last;
        const std::size_t k = at_twist ? states.twist[i] : last;
        start[i] = static_cast<long long>(k);
        lowest = k < lowest ? k : lowest;
        highest = k > highest ? k : highest;
    }
    const auto first_beyond = [&](std::size_t k) {
        return k < seeds.first ? 0 : (k - seeds.first) / seeds.stride + 1;
    };

    V u = splat(0.0), f = splat(0.0), tau = splat(0.0), start_u = u, start_f = f;
    if (lowest < last) {
        // wronskians[j]: with y, of all seeds from the j-th on.
        V wronskian = splat(0.0);
        store(wronskians[seeded], wronskian);
        for (std::size_t j = seeded; j-- > 0;) {
            const std::size_t k = edge_of(j);
            wronskian += seed_u(j) * load(states.f[k]) - seed_f(j) * load(states.u[k]);
            store(wronskians[j], wronskian);
        }
        for (std::size_t i = 0; i < lanes; ++i) {
            const auto k = static_cast<std::size_t>(start[i]);
            if (k == last) continue;
            const double y_u = states.u[k][i], y_f = states.f[k][i];
            const double scaled =
                wronskians[first_beyond(k)][i] / (weight[i] * y_u * y_u + y_f * y_f);
            start_u[i] = scaled * y_f;
            start_f[i] = -scaled * weight[i] * y_u;
        }
    }
    // To the right, seeds are taken off, and eta is kept as a state at right angles to y, of the
    // Wronskian that is left, plus tau y: by itself it would pick up rounding, which grows that
    // way. Beyond the last seed, eta is tau y.
    std::size_t j = first_beyond(lowest);
    for (std::size_t k = lowest; k < last; ++k) {
        u = select(start == edge(k), start_u, u);
        f = select(start == edge(k), start_f, f);
        const PieceProducts p = cross<within_reach, 1>(line, k, lambda, states, u, f);
        store(own_uu[k], p.own.uu);
        store(own_ff[k], p.own.ff);
        store(eta_uu[k], tau * p.own.uu + p.eta.uu);
        store(eta_ff[k], tau * p.own.ff + p.eta.ff);
        if (k + 1 != edge_of(j)) continue;
        const Direction y = direction_of(weight, load(states.u[k + 1]), load(states.f[k + 1]));
        const Mask under_way = start <= edge(k);
        const V along = weight * (u - seed_u(j)) * y.u + (f - seed_f(j)) * y.f;
        tau += select(under_way, along * y.per_square * y.per_size, splat(0.0));
        const V across = load(wronskians[j + 1]) * y.per_size * y.per_square;
        u = select(under_way, across * y.f, splat(0.0));
        f = select(under_way, -across * weight * y.u, splat(0.0));
        ++j;
    }
    u = f = splat(0.0);
    j = first_beyond(highest);
    for (std::size_t k = highest; k > 0; --k) {
        u = select(start == edge(k), start_u, u);
        f = select(start == edge(k), start_f, f);
        if (j > 0 && k == edge_of(j - 1)) {
            --j;
            u += select(start >= edge(k), seed_u(j), splat(0.0));
            f += select(start >= edge(k), seed_f(j), splat(0.0));
        }
        const PieceProducts p = cross<within_reach, -1>(line, k - 1, lambda, states, u, f);
        store(own_uu[k - 1], p.own.uu);
        store(own_ff[k - 1], p.own.ff);
        // Other lanes may have come here from the left.
        const bool again = k > lowest;
        store(eta_uu[k - 1], again ? load(eta_uu[k - 1]) + p.eta.uu : p.eta.uu);
        store(eta_ff[k - 1], again ? load(eta_ff[k - 1]) + p.eta.ff : p.eta.ff);
    }
    for (std::size_t k = last; k < count; ++k) {
        const PieceProducts p = cross<within_reach, 0>(line, k, lambda, states, u, f);
        store(own_uu[k], p.own.uu);
        store(own_ff[k], p.own.ff);
        store(eta_uu[k], tau * p.own.uu);
        store(eta_ff[k], tau * p.own.ff);
    }

    // zeta = eta + kappa y, with the integral of w zeta_u u equal to the seed of lambda, gives
    // every derivative by the same two integrals.
    V norm = splat(0.0), overlap = splat(0.0);
    for (std::size_t k = 0; k < count; ++k) {
        const double g1 = line.pieces.g1[k];
        norm += g1 * load(own_uu[k]);
        overlap += g1 * load(eta_uu[k]);
    }
    const V kappa = (load(seeds.lambda) * per_size - overlap) / norm;
    for (std::size_t first = 0; first < count; first += lanes) {
        const std::size_t used = count - first < lanes ? count - first : lanes;
        V uu[lanes], ff[lanes], luu[lanes];
        for (std::size_t i = 0; i < lanes; ++i) {
            const std::size_t k = first + (i < used ? i : 0);
            uu[i] = size * (kappa * load(own_uu[k]) + load(eta_uu[k]));
            ff[i] = size * (kappa * load(own_ff[k]) + load(eta_ff[k]));
            luu[i] = lambda * uu[i];
        }
        const V by_a = totals(ff), by_g0 = totals(uu), by_g1 = totals(luu);
        for (std::size_t i = 0; i < used; ++i) {
            gradient.a[first + i] -= by_a[i];
            gradient.g0[first + i] += by_g0[i];
            gradient.g1[first + i] -= by_g1[i];
        }
    }
}

void sensitivity(const Line& line, const Lanes& lambda, const EdgeStates& states,
                 const SensitivitySeeds& seeds, Pieces& gradient) {
    if (tier_of(line, load(lambda)) == Tier::any)
        return sensitivity_of<false>(line, lambda, states, seeds, gradient);
    return sensitivity_of<true>(line, lambda, states, seeds, gradient);
}
