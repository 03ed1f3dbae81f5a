"""Fits the two curves of Sources/Retrieval/Evidence over several sources: which sentence answers (KeySentences.Weights), and whether
any does (Confidence.Weights). Every figure is one of a fit that has not seen the source."""

import numpy as np

FEATURES = ("coverage", "specific", "cosine", "plain", "passage", "shape", "answers", "unread", "heading", "contents", "instructs")
# Where the data say nothing: none of the questions has orders among its sentences, and few a table of contents.
START = np.array([2.0, 1.0, 3.0, 1.5, 1.0, 1.0, 4.0, -2.0, -1.0, -2.5, -4.0])
MEANING = [FEATURES.index("cosine"), FEATURES.index("plain")]
JUDGED = [FEATURES.index("answers"), FEATURES.index("unread")]
# What is at hand, and which features are then missing.
KINDS = {"words only": MEANING + JUDGED, "with vectors": JUDGED, "with a judge": []}
SEEN = ("best", "gap", "plain", "answers")


class Case:
    """One question: its sentences, those that hold the answer, and whether there is one."""

    def __init__(self, row, says, missing, judged):
        self.source, self.kind, self.row = row["source"], row["kind"], row
        self.features = np.array([[each["features"].get(name, 0) for name in FEATURES] for each in row["considered"]])
        self.features[:, missing] = 0
        self.judged = judged
        self.right = np.array([self.kind == "answerable" and says(row, each["text"]) for each in row["considered"]])

    def seen(self, weights):
        """As `Signals` sees the ranked sentences; a judge decides alone."""
        if self.judged:
            return [0, 0, 0, self.row["record"]["signals"]["answers"]]
        scores = np.sort(self.features @ weights)[::-1]
        return [scores[0], scores[0] - scores[:8].mean(), self.features[:, FEATURES.index("plain")].max(), 0]

    def among(self, weights, first):
        return self.right[np.argsort(-(self.features @ weights), kind="stable")[:first]].any()


def sentences(cases, pull=0.03, steps=500, rate=0.1):
    """Of all sentences those that hold the answer shall be likeliest, every source counting the same."""
    told = [case for case in cases if case.right.any()]
    counts = {source: sum(case.source == source for case in told) for source in {case.source for case in told}}
    weights = START.copy()
    for _ in range(steps):
        slope = np.zeros(len(weights))
        for case in told:
            scores = case.features @ weights
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            right = likely * case.right
            slope += case.features.T @ (likely - right / right.sum()) / counts[case.source] / len(counts)
        weights -= rate * (slope + pull * (weights - START))
    return weights


def curve(cases, weights, pull=0.01, steps=3000, rate=0.5):
    """What has an answer against what has none. Near misses look like answers in every number but the judge's: without one they are
    left out. No weight is negative; every source, and both sides, count the same."""
    told = [case for case in cases if case.kind in ("answerable", "far") or case.judged]
    rows, labels = np.array([case.seen(weights) for case in told]), np.array([case.kind == "answerable" for case in told])
    means, spread = rows.mean(0), rows.std(0) + 1e-9
    groups = [(case.source, case.kind == "answerable") for case in told]
    counts = np.array([1 / groups.count(group) for group in groups])
    for label in (True, False):
        counts[labels == label] /= 2 * counts[labels == label].sum()
    scaled, fitted, bias = (rows - means) / spread, np.zeros(rows.shape[1]), 0.0
    for _ in range(steps):
        error = counts * (1 / (1 + np.exp(-(scaled @ fitted + bias))) - labels)
        fitted, bias = np.maximum(0, fitted - rate * (scaled.T @ error + pull * fitted)), bias - rate * error.sum()
    return fitted / spread, bias - (fitted / spread * means).sum()


def sure(case, weights, fitted):
    return 1 / (1 + np.exp(-(np.array(case.seen(weights)) @ fitted[0] + fitted[1])))


def report(rows, says):
    for kind, missing in KINDS.items():
        judged = kind == "with a judge"
        # What is far from everything no judge was asked about.
        cases = [Case(row, says, missing, judged) for row in rows
                 if row["considered"] and not (judged and "answers" not in (row["record"]["signals"] or {}))]
        names = sorted({case.source for case in cases})
        print(kind)
        weights = sentences(cases)
        fitted, bias = curve(cases, weights)
        print("  KeySentences: " + ", ".join(f"{name}: {value:.2f}" for name, value in zip(FEATURES, weights)))
        print(f"  Confidence: bias: {bias:.2f}, " + ", ".join(f"{name}: {value:.2f}" for name, value in zip(SEEN, fitted)))
        apart = {}
        for name in names:
            others = [case for case in cases if case.source != name]
            own = sentences(others)
            apart[name] = own, curve(others, own)
            told = [case for case in cases if case.source == name and case.kind == "answerable"]
            print(f"  {name}, left out: the answer is in the first one, three sentences: "
                  + ", ".join(f"{np.mean([case.among(own, first) for case in told]):.2f}" for first in (1, 3)))
        said = [(case, sure(case, *apart[case.source])) for case in cases]
        for limit in (0.2, 0.25, 0.3, 0.35, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9):
            parts = []
            for kind in ("answerable", "near", "far"):
                below = {name: [value < limit for case, value in said if (case.source, case.kind) == (name, kind)] for name in names}
                parts.append(f"{kind} " + " ".join(f"{name} {np.mean(each):.2f}" for name, each in below.items() if each))
            print(f"  below {limit}: " + " | ".join(parts))
