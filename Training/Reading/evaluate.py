#!/usr/bin/env python3
"""evaluate.py WEIGHTS DATA CHECKPOINT [--sources squad2,...] [--count N] [--cache FILE] [--threads N]

Questions of held-out titles, and of sources left out of the training. For each source: spans, sentences and whether a passage answers,
and how well the right passage is found among the twenty that words and meaning find in the whole document (of `qed` and `tatqa`,
whose documents are single passages, in all of the source's held-out ones): by cosine alone, BM25 alone, both, the reader, and the
reader with both. CHECKPOINT `none` gives the figures without a reader. What is computed with the published weights alone is kept in
the cache.
"""
import argparse
import json
import os
import pickle
import random

import numpy as np
import torch
from encoder import Encoder, Reader
from measure import area, judged, read, sentence_scores
from prepare import Words

CANDIDATES = 20
POOL = 400  # passages of the sources whose documents are too small to search in


def vectors(encoder, texts, size=32):
    """Unit vectors as the product computes them."""
    vocabulary = encoder.vocabulary
    found = np.zeros((len(texts), encoder.width), np.float32)
    order = sorted(range(len(texts)), key=lambda i: len(texts[i]))
    with torch.no_grad():
        for at in range(0, len(order), size):
            portion = order[at : at + size]
            rows = [[vocabulary.first, *texts[i][:254], vocabulary.last] for i in portion]
            length = max(map(len, rows))
            tokens = torch.tensor([row + [0] * (length - len(row)) for row in rows])
            mask = torch.tensor([[True] * len(row) + [False] * (length - len(row)) for row in rows])
            values = encoder(tokens, torch.arange(length).expand_as(tokens), mask, base=True)
            mean = (values * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)
            found[portion] = torch.nn.functional.normalize(mean, dim=-1).numpy()
    return found


class Cached:
    """Vectors of token rows, computed once."""

    def __init__(self, encoder, path):
        self.encoder, self.path = encoder, path
        self.known = pickle.load(open(path, "rb")) if path and os.path.exists(path) else {}

    def __call__(self, texts):
        missing = [t for t in dict.fromkeys(map(tuple, texts)) if t not in self.known]
        if missing:
            for text, vector in zip(missing, vectors(self.encoder, missing)):
                self.known[text] = vector.astype(np.float16)
            if self.path:
                pickle.dump(self.known, open(self.path, "wb"))
        return np.array([self.known[tuple(t)] for t in texts], np.float32)


def pool_of(data, question, source):
    """The passages that are searched for a question."""
    passages = data["passages"]
    if source in ("qed", "tatqa"):
        here = [p for p, one in enumerate(passages) if one["source"] == source and (one["held"] or source == "qed")]
        random.Random(11).shuffle(here)
        return sorted(set(here[:POOL]) | {question["passage"]})
    return [p for p, one in enumerate(passages) if one["source"] == source and one["title"] == question["title"]]


def spread(values):
    """Scores of a list, comparable between questions: none below nought, the highest one."""
    values = np.asarray(values, float)
    low, high = values.min(), values.max()
    return (values - low) / (high - low) if high > low else np.zeros_like(values)


def ranked(data, cached, questions, source):
    """Candidates of each question with what words and meaning say of them."""
    passages, found, lists = data["passages"], [], {}
    for question in questions:
        pool = pool_of(data, question, source)
        key = tuple(pool)
        if key not in lists:
            lists[key] = (Words([passages[p]["tokens"] for p in pool]), cached([passages[p]["tokens"] for p in pool]))
        words, matrix = lists[key]
        asked = cached([question["tokens"]])[0]
        meaning = matrix @ asked
        spoken = np.zeros(len(pool))
        for place, score in words.scores(question["tokens"]).items():
            spoken[place] = score
        by_meaning, by_words = (-meaning).argsort(kind="stable"), (-spoken).argsort(kind="stable")
        both = np.zeros(len(pool))
        for ranking in (by_meaning, by_words):
            for rank, place in enumerate(ranking):
                both[place] += 1 / (20 + rank)
        union = (-both).argsort(kind="stable")[:CANDIDATES]
        # Every passage on which the same question is answered is right.
        right = {q["passage"] for q in data["questions"] if q["text"].lower() == question["text"].lower()
                 and q["title"] == question["title"] and q["answerable"]}
        found.append({"question": question, "pool": len(pool), "candidates": [pool[c] for c in union], "right": right,
                      "cosine": meaning[union], "words": spoken[union], "fused": both[union]})
    return found


def read_candidates(reader, data, vocabulary, found):
    passages = data["passages"]
    pairs = [(one["question"]["tokens"], passages[c]["tokens"]) for one in found for c in one["candidates"]]
    results = iter(read(reader, vocabulary, pairs))
    for one in found:
        one["results"] = [next(results) for _ in one["candidates"]]
        one["reader"] = np.array([r["whole"] for r in one["results"]])


