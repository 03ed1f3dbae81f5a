#!/usr/bin/env python3
"""tune.py WEIGHTS EXAMPLES OUT [--judges slurp,half,written,hwu64,shipped] [--threads N]

Tunes the embedding pack's encoder for commands: a low-rank adapter on its upper layers, with one head for the fine intent
labels over the mean of the tokens and one for the slot of each word over the word's first token. EXAMPLES is what
`train-commands --examples` writes. Every judge but the last learns without the source it is named after and writes what it
reads there to OUT/readings-NAME.bin (`half` is every other line of hwu64); `shipped` learns from everything and writes OUT/reader.gguf, the adapter as llama.cpp
loads it, OUT/reader.json, the heads, and OUT/parity.json, what torch computes for a few utterances.
"""
import argparse
import json
import math
import random
import struct
import time

import torch
import torch.nn.functional as F
from encoder import Encoder, adapted, export, padded

SEED = 20260610
FIRST_LAYER = 2  # the layers below stay as they are, and are computed once
RANK = 16
EPOCHS, BATCH, RATE, HEAD_RATE = 3, 64, 2e-3, 4e-3
TAG_SHARE = 0.5
DROPOUT = 0.1
TAGS = ["O"] + [edge + slot for slot in ["title", "body", "subject", "recipient", "time"] for edge in ["B-", "I-"]]


def batches(rows, size, shuffled=None):
    """Portions of about equal length, so that little is padded."""
    order = list(range(len(rows)))
    if shuffled is not None:
        shuffled.shuffle(order)
    portions = []
    for start in range(0, len(order), size * 32):
        chunk = sorted(order[start : start + size * 32], key=lambda at: len(rows[at]["tokens"]))
        portions += [chunk[at : at + size] for at in range(0, len(chunk), size)]
    if shuffled is not None:
        shuffled.shuffle(portions)
    return portions


def lower(encoder, rows):
    """What the layers below the adapter make of every row, once for all epochs and judges."""
    with torch.no_grad():
        for portion in batches(rows, 64):
            tokens, mask = padded(rows, portion)
            values = encoder.embedded(tokens)
            for number in range(FIRST_LAYER):
                values = encoder.layer(values, mask, number)
            for place, at in enumerate(portion):
                rows[at]["lower"] = values[place, : len(rows[at]["tokens"])].clone()


