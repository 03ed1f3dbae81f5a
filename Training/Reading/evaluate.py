#!/usr/bin/env python3
"""evaluate.py WEIGHTS READING ADAPTER [--most N] [--threads N] [--device cuda]
            [--authored FILE --authors authored-f,authored-l]

What the reader is worth on titles that training has not seen and on sources it has seen nothing of: whether it tells passages that
answer from those that do not, and which sentence it points at. ADAPTER is train.py's state.pt or reader.gguf; without one the pack as published.
With --authored only those authors are asked.
"""
import argparse
import collections
import random

import torch
from corpora import authored, load
from model import Reader
from train import SEED, numbered


def area(high, low):
    """How often one of `high` is above one of `low`."""
    if not high or not low:
        return float("nan")
    order = sorted([(v, 1) for v in high] + [(v, 0) for v in low])
    below = wins = 0
    for _, is_high in order:
        below += not is_high
        wins += below if is_high else 0
    return wins / (len(high) * len(low))


def read(reader, drawn):
    """For each question of each passage: the log probabilities of none and of each letter."""
    (group, goals), = [numbered(reader.words, drawn)]
    tokens, places, mask, starts = reader.batch([group])
    with torch.no_grad():
        states = reader(tokens, places, mask)
        return reader.verdicts(states[0, torch.tensor([b + g[0] for b, g in zip(starts[0], goals)])]).cpu()


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("reading")
    parser.add_argument("adapter", nargs="?")
    parser.add_argument("--most", type=int, default=60)
    parser.add_argument("--threads", type=int, default=1)
    parser.add_argument("--device", default="cpu")
    parser.add_argument("--authored")
    parser.add_argument("--authors", default="")
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    reader = Reader(options.weights, device=options.device)
    if options.adapter:
        reader.take(options.adapter)
    unseen = collections.defaultdict(list)
    for passage in authored(options.authored, options.authors.split(",")) if options.authored else load(options.reading):
        if passage["source"] in options.authors.split(",") and passage["asked"]:
            unseen[passage["source"]].append(passage)
        elif (passage["held"] or passage["source"] in ("covidqa", "qed")) and passage["asked"]:
            unseen[passage["source"]].append(passage)
    for source, passages in sorted(unseen.items()):
        random.Random(SEED).shuffle(passages)
        found = collections.defaultdict(list)
        right = told = 0
        for passage in passages[: options.most]:
            kinds = [("answers" if q["evidence"] else "near", q) for q in passage["asked"]][:10]
            kinds += [("elsewhere", q) for q in passage["near"][:4]]
            asked = [(q["text"], [(s, "") for s in q["evidence"]]) for _, q in kinds]
            rows = read(reader, (passage["title"] if source != "tatqa" else "", passage["sentences"], asked))
            for (kind, question), row in zip(kinds, rows):
                row = row[: 1 + len(passage["sentences"])]
                found[kind].append(float(torch.logsumexp(row[1:], 0) - row[0]))
                if kind == "answers":
                    told += 1
                    right += int(row[1:].argmax()) in question["evidence"]
            evidence = sorted({s for q in passage["asked"] for s in q["evidence"]})
            if evidence and len(passage["sentences"]) > 1:
                gone = random.Random(passage["name"]).choice(evidence)
                kept = [s for i, s in enumerate(passage["sentences"]) if i != gone]
                lost = [q for q in passage["asked"] if q["evidence"] == [gone]
                        and not any(a.lower() in " ".join(kept).lower() for a in q["answers"])][:6]
                if lost:
                    for row in read(reader, (passage["title"], kept, [(q["text"], []) for q in lost])):
                        row = row[: 1 + len(kept)]
                        found["left out"].append(float(torch.logsumexp(row[1:], 0) - row[0]))
        areas = ", ".join(f"{kind} {area(found['answers'], found[kind]):.3f} ({len(found[kind])})" for kind in ["near", "elsewhere", "left out"])
        print(f"{source}: right sentence {right / max(1, told):.3f} of {told}; area against {areas}", flush=True)


if __name__ == "__main__":
    main()
