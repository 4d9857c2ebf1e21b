#!/usr/bin/python3
"""Dry Bean: the size of the mapping H, through which gradients go, against the solvers' tolerance.

    make experiment NAME=tolerance

H holds |g| at both ends of a line, about the distance to the boundary, and |u_i| at the exit,
against its largest value; at the zero of H the implicit gradients are exact. It is measured by a
solver that shares nothing with the model's (mapping.h), on 64 test rows of a model in float64.
"""
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, axes, program, publish, sets, table, trained  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TOLERANCES = [10.0 ** -k for k in range(1, 10)]


def main():
    train, test, flags = sets()["dry_bean"]
    curves = {}
    for kind in ("paper", "default"):
        trained("tolerance", f"{kind}-0", train, test, [*flags, "--config", HERE / f"{kind}.toml"])
        done = subprocess.run(
            [program(), "check", KEPT / "tolerance" / f"{kind}-0.deepsl", "--data", test,
             "--samples", "64", "--json", "--tolerances", ",".join(f"{t:g}" for t in TOLERANCES)],
            stdout=subprocess.PIPE, text=True, check=True)
        curves[kind] = json.loads(done.stdout)
    figure, plots = axes(width=8.6, height=3.4, columns=2)
    rows = []
    for plot, part, title in zip(plots, ("exit", "end"), ("|g| at the exits", "|u_i(t+)| / max |u_i|")):
        for i, (kind, points) in enumerate(curves.items()):
            for which, style in (("median", "-"), ("worst", ":")):
                plot.loglog([p["tolerance"] for p in points], [p[f"{part}_{which}"] for p in points],
                            style, marker="o", markersize=3, color=f"C{i}", label=f"{kind}, {which}")
        plot.loglog(TOLERANCES, TOLERANCES, "--", color="#999999", linewidth=0.8, label="slope 1")
        plot.set_xlabel("tolerance")
        plot.set_ylabel(title)
        plot.legend(frameon=False, fontsize=7)
    for kind, points in curves.items():
        for p in points:
            rows.append([kind, f"{p['tolerance']:.0e}", p["cells"]] +
                        [f"{p[key]:.1e}" for key in ("exit_median", "exit_worst", "end_median",
                                                     "end_worst")])
    publish("tolerance", table(["model", "tolerance", "cells a side", "exits, median", "exits, worst",
                                "u at t+, median", "u at t+, worst"], rows), figure)


main()
