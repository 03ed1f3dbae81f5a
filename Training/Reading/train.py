#!/usr/bin/env python3
"""train.py WEIGHTS DATA FOLDER [--without covidqa,qed] [--steps N] [--decay N] [--threads N] [--device cuda]

Tunes the reader on what prepare.py made, from FOLDER/last.pt on where it was stopped. The learning rate stays until the step
STEPS - DECAY and then goes down to nothing; FOLDER/steady.pt is kept from before that, so that training can go on with more
--steps later (copy it to last.pt). FOLDER/log says what was reached.
"""
import argparse
import json
import os
import pickle
import signal
import time

import torch
import torch.nn.functional as F
from data import Drawing, batch
from encoder import Reader
from measure import quick

SEED = 20261122
GROUPS, POOL = 12, 32  # questions in a step; steps among which they are sorted by length
RATE, HEAD_RATE, WARM, DROPOUT = 1.5e-4, 1e-3, 150, 0.1
EVERY = {"log": 25, "judge": 400}
KEEP_SECONDS = 180


def span_loss(logits, gold, places):
    """Minus the logarithm of the probability of all right places, over the passages that have any; place 0 is "nowhere"."""
    some = gold.sum(1) > 0
    if not some.any():
        return logits.sum() * 0
    logits = logits[some].masked_fill(~places[some], -1e4)
    right = logits.masked_fill(gold[some] == 0, -1e4)
    return (logits.logsumexp(1) - right.logsumexp(1)).mean()


def losses(reader, made):
    start, stop, evidence, whole = reader(made, DROPOUT)
    inside = made["inside"]
    places = inside.clone()
    places[:, 0] = True
    span = (span_loss(start, made["starts"], places) + span_loss(stop, made["stops"], places)) / 2
    answers = F.binary_cross_entropy_with_logits(whole, made["answers"])
    rank = whole.sum() * 0
    if len(made["pairs"]):
        rank = F.softplus(whole[made["pairs"][:, 1]] - whole[made["pairs"][:, 0]]).mean()
    each = F.binary_cross_entropy_with_logits(evidence, made["evidence"], reduction="none")
    # Every passage counts the same, and so do its tokens that belong to an answering sentence and those that do not.
    yes, no = made["evidence"] * inside, (1 - made["evidence"]) * inside
    proof = (each * yes).sum(1) / yes.sum(1).clamp(min=1) + (each * no).sum(1) / no.sum(1).clamp(min=1)
    return {"span": span, "answers": answers, "rank": rank, "evidence": proof.mean()}


def rate(step, options):
    decayed = min(1.0, (options.steps - step) / max(1, options.decay))
    return min(1.0, (step + 1) / WARM) * max(0.0, decayed)


def pools(drawing, step):
    """Batches from the given step on; the same ones whenever they are asked for."""
    size = GROUPS * POOL
    per_epoch = len(drawing.questions) // size * POOL
    while True:
        epoch, at = divmod(step, per_epoch)
        order = drawing.epoch(epoch)
        pool = at // POOL
        groups = [drawing.group(epoch, place) for place in order[pool * size : (pool + 1) * size]]
        groups.sort(key=lambda group: max(len(example.tokens) + len(example.question) for example in group))
        chance = torch.Generator().manual_seed(SEED + epoch * 10007 + pool)
        turn = torch.randperm(POOL, generator=chance).tolist()
        for place in turn[at % POOL :]:
            yield step, groups[place * GROUPS : (place + 1) * GROUPS]
            step += 1


def cores(most):
    """As many threads as there are idle cores, up to `most`; on a busy machine one."""
    others = os.getloadavg()[0] - torch.get_num_threads()
    return max(1, min(most, round((os.cpu_count() or 1) - max(0, others))))


def keep(path, reader, optimiser, step):
    torch.save({"reader": reader.state_dict(), "optimiser": optimiser.state_dict(), "step": step}, path + ".new")
    os.replace(path + ".new", path)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("weights")
    parser.add_argument("data")
    parser.add_argument("folder")
    parser.add_argument("--without", default="")
    parser.add_argument("--steps", type=int, default=4000)
    parser.add_argument("--decay", type=int, default=800)
    parser.add_argument("--threads", type=int, default=os.cpu_count())
    parser.add_argument("--device", default="cpu")
    options = parser.parse_args()
    torch.set_num_threads(1)
    os.makedirs(options.folder, exist_ok=True)
    data = pickle.load(open(options.data, "rb"))
    reader = Reader(options.weights, SEED).to(options.device)
    vocabulary = reader.encoder.vocabulary
    drawing = Drawing(data, vocabulary, SEED, [s for s in options.without.split(",") if s])
    heads = [*reader.tokens.parameters(), *reader.whole.parameters()]
    deep = list(reader.encoder.tuned.parameters())
    optimiser = torch.optim.AdamW([{"params": deep, "lr": RATE}, {"params": heads, "lr": HEAD_RATE}],
                                  weight_decay=0.01, betas=(0.9, 0.98))
    step, last = 0, f"{options.folder}/last.pt"
    if os.path.exists(last):
        held = torch.load(last, map_location=options.device)
        reader.load_state_dict(held["reader"])
        optimiser.load_state_dict(held["optimiser"])
        step = held["step"]
    log = open(f"{options.folder}/log", "a", buffering=1)
    print(json.dumps({"from": step, "questions": len(drawing.questions), **vars(options)}), file=log)
    stopped = []
    for one in (signal.SIGTERM, signal.SIGINT):
        signal.signal(one, lambda *_: stopped.append(1))
    sums, tokens, began, kept = {}, 0, time.time(), time.time()
    for step, groups in pools(drawing, step):
        if step >= options.steps or stopped:
            break
        if step == options.steps - options.decay:
            keep(f"{options.folder}/steady.pt", reader, optimiser, step)
        for group in optimiser.param_groups:
            group["lr"] = (RATE if group["params"] is not optimiser.param_groups[1]["params"] else HEAD_RATE) * rate(step, options)
        torch.manual_seed(SEED + step)
        made = {name: part.to(options.device) if torch.is_tensor(part) else part for name, part in batch(vocabulary, groups).items()}
        parts = losses(reader, made)
        optimiser.zero_grad()
        sum(parts.values()).backward()
        torch.nn.utils.clip_grad_norm_(deep + heads, 1.0)
        optimiser.step()
        for name, value in parts.items():
            sums[name] = sums.get(name, 0) + value.item()
        tokens += int(made["mask"].sum())
        if (step + 1) % EVERY["log"] == 0:
            print(json.dumps({"step": step + 1, **{n: round(v / EVERY["log"], 3) for n, v in sums.items()},
                              "tokens/s": round(tokens / (time.time() - began))}), file=log)
            torch.set_num_threads(cores(options.threads))
            sums, tokens, began = {}, 0, time.time()
        if (step + 1) % EVERY["judge"] == 0:
            print(json.dumps({"step": step + 1, "held out": quick(reader, data, vocabulary)}), file=log)
            began = time.time()
        if time.time() - kept > KEEP_SECONDS:
            keep(last, reader, optimiser, step + 1)
            kept = time.time()
    keep(last, reader, optimiser, step)
    print(json.dumps({"stopped at": step, "held out": quick(reader, data, vocabulary)}), file=log)


main()
