"""What the experiments share: the program, the data sets, runs that are kept, tables and figures.

DEEPSL names the program (default: build/release/deepsl), DEEPSL_DATA the folder of data sets (default:
../shared/data beside the project). Runs are kept in build/experiments: what is there is not done again,
and a training that was broken off goes on from its checkpoint.
"""
import argparse
import concurrent.futures
import functools
import hashlib
import json
import os
import pathlib
import random
import subprocess
import sys
import time
import tomllib
import zipfile

import matplotlib

matplotlib.use("svg")
import matplotlib.pyplot as pyplot  # noqa: E402

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "experiments"
RESULTS = ROOT / "docs" / "results" / "experiments"


def lists_asked(about, **usual):
    """Lists from the command line, such as --seeds 0,1,2, in the order of their usual values."""
    parser = argparse.ArgumentParser(description=about.splitlines()[0])
    for name, value in usual.items():
        parser.add_argument(f"--{name}", default=value)
    given = parser.parse_args()
    return [getattr(given, name).split(",") for name in usual]


def program():
    path = pathlib.Path(os.environ.get("DEEPSL", ROOT / "build" / "release" / "deepsl"))
    if not path.exists():
        sys.exit(f"{path} is not there; run 'make build' first, or set DEEPSL")
    return str(path)


@functools.lru_cache(maxsize=None)
def program_version():
    """The version, and the commit of the tree when the experiment began."""
    version = subprocess.run([program(), "--version"], stdout=subprocess.PIPE, text=True).stdout
    commit = subprocess.run(["git", "-C", ROOT, "describe", "--always", "--dirty"],
                            stdout=subprocess.PIPE, text=True).stdout
    return " ".join((version.split()[-1:] or ["?"]) + commit.split())


def data_folder():
    path = pathlib.Path(os.environ.get("DEEPSL_DATA", ROOT.parent / "shared" / "data"))
    if not path.exists():
        sys.exit(f"{path} is not there; set DEEPSL_DATA to the folder of the data sets")
    return path


def rows_of(path):
    """The header and the rows of a file whose cells hold no line breaks."""
    lines = [line for line in path.read_text().splitlines() if line.strip()]
    return lines[0], lines[1:]


def write_rows(path, header, rows):
    path.parent.mkdir(parents=True, exist_ok=True)
    write_whole(path, "\n".join([header] + rows) + "\n")
    return path


def fixed_split(name, file, share=0.2):
    """Training and test files: the same rows in every run, whatever the seed of the training."""
    train, test = KEPT / "data" / f"{name}-train.csv", KEPT / "data" / f"{name}-test.csv"
    if not (train.exists() and test.exists()):
        header, rows = rows_of(data_folder() / file)
        random.Random(20250713).shuffle(rows)
        cut = round(share * len(rows))
        write_rows(test, header, rows[:cut])
        write_rows(train, header, rows[cut:])
    return train, test


def sets():
    """name: (training file, test file, flags)"""
    adult = data_folder() / "adult"
    return {
        "dry_bean": (*fixed_split("dry_bean", "dry_bean/Dry_Bean_Dataset.csv"), ["--target", "Class"]),
        "bank": (*fixed_split("bank", "bank/bank.csv"), ["--target", "deposit"]),
        "adult": (adult / "adult.data", adult / "adult.test", ["--target", "column15"]),
    }


def call(words):
    done = subprocess.run([program(), *map(str, words)], stdout=subprocess.PIPE, text=True)
    if done.returncode != 0:
        raise RuntimeError(f"deepsl {' '.join(map(str, words))} ended with code {done.returncode}")
    return json.loads(done.stdout)


@functools.lru_cache(maxsize=None)
def fingerprint(path):
    if path.is_dir():  # of images, which nobody edits: names and sizes tell enough
        held = sorted(f"{one.name} {one.stat().st_size}" for one in path.iterdir())
        return f"{path.name} {hashlib.sha256(' '.join(held).encode()).hexdigest()[:16]}"
    if path.suffix == ".npz":  # its entries, without the time at which they were written
        with zipfile.ZipFile(path) as held:
            entries = " ".join(f"{e.filename} {e.file_size} {e.CRC}" for e in held.infolist())
        return f"{path.name} {hashlib.sha256(entries.encode()).hexdigest()[:16]}"
    return f"{path.name} {hashlib.sha256(path.read_bytes()).hexdigest()[:16]}"


def grids(path):
    """{name: {title: flags}}, from a file that lists settings under each name."""
    lists = tomllib.loads(path.read_text())
    return {name: {", ".join(f"{key} {value}" for key, value in setting.items()) or "default":
                   [word for key, value in setting.items() for word in (f"--{key}", value)]
                   for setting in listed}
            for name, listed in lists.items()}


