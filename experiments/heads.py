"""What the experiments on images share: heads behind the same encoder, and tables of finished runs."""
from common import all_trained, known_and_new, mean, percent, spread, table

HEADS = {"dsl": "DSL", "linear": "linear", "mlp": "MLP", "node": "neural ODE"}
COLUMNS = ["model", "test accuracy, %", "by seed", "test log loss", "the paper's",
           "training, core-minutes"]


def finished(experiment, runs, wanted):
    """{name: result} of the wanted runs, and with --published of all that are published."""
    known, new = known_and_new(experiment, runs, wanted)
    return {**known, **all_trained(experiment, new)}


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


def models_table(results, seeds, paper):
    """The paper's preset, then the heads; those without a finished run are left out."""
    rows = []
    if "paper-0" in results:
        rows.append(row("DSL, preset paper", [results["paper-0"]], paper["dsl"]))
    for head, title in HEADS.items():
        found = [results[f"{head}-{seed}"] for seed in seeds if f"{head}-{seed}" in results]
        if found:
            rows.append(row(f"{title}, default", found, paper["node"] if head == "node" else "–"))
    return table(COLUMNS, rows) if rows else ""
