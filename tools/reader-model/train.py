"""/usr/bin/python3 train.py cv|final DIR [OUT]: cross-validates by domain, or writes the model; see README.md."""

import json
import sys
import time

import numpy
import xgboost

ROUNDS = 250
PARAMETERS = {
    "objective": "binary:logistic",
    "tree_method": "hist",
    "max_depth": 5,
    "max_bin": 128,
    "eta": 0.08,
    "min_child_weight": 0.1,
    "lambda": 2.0,
    "subsample": 0.7,
    "colsample_bytree": 0.25,
    "seed": 7,
    "nthread": 1,
}
# Forests, which differ by their random seeds only; the score is the mean of their log-odds.
FORESTS = 3
# Absolute log-odds from which the first rounds decide a score alone, which the others raise by about the factor, or the
# first forest. forest.ts has the same numbers.
SURE = 3
FIRST_ROUNDS = 50
FACTOR_OF_FIRST_ROUNDS = 1.7
# Blocks of a page that are trained on: pages of tables have thousands of the same kind.
MAX_ROWS_OF_PAGE = 300
# Folds of the data set; of the project's own pages, which are never tested; and of what is held back until the end.
FOLDS = [0, 1, 2, 3, 4]
OWN_FOLD = 5
HELD_FOLD = 6


class Data:
    def __init__(self, folder):
        about = json.load(open(f"{folder}/features.json"))
        width = about["width"]
        self.features = about["features"]
        self.values = numpy.memmap(f"{folder}/features.f32", dtype=numpy.float32, mode="r").reshape(-1, width)
        self.pages = [json.loads(line) for line in open(f"{folder}/pages.jsonl")]
        self.labels = numpy.concatenate([numpy.array(page["labels"], dtype=numpy.float32) for page in self.pages])
        self.words = numpy.concatenate([numpy.array(page["words"], dtype=numpy.float32) for page in self.pages])
        self.weights = self._weights()

    def _weights(self):
        """By words, each page the same sum: the measure is a mean over pages."""
        weights = numpy.zeros(len(self.words), dtype=numpy.float32)
        for page in self.pages:
            own = self.words[rows_of(page)]
            scale = max(page["truth"], own.sum() * 0.1, 30)
            weights[rows_of(page)] = (own + 0.3) / scale**0.9 * 10
        return weights

    def train(self, pages, columns, rounds=ROUNDS, forests=FORESTS):
        rows = sample(pages, numpy.random.default_rng(1))
        data = xgboost.DMatrix(self.values[rows][:, columns], label=self.labels[rows], weight=self.weights[rows])
        return [xgboost.train({**PARAMETERS, "seed": PARAMETERS["seed"] + at}, data, rounds) for at in range(forests)]


def predicted(boosters, values):
    """The scores, as forest.ts computes them."""
    data = xgboost.DMatrix(values)
    forests = [booster.predict(data, output_margin=True) for booster in boosters]
    first_rounds = (0, min(FIRST_ROUNDS, boosters[0].num_boosted_rounds()))
    begun = boosters[0].predict(data, output_margin=True, iteration_range=first_rounds)
    odds = numpy.where(numpy.abs(forests[0]) > SURE, forests[0], sum(forests) / len(forests))
    odds = numpy.where(numpy.abs(begun) > SURE, begun * FACTOR_OF_FIRST_ROUNDS, odds)
    return 1 / (1 + numpy.exp(-odds))


def rows_of(page):
    return slice(page["start"], page["start"] + page["rows"])


def sample(pages, generator):
    rows = []
    for page in pages:
        own = numpy.arange(page["start"], page["start"] + page["rows"])
        if len(own) > MAX_ROWS_OF_PAGE:
            own = numpy.sort(generator.choice(own, MAX_ROWS_OF_PAGE, replace=False))
        rows.append(own)
    return numpy.concatenate(rows)


def chosen(scores, words):
    """The blocks that maximise the expected F1: 2 * sum(w p) / (words chosen + words expected)."""
    order = numpy.argsort(-scores, kind="stable")
    gain = numpy.cumsum(scores[order] * words[order])
    taken = numpy.cumsum(words[order])
    expected = 2 * gain / (taken + (scores * words).sum() + 1e-9)
    best = int(numpy.argmax(expected))
    mask = numpy.zeros(len(scores), dtype=bool)
    mask[order[: best + 1]] = True
    return mask, float(expected[best])


def measured(page, mask, labels, words):
    own = rows_of(page)
    same = float((labels[own] * words[own])[mask].sum())
    taken = float(words[own][mask].sum())
    if page["truth"] == 0 or taken == 0 or same == 0:
        return (0.0, 0.0, 0.0)
    precision, recall = same / taken, same / page["truth"]
    return (2 * precision * recall / (precision + recall), precision, recall)


