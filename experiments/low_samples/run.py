#!/usr/bin/python3
"""Learning Bank from 100, 200, 400 and 800 rows.

    make experiment NAME=low_samples [ARGS="--seeds 0,1 --sizes 100,400"]

Training and validation rows (1,000) are drawn, seed by seed, from the fixed training part of Bank, test
rows (1,000) from its test part; settings were chosen on training rows only. Each TOML file beside this one is a
model, but grids.toml: there are the settings that are tried where a model is tuned, the best of which on
the validation rows is tested; so are logistic regression, SVM and XGBoost (../others.py). `alone` has no
validation rows.
"""
import pathlib
import random
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import others  # noqa: E402
from common import KEPT, all_trained, lists_asked, axes, fixed_split, grids, mean, percent, publish, \
    rows_of, spread, table, write_rows  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAPER = {"paper": [71.98, 73.86, 77.82, 81.36], "paper-ablation": [61.9, 66.15, 68.77, 74.18],
         "paper-mlp": [66.3, 70.1, 73.42, 78.38], "paper-2": [68.8, 71.66, 76.62, 79.14],
         "paper-4": [70.88, 71.44, 76.78, 81.46], "paper-8": [71.66, 73.18, 78.88, 81.02]}
KINDS = {"alone": "DSL default, no validation rows", "default": "DSL default",
         "paper": "DSL paper, d = 6", "paper-2": "DSL paper, d = 2", "paper-4": "DSL paper, d = 4",
         "paper-8": "DSL paper, d = 8", "paper-ablation": "ablation, paper",
         "paper-mlp": "MLP leaky ReLU, paper", "paper-mlp-tanh": "MLP tanh, paper"}
# Beside default.toml and mlp.toml; the first of DSL's is the default.
TUNED = {"tuned": ("DSL tuned", "default.toml"), "tuned-mlp": ("MLP tanh, tuned", "mlp.toml")}
GRIDS = {kind: list(grid.values()) for kind, grid in grids(HERE / "grids.toml").items()}


def draws_of(kind, asked):
    """The default's rules were changed after its first draws had been tested; so it has fresh ones."""
    return asked or (range(100, 105) if kind.startswith("paper") else range(200, 205))


def files(size, seed):
    """Training, validation and test rows."""
    train, test = fixed_split("bank", "bank/bank.csv")
    folder = KEPT / "data" / "low_samples"
    paths = [folder / f"{part}-{seed}.csv" for part in (f"train-{size}", "validation", "test")]
    if not all(path.exists() for path in paths):
        header, known = rows_of(train)
        _, unseen = rows_of(test)
        random.Random(f"rows {seed}").shuffle(known)
        random.Random(f"test {seed}").shuffle(unseen)
        for path, rows in zip(paths, (known[:size], known[1000:2000], unseen[:1000])):
            write_rows(path, header, rows)
    return paths


def main():
    sizes, asked, kinds = lists_asked(
        __doc__, sizes="100,200,400,800", seeds="", kinds=",".join([*KINDS, *TUNED, *others.KINDS]))
    draws = {kind: draws_of(kind, [seed for seed in asked if seed]) for kind in kinds}
    runs = {}
    for kind in kinds:
        for seed in draws[kind]:
            for size in sizes:
                train, validation, test = files(int(size), seed)
                usual = ["--target", "deposit", "--seed", seed]
                chosen_by = ["--validation-data", validation]
                if kind == "alone":
                    runs[f"{kind}-{size}-{seed}"] = (train, test, usual)
                elif kind in TUNED:
                    config = HERE / TUNED[kind][1]
                    for k, setting in enumerate(GRIDS[kind]):
                        flags = [*usual, *chosen_by, "--config", config, *setting]
                        name = f"{kind}.{k}-{size}-{seed}"
                        if kind == "tuned" and not setting:
                            name = f"default-{size}-{seed}"
                        runs[name] = (train, test, flags)
                elif kind in KINDS:
                    flags = [*usual, *chosen_by, "--config", HERE / f"{kind}.toml"]
                    runs[f"{kind}-{size}-{seed}"] = (train, test, flags)
    results = all_trained("low_samples", runs)

    def score(kind, size, seed):
        if kind in others.KINDS:
            return others.tuned(kind, *files(int(size), seed))
        if kind not in TUNED:
            return percent(results[f"{kind}-{size}-{seed}"])
        names = [f"{kind}.{k}-{size}-{seed}" for k in range(len(GRIDS[kind]))]
        if kind == "tuned":
            names[0] = f"default-{size}-{seed}"
        return percent(max((results[name] for name in names),
                           key=lambda run: run["training"]["validation_accuracy"]))

    titles = {**KINDS, **{kind: value[0] for kind, value in TUNED.items()}, **others.KINDS}
    rows, curves = [], {}
    for kind in kinds:
        scores = [[score(kind, size, seed) for seed in draws[kind]] for size in sizes]
        curves[kind] = [mean(s) for s in scores]
        seeds = f"{draws[kind][0]} to {draws[kind][-1]}"
        rows.append([titles[kind], seeds, *map(spread, scores)])
        if kind in PAPER and sizes == ["100", "200", "400", "800"]:
            rows.append(["– as in the paper", "", *PAPER[kind]])
    figure, plots = axes(width=9.6, height=3.8, columns=2)
    for plot, shown in zip(plots, (
            ["default", "alone", "tuned-mlp", "logistic", "svm", "xgboost", "paper", "paper-ablation",
             "paper-mlp", "paper-mlp-tanh"],
            ["paper-2", "paper-4", "paper", "paper-8"])):
        for i, kind in enumerate(k for k in shown if k in curves):
            plot.plot(range(len(sizes)), curves[kind], color=f"C{i}", marker="o", markersize=3,
                      linewidth=2 if kind == "default" else 1, label=titles[kind])
        plot.set_xticks(range(len(sizes)), sizes)
        plot.set_xlabel("training rows")
        plot.set_ylabel("test accuracy, %")
        plot.legend(frameon=False, fontsize=6.5)
    publish("low_samples", table(["model", "draws", *(f"{size} rows" for size in sizes)], rows), figure)


main()
