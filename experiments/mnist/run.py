#!/usr/bin/python3
"""MNIST: the paper's protocol, with its neural ODE, four heads behind the same encoder, and few labels.

    make experiment NAME=mnist [ARGS="--parts paper,paper-node,heads,few --published"]

Trained on the 60,000 images of MNIST's training part to the end of the schedule, tested on its 10,000
test images. For few labels, that many images are drawn from the training part, the same number of
each class; five draws, and the same ones for all heads. Many hours in pieces: ARGS="--published
--parts few" takes what is published for done, and adds to it.
"""
import gzip
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, axes, data_folder, mean, percent, publish, spread, table  # noqa: E402
from heads import HEADS, asked, finished, heads_runs, log_loss, models_table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
PAPER = {"dsl": 97.93, "node": 96.8}
SEEDS, SIZES, DRAWS = (0, 1, 2), (100, 300, 1000, 3000), range(5)


def idx(name, header):
    with gzip.open(data_folder() / "mnist" / name) as file:
        return numpy.frombuffer(file.read(), numpy.uint8, offset=header)


def few(size, draw):
    """A file with so many images, the same number of each class."""
    path = KEPT / "data" / f"mnist-{size}-{draw}.npz"
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        images = idx("train-images-idx3-ubyte.gz", 16).reshape(-1, 28, 28)
        labels = idx("train-labels-idx1-ubyte.gz", 8)
        draws = numpy.random.default_rng([20250713, size, draw])
        rows = numpy.concatenate([draws.choice(numpy.flatnonzero(labels == digit), size // 10,
                                               replace=False) for digit in range(10)])
        draws.shuffle(rows)
        half = path.with_suffix(".half.npz")
        numpy.savez(half, x=images[rows], y=labels[rows].astype(numpy.int64))
        half.rename(path)
    return path


def few_table(results):
    """Accuracy and log loss by the number of labels, and a figure; None where nothing is finished."""
    sizes = [size for size in SIZES
             if all(f"{head}-{size}-{draw}" in results for head in HEADS for draw in DRAWS)]
    if not sizes:
        return "", None
    figure, plots = axes(width=9.6, columns=2)
    text = ""
    for plot, what, measure, shown in zip(
            plots, ("test accuracy, %", "test log loss"), (percent, log_loss),
            (spread, lambda values: f"{mean(values):.3f}")):
        rows = []
        for i, (head, title) in enumerate(HEADS.items()):
            scores = [[measure(results[f"{head}-{size}-{draw}"]) for draw in DRAWS]
                      for size in sizes]
            rows.append([title, *(shown(each) for each in scores)])
            plot.plot(sizes, [mean(each) for each in scores], "o-",
                      color=f"C{i}", markersize=4, label=title)
        plot.set_xscale("log")
        plot.set_xticks(sizes, map(str, sizes))
        plot.minorticks_off()
        plot.set_xlabel("labels")
        plot.set_ylabel(what)
        plot.legend(frameon=False)
        text += "\n" + table([f"{what}; head behind the same encoder",
                              *(f"{size} labels" for size in sizes)], rows)
    return text, figure


def main():
    parts, go_on = asked(__doc__, "paper,paper-node,heads,few")
    whole = data_folder() / "mnist"
    runs = heads_runs(HERE, SEEDS, whole, whole)
    for size in SIZES:
        for draw in DRAWS:
            for head in HEADS:
                runs[f"{head}-{size}-{draw}"] = ("few", (
                    few(size, draw), whole, ["--config", HERE / f"{head}.toml", "--seed", draw]))
    results = finished("mnist", runs, parts, go_on)
    text, figure = few_table(results)
    publish("mnist", models_table(results, SEEDS, PAPER) + text, figure, whole=go_on)


if __name__ == "__main__":
    main()
