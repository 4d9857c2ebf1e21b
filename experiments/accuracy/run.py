#!/usr/bin/python3
"""Test accuracy on Dry Bean, Bank and Adult: DSL, its ablation, an MLP and a neural ODE.

    make experiment NAME=accuracy [ARGS="--sets dry_bean,bank --kinds dsl,mlp --seeds 0,1,2"]

Settings are in the TOML files beside this one, chosen on validation rows. Dry Bean and Bank are
tested on a fixed fifth of their rows, Adult on its own test file. XGBoost as it comes stands beside them.
"""
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import others  # noqa: E402
from common import all_trained, lists_asked, axes, mean, percent, publish, sets, spread, table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
TITLES = {"dry_bean": "Dry Bean", "bank": "Bank", "adult": "Adult"}
KINDS = {"dsl": "DSL, default", "dsl-paper": "DSL, paper", "ablation": "ablation", "mlp": "MLP",
         "node": "neural ODE"}
PAPER = {"dry_bean": {"dsl-paper": 91.14, "ablation": 88.61, "node": 91.45},
         "bank": {"dsl-paper": 83.10, "ablation": 84.63, "node": 83.77},
         "adult": {"dsl-paper": 84.28, "ablation": 84.21, "node": 84.06}}


def main():
    names, kinds, seeds = lists_asked(
        __doc__, sets="dry_bean,bank,adult", kinds=",".join(KINDS), seeds="0,1,2")
    runs = {}
    for seed in seeds:
        for name in names:
            train, test, flags = sets()[name]
            for kind in kinds:
                runs[f"{name}-{kind}-{seed}"] = (
                    train, test, [*flags, "--config", HERE / f"{kind}.toml", "--seed", seed])
    results = all_trained("accuracy", runs)

    rows = []
    figure, (plot,) = axes()
    for i, kind in enumerate(kinds):
        for j, name in enumerate(names):
            found = [results[f"{name}-{kind}-{seed}"] for seed in seeds]
            scores = [percent(run) for run in found]
            rows.append((j, i, [TITLES[name], KINDS[kind], spread(scores),
                                ", ".join(f"{score:.2f}" for score in scores),
                                PAPER[name].get(kind, "–"),
                                f"{mean([run['training']['seconds'] for run in found]):.0f}"]))
            place = j + 0.16 * (i - (len(kinds) - 1) / 2)
            plot.plot([place] * len(scores), scores, "o", color=f"C{i}", markersize=4,
                      label=KINDS[kind] if j == 0 else None)
            if kind in PAPER[name]:
                plot.plot([place - 0.06, place + 0.06], [PAPER[name][kind]] * 2, color="#555555",
                          linewidth=1.2, label="the paper's" if (i, j) == (1, 0) else None)
    plot.set_xticks(range(len(names)), [TITLES[name] for name in names])
    plot.set_ylabel("test accuracy, %")
    for j, name in enumerate(names):
        train, test, flags = sets()[name]
        reached = others.default_xgboost(train, test, flags[1], header=name != "adult")
        rows.append((j, len(kinds), [TITLES[name], "XGBoost, its defaults", f"{reached:.2f}", "–",
                                     "–", "–"]))
        plot.plot([j - 0.45, j + 0.45], [reached] * 2, color="#aaaaaa", linewidth=1,
                  linestyle="dotted", label="XGBoost" if j == 0 else None)
    plot.legend(frameon=False, fontsize=8)
    text = table(["set", "model", "test accuracy, %", "by seed", "the paper's", "training, s"],
                 [row for _, _, row in sorted(rows, key=lambda r: r[:2])])
    publish("accuracy", text, figure)


main()
