"""Fits the two curves of Sources/Retrieval/Evidence on the development halves: which sentence answers (KeySentences.Weights), and
whether any does (Abstention.Weights)."""

import numpy as np

FEATURES = ("coverage", "context", "specific", "cosine", "plain", "passage", "shape", "defines", "fragment", "heading",
            "question", "contents", "instructs")
# Where the data say nothing: none of our questions has orders among its sentences, and few a table of contents.
START = np.array([2.0, 1.5, 1.0, 3.0, 1.5, 1.0, 1.0, 1.0, -0.7, -1.0, -1.0, -2.5, -4.0])
SIGNALS = ("coverage", "union", "sentence", "context", "sentence_cosine", "facts", "shape")


class Case:
    """One question as it was asked in one place: its sentences, those that hold the answer, and what was seen of it."""

    def __init__(self, considered, signals, answers, is_answerable, words_only):
        self.features = np.array([[each["features"][name] for name in FEATURES] for each in considered])
        if words_only:
            self.features[:, [FEATURES.index("cosine"), FEATURES.index("plain")]] = 0
        self.right = np.array([answers(each["text"]) for each in considered]) if is_answerable else None
        self.signals, self.is_answerable, self.words_only = signals, is_answerable, words_only

    def order(self, weights):
        return np.argsort(-(self.features @ weights), kind="stable")

    def seen(self, weights):
        """As `Signals.add` sees the best sentences."""
        order = self.order(weights)
        best = {name: self.features[order[:3], FEATURES.index(name)].max() for name in ("coverage", "context", "shape")}
        nearest = self.features[order[:8], FEATURES.index("cosine")].max()
        return [self.signals["coverage"], self.signals["union"], best["coverage"], best["context"],
                0 if self.words_only else nearest, self.signals["facts"], best["shape"]]


def sentences(cases, pull=0.03, steps=1500, rate=0.05):
    """Of all sentences those that hold the answer shall be likeliest; drawn to where the data say nothing."""
    told = [case for case in cases if case.is_answerable and case.right.any()]
    weights = START.copy()
    for _ in range(steps):
        slope = np.zeros(len(weights))
        for case in told:
            scores = case.features @ weights
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            right = likely * case.right
            slope += case.features.T @ (likely - right / right.sum())
        weights -= rate * (slope / len(told) + pull * (weights - START))
    return weights


def among(cases, weights, first):
    """How many answerable questions have the answer in one of the first sentences."""
    told = [case for case in cases if case.is_answerable]
    return sum(case.right[case.order(weights)[:first]].any() for case in told) / len(told)


def abstention(rows, labels, pull=0.01, steps=4000, rate=0.5):
    """A logistic curve whose weights are never negative: more evidence never makes an answer less likely. Both kinds of question
    count the same, however many there are of each."""
    means, spread = rows.mean(0), rows.std(0) + 1e-9
    scaled, share = (rows - means) / spread, labels.mean()
    counts = np.where(labels == 1, 0.5 / share, 0.5 / (1 - share))
    weights, bias = np.zeros(rows.shape[1]), 0.0
    for _ in range(steps):
        error = counts * (1 / (1 + np.exp(-(scaled @ weights + bias))) - labels) / len(labels)
        weights, bias = np.maximum(0, weights - rate * (scaled.T @ error + pull * weights)), bias - rate * error.sum()
    return weights / spread, bias - (weights / spread * means).sum()


def apart(cases, fit, folds=10):
    """What fits say of the cases that they have not seen."""
    order, said = np.random.RandomState(1).permutation(len(cases)), {}
    for fold in range(folds):
        unseen = set(order[fold::folds])
        say = fit([case for place, case in enumerate(cases) if place not in unseen])
        said.update({place: say(cases[place]) for place in unseen})
    return [said[place] for place in range(len(cases))]


def report(cases, least):
    weights = sentences(cases)
    print("KeySentences: " + ", ".join(f"{name}: {value:.2f}" for name, value in zip(FEATURES, weights)))
    kept = apart(cases, lambda told: (lambda fitted: lambda case: case.is_answerable and [
        bool(case.right[case.order(fitted)[:first]].any()) for first in (1, 2, 3)])(sentences(told)), folds=5)
    kept = [each for each in kept if each]
    print("  by fits that have not seen the question, the answer is in the first one, two, three sentences: "
          + ", ".join(f"{sum(each[place] for each in kept) / len(kept):.2f}" for place in range(3)))
    labels = np.array([int(case.is_answerable) for case in cases])
    rows = np.array([case.seen(weights) for case in cases])
    fitted, bias = abstention(rows, labels)
    print(f"Abstention: bias: {bias:.2f}, " + ", ".join(f"{name}: {value:.2f}" for name, value in zip(SIGNALS, fitted)))

    def fit(told):
        some, base = abstention(np.array([case.seen(weights) for case in told]),
                                np.array([int(case.is_answerable) for case in told]))
        return lambda case: 1 / (1 + np.exp(-(np.array(case.seen(weights)) @ some + base)))
    sure = np.array(apart(cases, fit))
    silent = sure < least
    print(f"  by fits that have not seen the question: {((~silent) == labels).mean():.2f} of {len(cases)} judged rightly, "
          f"abstention precision {(labels[silent] == 0).mean():.2f}, recall {silent[labels == 0].mean():.2f}")
