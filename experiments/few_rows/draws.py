"""Draws from tables: so many rows to learn from, and others to be measured on."""
import random

from common import KEPT, data_folder, rows_of, write_rows

CLASSES = ["ecoli", "glass", "haberman", "letter", "pima", "satellite", "seeds", "soybean", "spam",
           "vehicle", "votes", "vowel", "bank", "dry_bean", "adult"]
NUMBERS = ["auto_mpg", "housing", "ozone", "servo", "wine_red"]
SIZES = ["100", "200", "400", "800", "all"]
MOST, MOST_TEST = 10000, 2000


def source(name):
    """Header, rows and the target's name."""
    places = {"bank": "bank/bank.csv", "dry_bean": "dry_bean/Dry_Bean_Dataset.csv"}
    if name == "adult":  # has no header
        first, rest = rows_of(data_folder() / "adult" / "adult.data")
        return ",".join(f"column{i + 1}" for i in range(15)), known([first, *rest]), "column15"
    header, rows = rows_of(data_folder() / places.get(name, f"tables/{name}.csv"))
    return header, known(rows), header.split(",")[-1].strip('"')


def task_of(name):
    return "classes" if name in CLASSES else "numbers"


def label(row):
    return row.rsplit(",", 1)[1]


def known(rows):
    """Those whose target is not missing: without it nothing can be learned or measured."""
    return [row for row in rows if label(row).strip() not in ("", "NA", "?")]


def draw_of(name, size, draw):
    """Files to learn from and to be measured on, and the target; None where the table is too small.
    Rows of a class that is not among those to learn from are left out."""
    header, rows, target = source(name)
    count = min(MOST, len(rows) * 4 // 5) if size == "all" else int(size)
    if size != "all" and len(rows) < 1.5 * count:
        return None
    folder = KEPT / "data" / "few_rows"
    train, test = (folder / f"{name}-{size}-{draw}-{part}.csv" for part in ("train", "test"))
    if not (train.exists() and test.exists()):
        random.Random(f"few_rows {name} {draw}").shuffle(rows)
        others = rows[count:count + MOST_TEST]
        if task_of(name) == "classes":
            seen = {label(row) for row in rows[:count]}
            others = [row for row in others if label(row) in seen]
        write_rows(test, header, others)
        write_rows(train, header, rows[:count])
    return train, test, target
