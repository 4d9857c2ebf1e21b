#!/usr/bin/python3
"""Dry Bean: accuracy against the number of eigenfunctions d, and against alpha, the weight of |lambda|.

    make experiment NAME=spectrum [ARGS="--seeds 0,1"]

The paper's settings (paper.toml), one of them changed at a time.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import all_trained, lists_asked, axes, deviation, mean, percent, publish, sets, spread, \
    table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
SWEEPS = {"eigenfunctions": [1, 2, 4, 6, 10, 16], "alpha": [0, 1e-4, 1e-2, 1, 100]}
USUAL = {"eigenfunctions": 10, "alpha": 1e-4}


def main():
    [seeds] = lists_asked(__doc__, seeds="0,1")
    train, test, flags = sets()["dry_bean"]

    def name(option, value, seed):
        return f"{option}-{value:g}-{seed}" if value != USUAL[option] else f"usual-{seed}"

    runs = {name(option, value, seed):
            (train, test, [*flags, "--config", HERE / "paper.toml", f"--{option}", value,
                           "--seed", seed])
            for seed in seeds for option, values in SWEEPS.items() for value in values}
    results = all_trained("spectrum", runs)

    text = ""
    figure, plots = axes(width=8.6, height=3.4, columns=2)
    for plot, (option, values) in zip(plots, SWEEPS.items()):
        scores = [[percent(results[name(option, value, seed)]) for seed in seeds]
                  for value in values]
        places = values if option == "eigenfunctions" else range(len(values))
        plot.errorbar(places, [mean(s) for s in scores], yerr=[deviation(s) for s in scores],
                      marker="o", markersize=4, capsize=3, color="C0")
        plot.set_xticks(list(places), [f"{value:g}" for value in values])
        plot.set_xlabel("eigenfunctions d" if option == "eigenfunctions" else "alpha")
        plot.set_ylabel("test accuracy, %")
        text += table([option, "test accuracy, %", "by seed"],
                      [[f"{value:g}", spread(s), ", ".join(f"{x:.2f}" for x in s)]
                       for value, s in zip(values, scores)]) + "\n"
    publish("spectrum", text, figure)


main()