def report(pages, results):
    by_type = {}
    for page, result in zip(pages, results):
        by_type.setdefault(page["type"], []).append(result)
    for name, found in sorted([*by_type.items(), ("all", results)]):
        f1, precision, recall = numpy.mean(found, axis=0)
        print(f"  {name:14} {len(found):5} F1 {f1:.4f} P {precision:.4f} R {recall:.4f}")


def cross_validate(data, columns, folds, size):
    """Scores of the tested folds' pages by their names; prints F1 of the data set's own folds, and of what is held back."""
    found, results, saved = [], [], {}
    started = time.process_time()
    for fold in folds:
        tested = [page for page in data.pages if page["fold"] == fold and page["rows"] > 0]
        if not tested:
            continue
        known = [page for page in data.pages if page["fold"] not in (fold, HELD_FOLD)]
        boosters = data.train(known, columns, *size)
        for page in tested:
            scores = predicted(boosters, data.values[rows_of(page)][:, columns])
            saved[page["id"]] = [round(float(score), 4) for score in scores]
            mask, expected = chosen(scores, data.words[rows_of(page)])
            found.append((page, measured(page, mask, data.labels, data.words), expected))
    for name, wanted in (("folds", FOLDS), ("held back", [HELD_FOLD])):
        own = [one for one in found if one[0]["fold"] in wanted]
        # A page without a block has no words to find.
        empty = [page for page in data.pages if page["fold"] in wanted and page["rows"] == 0 and wanted[0] in folds]
        results = [result for _, result, _ in own] + [(0.0, 0.0, 0.0)] * len(empty)
        if results:
            print(f"{name}, {time.process_time() - started:.0f} CPU-s:")
            report([page for page, _, _ in own] + empty, results)
            print(f"  expected F1 {numpy.mean([expected for _, _, expected in own]):.4f}")
    return saved


def columns_without(features, without):
    return [i for i, (group, name) in enumerate(features) if group not in without and name not in without]


def fill(node, place, tree):
    """Makes a tree complete: the children of place n have places 2n and 2n + 1, and a leaf that is higher is repeated."""
    thresholds, leaves, features = tree
    if place >= len(leaves):
        leaves[place - len(leaves)] = node["leaf"]
        return
    children = {child["nodeid"]: child for child in node.get("children", [])}
    if children:
        thresholds[place], features[place] = node["split_condition"], int(node["split"][1:])
    for side, name in enumerate(("yes", "no")):
        fill(children[node[name]] if children else node, 2 * place + side, tree)


def write_forest(file, boosters, width):
    dumped = [tree for booster in boosters for tree in booster.get_dump(dump_format="json")]
    thresholds, leaves, features = numpy.zeros((3, len(dumped), 2 ** PARAMETERS["max_depth"]))
    for tree, *own in zip(dumped, thresholds, leaves, features):
        fill(json.loads(tree), 1, own)
    write_trees(file, (thresholds.astype("<f4"), leaves, features), (width, len(boosters)))
    print(f"{len(dumped)} trees")


def write_trees(file, trees, size):
    """A base score of one half adds nothing. The unit of leaves is divided by the number of forests: the sum is a mean."""
    thresholds, leaves, features = trees
    width, forests = size
    known, places = numpy.unique(thresholds, return_inverse=True)
    unit = numpy.abs(leaves).max() / 127
    file.write(numpy.array([width, len(leaves), PARAMETERS["max_depth"], len(known)], dtype="<u4").tobytes())
    file.write(numpy.array([unit / forests, *known], dtype="<f4").tobytes())
    for values, kind in ((places, "<u2"), (features, "<u1"), (numpy.round(leaves / unit), "<i1")):
        # A number that the type cannot hold would be another one.
        assert numpy.array_equal(values.astype(kind), values)
        file.write(values.astype(kind).tobytes())


def write_model(folder, out):
    lexicon = json.load(open(f"{folder}/lexicon.json"))
    with open(out, "wb") as file:
        file.write(numpy.array([0x54524D06, len(lexicon)], dtype="<u4").tobytes())
        file.write(numpy.array([key for key, _ in lexicon], dtype="<u4").tobytes())
        file.write(numpy.array([round(odds * 16) for _, odds in lexicon], dtype="<i1").tobytes())
        data = Data(folder)
        width = data.values.shape[1]
        write_forest(file, data.train(data.pages, list(range(width))), width)
    print(f"{len(lexicon)} things")


if __name__ == "__main__":
    _, mode, folder, *rest = sys.argv
    if mode == "final":
        write_model(folder, rest[0])
    else:
        options = dict(option.split("=") for option in rest)
        folds = [int(f) for f in options.get("folds", "0,1,2,3,4,5,6").split(",")]
        data = Data(folder)
        columns = columns_without(data.features, options.get("without", "").split(","))
        size = (int(options.get("rounds", ROUNDS)), int(options.get("forests", FORESTS)))
        scores = cross_validate(data, columns, folds, size)
        json.dump(scores, open(f"{folder}/scores.json", "w"))
