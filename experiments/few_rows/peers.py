"""The strongest usual models for tables, as a careful user would run them: one model on one draw.

    python peers.py MODEL TRAIN.csv TEST.csv TARGET classes|numbers [SEED]

prints JSON: accuracy and log loss, or R² and RMSE, on the rows of TEST, the settings that were chosen, and
CPU seconds. Settings are chosen by five folds of TRAIN, by log loss or squared error; CatBoost also
runs as it comes. One thread, so that several can run side by side.
"""
import itertools
import json
import os
import sys
import time
import warnings

os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = "1"
warnings.filterwarnings("ignore")

import numpy  # noqa: E402
import pandas  # noqa: E402
from sklearn.compose import ColumnTransformer, TransformedTargetRegressor  # noqa: E402
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor  # noqa: E402
from sklearn.impute import SimpleImputer  # noqa: E402
from sklearn.linear_model import LogisticRegression, Ridge  # noqa: E402
from sklearn.metrics import accuracy_score, log_loss, mean_squared_error, r2_score  # noqa: E402
from sklearn.model_selection import KFold, StratifiedKFold  # noqa: E402
from sklearn.neural_network import MLPClassifier, MLPRegressor  # noqa: E402
from sklearn.pipeline import make_pipeline  # noqa: E402
from sklearn.preprocessing import OneHotEncoder, QuantileTransformer, StandardScaler  # noqa: E402
from sklearn.svm import SVC, SVR  # noqa: E402

MISSING = ["?", "NA", "N/A", "NaN", "null", ""]
FOLDS = 5
TRIES = 12  # settings, by chance, where all of them would take too long


def grid(**choices):
    return [dict(zip(choices, values)) for values in itertools.product(*choices.values())]


class Data:
    """Training and test rows: numbers as numbers, all else as texts."""

    def __init__(self, train, test, target, kind):
        frames = [pandas.read_csv(path, na_values=MISSING, keep_default_na=False,
                                  skipinitialspace=True) for path in (train, test)]
        self.classes = kind == "classes"
        y = [frame.pop(target) for frame in frames]
        both = pandas.concat(frames)
        self.texts = [name for name in both if not pandas.api.types.is_numeric_dtype(both[name])]
        self.numbers = [name for name in both if name not in self.texts]
        self.x = [frame.astype({name: object for name in self.texts}) for frame in frames]
        if self.classes:
            y = [column.astype(str) for column in y]
            names = sorted(set(y[0]))
            y = [column.map({name: i for i, name in enumerate(names)}) for column in y]
        self.y = [column.to_numpy() for column in y]

    def with_texts(self, kind):
        """For models that take categories as they are."""
        frames = [frame.copy() for frame in self.x]
        for name in self.texts:
            if kind == "text":
                for frame in frames:
                    frame[name] = frame[name].fillna("missing").astype(str)
            else:
                levels = sorted(set(frames[0][name].dropna()))
                for frame in frames:
                    frame[name] = pandas.Categorical(frame[name], levels)
        return frames


def encoder(data, scale):
    """For models that see numbers only."""
    scaler = (StandardScaler() if scale == "standard" else
              QuantileTransformer(n_quantiles=min(1000, len(data.x[0])),
                                  output_distribution="normal"))
    return ColumnTransformer([
        ("numbers", make_pipeline(SimpleImputer(add_indicator=True), scaler), data.numbers),
        ("texts", make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"),
                                OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
         data.texts)])


def encoded(make):
    """A family whose settings have a scale beside the model's own."""
    def family(data, seed, scale="standard", **own):
        model = make_pipeline(encoder(data, scale), make(data.classes, seed, **own))
        return model if data.classes else TransformedTargetRegressor(model, transformer=StandardScaler())
    return family


def plain(make):
    def family(data, seed, **own):
        return make(data.classes, seed, data.texts, **own)
    return family


def linear(classes, seed, strength):
    return (LogisticRegression(C=1 / strength, max_iter=3000) if classes else
            Ridge(alpha=strength))


def svm(classes, seed, cost, width):
    if classes:
        return SVC(C=cost, gamma=width, probability=True, random_state=seed)
    return SVR(C=cost, gamma=width, epsilon=0.05)


def mlp(classes, seed, hidden, alpha):
    kind = MLPClassifier if classes else MLPRegressor
    return kind(hidden, activation="tanh", alpha=alpha, max_iter=300, random_state=seed)


def forest(classes, seed, features, leaf):
    kind = RandomForestClassifier if classes else RandomForestRegressor
    return kind(500, max_features=features, min_samples_leaf=leaf, random_state=seed, n_jobs=1)


class Renumbered:
    """For a model that wants classes without gaps: a fold may lack a rare one."""

    def __init__(self, model):
        self.model = model

    def fit(self, x, y):
        self.classes_, without_gaps = numpy.unique(y, return_inverse=True)
        self.model.fit(x, without_gaps)
        return self

    def predict_proba(self, x):
        return self.model.predict_proba(x)