def hits(found, score):
    first = third = 0
    for one in found:
        order = (-np.asarray(score(one))).argsort(kind="stable")
        ranks = [r for r, place in enumerate(order) if one["candidates"][place] in one["right"]]
        first += bool(ranks) and ranks[0] == 0
        third += bool(ranks) and ranks[0] < 3
    return round(first / len(found), 3), round(third / len(found), 3)


def is_there(found, score):
    """The best candidate's score with the document as it is and with the right passages taken out of it."""
    with_it, without = [], []
    for one in found:
        values = np.asarray(score(one))
        others = [v for v, c in zip(values, one["candidates"]) if c not in one["right"]]
        if any(c in one["right"] for c in one["candidates"]) and others:
            with_it.append(values.max())
            without.append(max(others))
    return round(area(np.array(with_it), np.array(without)), 3)


def sentence_hits(data, cached, found, reader):
    """The first sentence of all candidates': by the cosine of single sentences, and by the reader in the passage it puts first."""
    passages = data["passages"]
    count = {"cosine": 0, "reader": 0, "cosine in the right passage": 0, "reader in the right passage": 0, "of": 0}
    for one in found:
        question = one["question"]
        if question["passage"] not in one["candidates"]:
            continue
        count["of"] += 1
        asked = cached([question["tokens"]])[0]
        all_of, sums = [], []
        for c in one["candidates"]:
            for number, (begin, end) in enumerate(passages[c]["sentences"]):
                all_of.append((c, number))
                sums.append(passages[c]["tokens"][begin:end])
        values = cached(sums) @ asked
        right = {(question["passage"], number) for number in question["evidence"]}
        count["cosine"] += all_of[int(values.argmax())] in right
        inside = [(v, key) for v, key in zip(values, all_of) if key[0] == question["passage"]]
        count["cosine in the right passage"] += max(inside, key=lambda pair: pair[0])[1] in right
        if reader:
            place = int(np.argmax(one["reader"] + 4 * spread(one["fused"])))
            scores = sentence_scores(one["results"][place], passages[one["candidates"][place]]["sentences"])
            count["reader"] += (one["candidates"][place], int(np.argmax(scores))) in right
            place = one["candidates"].index(question["passage"])
            scores = sentence_scores(one["results"][place], passages[question["passage"]]["sentences"])
            count["reader in the right passage"] += int(np.argmax(scores)) in question["evidence"]
    total = max(1, count.pop("of"))
    return {name: round(value / total, 3) for name, value in count.items() if reader or "reader" not in name}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("data")
    parser.add_argument("checkpoint")
    parser.add_argument("--sources", default="squad2,policyqa,tatqa,covidqa,qed")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--cache", default="")
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--reading-alone", action="store_true")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    data = pickle.load(open(options.data, "rb"))
    reader = None
    if options.checkpoint != "none":
        reader = Reader(options.weights, 0)
        held = torch.load(options.checkpoint)
        reader.load_state_dict(held["reader"])
        print(json.dumps({"checkpoint": options.checkpoint, "step": held.get("step")}))
    encoder = reader.encoder if reader else Encoder(options.weights)
    cached = Cached(encoder, options.cache)
    for source in options.sources.split(","):
        some = [q for q in data["questions"] if q["source"] == source and q["held"]]
        random.Random(5).shuffle(some)
        figures = {"source": source}
        if reader:
            # As many questions for this as there are: it costs little.
            figures.update(judged(reader, data, encoder.vocabulary, some[: 3 * options.count]))
        if not options.reading_alone:
            some = [q for q in some if q["answerable"]][: options.count]
            found = ranked(data, cached, some, source)
            figures["among"] = round(float(np.mean([bool(one["right"] & set(one["candidates"])) for one in found])), 3)
            figures["pool"] = int(np.mean([one["pool"] for one in found]))
            scores = {"cosine": lambda one: one["cosine"], "words": lambda one: one["words"], "fused": lambda one: one["fused"]}
            if reader:
                read_candidates(reader, data, encoder.vocabulary, found)
                scores["reader"] = lambda one: one["reader"]
                for weight in (2, 4, 8):
                    scores[f"reader + {weight} fused"] = lambda one, weight=weight: one["reader"] + weight * spread(one["fused"])
                    scores[f"reader + {weight} cosine"] = lambda one, weight=weight: one["reader"] + weight * 2 * one["cosine"]
            for name, score in scores.items():
                first, third = hits(found, score)
                figures[name] = {"first": first, "in three": third, "there or not": is_there(found, score)}
            figures["sentences"] = sentence_hits(data, cached, found, reader)
        print(json.dumps(figures), flush=True)


main()
