"""What the experiments share: the program, the data sets, runs that are kept, tables.

Only Python's standard library. DEEPSL names the program (default: build/release/deepsl), DEEPSL_DATA
the folder of data sets (default: ../shared/data beside the project).
"""
import json
import os
import pathlib
import random
import subprocess
import sys
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
KEPT = ROOT / "build" / "experiments"


def program():
    path = pathlib.Path(os.environ.get("DEEPSL", ROOT / "build" / "release" / "deepsl"))
    if not path.exists():
        sys.exit(f"{path} is not there; run 'make build' first, or set DEEPSL")
    return str(path)


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
    path.write_text("\n".join([header] + rows) + "\n")
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
        sys.exit(f"deepsl {' '.join(map(str, words))} ended with code {done.returncode}")
    return json.loads(done.stdout)


def trained(experiment, name, train, test, flags):
    """Trains and tests once; what is there already is not done again, what was broken off goes on."""
    folder = KEPT / experiment
    folder.mkdir(parents=True, exist_ok=True)
    result, model, checkpoint = (folder / f"{name}{end}" for end in (".json", ".deepsl", ".ckpt"))
    if result.exists():
        return json.loads(result.read_text())
    start = time.time()
    keep = ["--resume" if checkpoint.exists() else "--checkpoint", checkpoint]
    training = call(["train", train, "-o", model, "--json", "--quiet", *flags, *keep])
    score = call(["evaluate", model, test, "--json", "--quiet"])
    score.pop("confusion", None)
    out = {"test": score, "training": training, "flags": [str(f) for f in flags],
           "seconds": time.time() - start}
    result.write_text(json.dumps(out, indent=1))
    checkpoint.unlink(missing_ok=True)
    return out


def mean(values):
    return sum(values) / len(values)


def deviation(values):
    m = mean(values)
    return (sum((v - m) ** 2 for v in values) / max(1, len(values) - 1)) ** 0.5


def table(header, rows):
    lines = ["| " + " | ".join(header) + " |", "| " + " | ".join(["---"] * len(header)) + " |"]
    lines += ["| " + " | ".join(map(str, row)) + " |" for row in rows]
    return "\n".join(lines) + "\n"
