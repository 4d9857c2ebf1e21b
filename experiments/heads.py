"""What the experiments on images share: heads behind the same encoder, and runs of many hours.

Every finished run is published in docs/results/experiments/NAME.json, with its settings and the
program; with --published these count as done, on any machine, and tables are made of all of them,
as long as the program would train with the same values of all options.
"""
import argparse
import functools
import hashlib
import json
import subprocess

from common import RESULTS, all_trained, axes, mean, percent, program, settings, spread, table, write_whole

HEADS = {"dsl": "DSL", "linear": "linear", "mlp": "MLP", "node": "neural ODE"}
# Options that published runs did not have yet, at values with which nothing is different.
CAME_LATER = ['after-folds = "retrain"', 'variants = ""', 'relevance-by = "correlation"',
              'directions = "ridge"', 'effort = "normal"', "smoothness = 0"]
COLUMNS = ["model", "test accuracy, %", "by seed", "test log loss", "the paper's",
           "training, core-minutes"]


def asked(about, parts):
    """The parts to be done now, and whether what is published counts as done."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--parts", default=parts, help=f"of {parts}")
    parser.add_argument("--published", action="store_true",
                        help="take what is published for done, and publish tables of all of it")
    given = parser.parse_args()
    return given.parts.split(","), given.published


def heads_runs(here, seeds, data, test):
    """The paper's preset and the heads: {name: (part, (train, test, flags))}"""
    paper = ["--config", here / "paper.toml", "--seed", 0]
    runs = {"paper-0": ("paper", (data, test, paper)),
            "paper-node-0": ("paper-node", (data, test, [*paper, "--model", "node"]))}
    for seed in seeds:
        for head in HEADS:
            runs[f"{head}-{seed}"] = ("heads", (data, test, ["--config", here / f"{head}.toml",
                                                             "--seed", seed]))
    return runs


@functools.lru_cache(maxsize=None)
def values_of_options(data, flags):
    """What all options come to, shortened: defaults may have changed."""
    text = subprocess.run([program(), "train", str(data), *map(str, flags), "--print-config"],
                          stdout=subprocess.PIPE, text=True, check=True).stdout
    values = [line for line in text.splitlines()
              if not line.startswith(("data ", "threads ")) and line not in CAME_LATER]
    return hashlib.sha256("\n".join(values).encode()).hexdigest()[:16]


def finished(experiment, runs, parts, go_on):
    """{name: result} of the parts' runs, and to go on, of all that are published."""
    path = RESULTS / f"{experiment}.json"
    known = json.loads(path.read_text()) if path.exists() else {}
    done = {name: known[name] for name, (_, run) in runs.items()
            if go_on and name in known and known[name]["settings"] == settings(*run)
            and known[name].get("options") == values_of_options(run[0], tuple(run[2]))}
    new = {name: run for name, (part, run) in runs.items() if part in parts and name not in done}

    def publish_run(name, result):
        known[name] = {key: result[key] for key in ("settings", "program", "test")}
        known[name]["options"] = values_of_options(runs[name][1][0], tuple(runs[name][1][2]))
        known[name]["test"] = {key: value for key, value in result["test"].items()
                               if key != "classes"}
        known[name]["training"] = {key: result["training"].get(key) for key in (
            "training_accuracy", "seconds", "threads", "epochs", "rows", "parameters",
            "failed_lines")}
        write_whole(path, json.dumps(dict(sorted(known.items())), indent=1) + "\n")

    return {**done, **(all_trained(experiment, new, publish_run) if new else {})}


def log_loss(result):
    return result["test"]["log_loss"]


def core_minutes(result):
    return result["training"]["seconds"] * result["training"]["threads"] / 60


def row(title, found, paper="–"):
    """A row of the table of models, from runs that differ by their seed."""
    scores = [percent(run) for run in found]
    return [title, spread(scores) if len(scores) > 1 else f"{scores[0]:.2f}",
            ", ".join(f"{score:.2f}" for score in scores) if len(scores) > 1 else "–",
            f"{mean([log_loss(run) for run in found]):.3f}", paper,
            f"{mean([core_minutes(run) for run in found]):.0f}"]


def models_figure(results, seeds, paper, test_images):
    """Accuracies with the standard error of a count, the paper's beside them."""
    figure, (plot,) = axes(height=2.6)
    named = [("paper-0", "DSL, preset paper", paper["dsl"]),
             ("paper-node-0", "neural ODE, preset paper", paper["node"]),
             *((f"{head}-{seed}", f"{title}, default", None)
               for head, title in HEADS.items() for seed in seeds)]
    shown = [(results[name], title, own) for name, title, own in named if name in results]
    for place, (result, title, own) in enumerate(shown):
        score = percent(result)
        error = (score * (100 - score) / test_images) ** 0.5
        plot.errorbar(score, place, xerr=error, fmt="o", color="C0", markersize=5)
        if own:
            plot.plot(own, place, "|", color="black", markersize=14)
    plot.set_yticks(range(len(shown)), [title for _, title, _ in shown])
    plot.invert_yaxis()
    plot.set_xlabel("test accuracy, %; a black line is the paper's")
    return figure


def models_table(results, seeds, paper, default="default"):
    """The paper's preset, then the heads; those without a finished run are left out."""
    rows = []
    for name, title, model in (("paper-0", "DSL", "dsl"), ("paper-node-0", "neural ODE", "node")):
        if name in results:
            rows.append(row(f"{title}, preset paper", [results[name]], paper[model]))
    for head, title in HEADS.items():
        found = [results[f"{head}-{seed}"] for seed in seeds if f"{head}-{seed}" in results]
        if found:
            rows.append(row(f"{title}, {default}", found))
    return table(COLUMNS, rows) if rows else ""
