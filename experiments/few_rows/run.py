#!/usr/bin/python3
"""Many tables, few rows: DSL as it comes beside the strongest usual models.

    make experiment NAME=few_rows [ARGS="--draws 0,1,2 --sizes 100,400 --models dsl,catboost,svm"]

20 tables, 15 with classes and 5 with numbers; 100, 200, 400, 800 and all rows, up to 10,000, as far as a
table has half as many others to be measured on. The same rows for all models, nothing held out for
them. Rules of the default are chosen on draws below 100; draws from 100 on are for the result.

--ideas FILE.toml adds variants of DSL to compare with, each a list of settings under its name. Runs are
kept in build/experiments/few_rows by what made them; with --published those of other machines, too,
in docs/results/experiments/few_rows.json, where new ones are added. The other models come from PyPI
(requirements.txt) into an environment of their own, build/experiments/venv; --python names another.
"""
import argparse
import concurrent.futures
import hashlib
import json
import math
import os
import pathlib
import subprocess
import sys
import threading
import time
import tomllib

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))
from common import KEPT, RESULTS, ROOT, axes, deviation, fingerprint, mean, program, publish, \
    table, write_whole  # noqa: E402
from draws import CLASSES, NUMBERS, SIZES, draw_of, task_of  # noqa: E402

PEERS = {"catboost": "CatBoost", "catboost-tuned": "CatBoost, tuned", "lightgbm": "LightGBM",
         "xgboost": "XGBoost", "forest": "random forest", "svm": "SVM", "mlp": "MLP",
         "linear": "linear"}
FLAGS = {"dsl": [], "dsl-paper": ["--preset", "paper"]}
TITLES = {"dsl": "DSL", "dsl-paper": "DSL, preset paper", **PEERS}
FOLDER = KEPT / "few_rows"


def asked():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0], allow_abbrev=False)
    parser.add_argument("--draws", default="0,1,2")
    parser.add_argument("--sizes", default=",".join(SIZES))
    parser.add_argument("--tables", default=",".join(CLASSES + NUMBERS))
    parser.add_argument("--models", default=",".join(TITLES))
    parser.add_argument("--ideas", type=pathlib.Path)
    parser.add_argument("--against", default="dsl", help="the model that others are compared with")
    parser.add_argument("--published", action="store_true",
                        help="take runs that are published for done, and publish new ones")
    parser.add_argument("--python", type=pathlib.Path, default=KEPT / "venv" / "bin" / "python")
    return parser.parse_args()


def source_of_program():
    """The trees that the program is built from: texts about it change nothing."""
    def git(*words):
        return subprocess.run(["git", "-C", ROOT, *words], stdout=subprocess.PIPE, text=True).stdout
    trees = git("rev-parse", "HEAD:src", "HEAD:include", "HEAD:cli").split()
    changed = git("diff", "HEAD", "--", "src", "include", "cli")
    return " ".join(tree[:10] for tree in trees) + (f" {hash_of(changed)}" if changed else "")


def prepared(python):
    """The environment with the other models, made when it is first wanted."""
    if not python.exists():
        folder = python.parent.parent
        print(f"installing {HERE / 'requirements.txt'} to {folder}", file=sys.stderr)
        subprocess.run([sys.executable, "-m", "venv", folder], check=True)
        subprocess.run([python, "-m", "pip", "install", "--quiet", "-r", HERE / "requirements.txt"],
                       check=True)
    return python


def hash_of(text):
    return hashlib.sha256(text.encode()).hexdigest()[:10]


def measured(words, **more):
    """What a command prints, and the CPU seconds that it took."""
    before = time.time()
    with subprocess.Popen(list(map(str, words)), stdout=subprocess.PIPE, text=True,
                          stderr=subprocess.DEVNULL, **more) as process:
        out = process.stdout.read()
        _, status, used = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0:
        raise RuntimeError(f"{' '.join(map(str, words))} ended with code {process.returncode}")
    return json.loads(out), used.ru_utime + used.ru_stime, time.time() - before


