"""/usr/bin/python3 train.py cv|final DIR [OUT]: cross-validates by domain, or writes the model; see README.md."""

import json
import sys
import time

import numpy
import xgboost

ROUNDS = 150
PARAMETERS = {
    "objective": "binary:logistic",
    "tree_method": "hist",
    "max_depth": 7,
    "max_bin": 128,
    "eta": 0.08,
    "min_child_weight": 0.1,
    "lambda": 2.0,
    "subsample": 0.7,
    "colsample_bytree": 0.25,
    "seed": 7,
    "nthread": 2,
}
# Blocks of a page that are trained on: pages of tables have thousands of the same kind.
MAX_ROWS_OF_PAGE = 300


def load(folder):
    about = json.load(open(f"{folder}/features.json"))
    pages = [json.loads(line) for line in open(f"{folder}/pages.jsonl")]
    width = about["width"]
    values = numpy.memmap(f"{folder}/features.f32", dtype=numpy.float32, mode="r").reshape(-1, width)
    labels = numpy.concatenate([numpy.array(page["labels"], dtype=numpy.float32) for page in pages])
    words = numpy.concatenate([numpy.array(page["words"], dtype=numpy.float32) for page in pages])
    return about["features"], pages, values, labels, words


def weights_of(pages, words):
    """By words, each page the same sum: the measure is a mean over pages."""
    weights = numpy.zeros(len(words), dtype=numpy.float32)
    for page in pages:
        own = words[page["start"] : page["start"] + page["rows"]]
        scale = max(page["truth"], own.sum() * 0.1, 30)
        weights[page["start"] : page["start"] + page["rows"]] = (own + 0.3) / scale ** 0.9 * 10
    return weights


def chosen(scores, words):
    """The blocks that maximise the expected F1: 2 * sum(w p) / (words chosen + words expected)."""
    order = numpy.argsort(-scores, kind="stable")
    gain = numpy.cumsum(scores[order] * words[order])
    taken = numpy.cumsum(words[order])
    expected = 2 * gain / (taken + (scores * words).sum() + 1e-9)
    best = int(numpy.argmax(expected)) if len(expected) else -1
    mask = numpy.zeros(len(scores), dtype=bool)
    mask[order[: best + 1]] = True
    return mask, float(expected[best]) if len(expected) else 0.0


def f1_of(page, mask, labels, words):
    own = slice(page["start"], page["start"] + page["rows"])
    same = (labels[own] * words[own])[mask].sum()
    taken = words[own][mask].sum()
    return 2 * same / (taken + page["truth"]) if page["truth"] > 0 and taken > 0 else 0.0


def sample(pages, generator):
    rows = []
    for page in pages:
        own = numpy.arange(page["start"], page["start"] + page["rows"])
        if len(own) > MAX_ROWS_OF_PAGE:
            own = numpy.sort(generator.choice(own, MAX_ROWS_OF_PAGE, replace=False))
        rows.append(own)
    return numpy.concatenate(rows)


def report(pages, results):
    by_type = {}
    for page, result in zip(pages, results):
        by_type.setdefault(page["type"], []).append(result)
    for name, found in sorted(by_type.items()):
        print(f"  {name:14} {len(found):5} F1 {numpy.mean([f for f, _, _ in found]):.4f} P {numpy.mean([p for _, p, _ in found]):.4f} R {numpy.mean([r for _, _, r in found]):.4f}")
    print(f"  {'all':14} {len(results):5} F1 {numpy.mean([f for f, _, _ in results]):.4f}")


def train(rows, values, labels, weights, columns, rounds=ROUNDS):
    matrix = values[rows][:, columns]
    data = xgboost.DMatrix(matrix, label=labels[rows], weight=weights[rows])
    return xgboost.train(PARAMETERS, data, rounds)


