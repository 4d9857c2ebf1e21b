#!/usr/bin/python3
"""What tuning adds to the default settings on large tables, for DSL, an MLP and a neural ODE.

    make experiment NAME=tuning [ARGS="--sets bank --kinds dsl,mlp,node --seeds 0,1"]

Adult's two files together, 40,000 rows of them to learn from and 8,842 to test on, and the fixed parts
of Bank and Dry Bean. Every setting of a grid (grids.toml) is trained; the best on the rows that the training holds
out is the tuned one. (For few rows: low_samples.)
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, all_trained, lists_asked, axes, data_folder, grids, percent, publish, \
    rows_of, sets, spread, table, write_rows  # noqa: E402

TITLES = {"dry_bean": "Dry Bean, 10,889 rows", "bank": "Bank, 8,930 rows",
          "adult": "Adult, 40,000 rows"}
GRIDS = grids(pathlib.Path(__file__).resolve().parent / "grids.toml")
NAMES = {"dsl": "DSL", "mlp": "MLP", "node": "neural ODE"}


def adult():
    train, test = (KEPT / "data" / f"adult-40000-{part}.csv" for part in ("train", "test"))
    if not (train.exists() and test.exists()):
        rows = []
        for part in ("adult.data", "adult.test"):
            first, others = rows_of(data_folder() / "adult" / part)
            rows += [row.rstrip(".") for row in [first, *others] if not row.startswith("|")]
        random.Random(20250713).shuffle(rows)
        header = ",".join(f"column{i + 1}" for i in range(15))
        write_rows(train, header, rows[:40000])
        write_rows(test, header, rows[40000:])
    return train, test, ["--target", "column15"]


def held_out_accuracy(run):
    """On rows held out, or left out of folds."""
    training = run["training"]
    return training.get("validation_accuracy", training.get("fold_accuracy"))


def main():
    names, kinds, seeds = lists_asked(
        __doc__, sets="dry_bean,bank,adult", kinds="dsl,mlp,node", seeds="0")
    runs = {}
    for seed in seeds:
        for name in names:
            train, test, flags = adult() if name == "adult" else sets()[name]
            for kind in kinds:
                for number, setting in enumerate(GRIDS[kind].values()):
                    runs[f"{name}-{kind}-{number}-{seed}"] = (
                        train, test, [*flags, "--model", kind, "--seed", seed, *setting])
    results = all_trained("tuning", runs)

    shown = spread if len(seeds) > 1 else lambda values: f"{values[0]:.2f}"
    rows = []
    figure, plots = axes(width=9.6, columns=len(names))
    for plot, name in zip(plots, names):
        for i, kind in enumerate(kinds):
            found = {title: [results[f"{name}-{kind}-{number}-{seed}"] for seed in seeds]
                     for number, title in enumerate(GRIDS[kind])}
            best = [max((of_seeds[k] for of_seeds in found.values()),
                        key=held_out_accuracy)
                    for k in range(len(seeds))]
            for title, of_seeds in [*found.items(), ("tuned: the best on rows held out", best)]:
                scores = [percent(run) for run in of_seeds]
                held_out = [100 * held_out_accuracy(run) for run in of_seeds]
                rows.append([TITLES[name], NAMES[kind], title, shown(held_out), shown(scores)])
                plot.plot(held_out, scores, "o", color=f"C{i}", markersize=4,
                          label=NAMES[kind] if title.startswith("tuned") else None)
        plot.set_title(TITLES[name], fontsize=9)
        plot.set_xlabel("on rows held out, %")
        plot.set_ylabel("test accuracy, %")
        plot.legend(frameon=False, fontsize=8)
    publish("tuning", table(["set", "model", "settings", "on rows held out, %", "test accuracy, %"],
                            rows), figure)


main()
