#!/usr/bin/env python3
"""questions.py WEIGHTS READING AUTHORED OUT --program LIBERA --packs FOLDER [--without SOURCES] [--threads N]

Tunes the embedding pack's encoder for questions: a low-rank adapter with which a question's vector comes to lie near the chunk and the
sentence that answer it, whose own vectors stay as published and are made by the program. Prints what was found before and afterwards
on sources and titles that taught nothing. Writes OUT/questions.gguf, the adapter as llama.cpp loads it, and OUT/questions-parity.json,
what torch makes of a few questions.
"""
import argparse
import base64
import collections
import json
import os
import random
import sys
import time

import numpy as np
import torch
import torch.nn.functional as F
from encoder import Encoder, adapted, export, padded

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[1:1] = [os.path.join(HERE, "Reading"), os.path.join(HERE, "..", "Benchmarks", "answers")]
from bench import Program
from corpora import authored, load

SEED = 20260610
RANK, EPOCHS, BATCH, RATE = 8, 2, 64, 1e-3
DROPOUT = 0.05
SHARPNESS = 0.03  # of the choice among all chunks or sentences
CHUNK = 800  # characters, about what the program's have
PLACE = 0.5  # what the title counts beside the words, as in Sources/Retrieval/Search/ChunkVectors.swift
OTHERS = 8000  # questions of the corpora in each epoch, beside all that the authors wrote
STEADY, FIRMNESS = 32, 10.0  # so many sentences beside each batch, whose vectors are to stay as published: not all that is looked for is a question


class Texts:
    """Chunks and sentences of all sources, their vectors, and the questions that some of them answer."""

    def __init__(self, passages):
        self.chunks, self.sentences, self.questions = [], [], []
        for passage in passages:
            group = passage["source"] + ("-held" if passage["held"] else "")
            begin, held = len(self.sentences), []
            for sentence in [*passage["sentences"], None]:
                if sentence is None or held and len(sentence) + sum(map(len, held)) > CHUNK:
                    self.chunks.append({"source": group, "place": passage["title"], "text": " ".join(held)})
                    self.sentences += [{"source": group, "text": text, "chunk": len(self.chunks) - 1} for text in held]
                    held = []
                held.append(sentence)
            for question in passage["asked"]:
                if places := [begin + place for place in question["evidence"]]:
                    chunks = sorted({self.sentences[place]["chunk"] for place in places})
                    self.questions.append({"source": group, "text": question["text"], "sentences": places, "chunks": chunks})

    def embed(self, program, kept):
        if os.path.exists(kept):
            self.of_chunks, self.of_sentences = torch.load(kept)
            return
        titles = sorted({chunk["place"] for chunk in self.chunks})
        places = dict(zip(titles, vectors(program, titles)))
        words = vectors(program, [chunk["text"] for chunk in self.chunks])
        self.of_chunks = F.normalize(words + PLACE * torch.stack([places[chunk["place"]] for chunk in self.chunks]), dim=1)
        self.of_sentences = vectors(program, [sentence["text"] for sentence in self.sentences])
        torch.save((self.of_chunks, self.of_sentences), kept)

    def among(self, sources):
        """For chunks and for sentences: the vectors of those sources, and where each of them stands."""
        for all_of, rows, key in ((self.of_chunks, self.chunks, "chunks"), (self.of_sentences, self.sentences, "sentences")):
            kept = [place for place, row in enumerate(rows) if row["source"] in sources]
            yield key, all_of[kept], {place: at for at, place in enumerate(kept)}


def vectors(program, texts):
    rows = np.zeros((len(texts), 384), np.float32)
    order = sorted(range(len(texts)), key=lambda place: len(texts[place]))
    for start in range(0, len(order), 256):
        some = order[start : start + 256]
        body = {"model": "all-minilm-l6-v2-f16", "input": [texts[place][:2500] or "." for place in some], "encoding_format": "base64"}
        for place, entry in zip(some, program.post("v1/embeddings", body)[0]["data"]):
            rows[place] = np.frombuffer(base64.b64decode(entry["embedding"]), "<f4")
    return F.normalize(torch.from_numpy(rows), dim=1)


def tokens(encoder, text):
    return [encoder.first] + [number for word in encoder.split(text) for number in encoder.matched(word)][:126] + [encoder.last]


