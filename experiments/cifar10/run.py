#!/usr/bin/python3
"""CIFAR-10: the paper's protocol, and four heads behind the same encoder with augmentation.

    make experiment NAME=cifar10 [ARGS="--parts paper,heads --seeds 0"]

Trained on the 50,000 training images, tested on the 10,000 test images; epochs are chosen on images
held out of the training part. The images come from DEEPSL_CIFAR10, a folder in the official binary
layout (default: cifar10/bin in the folder of the data sets).
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import all_trained, data_folder, lists_asked, mean, percent, publish, spread, \
    table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HEADS = {"dsl": "DSL", "linear": "linear", "mlp": "MLP", "node": "neural ODE"}
PAPER = {"dsl": 58.38, "node": 58.9}


def folder():
    path = pathlib.Path(os.environ.get("DEEPSL_CIFAR10", data_folder() / "cifar10" / "bin"))
    if not (path / "test_batch.bin").exists():
        sys.exit(f"{path} holds no CIFAR-10 in the binary layout; set DEEPSL_CIFAR10")
    return path


def main():
    parts, seeds = lists_asked(__doc__, parts="paper,heads", seeds="0")
    data = folder()
    runs = {}
    if "paper" in parts:
        runs["paper-0"] = (data, data, ["--config", HERE / "paper.toml", "--seed", 0])
    for seed in seeds if "heads" in parts else []:
        for head in HEADS:
            runs[f"{head}-{seed}"] = (data, data, ["--config", HERE / f"{head}.toml", "--seed", seed])
    results = all_trained("cifar10", runs)
    rows = []
    if "paper" in parts:
        found = results["paper-0"]
        rows.append(["DSL, preset paper", f"{percent(found):.2f}", PAPER["dsl"],
                     f"{found['training']['seconds'] / 60:.0f}"])
    for head, title in HEADS.items() if "heads" in parts else []:
        found = [results[f"{head}-{seed}"] for seed in seeds]
        scores = [percent(run) for run in found]
        rows.append([f"{title}, default with flip and crop",
                     spread(scores) if len(scores) > 1 else f"{scores[0]:.2f}",
                     PAPER["node"] if head == "node" else "–",
                     f"{mean([run['training']['seconds'] for run in found]) / 60:.0f}"])
    publish("cifar10", table(["model", "test accuracy, %", "the paper's", "training, min on one core"],
                             rows))


if __name__ == "__main__":
    main()