def cross_validate(folder, without, folds, rounds):
    features, pages, values, labels, words = load(folder)
    weights = weights_of(pages, words)
    columns = [i for i, (group, name) in enumerate(features) if group not in without and name not in without]
    generator = numpy.random.default_rng(1)
    tested, results, expectations, oracle = [], [], [], []
    saved = {}
    for fold in folds:
        started = time.process_time()
        booster = train(sample([p for p in pages if p["fold"] != fold], generator), values, labels, weights, columns, rounds)
        for page in [p for p in pages if p["fold"] == fold]:
            own = slice(page["start"], page["start"] + page["rows"])
            tested.append(page)
            if page["rows"] == 0:
                results.append((0.0, 0.0, 0.0))
                expectations.append(0.0)
                continue
            scores = booster.predict(xgboost.DMatrix(values[own][:, columns]))
            saved[page["id"]] = [round(float(s), 4) for s in scores]
            mask, expected = chosen(scores, words[own])
            expectations.append(expected)
            results.append(measured(page, mask, labels, words))
            best, _ = chosen(labels[own], words[own])
            oracle.append(measured(page, best, labels, words)[0])
        print(f"fold {fold}: {numpy.mean([r[0] for p, r in zip(tested, results) if p['fold'] == fold]):.4f} ({time.process_time() - started:.0f} CPU-s)", flush=True)
    report(tested, results)
    found = numpy.array([r[0] for r in results])
    print(f"  by the truth {numpy.mean(oracle):.4f}; expected F1 {numpy.mean(expectations):.4f}, correlation {numpy.corrcoef(expectations, found)[0, 1]:.3f}")
    json.dump(saved, open(f"{folder}/scores.json", "w"))
    return numpy.array(expectations), found


def measured(page, mask, labels, words):
    own = slice(page["start"], page["start"] + page["rows"])
    same = float((labels[own] * words[own])[mask].sum())
    taken = float(words[own][mask].sum())
    if page["truth"] == 0 or taken == 0 or same == 0:
        return (0.0, 0.0, 0.0)
    precision, recall = same / taken, same / page["truth"]
    return (2 * precision * recall / (precision + recall), precision, recall)


def flattened(tree):
    """Nodes breadth first, so that two children stand beside each other: (feature, value, left)."""
    nodes, queue = [], [tree]
    places = 1
    while queue:
        node = queue.pop(0)
        if "leaf" in node:
            nodes.append((0, node["leaf"], 0))
            continue
        children = {child["nodeid"]: child for child in node["children"]}
        queue += [children[node["yes"]], children[node["no"]]]
        nodes.append((int(node["split"][1:]), node["split_condition"], places))
        places += 2
    if places > 256:
        raise ValueError("a tree has too many nodes")
    return nodes


def write_model(folder, out):
    features, pages, values, labels, words = load(folder)
    rows = sample(pages, numpy.random.default_rng(1))
    booster = train(rows, values, labels, weights_of(pages, words), list(range(len(features))))
    trees = [flattened(json.loads(tree)) for tree in booster.get_dump(dump_format="json")]
    lexicon = json.load(open(f"{folder}/lexicon.json"))
    nodes = [node for tree in trees for node in tree]
    # Checked below against the library: a base score of one half adds nothing.
    roots = numpy.cumsum([0] + [len(tree) for tree in trees[:-1]])
    with open(out, "wb") as file:
        file.write(numpy.array([0x54524D01, len(features), len(trees), len(nodes), len(lexicon)], dtype="<u4").tobytes())
        file.write(numpy.array([value for _, value, _ in nodes], dtype="<f4").tobytes())
        file.write(numpy.array([key for key, _ in lexicon], dtype="<u4").tobytes())
        file.write(roots.astype("<u4").tobytes())
        file.write(numpy.array([round(odds * 16) for _, odds in lexicon], dtype="<i1").tobytes())
        file.write(numpy.array([feature for feature, _, _ in nodes], dtype="<u1").tobytes())
        file.write(numpy.array([left for _, _, left in nodes], dtype="<u1").tobytes())
    print(f"{len(trees)} trees, {len(nodes)} nodes, {len(lexicon)} things")


if __name__ == "__main__":
    _, mode, folder, *rest = sys.argv
    if mode == "cv":
        options = dict(option.split("=") for option in rest)
        folds = [int(f) for f in options.get("folds", "0,1,2,3,4").split(",")]
        cross_validate(folder, options.get("without", "").split(","), folds, int(options.get("rounds", ROUNDS)))
    elif mode == "final":
        write_model(folder, rest[0])
