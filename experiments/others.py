"""Logistic regression, SVM and XGBoost, from Debian's packages.

Numbers by rank and texts one-hot and centred, as the program does it, learned from the training rows.
"""
import csv
import json
import sys

from common import KEPT, settings, write_whole

KINDS = {"logistic": "logistic regression, tuned", "svm": "SVM-RBF, tuned", "xgboost": "XGBoost, tuned"}


def columns_of(path, header=True):
    """By name; without a header the names are column1, column2, .. as the program's."""
    with open(path, newline="") as file:
        rows = [row for row in csv.reader(file, skipinitialspace=True)
                if row and not row[0].startswith("|")]
    names = rows.pop(0) if header else [f"column{i + 1}" for i in range(len(rows[0]))]
    return {name: [row[i] for row in rows] for i, name in enumerate(names)}


def is_number(cells):
    try:
        list(map(float, cells))
        return True
    except ValueError:
        return False


class Encoder:
    def __init__(self, columns):
        import numpy
        self.np = numpy
        self.numbers = {name: numpy.sort(numpy.array(cells, float))
                        for name, cells in columns.items() if is_number(cells)}
        self.texts = {name: sorted(set(cells)) for name, cells in columns.items()
                      if name not in self.numbers}
        raw = self.raw(columns)
        self.mean = raw.mean(0)
        self.scale = numpy.ones(raw.shape[1])
        count = len(self.numbers)
        self.scale[:count] = numpy.maximum(raw[:, :count].std(0), 1e-9)

    def raw(self, columns):
        np = self.np
        parts = []
        for name, known in self.numbers.items():
            x = np.array(columns[name], float)
            below, upto = np.searchsorted(known, x, "left"), np.searchsorted(known, x, "right")
            parts.append((below + upto) / (2 * len(known)))
        for name, levels in self.texts.items():
            cells = np.array(columns[name])
            parts.extend((cells == level).astype(float) for level in levels)
        return np.stack(parts, 1)

    def __call__(self, columns):
        return (self.raw(columns) - self.mean) / self.scale


def candidates(kind):
    if kind == "logistic":
        from sklearn.linear_model import LogisticRegression
        return [LogisticRegression(C=c, max_iter=3000) for c in (0.003, 0.01, 0.03, 0.1, 0.3, 1, 3)]
    if kind == "svm":
        from sklearn.svm import SVC
        return [SVC(C=c, gamma=g) for c in (0.1, 0.3, 1, 3, 10) for g in (0.003, 0.01, 0.03, 0.1)]
    from xgboost import XGBClassifier
    return [XGBClassifier(max_depth=depth, n_estimators=rounds, learning_rate=rate, n_jobs=1,
                          subsample=0.8, random_state=0)
            for depth in (1, 2, 4, 6) for rounds in (30, 100, 300) for rate in (0.03, 0.1, 0.3)]


def default_xgboost(train, test, target, header=True):
    """Test accuracy, %, of XGBoost as it comes."""
    from xgboost import XGBClassifier
    parts = [columns_of(path, header) for path in (train, test)]
    labels = [[cell.rstrip(".") for cell in part.pop(target)] for part in parts]
    classes = {name: i for i, name in enumerate(sorted(set(labels[0])))}
    encoder = Encoder(parts[0])
    model = XGBClassifier(random_state=0)
    model.fit(encoder(parts[0]), [classes[label] for label in labels[0]])
    return 100 * model.score(encoder(parts[1]), [classes[label] for label in labels[1]])


def tuned(kind, train, validation, test):
    """Test accuracy, %, on Bank of the candidate that is best on the validation rows."""
    kept = KEPT / "low_samples" / f"{kind}-{train.stem}.json"
    grid = candidates(kind)
    asked = settings(train, test, [validation, *map(str, grid)])
    if kept.exists():
        before = json.loads(kept.read_text())
        if before.get("settings") == asked:
            return before["test"]
    parts = [columns_of(path) for path in (train, validation, test)]
    labels = [[int(cell == "yes") for cell in part.pop("deposit")] for part in parts]
    encoder = Encoder(parts[0])
    x = [encoder(part) for part in parts]
    best, best_model = -1.0, None
    for model in grid:
        model.fit(x[0], labels[0])
        reached = model.score(x[1], labels[1])
        if reached > best:
            best, best_model = reached, model
    result = 100 * best_model.score(x[2], labels[2])
    kept.parent.mkdir(parents=True, exist_ok=True)
    write_whole(kept, json.dumps({"test": result, "validation": 100 * best,
                                  "model": str(best_model), "settings": asked}))
    print(f"{kind}, {train.stem}: {result:.2f} %", file=sys.stderr, flush=True)
    return result