def encoded(encoder, rows, adapter):
    numbers, mask = padded(rows, range(len(rows)))
    values = encoder.embedded(numbers)
    for number in range(encoder.layers):
        values = encoder.layer(values, mask, number, adapter)
    return F.normalize((values * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=1)


def judge(encoder, texts, sources, adapter, name):
    mine = [question for question in texts.questions if question["source"] in sources]
    if not mine:
        return
    with torch.no_grad():
        asked = torch.cat([encoded(encoder, mine[at : at + BATCH], adapter) for at in range(0, len(mine), BATCH)])
    said = []
    for key, rows, place in texts.among(sources):
        hits, ranks = collections.Counter(), 0.0
        for near, question in zip(asked @ rows.T, mine):
            rank = 1 + int((near > near[[place[one] for one in question[key]]].max()).sum())
            ranks += 1 / rank
            hits.update(most for most in (1, 5, 20) if rank <= most)
        found = " ".join(f"@{most} {hits[most] / len(mine):.3f}" for most in (1, 5, 20))
        said.append(f"{key} {found}, mean of 1/rank {ranks / len(mine):.3f}")
    print(f"{name}, {sources[0]} ({len(mine)} questions): {'; '.join(said)}", flush=True)


def train(encoder, texts, unseen, adapter):
    draw = random.Random(SEED)
    sources = {question["source"] for question in texts.questions} - unseen
    known = [question for question in texts.questions if question["source"] in sources]
    ours = [question for question in known if question["source"].startswith("authored")]
    others = [question for question in known if not question["source"].startswith("authored")]
    parameters = [one for pair in adapter.values() for one in pair]
    optimiser = torch.optim.AdamW(parameters, lr=RATE, weight_decay=0.01, betas=(0.9, 0.98))
    steps = EPOCHS * ((len(ours) + min(OTHERS, len(others))) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(
        optimiser, lambda step: min(1, (step + 1) / (0.06 * steps)) * max(0.02, 1 - step / steps)
    )
    spaces = list(texts.among(sources))
    said = [sentence["text"] for sentence in texts.sentences if sentence["source"] in sources and len(sentence["text"].split()) > 5]
    began, step = time.time(), 0
    for _ in range(EPOCHS):
        epoch = ours + draw.sample(others, min(OTHERS, len(others)))
        draw.shuffle(epoch)
        for at in range(0, len(epoch) - BATCH + 1, BATCH):
            batch = epoch[at : at + BATCH]
            asked = F.normalize(F.dropout(encoded(encoder, batch, adapter), DROPOUT), dim=1)
            loss = 0
            for key, rows, place in spaces:
                near = asked @ rows.T / SHARPNESS
                right = [torch.logsumexp(line[[place[one] for one in q[key]]], 0) for line, q in zip(near, batch)]
                loss = loss + (torch.logsumexp(near, 1) - torch.stack(right)).mean()
            steady = [{"tokens": tokens(encoder, text)} for text in draw.sample(said, STEADY)]
            with torch.no_grad():
                published = encoded(encoder, steady, None)
            loss = loss + FIRMNESS * (1 - (encoded(encoder, steady, adapter) * published).sum(1)).mean()
            optimiser.zero_grad()
            loss.backward()
            torch.nn.utils.clip_grad_norm_(parameters, 1.0)
            optimiser.step()
            schedule.step()
            step += 1
            if step % 50 == 0:
                print(f"step {step} of {steps}, loss {loss.item():.3f}, {time.time() - began:.0f} s", flush=True)


def main():
    parser = argparse.ArgumentParser()
    for name in ["weights", "reading", "authored", "out", "--program", "--packs"]:
        parser.add_argument(name)
    parser.add_argument("--without", default="authored-f,authored-l,authored-v,authored-dv,authored-fv,covidqa,qed")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    os.makedirs(options.out, exist_ok=True)
    encoder = Encoder(options.weights)
    texts = Texts(authored(options.authored) + load(options.reading))
    for question in texts.questions:
        question["tokens"] = tokens(encoder, question["text"])
    program = Program(options.program, f"{options.out}/home", options.packs)
    program.serve()
    try:
        texts.embed(program, f"{options.out}/vectors.pt")
    finally:
        program.end()
    without = options.without.split(",")
    unseen = {q["source"] for q in texts.questions if q["source"].removesuffix("-held") in without or q["source"].endswith("-held")}
    judged = [[name, name + "-held"] for name in without] + [["squad2-held"], ["policyqa-held"]]
    adapter = adapted(encoder, 0, RANK)
    for sources in judged:
        judge(encoder, texts, sources, None, "as published")
    train(encoder, texts, unseen, adapter)
    for sources in judged:
        judge(encoder, texts, sources, adapter, "tuned")
    export(adapter, RANK, "LiberaGPT questions", f"{options.out}/questions.gguf")
    checks = [question for question in texts.questions if question["source"] in unseen][::400][:6]
    with torch.no_grad():
        made = encoded(encoder, checks, adapter)
    with open(f"{options.out}/questions-parity.json", "w") as out:
        rows = [[round(float(number), 5) for number in row] for row in made]
        json.dump([{"question": q["text"], "vector": row} for q, row in zip(checks, rows)], out)


main()
