#!/usr/bin/python3
"""The coefficients p, q and w as three networks, or as one trunk with three heads: accuracy and log loss.

    make experiment NAME=coefficients [ARGS="--seeds 0 --sizes 100"]

Parts of many tables, measured on their other rows: of Bank, Dry Bean and Adult rows of the training part
only, of the tables for choosing rules at most 2,000 others; rows of a
class that is not in the part are left out. All else as `deepsl train` sets it by itself.
By this the default of `--coefficients` was chosen.
"""
import math
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, all_trained, data_folder, lists_asked, deviation, mean, percent, publish, \
    rows_of, sets, table, write_rows  # noqa: E402

CHOICES = ["networks", "trunk"]
TABLES = ["ecoli", "glass", "haberman", "letter", "pima", "satellite", "seeds", "spam", "vehicle",
          "votes", "vowel"]


def source(name):
    """Header, rows and the target's name."""
    if name not in TABLES:
        train, _, flags = sets()[name]
        header, rows = rows_of(train)
        if name == "adult":  # has no header
            rows, header = [header, *rows], ",".join(f"column{i + 1}" for i in range(15))
        return header, rows, flags[1]
    header, rows = rows_of(data_folder() / "tables" / f"{name}.csv")
    return header, rows, header.split(",")[-1].strip('"')


def label(row):
    return row.rsplit(",", 1)[1]


def parts(name, size, seed):
    """Training rows and others, or nothing where the table is too small."""
    header, rows, target = source(name)
    if len(rows) < 1.5 * size:
        return None
    folder = KEPT / "data" / "coefficients"
    paths = [folder / f"{name}-{size}-{seed}-{part}.csv" for part in ("train", "other")]
    if not all(path.exists() for path in paths):
        random.Random(f"coefficients {seed}").shuffle(rows)
        write_rows(paths[0], header, rows[:size])
        known = {label(row) for row in rows[:size]}
        write_rows(paths[1], header, [row for row in rows[size:size + 2000] if label(row) in known])
    return *paths, target


def paired(results, names, value):
    """The mean of trunk minus networks, and its error."""
    by = [value(results[name, "trunk"]) - value(results[name, "networks"]) for name in names]
    return f"{mean(by):+.3f} ± {deviation(by) / math.sqrt(len(by)):.3f}"


def main():
    sizes, seeds = lists_asked(__doc__, sizes="100,400", seeds="0,1")
    runs = {}
    for seed in seeds:
        for size in map(int, sizes):
            for name in [*TABLES, *sets()]:
                files = parts(name, size, seed)
                for choice in CHOICES if files else []:
                    runs[name, size, seed, choice] = (
                        *files[:2], ["--target", files[2], "--coefficients", choice, "--seed", seed])
    done = all_trained("coefficients", {"-".join(map(str, key)): run for key, run in runs.items()})
    results = {(key[:3], key[3]): done["-".join(map(str, key))] for key in runs}
    rows = []
    for size in map(int, sizes):
        names = sorted({key[:3] for key in runs if key[1] == size})
        for name in [*TABLES, *sets()]:
            own = [key for key in names if key[0] == name]
            if own:
                rows.append([name, size, *(f"{mean([percent(results[key, c]) for key in own]):.2f}"
                                           for c in CHOICES),
                             *(f"{mean([results[key, c]['test']['log_loss'] for key in own]):.3f}"
                               for c in CHOICES)])
        rows.append(["**trunk − networks**", size, "", paired(results, names, percent), "",
                     paired(results, names, lambda r: r["test"]["log_loss"])])
    publish("coefficients", table(
        ["table", "rows", "accuracy, networks", "trunk", "log loss, networks", "trunk"],
        rows))


main()
