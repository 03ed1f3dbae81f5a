#!/usr/bin/env python3
"""questions.py WEIGHTS READING AUTHORED OUT --program LIBERA --packs FOLDER [--without SOURCES] [--threads N]

Tunes the embedding pack's encoder for questions: a low-rank adapter with which a question's vector comes to lie near the chunk and the
sentence that answer it, whose own vectors stay as published and are made by the program. Prints what was found before and afterwards
on sources and titles that taught nothing. Writes OUT/questions.gguf, the adapter as llama.cpp loads it, and OUT/questions-parity.json,
what torch makes of a few questions.
"""
import argparse
import json
import os
import random
import time

import torch
import torch.nn.functional as F
from encoder import Encoder, adapted, export, padded
from nearness import Texts, wrongness

from corpora import authored, load

SEED = 20260610
RANK, EPOCHS, BATCH, RATE = 8, 2, 64, 1e-3
DROPOUT = 0.05
SHARPNESS = 0.03  # of the choice among all chunks or sentences
OTHERS = 8000  # questions of the corpora in each epoch, beside all that the authors wrote
STEADY, FIRMNESS = 32, 10.0  # so many sentences beside each batch, whose vectors are to stay as published: not all that is looked for is a question


def tokens(encoder, text):
    return [encoder.first] + [number for word in encoder.split(text) for number in encoder.matched(word)][:126] + [encoder.last]


def encoded(encoder, rows, adapter):
    numbers, mask = padded(rows, range(len(rows)))
    values = encoder.embedded(numbers)
    for number in range(encoder.layers):
        values = encoder.layer(values, mask, number, adapter)
    return F.normalize((values * mask[..., None]).sum(1) / mask.sum(1, keepdim=True), dim=1)


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
            loss = wrongness(asked, batch, spaces, SHARPNESS)
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
    texts.embed(options.program, options.packs, "all-minilm-l6-v2-f16", options.out)
    without = options.without.split(",")
    unseen = texts.unseen(without)
    judged = [[name, name + "-held"] for name in without] + [["squad2-held"], ["policyqa-held"]]
    adapter = adapted(encoder, 0, RANK)

    def tuned(mine):
        rows = [texts.questions[place] for place in mine]
        return torch.cat([encoded(encoder, rows[at : at + BATCH], adapter) for at in range(0, len(rows), BATCH)])

    for sources in judged:
        texts.judge(sources, lambda mine: texts.of_questions[mine], "as published")
    train(encoder, texts, unseen, adapter)
    for sources in judged:
        texts.judge(sources, tuned, "tuned")
    export(adapter, RANK, "LiberaGPT questions", f"{options.out}/questions.gguf")
    checks = [question for question in texts.questions if question["source"] in unseen][::400][:6]
    with torch.no_grad():
        made = encoded(encoder, checks, adapter)
    with open(f"{options.out}/questions-parity.json", "w") as out:
        rows = [[round(float(number), 5) for number in row] for row in made]
        json.dump([{"question": q["text"], "vector": row} for q, row in zip(checks, rows)], out)


main()
