#!/usr/bin/python3
"""MNIST: the paper's protocol, four heads behind the same encoder, and few labels.

    make experiment NAME=mnist [ARGS="--parts paper,heads,few --seeds 0,1,2 --sizes 100,1000"]

Trained on the 60,000 images of MNIST's training part, tested on its 10,000 test images. Epochs are
chosen on images held out of the training part. For few labels, that many images are drawn from the
training part, the same number of each class; five draws, and the same ones for all heads.
"""
import gzip
import pathlib
import sys

import numpy

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, all_trained, axes, data_folder, lists_asked, mean, percent, publish, spread, \
    table  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent
HEADS = {"dsl": "DSL", "linear": "linear", "mlp": "MLP", "node": "neural ODE"}
PAPER = {"dsl": 97.93, "node": 96.8}
DRAWS = range(5)


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


def main():
    parts, seeds, sizes = lists_asked(__doc__, parts="paper,heads,few", seeds="0,1,2",
                                      sizes="100,300,1000,3000")
    whole = data_folder() / "mnist"
    runs = {}
    if "paper" in parts:
        runs["paper-0"] = (whole, whole, ["--config", HERE / "paper.toml", "--seed", 0])
    for seed in seeds if "heads" in parts else []:
        for head in HEADS:
            runs[f"{head}-{seed}"] = (whole, whole, ["--config", HERE / f"{head}.toml",
                                                     "--seed", seed])
    for size in sizes if "few" in parts else []:
        for draw in DRAWS:
            for head in HEADS:
                runs[f"{head}-{size}-{draw}"] = (few(int(size), draw), whole,
                                                 ["--config", HERE / f"{head}.toml", "--seed", draw])
    results = all_trained("mnist", runs)

    rows = []
    if "paper" in parts:
        found = results["paper-0"]
        rows.append(["DSL, preset paper", f"{percent(found):.2f}", "–", PAPER["dsl"],
                     f"{found['training']['seconds'] / 60:.0f}"])
    if "heads" in parts:
        for head, title in HEADS.items():
            found = [results[f"{head}-{seed}"] for seed in seeds]
            scores = [percent(run) for run in found]
            rows.append([f"{title}, default", spread(scores), ", ".join(f"{s:.2f}" for s in scores),
                         PAPER.get(head, "–") if head == "node" else "–",
                         f"{mean([run['training']['seconds'] for run in found]) / 60:.0f}"])
    text = table(["model", "test accuracy, %", "by seed", "the paper's", "training, min on one core"],
                 rows) if rows else ""
    figure = None
    if "few" in parts:
        figure, (plot,) = axes()
        rows = []
        for i, (head, title) in enumerate(HEADS.items()):
            scores = [[percent(results[f"{head}-{size}-{draw}"]) for draw in DRAWS] for size in sizes]
            rows.append([title, *(spread(each) for each in scores)])
            plot.plot([int(size) for size in sizes], [mean(each) for each in scores], "o-",
                      color=f"C{i}", markersize=4, label=title)
        plot.set_xscale("log")
        plot.set_xticks([int(size) for size in sizes], sizes)
        plot.set_xlabel("labels")
        plot.set_ylabel("test accuracy, %")
        plot.legend(frameon=False)
        text += "\n" + table(["head, behind the same encoder", *(f"{size} labels" for size in sizes)],
                             rows)
    publish("mnist", text, figure)


if __name__ == "__main__":
    main()
