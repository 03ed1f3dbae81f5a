#!/usr/bin/env python3
"""question_map.py AUTHORED OUT --program LIBERA --packs FOLDER [--without SOURCES] [--threads N]

Learns a map of questions for the encoder of many languages: `q + q·A·B`, with which a question's vector comes to lie near the chunk and
the sentence that answer it, while all other vectors stay as published. Prints what was found before and afterwards on sources that taught
nothing. Writes OUT/question-map.gguf, and OUT/question-map-parity.json, what torch makes of a few questions.
"""
import argparse
import json
import math
import random

import gguf
import numpy as np
import torch
import torch.nn.functional as F
from nearness import Texts, wrongness

from corpora import authored

SEED = 20260610
PACK = "use-multilingual-3-q6"
RANK, EPOCHS, BATCH, RATE = 64, 2, 64, 1e-3
DROPOUT = 0.05
SHARPNESS = 0.05  # of the choice among all chunks or sentences


def mapped(vectors, down, up):
    return F.normalize(vectors + vectors @ down @ up, dim=1)


def train(texts, unseen):
    draw = random.Random(SEED)
    known = [place for place, question in enumerate(texts.questions) if question["source"] not in unseen]
    spaces = list(texts.among({texts.questions[place]["source"] for place in known}))
    width = texts.of_questions.shape[1]
    down = torch.nn.Parameter(torch.randn(width, RANK) / math.sqrt(width))
    up = torch.nn.Parameter(torch.zeros(RANK, width))
    optimiser = torch.optim.AdamW([down, up], lr=RATE, weight_decay=0.01)
    steps = EPOCHS * (len(known) // BATCH)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda step: min(1, (step + 1) / 30) * max(0.02, 1 - step / steps))
    for epoch in range(EPOCHS):
        draw.shuffle(known)
        for at in range(0, len(known) - BATCH + 1, BATCH):
            batch = known[at : at + BATCH]
            asked = F.normalize(F.dropout(mapped(texts.of_questions[batch], down, up), DROPOUT), dim=1)
            loss = wrongness(asked, [texts.questions[place] for place in batch], spaces, SHARPNESS)
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            schedule.step()
        print(f"epoch {epoch + 1} of {EPOCHS}, loss {loss.item():.3f}", flush=True)
    return down.detach(), up.detach()


def export(down, up, path):
    """Rows as the product reads them: those of `down` are turned, for ggml multiplies along them."""
    writer = gguf.GGUFWriter(path, "bert")
    writer.add_type("adapter")
    writer.add_string("adapter.type", "map")
    writer.add_name("LiberaGPT questions, many languages")
    writer.add_tensor("down.weight", np.ascontiguousarray(down.T.numpy().astype(np.float16)))
    writer.add_tensor("up.weight", np.ascontiguousarray(up.T.numpy().astype(np.float16)))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()


def main():
    parser = argparse.ArgumentParser()
    for name in ["authored", "out", "--program", "--packs"]:
        parser.add_argument(name)
    parser.add_argument("--without", default="authored-f,authored-l,authored-v,authored-dv,authored-fv")
    parser.add_argument("--threads", type=int, default=2)
    options = parser.parse_args()
    torch.set_num_threads(options.threads)
    torch.manual_seed(SEED)
    texts = Texts(authored(options.authored))
    texts.embed(options.program, options.packs, PACK, options.out)
    without = options.without.split(",")
    for source in without:
        texts.judge([source], lambda mine: texts.of_questions[mine], "as published")
    unseen = texts.unseen(without)
    down, up = (matrix.half().float() for matrix in train(texts, unseen))
    for source in without:
        texts.judge([source], lambda mine: mapped(texts.of_questions[mine], down, up), "mapped")
    export(down, up, f"{options.out}/question-map.gguf")
    checks = [place for place, question in enumerate(texts.questions) if question["source"] in unseen][::250][:5]
    rows = zip(checks, mapped(texts.of_questions[checks], down, up).tolist())
    with open(f"{options.out}/question-map-parity.json", "w") as out:
        json.dump([{"question": texts.questions[place]["text"], "vector": [round(one, 5) for one in row]} for place, row in rows], out)


main()
