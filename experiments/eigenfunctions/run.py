#!/usr/bin/python3
"""The first three eigenfunctions along the lines of two Dry Bean samples.

    make experiment NAME=eigenfunctions [ARGS="--rows 1,2"]

One training with the paper's settings (paper.toml); the rows are of the test file.
"""
import argparse
import json
import pathlib
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
from common import KEPT, axes, percent, program, publish, rows_of, sets, table, trained  # noqa: E402

HERE = pathlib.Path(__file__).resolve().parent


def look(model, data, row):
    done = subprocess.run([program(), "inspect", model, data, "--row", row, "--finer", "8",
                           "--json", "--quiet"],
                          stdout=subprocess.PIPE, text=True, check=True)
    return json.loads(done.stdout)


def two_classes(data):
    _, rows = rows_of(data)
    classes = [row.split(",")[-1] for row in rows]
    other = next(i for i, label in enumerate(classes) if label != classes[0])
    return ["1", str(other + 1)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", help="of the test file, from 1 (default: the first, and the first of "
                        "another class)")
    asked = parser.parse_args().rows
    train, test, flags = sets()["dry_bean"]
    run = trained("eigenfunctions", "paper-0", train, test,
                  [*flags, "--config", HERE / "paper.toml"])
    model = KEPT / "eigenfunctions" / "paper-0.deepsl"
    rows = asked.split(",") if asked else two_classes(test)
    figure, plots = axes(width=8.6, height=3.2, columns=len(rows))
    lines = []
    for plot, row in zip(plots, rows):
        seen = look(model, test, row)
        field = seen["fields"][0]
        prediction = f"{seen['prediction']} ({100 * max(seen['probabilities']):.1f} %)"
        for i in range(3):
            u = field["u_edges"][i]
            size = max(map(abs, u))
            plot.plot(field["t_edges"], [value / size for value in u], color=f"C{i}",
                      label=f"$u_{i + 1}$, $\\lambda$ = {field['lambda'][i]:.3g}")
        plot.axvline(0, color="#555555", linewidth=0.8, linestyle=":")
        plot.set_xlabel("t along the line; the sample at 0")
        plot.set_title(f"row {row}: {prediction}", fontsize=9)
        plot.legend(frameon=False, fontsize=7)
        lines.append([row, prediction, f"{field['t_edges'][0]:.3g}",
                      f"{field['t_edges'][-1]:.3g}",
                      ", ".join(f"{value:.4g}" for value in field["lambda"][:3]),
                      ", ".join(f"{value:.3g}" for value in field["u"][:3])])
    text = f"A model with {percent(run):.2f} % on the test rows.\n\n"
    text += table(["test row", "prediction", "t-", "t+", "first eigenvalues", "u at the sample"],
                  lines)
    publish("eigenfunctions", text, figure)


main()
