#!/usr/bin/python3
"""CIFAR-10: the paper's protocol, and four heads behind the same encoder with augmentation.

    make experiment NAME=cifar10 [ARGS="--parts paper,heads --seeds 0"]

Trained on the 50,000 training images to the end of the schedule, tested on the 10,000 test images.
ARGS="--published --parts paper" takes what is published for done, and publishes what is new. The
images come from DEEPSL_CIFAR10, a folder in the official binary layout (default: cifar10/bin in the
folder of the data sets).
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import data_folder, lists_asked, publish  # noqa: E402
from heads import HEADS, finished, models_table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAPER = {"dsl": 58.38, "node": 58.9}


def folder():
    path = pathlib.Path(os.environ.get("DEEPSL_CIFAR10", data_folder() / "cifar10" / "bin"))
    if not (path / "test_batch.bin").exists():
        sys.exit(f"{path} holds no CIFAR-10 in the binary layout; set DEEPSL_CIFAR10")
    return path


def main():
    parts, seeds = lists_asked(__doc__, parts="paper,heads", seeds="0")
    data = folder()
    runs = {"paper-0": (data, data, ["--config", HERE / "paper.toml", "--seed", 0])}
    wanted = set(runs) if "paper" in parts else set()
    for seed in seeds:
        for head in HEADS:
            name = f"{head}-{seed}"
            runs[name] = (data, data, ["--config", HERE / f"{head}.toml", "--seed", seed])
            wanted |= {name} if "heads" in parts else set()
    publish("cifar10", models_table(finished("cifar10", runs, wanted), seeds, PAPER))


if __name__ == "__main__":
    main()