def run_dsl(name, flags, train, test, target, task, draw):
    model = FOLDER / f"{name}.deepsl"
    words = ["--threads", 1, "--quiet", "--json"]
    _, cpu, _ = measured([program(), "train", train, "--target", target, "--task", task, "-o", model,
                          "--seed", draw, *flags, *words])
    score, _, _ = measured([program(), "evaluate", model, test, *words])
    model.unlink()
    keys = ("accuracy", "log_loss") if task == "classes" else ("r2", "rmse")
    return {"test": {key: score[key] for key in keys}, "cpu_seconds": cpu}


def run_peer(python, model, train, test, target, task, draw):
    found, cpu, _ = measured([python, HERE / "peers.py", model, train, test, target, task, draw])
    return {**found, "cpu_seconds": cpu}


class Published:
    """Runs in docs/results, one a line, so that a new machine need not repeat them."""

    def __init__(self, wanted):
        self.path, self.wanted = RESULTS / "few_rows.json", wanted
        self.guard, self.added = threading.Lock(), 0
        known = wanted and self.path.exists()
        self.runs = json.loads(self.path.read_text()) if known else {}

    def find(self, name, made_by):
        run = self.runs.get(name)
        return run if run and run["made_by"] == hash_of(json.dumps(made_by)) else None

    def add(self, name, made_by, result):
        if not self.wanted:
            return
        with self.guard:
            short = {key: round(value, 5) for key, value in result["test"].items()}
            self.runs[name] = {"made_by": hash_of(json.dumps(made_by)), "test": short,
                               "cpu_seconds": round(result["cpu_seconds"], 1)}
            self.added += 1
            if self.added % 25 == 0:
                self.write()

    def write(self):
        if self.wanted and self.runs:
            lines = [f"{json.dumps(name)}: {json.dumps(run)}" for name, run in sorted(self.runs.items())]
            write_whole(self.path, "{\n" + ",\n".join(lines) + "\n}\n")


def once(published, name, made_by, work):
    """Kept by its name and by what made it."""
    path = FOLDER / f"{name}.json"
    if path.exists():
        kept = json.loads(path.read_text())
        if kept["made_by"] == made_by:
            published.add(name, made_by, kept)
            return kept
    known = published.find(name, made_by)
    if known:
        return known
    result = {"made_by": made_by, **work()}
    write_whole(path, json.dumps(result))
    published.add(name, made_by, result)
    return result


def jobs(given, flags):
    """{(model, table, size, draw): a call that gives its result}"""
    dsl_source = source_of_program()
    peer_source = fingerprint(HERE / "peers.py")
    if any(model not in flags for model in given.models.split(",")):
        prepared(given.python)
    for draw in given.draws.split(","):
        for size in given.sizes.split(","):
            for name in given.tables.split(","):
                files = draw_of(name, size, draw)
                for model in given.models.split(",") if files else []:
                    run = f"{model}-{name}-{size}-{draw}"
                    data = [fingerprint(files[0]), fingerprint(files[1])]
                    rest = (*files, task_of(name), draw)
                    if model in flags:
                        made_by = [dsl_source, *flags[model], *data]
                        work = lambda run=run, model=model, rest=rest: run_dsl(
                            run, flags[model], *rest)
                    else:
                        made_by = [peer_source, *data]
                        work = lambda model=model, rest=rest: run_peer(given.python, model, *rest)
                    yield (model, name, size, draw), (run, made_by, work)


def all_results(given, flags):
    FOLDER.mkdir(parents=True, exist_ok=True)
    listed, results, published = dict(jobs(given, flags)), {}, Published(given.published)
    with concurrent.futures.ThreadPoolExecutor(len(os.sched_getaffinity(0))) as pool:
        waiting = {pool.submit(once, published, *job): key for key, job in listed.items()}
        for count, done in enumerate(concurrent.futures.as_completed(waiting), 1):
            key = waiting[done]
            try:
                results[key] = done.result()
            except RuntimeError as error:
                print(f"left out: {error}", file=sys.stderr)
            if count % 50 == 0 or count == len(waiting):
                print(f"{count}/{len(waiting)}", file=sys.stderr, flush=True)
    published.write()
    return results


METRICS = {"classes": (("accuracy", 100, "accuracy, points"), ("log_loss", 1, "log loss")),
           "numbers": (("r2", 100, "R², points"),)}