def xgboost(classes, seed, texts, **own):
    from xgboost import XGBClassifier, XGBRegressor
    kind = XGBClassifier if classes else XGBRegressor
    model = kind(n_jobs=1, random_state=seed, enable_categorical=True, tree_method="hist", **own)
    return Renumbered(model) if classes else model


def lightgbm(classes, seed, texts, **own):
    from lightgbm import LGBMClassifier, LGBMRegressor
    kind = LGBMClassifier if classes else LGBMRegressor
    return kind(n_jobs=1, random_state=seed, verbose=-1, subsample_freq=1, **own)


def catboost(classes, seed, texts, **own):
    from catboost import CatBoostClassifier, CatBoostRegressor
    kind = CatBoostClassifier if classes else CatBoostRegressor
    return kind(thread_count=1, random_seed=seed, verbose=0, allow_writing_files=False,
                cat_features=texts, **own)


SCALES = ("standard", "quantile")
# name: (family, how categories are given, settings to choose from)
MODELS = {
    "linear": (encoded(linear), "object", grid(
        scale=SCALES, strength=(0.1, 0.3, 1, 3, 10, 30, 100))),
    "svm": (encoded(svm), "object", grid(
        scale=SCALES, cost=(0.3, 1, 3, 10, 30), width=(0.003, 0.01, 0.03, 0.1))),
    "mlp": (encoded(mlp), "object", grid(
        scale=SCALES, hidden=((32, 16), (128, 64)), alpha=(1e-3, 0.1, 1, 3))),
    "forest": (encoded(forest), "object", grid(features=("sqrt", 0.5), leaf=(1, 3, 8))),
    "xgboost": (plain(xgboost), "category", grid(
        max_depth=(2, 4, 6), n_estimators=(50, 150, 400), learning_rate=(0.03, 0.1),
        subsample=(0.8,))),
    "lightgbm": (plain(lightgbm), "category", grid(
        num_leaves=(4, 15, 31), n_estimators=(50, 150, 400), learning_rate=(0.03, 0.1),
        min_child_samples=(5, 20), subsample=(0.8,))),
    "catboost": (plain(catboost), "text", [{}]),
    "catboost-tuned": (plain(catboost), "text", grid(
        depth=(4, 6, 8), iterations=(200, 600), learning_rate=(0.03, 0.1), l2_leaf_reg=(1, 3, 10))),
}
SLOW = ("catboost-tuned", "lightgbm", "mlp")


def folds_of(data, seed):
    y = data.y[0]
    if data.classes and numpy.bincount(y).min() >= FOLDS:
        return list(StratifiedKFold(FOLDS, shuffle=True, random_state=seed).split(y, y))
    return list(KFold(FOLDS, shuffle=True, random_state=seed).split(y))


def probabilities(model, x, count):
    """Of all classes, also those that a fold did not have."""
    given = model.predict_proba(x)
    full = numpy.full((len(given), count), 1e-6)
    full[:, numpy.asarray(model.classes_, int)] = numpy.maximum(given, 1e-6)
    return full / full.sum(1, keepdims=True)


def loss(data, model, x, y):
    if not data.classes:
        return mean_squared_error(y, model.predict(x))
    count = data.y[0].max() + 1
    return log_loss(y, probabilities(model, x, count), labels=list(range(count)))


def chosen(data, family, frame, settings, seed):
    """The settings with the least mean loss on the rows left out of five folds."""
    if len(settings) == 1:
        return settings[0]
    y, folds = data.y[0], folds_of(data, seed)
    best, best_loss = None, numpy.inf
    for own in settings:
        total = 0.0
        for kept, left in folds:
            model = family(data, seed, **own).fit(frame.iloc[kept], y[kept])
            total += loss(data, model, frame.iloc[left], y[left]) * len(left)
            if total / len(y) >= best_loss:
                break
        if total / len(y) < best_loss:
            best, best_loss = own, total / len(y)
    return best


def main():
    name, train, test, target, kind = sys.argv[1:6]
    seed = int(sys.argv[6]) if len(sys.argv) > 6 else 0
    start = time.process_time()
    data = Data(train, test, target, kind)
    family, texts, settings = MODELS[name]
    train_frame, test_frame = data.x if texts == "object" else data.with_texts(texts)
    if name in SLOW:
        picked = numpy.random.default_rng(seed).permutation(len(settings))[:TRIES]
        settings = [settings[i] for i in picked]
    own = chosen(data, family, train_frame, settings, seed)
    model = family(data, seed, **own).fit(train_frame, data.y[0])
    y = data.y[1]
    if data.classes:
        count = data.y[0].max() + 1
        p = probabilities(model, test_frame, count)
        score = {"accuracy": accuracy_score(y, p.argmax(1)),
                 "log_loss": log_loss(y, p, labels=list(range(count)))}
    else:
        guess = model.predict(test_frame)
        score = {"r2": r2_score(y, guess), "rmse": mean_squared_error(y, guess) ** 0.5}
    print(json.dumps({"test": score, "chosen": {key: str(value) for key, value in own.items()},
                      "cpu_seconds": time.process_time() - start}))


if __name__ == "__main__":
    main()
