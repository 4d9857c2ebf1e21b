#!/usr/bin/python3
"""What tuning adds to the default settings on large tables.

    make experiment NAME=tuning [ARGS="--sets bank --seeds 0,1"]

Adult's two files together, 40,000 rows of them to learn from and 8,842 to test on, and the fixed parts
of Bank. Every setting of the grid is trained; the best on the rows that the training holds out is the
tuned one. (For few rows: low_samples.)
"""
import argparse
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, all_trained, axes, data_folder, mean, percent, publish, rows_of, sets, spread, \
    table, write_rows  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TITLES = {"bank": "Bank, 8,930 rows", "adult": "Adult, 40,000 rows"}
GRID = {"default": [], "decay 0.01": ["--weight-decay", 0.01], "decay 1": ["--weight-decay", 1],
        "rate 0.001": ["--learning-rate", 1e-3], "networks 128-64-32": ["--hidden", "128-64-32"],
        "10 eigenfunctions": ["--eigenfunctions", 10]}


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


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="bank,adult")
    parser.add_argument("--seeds", default="0")
    asked = parser.parse_args()
    names, seeds = asked.sets.split(","), asked.seeds.split(",")
    runs = {}
    for seed in seeds:
        for name in names:
            train, test, flags = adult() if name == "adult" else sets()[name]
            for number, setting in enumerate(GRID.values()):
                runs[f"{name}-{number}-{seed}"] = (
                    train, test,
                    [*flags, "--config", HERE / "default.toml", "--seed", seed, *setting])
    results = all_trained("tuning", runs)

    rows = []
    figure, (plot,) = axes()
    for j, name in enumerate(names):
        found = {title: [results[f"{name}-{number}-{seed}"] for seed in seeds]
                 for number, title in enumerate(GRID)}
        best = [max((found[title][i] for title in GRID),
                    key=lambda run: run["training"]["validation_accuracy"])
                for i in range(len(seeds))]
        for i, (title, of_seeds) in enumerate([*found.items(), ("tuned", best)]):
            scores = [percent(run) for run in of_seeds]
            held_out = [100 * run["training"]["validation_accuracy"] for run in of_seeds]
            shown = spread if len(seeds) > 1 else lambda values: f"{values[0]:.2f}"
            rows.append([TITLES[name], title, shown(held_out), shown(scores),
                         f"{mean([run['training']['seconds'] for run in of_seeds]):.0f}"])
            plot.plot([j + 0.1 * (i - len(GRID) / 2)] * len(scores), scores, "o", color=f"C{i}",
                      markersize=5, label=title if j == 0 else None)
    plot.set_xticks(range(len(names)), [TITLES[name] for name in names])
    plot.set_ylabel("test accuracy, %")
    plot.legend(frameon=False, fontsize=8)
    publish("tuning", table(["set", "settings", "on rows held out, %", "test accuracy, %",
                             "training, s"], rows), figure)


main()
