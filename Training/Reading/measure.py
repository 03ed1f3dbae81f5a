"""What a reader gets right: spans, sentences, and whether a passage answers."""
import random
import re
import string

import numpy as np
import torch
from encoder import padded


def area(right, wrong):
    """Of all pairs, the part in which the right one has the higher score."""
    if not len(right) or not len(wrong):
        return float("nan")
    values = np.concatenate([right, wrong])
    order = values.argsort(kind="stable")
    ranks = np.empty(len(values))
    ranks[order] = np.arange(1, len(values) + 1)
    for value in np.unique(values):  # equal ones share their rank
        same = values == value
        if same.sum() > 1:
            ranks[same] = ranks[same].mean()
    return (ranks[: len(right)].sum() - len(right) * (len(right) + 1) / 2) / (len(right) * len(wrong))


def plain(text):
    text = "".join(c for c in text.lower() if c not in string.punctuation)
    return re.sub(r"\b(a|an|the)\b", " ", text).split()


def overlap(found, wanted):
    """F1 of the words, the best of all accepted answers."""
    best = 0.0
    found = plain(found)
    for answer in wanted:
        answer = plain(answer)
        common = sum(min(found.count(w), answer.count(w)) for w in set(found))
        if common:
            best = max(best, 2 * common / (len(found) + len(answer)))
        elif not found and not answer:
            best = 1.0
    return best


def read(reader, vocabulary, pairs, size=16, longest_span=30):
    """For each question and passage (as tokens): logit that it answers, best span and its score, evidence of each token."""
    results = [None] * len(pairs)
    order = sorted(range(len(pairs)), key=lambda i: len(pairs[i][0]) + len(pairs[i][1]))
    with torch.no_grad():
        for at in range(0, len(order), size):
            portion = order[at : at + size]
            made = padded(vocabulary, [pairs[i] for i in portion])
            device = reader.whole.weight.device
            moved = {name: part.to(device) if torch.is_tensor(part) else part for name, part in made.items()}
            start, stop, evidence, whole = (one.cpu().numpy() for one in reader(moved))
            for row, i in enumerate(portion):
                begin, end = made["begins"][row], made["ends"][row]
                s, e = start[row, begin:end], stop[row, begin:end]
                sums = s[:, None] + e[None, :]
                allowed = np.triu(np.ones_like(sums)) - np.triu(np.ones_like(sums), longest_span)
                sums = np.where(allowed > 0, sums, -1e9)
                first, last = divmod(int(sums.argmax()), len(s)) if len(s) else (0, 0)
                norm = np.logaddexp.reduce(s) + np.logaddexp.reduce(e) if len(s) else 0
                starts = np.exp(s - np.logaddexp.reduce(s)) if len(s) else s
                nowhere = float(start[row, 0] + stop[row, 0])
                results[i] = {"whole": float(whole[row]), "span": (first, last), "margin": float(sums.max()) - nowhere if len(s) else -1e9, "span_logit": float(sums.max()) if len(s) else -1e9,
                              "span_log": float(sums.max() - norm) if len(s) else -1e9, "starts": starts,
                              "evidence": evidence[row, begin:end]}
    return results


def sentence_scores(result, sentences):
    """How likely each sentence is the one that answers: the mean of its tokens' evidence, and where the span begins."""
    scores = []
    for begin, end in sentences:
        proof = result["evidence"][begin:end]
        if not len(proof):
            scores.append(-1e9)
            continue
        scores.append(float(proof.mean()) + 2 * float(np.log(result["starts"][begin:end].sum() + 1e-4)))
    return scores


def judged(reader, data, vocabulary, questions):
    """Figures for these questions, each on its own passage; beside every answerable one stands its nearest other passage."""
    passages = data["passages"]
    pairs, kinds = [], []
    for question in questions:
        pairs.append((question["tokens"], passages[question["passage"]]["tokens"]))
        kinds.append("right" if question["answerable"] else "miss")
        if question["answerable"] and question["near"]:
            pairs.append((question["tokens"], passages[question["near"][0]]["tokens"]))
            kinds.append("near")
    results = read(reader, vocabulary, pairs)
    of = lambda name: {kind: np.array([r[name] for r, k in zip(results, kinds) if k == kind]) for kind in ("right", "miss", "near")}
    whole, margin = of("whole"), of("margin")
    f1, hits, chances = [], [], []
    own = iter([r for r, k in zip(results, kinds) if k != "near"])
    for question in questions:
        result = next(own)
        if not question["answerable"]:
            continue
        passage = passages[question["passage"]]
        scores = sentence_scores(result, passage["sentences"])
        hits.append(int(np.argmax(scores)) in question["evidence"])
        chances.append(len(question["evidence"]) / len(scores))
        if question["spans"]:
            first, last = result["span"]
            f1.append(overlap(passage["text"][passage["begins"][first] : passage["ends"][last]], question["answers"]))
    mean = lambda values: round(float(np.mean(values)), 3) if len(values) else None
    wrong = np.concatenate([whole["miss"], whole["near"]])
    values = np.concatenate([whole["right"], wrong])
    limits = np.quantile(values, np.linspace(0.05, 0.95, 40)) if len(values) else []
    balanced = max([((whole["right"] > l).mean() + (wrong <= l).mean()) / 2 for l in limits], default=0)
    return {"questions": len(questions), "span F1": mean(f1), "sentence": mean(hits), "sentence by chance": mean(chances),
            "area near": round(area(whole["right"], whole["near"]), 3), "area misses": round(area(whole["right"], whole["miss"]), 3),
            "area misses by span": round(area(margin["right"], margin["miss"]), 3),
            "area misses by both": round(area(whole["right"] + margin["right"] / 2, whole["miss"] + margin["miss"] / 2), 3),
            "accuracy at best limit": round(float(balanced), 3)}


def quick(reader, data, vocabulary, count=120):
    """A few questions of each source's held-out titles."""
    found = {}
    for source in ["squad2", "policyqa", "tatqa", "covidqa", "qed"]:
        some = [q for q in data["questions"] if q["source"] == source and q["held"]]
        random.Random(7).shuffle(some)
        figures = judged(reader, data, vocabulary, some[:count if source == "squad2" else count // 2])
        found[source] = [figures[k] for k in ("span F1", "sentence", "area near", "area misses", "area misses by span")]
    return found
