#!/usr/bin/python3
"""CIFAR-10: the paper's protocol, and four heads behind the same encoder with augmentation.

    make experiment NAME=cifar10 [ARGS="--parts paper,paper-node,heads --published"]

Trained on the 50,000 training images to the end of the schedule, tested on the 10,000 test images.
ARGS="--published --parts paper" takes what is published for done, and adds to it. The
images come from DEEPSL_CIFAR10, a folder in the official binary layout (default: cifar10/bin in the
folder of the data sets).
"""
import os
import pathlib
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import data_folder, publish  # noqa: E402
from heads import asked, finished, heads_runs, models_figure, models_table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAPER = {"dsl": 58.38, "node": 58.9}


def folder():
    path = pathlib.Path(os.environ.get("DEEPSL_CIFAR10", data_folder() / "cifar10" / "bin"))
    if not (path / "test_batch.bin").exists():
        sys.exit(f"{path} holds no CIFAR-10 in the official binary layout; bring it there (the folder of data "
                 "sets may have a script for it, prepare), or set DEEPSL_CIFAR10")
    return path


def main():
    parts, go_on = asked(__doc__, "paper,paper-node,heads")
    data = folder()
    results = finished("cifar10", heads_runs(HERE, (0,), data, data), parts, go_on)
    publish("cifar10", models_table(results, (0,), PAPER, "default with flip and crop"),
            models_figure(results, (0,), PAPER, 10000), whole=go_on)


if __name__ == "__main__":
    main()