def differences(results, model, other, size, metric, factor):
    """{table: [model - other for each draw that both have]}"""
    found = {}
    for (name, place, rows, draw), result in results.items():
        pair = results.get((other, place, rows, draw))
        if name == model and rows == size and pair and metric in result["test"]:
            found.setdefault(place, []).append(
                factor * (result["test"][metric] - pair["test"][metric]))
    return found


def summary(by_table):
    """Mean of the tables' means, and its error from the spread of draws and tables."""
    means = [mean(values) for values in by_table.values()]
    return mean(means), deviation(means) / math.sqrt(len(means))


def tables_of(results, models, sizes, against):
    text, points = "", {}
    for task, metrics in METRICS.items():
        for metric, factor, title in metrics:
            rows = []
            for other in models:
                if other == against:
                    continue
                row = [TITLES.get(other, other)]
                for size in sizes:
                    by = differences(results, against, other, size, metric, factor)
                    if not by:
                        row.append("–")
                        continue
                    centre, error = summary(by)
                    better = sum(mean(values) * (-1 if metric == "log_loss" else 1) > 0
                                 for values in by.values())
                    digits = 3 if factor == 1 else 2
                    row.append(f"{centre:+.{digits}f} ± {error:.{digits}f} ({better}/{len(by)})")
                    points[metric, other, size] = (centre, error)
                rows.append(row)
            text += "\n" + table([f"{TITLES.get(against, against)} minus .., {title} (tables ahead)",
                                  *(f"{size} rows" for size in sizes)], rows)
    return text, points


def times(results, models, sizes):
    rows = []
    for model in models:
        row = [TITLES.get(model, model)]
        for size in sizes:
            seconds = [result["cpu_seconds"] for (name, _, rows_, _), result in results.items()
                       if name == model and rows_ == size]
            row.append(f"{mean(seconds):.1f}" if seconds else "–")
        rows.append(row)
    return "\n" + table(["CPU seconds, mean", *(f"{size} rows" for size in sizes)], rows)


def by_table(results, models, sizes):
    text = ""
    for task, names in (("classes", CLASSES), ("numbers", NUMBERS)):
        for metric, factor, title in METRICS[task]:
            for size in sizes:
                rows = []
                for name in names:
                    scores = [[factor * result["test"][metric] for (model, place, rows_, _), result
                               in results.items() if (model, place, rows_) == (own, name, size)]
                              for own in models]
                    if any(scores):
                        digits = 3 if factor == 1 else 1
                        rows.append([name, *(f"{mean(s):.{digits}f}" if s else "–" for s in scores)])
                if rows:
                    text += f"\n{title}, {size} rows\n\n" + table(
                        ["table", *(TITLES.get(model, model) for model in models)], rows)
    return text


def picture(points, models, sizes, against):
    figure, plots = axes(width=11, height=4.2, columns=3)
    shown = [("accuracy", "accuracy, points"), ("log_loss", "log loss"), ("r2", "R², points")]
    for plot, (metric, title) in zip(plots, shown):
        for i, other in enumerate(model for model in models if model != against):
            have = [(place, *points[metric, other, size]) for place, size in enumerate(sizes)
                    if (metric, other, size) in points]
            if have:
                x, y, error = zip(*have)
                plot.errorbar([place + 0.04 * i for place in x], [-v for v in y], error, fmt="o-",
                              markersize=3, linewidth=1, label=TITLES.get(other, other))
        plot.axhline(0, color="black", linewidth=1.2)
        plot.set_xticks(range(len(sizes)), sizes)
        plot.set_xlabel("rows")
        plot.set_title(f"{title}, minus {TITLES.get(against, against)}'s", fontsize=10)
    plots[0].legend(frameon=False, fontsize=7)
    return figure


def main():
    given = asked()
    flags = dict(FLAGS)
    models = given.models.split(",")
    if given.ideas:
        for title, own in tomllib.loads(given.ideas.read_text()).items():
            flags[title] = [word for key, value in own.items() for word in (f"--{key}", str(value))]
            models.append(title)
        given.models = ",".join(models)
    sizes = given.sizes.split(",")
    results = all_results(given, flags)
    text, points = tables_of(results, models, sizes, given.against)
    publish("few_rows", text + times(results, models, sizes) + by_table(results, models, sizes),
            picture(points, models, sizes, given.against),
            whole=given.published and not given.ideas)


if __name__ == "__main__":
    main()