def settings(train, test, flags):
    """What a run depends on: its data, its flags, and what is written in its configuration file."""
    return [fingerprint(train), fingerprint(test),
            *(flag.read_text() if isinstance(flag, pathlib.Path) and flag.suffix == ".toml"
              else fingerprint(flag) if isinstance(flag, pathlib.Path) else str(flag)
              for flag in flags)]


def write_whole(path, text):
    """Complete or not there at all, whenever the power goes."""
    half = path.with_suffix(".half")
    half.write_text(text)
    half.rename(path)


def trained(experiment, name, train, test, flags, threads=1):
    """Trains and tests, once: what was kept of other settings is done again. Threads change no bits."""
    folder = KEPT / experiment
    folder.mkdir(parents=True, exist_ok=True)
    result, model, checkpoint = (folder / f"{name}{end}" for end in (".json", ".deepsl", ".ckpt"))
    asked = settings(train, test, flags)
    began = folder / f"{name}.settings"
    if result.exists():
        kept = json.loads(result.read_text())
        if kept["settings"] == asked:
            return kept
    checkpoints = [checkpoint, folder / f"{checkpoint.name}.fold1"]
    if not began.exists() or json.loads(began.read_text()) != asked:
        for path in checkpoints:
            path.unlink(missing_ok=True)
        write_whole(began, json.dumps(asked))
    start = time.time()
    broken_off = any(path.exists() for path in checkpoints)
    keep = ["--resume" if broken_off else "--checkpoint", checkpoint]
    training = call(["train", train, "-o", model, "--json", "--quiet", "--threads", threads, *flags, *keep])
    score = call(["evaluate", model, test, "--json", "--quiet", "--threads", threads])
    score.pop("confusion", None)
    out = {"test": score, "training": training, "settings": asked, "program": program_version(),
           "seconds": time.time() - start}
    write_whole(result, json.dumps(out, indent=1))
    checkpoint.unlink(missing_ok=True)
    return out


def all_trained(experiment, runs, on_done=lambda name, result: None):
    """runs: {name: (train, test, flags)}, as many at a time as there are cores; {name: result}"""
    results = {}
    program_version()  # before anything is committed on top
    cores = len(os.sched_getaffinity(0))
    workers = max(1, min(cores, len(runs)))
    with concurrent.futures.ThreadPoolExecutor(workers) as pool:
        waiting = {pool.submit(trained, experiment, name, *run, threads=cores // workers): name
                   for name, run in runs.items()}
        try:
            for done in concurrent.futures.as_completed(waiting):
                name = waiting[done]
                results[name] = done.result()
                on_done(name, results[name])
                print(f"{len(results)}/{len(runs)}  {name}: {percent(results[name]):.2f} % in "
                      f"{results[name]['seconds']:.0f} s", file=sys.stderr, flush=True)
        except (KeyboardInterrupt, RuntimeError) as error:
            pool.shutdown(cancel_futures=True)
            sys.exit(f"stopped: {error}" if str(error) else "stopped; the same command goes on")
    return results


def percent(result):
    return 100 * result["test"]["accuracy"]


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    m = mean(values)
    return (sum((v - m) ** 2 for v in values) / max(1, len(values) - 1)) ** 0.5


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] * len(header)) + " |"]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"


def spread(values):
    return f"{mean(values):.2f} ± {deviation(values):.2f}"


def publish(name, text, figure=None, whole=False):
    """The table and the figure of an experiment, for docs/results. What is made of a part of its runs does
    not replace them, unless the others are in it, too (whole)."""
    folder = KEPT / "parts" if sys.argv[1:] and not whole else RESULTS
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.md").write_text(text)
    if figure is not None:
        figure.tight_layout()
        # Without a date the same numbers give the same file.
        with matplotlib.rc_context({"svg.hashsalt": "deepsl"}):
            figure.savefig(folder / f"{name}.svg", metadata={"Date": None})
        pyplot.close(figure)
    print(text)
    print(f"written: {(folder / name).relative_to(ROOT)}.md", file=sys.stderr)


def axes(width=6.4, height=3.8, columns=1):
    figure, found = pyplot.subplots(1, columns, figsize=(width, height), squeeze=False)
    for one in found[0]:
        one.grid(True, color="#e4e4e4", linewidth=0.6)
        one.set_axisbelow(True)
        for side in ("top", "right"):
            one.spines[side].set_visible(False)
    return figure, list(found[0])