class Reader:
    """Adapter and heads."""

    def __init__(self, encoder, labels, seed):
        torch.manual_seed(seed)
        self.encoder, self.labels = encoder, labels
        width = encoder.weights["token_embd.weight"].shape[1]
        self.adapter = adapted(encoder, FIRST_LAYER, RANK)
        self.intents = torch.nn.Linear(width, len(labels))
        self.tags = torch.nn.Linear(width, len(TAGS))

    def upper(self, values, mask):
        for number in range(FIRST_LAYER, self.encoder.layers):
            values = self.encoder.layer(values, mask, number, self.adapter)
        return values

    def batch(self, rows, portion):
        length = max(len(rows[at]["tokens"]) for at in portion)
        width = rows[portion[0]]["lower"].shape[1]
        values = torch.zeros(len(portion), length, width)
        mask = torch.zeros(len(portion), length, dtype=torch.bool)
        for place, at in enumerate(portion):
            count = len(rows[at]["tokens"])
            values[place, :count] = rows[at]["lower"]
            mask[place, :count] = True
        return values, mask

    def mean(self, values, mask):
        return (values * mask[..., None]).sum(1) / mask.sum(1, keepdim=True)

    def train(self, rows, seed, name):
        shuffled = random.Random(seed)
        place = {label: index for index, label in enumerate(self.labels)}
        deep = [one for pair in self.adapter.values() for one in pair]
        heads = list(self.intents.parameters()) + list(self.tags.parameters())
        optimiser = torch.optim.AdamW(
            [{"params": deep, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}], weight_decay=0.01, betas=(0.9, 0.98)
        )
        steps = EPOCHS * math.ceil(len(rows) / BATCH)
        schedule = torch.optim.lr_scheduler.LambdaLR(
            optimiser, lambda step: min(1, (step + 1) / (0.06 * steps)) * max(0.02, 1 - step / steps)
        )
        began = time.time()
        for epoch in range(EPOCHS):
            losses, right = 0.0, 0
            portions = batches(rows, BATCH, shuffled)
            for portion in portions:
                values, mask = self.batch(rows, portion)
                values = self.upper(values, mask)
                gold = torch.tensor([place[rows[at]["label"]] for at in portion])
                logits = self.intents(F.dropout(self.mean(values, mask), DROPOUT))
                loss = F.cross_entropy(logits, gold)
                spots, tags = [], []
                for line, at in enumerate(portion):
                    for start, tag in zip(rows[at]["starts"], rows[at]["tags"] or []):
                        if tag is not None and start >= 0:
                            spots.append((line, start))
                            tags.append(TAGS.index(tag))
                if spots:
                    lines, columns = (torch.tensor(one) for one in zip(*spots))
                    words = self.tags(F.dropout(values[lines, columns], DROPOUT))
                    loss = loss + TAG_SHARE * F.cross_entropy(words, torch.tensor(tags))
                optimiser.zero_grad()
                loss.backward()
                torch.nn.utils.clip_grad_norm_(deep + heads, 1.0)
                optimiser.step()
                schedule.step()
                losses += loss.item()
                right += int((logits.argmax(1) == gold).sum())
            print(
                f"{name}: epoch {epoch + 1}, {len(rows)} rows, loss {losses / len(portions):.4f}, labels right "
                f"{right / len(rows):.4f}, {time.time() - began:.0f} s",
                flush=True,
            )

    def read(self, rows):
        with torch.no_grad():
            for portion in batches(rows, 64):
                values, mask = self.batch(rows, portion)
                values = self.upper(values, mask)
                intents = F.softmax(self.intents(self.mean(values, mask)), -1)
                tags = F.softmax(self.tags(values), -1)
                for line, at in enumerate(portion):
                    places = [max(0, start) for start in rows[at]["starts"]]
                    yield rows[at], intents[line], tags[line, places]

    def write_readings(self, rows, path):
        hits = count = tagged = tags_right = 0
        with open(path, "wb") as out:
            out.write(json.dumps({"labels": self.labels, "tags": TAGS}).encode() + b"\n")
            for row, intents, tags in self.read(rows):
                text = row["text"].encode()
                out.write(struct.pack("<II", len(text), len(tags)) + text)
                out.write(intents.numpy().astype("<f4").tobytes() + tags.numpy().astype("<f4").tobytes())
                if not row["noisy"]:
                    count += 1
                    hits += self.labels[int(intents.argmax())] == row["label"]
                    for probabilities, tag in zip(tags, row["tags"] or []):
                        if tag is not None:
                            tagged += 1
                            tags_right += TAGS[int(probabilities.argmax())] == tag
        print(f"{path}: labels right {hits}/{count} = {hits / count:.4f}, words' slots {tags_right}/{tagged} = "
              f"{tags_right / max(1, tagged):.4f}", flush=True)

    def export(self, folder, rows):
        export(self.adapter, RANK, "LiberaGPT commands", f"{folder}/reader.gguf")

        def head(layer, names):
            # Rows of one dimension, a column per name.
            return {
                "labels": names,
                "weights": [[round(float(x), 6) for x in line] for line in layer.weight.detach().numpy().T],
                "biases": [round(float(x), 6) for x in layer.bias.detach().numpy()],
            }

        with open(f"{folder}/reader.json", "w") as out:
            json.dump({"intents": head(self.intents, self.labels), "tags": head(self.tags, TAGS)}, out)
        checks = []
        for row, intents, tags in self.read(rows):
            checks.append({"words": row["words"], "labels": [round(float(x), 4) for x in intents],
                           "tags": [[round(float(x), 4) for x in line] for line in tags]})
        with open(f"{folder}/parity.json", "w") as out:
            json.dump(checks, out)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("examples")
    parser.add_argument("out")
    parser.add_argument("--judges", default="slurp,half,written,hwu64,shipped")
    parser.add_argument("--threads", type=int, default=1)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    encoder = Encoder(options.weights)
    rows = [json.loads(line) for line in open(options.examples, encoding="utf-8")]
    for row in rows:
        row.setdefault("tags", None)
    labels = sorted({row["label"] for row in rows})
    for row in rows:
        row["tokens"], row["starts"] = encoder.tokens(row["words"])
    began = time.time()
    lower(encoder, rows)
    print(f"{len(rows)} rows, {len(labels)} labels, lower layers {time.time() - began:.0f} s", flush=True)

    def is_judged(row, judge):
        if judge == "half":
            return row["source"] == "hwu64" and row["group"] % 2 == 0
        return row["source"] == judge

    for judge in options.judges.split(","):
        learned = [row for row in rows if row["learn"] and not is_judged(row, judge)]
        reader = Reader(encoder, labels, SEED)
        reader.train(learned, SEED, judge)
        if judge == "shipped":
            some = [row for row in rows if row["source"] == "written" and not row["noisy"]][::200][:6]
            reader.export(options.out, some)
        else:
            reader.write_readings([row for row in rows if is_judged(row, judge)], f"{options.out}/readings-{judge}.bin")


main()
