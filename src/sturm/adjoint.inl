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
    // Seeds may be huge, if u is: they are taken out of the sweeps, and put back at the end.
    const V seed_size = magnitude(load(seeds.u)) + magnitude(load(seeds.f));
    const V size = select(seed_size > 0.0, seed_size, splat(1.0));
    const V seed_u = load(seeds.f) / size, seed_f = -load(seeds.u) / size;
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
    const V kappa = (load(seeds.lambda) / size - overlap) / norm;
    for (std::size_t k = 0; k < count; ++k) {
        const V factor = k < edge ? kappa : kappa + tau;
        const V uu = size * (factor * load(own_uu[k]) + load(direct_uu[k]));
        const V ff = size * (factor * load(own_ff[k]) + load(direct_ff[k]));
        gradient.a[k] -= total(ff);
        gradient.g0[k] += total(uu);
        gradient.g1[k] -= total(lambda * uu);
    }
}
