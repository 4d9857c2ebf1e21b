#!/usr/bin/env python3
"""Test accuracy on Dry Bean, Bank and Adult: DSL, ablation, MLP and neural ODE, three seeds.

    experiments/accuracy/run.py [--sets dry_bean,bank] [--kinds dsl,mlp] [--seeds 0,1,2]

Settings are in the TOML files beside this one. Results are kept in build/experiments/accuracy, so a
second call goes on where the first was broken off, and the table is printed at the end.
"""
import argparse
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import deviation, mean, sets, table, trained  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAPER = {"dry_bean": {"dsl": 91.14, "ablation": 88.61, "node": 91.45},
         "bank": {"dsl": 83.10, "ablation": 84.63, "node": 83.77},
         "adult": {"dsl": 84.28, "ablation": 84.21, "node": 84.06}}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sets", default="dry_bean,bank,adult")
    parser.add_argument("--kinds", default="dsl,ablation,mlp,node")
    parser.add_argument("--seeds", default="0,1,2")
    asked = parser.parse_args()
    rows = []
    for name in asked.sets.split(","):
        train, test, flags = sets()[name]
        for kind in asked.kinds.split(","):
            runs = []
            for seed in asked.seeds.split(","):
                print(f"{name}, {kind}, seed {seed}", file=sys.stderr, flush=True)
                config = HERE / f"{kind}.toml"
                runs.append(trained("accuracy", f"{name}-{kind}-{seed}", train, test,
                                    [*flags, "--config", config, "--seed", seed]))
            scores = [100 * run["test"]["accuracy"] for run in runs]
            seconds = mean([run["training"]["seconds"] for run in runs])
            rows.append([name, kind, f"{mean(scores):.2f} ± {deviation(scores):.2f}",
                         PAPER[name].get(kind, "–"), f"{seconds:.0f}"])
    print(table(["set", "model", "test accuracy, %", "the paper's", "training, s"], rows), end="")


main()
