#!/usr/bin/python3
"""Numbers by rank, by z-score or by their range: what suits which table.

    make experiment NAME=scaling [ARGS="--seeds 0 --sizes 400"]

Small parts of the training rows of Bank, Dry Bean and Adult, measured on other training rows (5,000);
no test row is seen. All else as `deepsl train` sets it by itself. By this the rule of `--scale auto`
was chosen.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, all_trained, lists_asked, axes, deviation, mean, percent, publish, rows_of, \
    sets, spread, table, write_rows  # noqa: E402

SCALES = ["rank", "zscore", "minmax"]
TITLES = {"bank": "Bank (mixed)", "dry_bean": "Dry Bean (numbers)", "adult": "Adult (mixed)"}


def parts(name, size, seed):
    train, _, flags = sets()[name]
    folder = KEPT / "data" / "scaling"
    paths = [folder / f"{name}-{part}-{seed}.csv" for part in (f"train-{size}", "other")]
    if not all(path.exists() for path in paths):
        header, rows = rows_of(train)
        if name == "adult":  # has no header
            rows = [header, *rows]
            header = ",".join(f"column{i + 1}" for i in range(15))
        random.Random(f"scaling {seed}").shuffle(rows)
        write_rows(paths[0], header, rows[:size])
        write_rows(paths[1], header, rows[2000:7000])
    return *paths, flags


def main():
    sizes, seeds = lists_asked(__doc__, sizes="100,400", seeds="0,1,2")
    runs = {}
    for seed in seeds:
        for size in sizes:
            for name in TITLES:
                train, other, flags = parts(name, int(size), seed)
                for scale in SCALES:
                    runs[f"{name}-{size}-{scale}-{seed}"] = (
                        train, other, [*flags, "--scale", scale, "--seed", seed])
    results = all_trained("scaling", runs)
    rows = []
    figure, (plot,) = axes()
    for i, scale in enumerate(SCALES):
        for j, (name, size) in enumerate((n, s) for n in TITLES for s in sizes):
            scores = [percent(results[f"{name}-{size}-{scale}-{seed}"]) for seed in seeds]
            rows.append((j, i, [TITLES[name], size, scale, spread(scores)]))
            plot.errorbar([j + 0.2 * (i - 1)], [mean(scores)], yerr=[deviation(scores)], marker="o",
                          markersize=4, capsize=2, color=f"C{i}", label=scale if j == 0 else None)
    plot.set_xticks(range(len(TITLES) * len(sizes)),
                    [f"{name.replace('_', ' ')}\n{size} rows" for name in TITLES for size in sizes],
                    fontsize=8)
    plot.set_ylabel("accuracy on other rows, %")
    plot.legend(frameon=False, fontsize=8)
    publish("scaling", table(["set", "rows", "scale", "accuracy, %"],
                             [row for _, _, row in sorted(rows, key=lambda r: r[:2])]), figure)


main()
